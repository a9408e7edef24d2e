#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of configuration by file, environment and flags, and of the log output.

Usage: config_test.py FOLDER_OF_PROGRAMS; VOLT_TEST_IO chooses the reactor.
"""

import contextlib
import http.client
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

from server_process import Server

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from ports import free_port  # pylint: disable=wrong-import-position

IO = os.environ.get("VOLT_TEST_IO", "auto")
PROGRAMS = pathlib.Path(sys.argv[1])


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def ask(port, path):
    """Returns the status of the response."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
        connection.request("GET", path)
        return connection.getresponse().status


def run(*flags, **environment):
    ended = subprocess.run([str(PROGRAMS / "hello"), *flags], capture_output=True, text=True, timeout=30,
                           env={**os.environ, **environment})
    return ended.returncode, ended.stdout, ended.stderr


def test_print_config_names_values_and_sources():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "volt.toml"
        path.write_text('[server]\nidle_timeout = "5s"\nhead_timeout = "6s"\n')
        status, out, err = run("--print-config", "--workers", "3", VOLT_CONFIG=str(path), VOLT_SERVER_HEAD_TIMEOUT="7s",
                               KUBERNETES_SERVICE_HOST="10.0.0.1")
        check(status == 0 and not err, err)
        for line in [f'idle_timeout = "5s"  # {path}:2', 'head_timeout = "7s"  # VOLT_SERVER_HEAD_TIMEOUT',
                     "workers = 3  # --workers", 'delay = "5s"  # KUBERNETES_SERVICE_HOST', 'grace = "20s"']:
            check(f"\n{line}\n" in out, f"{line!r} in {out}")
        again = pathlib.Path(folder) / "again.toml"
        again.write_text(out)
        check(run("--check-config", "--config", str(again)) == (0, "the configuration is valid\n", ""), "reads back")


def test_refuses_to_start_with_an_invalid_file():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "volt.toml"
        path.write_text('[server]\nidle_timout = "5s"\nhead_timeout = 6\n')
        for flags in [["--config", str(path)], ["--config", str(path), "--check-config"]]:
            status, out, err = run(*flags)
            check(status == 2 and not out, f"status {status}: {out}")
            check(err == f"{path}:3: server.head_timeout: found 6, expected a duration with its unit, from \"1ms\" to "
                         f"\"24h\"\n{path}:2: server.idle_timout: no such key; did you mean server.idle_timeout?\n", err)


def test_limits_are_in_force():
    with Server(PROGRAMS / "hello", "--server.limits.request-line-bytes-max", "100", io=IO,
                environment={"VOLT_SERVER_HEAD_TIMEOUT": "200ms"}) as server:
        check(ask(server.port, "/" + "a" * 200) == 414, "a long request line is rejected")
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as slow:
            slow.sendall(b"GET /")
            check(slow.recv(64).startswith(b"HTTP/1.1 408 "), "a slow head gets 408")


def test_logs_json():
    with Server(PROGRAMS / "crud", "--log.format", "json", io=IO) as server:
        check(ask(server.port, "/none") == 404, "an unknown path gets 404")
    entries = [json.loads(line) for line in server.lines]
    listening = next(entry for entry in entries if entry["msg"].startswith("listening on "))
    check(listening["level"] == "info" and listening["workers"] == 2, listening)
    request = next(entry for entry in entries if entry["msg"] == "request")
    check((request["method"], request["path"], request["status"]) == ("GET", "/none", 404), request)


def serves_with_log_to(log):
    port = free_port()
    process = subprocess.Popen([str(PROGRAMS / "crud"), "--listen", f"127.0.0.1:{port}", "--io", IO, "--workers", "2"],
                               stderr=log)
    deadline = time.monotonic() + 30
    responses = 0
    while responses < 200:  # each request writes one log line
        try:
            responses += ask(port, "/none") == 404
        except OSError:
            check(responses == 0 and time.monotonic() < deadline, "the server stopped responding")
            time.sleep(0.05)
    process.terminate()
    check(process.wait(30) == 0, f"status {process.returncode}")


def test_serves_when_the_log_cannot_be_written():
    with open("/dev/full", "w", encoding="ascii") as full:
        serves_with_log_to(full)
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    try:
        while True:
            os.write(writing, b"x" * 4096)
    except BlockingIOError:  # the pipe is full, and stays full
        os.set_blocking(writing, True)
    serves_with_log_to(writing)
    os.close(reading)
    os.close(writing)


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"{name}: ok", flush=True)
