#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Servers whose programs keep streams for ever, do not end, or die: SIGTERM ends them in time, and the log says why.

An app that is set up wrongly does not start: one line names the mistake and its place, and the status is 2.

Usage: misbehaving_server_test.py FOLDER_OF_PROGRAMS; VOLT_TEST_IO chooses the reactor.
"""

import http.client
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "e2e"))
from server_process import Server  # noqa: E402

IO = os.environ.get("VOLT_TEST_IO", "auto")
PROGRAM = pathlib.Path(sys.argv[1], "misbehaving_server")
SANITIZED = "ASAN_OPTIONS" in os.environ  # a sanitizer has handlers of its own, and another end
PATIENCE_SECONDS = 20
GRACE_SECONDS = 2
MARGIN_SECONDS = 4  # for a machine that is busy with other work


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def get(port, path):
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    try:
        client.request("GET", path)
        return client.getresponse().read().decode()
    finally:
        client.close()


def seconds_to_end(server):
    began = time.monotonic()
    server.terminate()
    server.wait()
    return time.monotonic() - began


def server(mistake="", status=0):
    return Server(PROGRAM, f"--drain.grace={GRACE_SECONDS}s", io=IO, status=status, environment={"MISTAKE": mistake})


def test_streams_that_outlive_the_runtime():
    with server() as peer, server() as tested:
        check(get(tested.port, f"/fetch/{peer.port}") == "fine\n", "the client in main() works")
        check(get(tested.port, f"/connect/{peer.port}") == "connected", "the stream is connected")
        took = seconds_to_end(tested)
        check(took < GRACE_SECONDS, f"the end took {took:.1f} s")


def test_tasks_that_do_not_end(mistake, doing):
    with server(mistake, status=1) as tested:
        check(get(tested.port, "/") == "fine\n", "it serves")
        took = seconds_to_end(tested)
        check(took < GRACE_SECONDS + MARGIN_SECONDS, f"the end took {took:.1f} s")
        named = re.search(r"these tasks have ended, which were cancelled: task \d+ \((.*)\)\. waited_ms=", tested.log)
        check(named and re.search(doing, named[1]), tested.log)
        check("because drain.grace has passed" in tested.log, tested.log)


def test_mistakes_of_the_app():
    for mistake, says in (
        ("same_route", r"GET / \(misbehaving_server.cpp:\d+\).*misbehaving_server.cpp:\d+"),
        ("prefix", r"group 'api/' \(misbehaving_server.cpp:\d+\): a prefix must begin with '/' and must not end with"),
        ("folder", r"files '/x' \(misbehaving_server.cpp:\d+\): .*'no/such/folder': No such file or directory"),
    ):
        environment = {**os.environ, "MISTAKE": mistake}
        command = [PROGRAM, "--listen", "127.0.0.1:0", "--io", IO]
        ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE_SECONDS)
        check(ended.returncode == 2, f"{mistake}: status {ended.returncode}")
        errors = [line for line in ended.stderr.splitlines() if re.search(r"\berror\b", line)]
        check(len(errors) == 1 and re.search(says, errors[0]), f"{mistake}: {ended.stderr}")


def test_death_by_signal(path, number):
    with server(status=-number) as tested:
        try:
            get(tested.port, path)
        except (ConnectionError, http.client.HTTPException):
            pass
        check(tested.wait() == -number, "it dies by the signal")
        place = rf"on worker \d+, task \d+, GET {path}: the process dies"
        line = rf"volt: {signal.Signals(number).name}( \(address 0x[0-9a-f]+\))? {place}"
        check(re.search(line, tested.log), tested.log)
        if path == "/segv":
            check("the last line before the crash" in tested.log, tested.log)


test_mistakes_of_the_app()
test_streams_that_outlive_the_runtime()
test_tasks_that_do_not_end("swallow", "running|queued|timer")
test_tasks_that_do_not_end("blocking", "blocking")
if not SANITIZED:
    test_death_by_signal("/segv", signal.SIGSEGV)
    test_death_by_signal("/abort", signal.SIGABRT)
    test_death_by_signal("/overflow", signal.SIGSEGV)
