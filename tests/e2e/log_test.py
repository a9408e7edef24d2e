#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The log as operators use it: levels that change while the program runs, a file that is rotated, systemd's journal.

Usage: log_test.py FOLDER_OF_PROGRAMS; VOLT_TEST_IO chooses the reactor.
"""

import http.client
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

from server_process import Server

IO = os.environ.get("VOLT_TEST_IO", "auto")
PROGRAMS = pathlib.Path(sys.argv[1])
SECONDS_MAX = 30


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def eventually(found, what):
    end = time.monotonic() + SECONDS_MAX
    while time.monotonic() < end:
        if result := found():
            return result
        time.sleep(0.02)
    raise AssertionError(what())


def ask(port, method, path, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS_MAX)
    try:
        connection.request(method, path, body)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def ops_port(server):
    return int(eventually(lambda: re.search(r"ops endpoint available at \S*:(\d+)", server.log), lambda: server.log)[1])


def reload(server):
    before = server.log.count(" reloaded ")
    server.process.send_signal(signal.SIGHUP)
    eventually(lambda: server.log.count(" reloaded ") > before, lambda: f"not reloaded:\n{server.log}")


def test_levels_change_by_reload_and_by_put():
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "hello.toml"
        file.write_text('[log]\nlevels = "http=debug"\n')
        with Server(PROGRAMS / "hello", "--config", str(file), "--ops", "127.0.0.1:0", io=IO) as server:
            port = ops_port(server)
            check(ask(port, "GET", "/log/levels") == (200, "info, http=debug\n"), "the configuration's at the start")
            check(ask(port, "PUT", "/log/levels", "http=error") == (200, "info, http=error\n"), "PUT changes them")
            changed = 'log levels are changed from="info, http=debug" to="http=error" module=config'
            eventually(lambda: changed in server.log, lambda: server.log)
            file.write_text('[log]\nlevel = "info"\nlevels = "pg=warning, mine=debug"\n')
            reload(server)
            check(ask(port, "GET", "/log/levels")[1] == "info, pg=warning, mine=debug\n", "the reload reads the file")
            file.write_text('[log]\nlevels = "pg=loud"\n')
            reload(server)
            refused = "error reload failed, the previous log levels stay in use"
            eventually(lambda: refused in server.log and "hello.toml:2: log.levels" in server.log, lambda: server.log)
            check(ask(port, "GET", "/log/levels")[1] == "info, pg=warning, mine=debug\n", "a mistake changes nothing")


def test_the_environment_overrides_the_file_at_a_reload_too():
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "hello.toml"
        file.write_text("")
        environment = {"VOLT_LOG_LEVELS": "tls=off"}
        flags = ["--config", str(file), "--ops", "127.0.0.1:0"]
        with Server(PROGRAMS / "hello", *flags, io=IO, environment=environment) as server:
            file.write_text('[log]\nlevels = "pg=off"\n')
            reload(server)
            check(ask(ops_port(server), "GET", "/log/levels")[1] == "info, tls=off\n", server.log)


def test_rotates_its_file():
    """The first file has all lines until the reload, the new one all others."""
    with tempfile.TemporaryDirectory() as folder:
        file, old = pathlib.Path(folder) / "hello.log", pathlib.Path(folder) / "hello.log.1"
        process = subprocess.Popen([str(PROGRAMS / "hello"), "--listen", "127.0.0.1:0", "--io", IO, "--log.file",
                                    str(file)], stderr=subprocess.PIPE, text=True)
        try:
            eventually(lambda: file.exists() and "listening on" in file.read_text(), lambda: "it does not listen")
            file.rename(old)
            process.send_signal(signal.SIGHUP)
            eventually(lambda: file.exists() and " reloaded " in file.read_text(), lambda: old.read_text())
        finally:
            process.terminate()
            _, errors = process.communicate(timeout=SECONDS_MAX)
        check(process.returncode == 0, f"status {process.returncode}")
        check(errors == "", f"nothing is on stderr: {errors}")
        check("drained" in file.read_text() and "listening" not in file.read_text(), file.read_text())
        check("listening" in old.read_text() and "drained" not in old.read_text(), old.read_text())


def test_refuses_a_file_that_it_cannot_open():
    for file, reason in (("/nonexistent/hello.log", "No such file or directory"), ("/proc", "Is a directory")):
        done = subprocess.run([str(PROGRAMS / "hello"), "--log.file", file], capture_output=True, text=True, check=False,
                              timeout=SECONDS_MAX)
        check(done.returncode == 1, f"status {done.returncode}")
        check(done.stderr == f'log.file: cannot open "{file}": {reason}\n', done.stderr)


def lines_with(stream_of, *flags):
    """The lines that hello writes to a file as its stderr, with JOURNAL_STREAM as `stream_of` says of that file."""
    with tempfile.TemporaryFile("w+") as errors:
        stream = stream_of(os.fstat(errors.fileno()))
        environment = {**os.environ, "JOURNAL_STREAM": stream}
        process = subprocess.Popen([str(PROGRAMS / "hello"), "--listen", "127.0.0.1:0", "--io", IO, *flags],
                                   stderr=errors, env=environment)

        def text():
            errors.seek(0)
            return errors.read()

        try:
            eventually(lambda: "listening on" in text(), text)
        finally:
            process.terminate()
            process.wait(SECONDS_MAX)
        return text().splitlines()


def test_tells_the_journal_the_priority_of_each_line():
    def journal(file):
        return f"{file.st_dev}:{file.st_ino}"

    def another(file):
        return f"{file.st_dev}:{file.st_ino + 1}"

    cases = [  # why, JOURNAL_STREAM, flags, whether each line has its priority
        ("stderr is the journal", journal, [], True),
        ("stderr was redirected", another, [], False),
        ("it is switched off", journal, ["--log.journal", "false"], False),
        ("it makes no sense", lambda file: "journal", [], False),
    ]
    for why, stream_of, flags, prefixed in cases:
        lines = lines_with(stream_of, *flags)
        check(lines, why)
        for line in lines:
            check(bool(re.match(r"<[3467]>\d{4}-", line)) == prefixed, f"{why}: {line}")


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print("passed", name)
