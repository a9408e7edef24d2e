#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The steps of App::before_listen() and App::after_drain(), in a program with volt::run.

Usage: steps_test.py FOLDER_OF_PROGRAMS; VOLT_TEST_IO chooses the reactor.
"""

import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time

from server_process import Server

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from ports import free_port  # pylint: disable=wrong-import-position

IO = os.environ.get("VOLT_TEST_IO", "auto")
PROGRAM = pathlib.Path(sys.argv[1], "metrics_server")
SECONDS_MAX = 30


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def connects(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def start(port, mistake):
    command = [str(PROGRAM), "--listen", f"127.0.0.1:{port}", "--io", IO, "--workers", "2"]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "MISTAKE": mistake})


def test_the_steps_run_in_order():
    with Server(PROGRAM, io=IO) as server:
        pass
    order = re.findall(r"the migration is done|the warm-up is done|listening on|the flush is done", server.log)
    check(order == ["the migration is done", "the warm-up is done", "listening on", "the flush is done"], server.log)


def test_a_step_that_fails_is_one_line_and_nothing_listens():
    process = start(free_port(), "before_fails")
    log = process.communicate(timeout=SECONDS_MAX)[1]
    check(process.returncode == 1, f"status {process.returncode}: {log}")
    errors = [line for line in log.splitlines() if " error " in line]
    check(len(errors) == 1, log)
    check(re.search(r"error before_listen \(metrics_server\.cpp:\d+\): the warm-up failed module=config$", errors[0]), log)
    check("listening on" not in log, log)


def test_the_port_is_closed_during_the_steps_and_a_signal_ends_them():
    port = free_port()
    process = start(port, "before_hangs")
    try:
        line = ""
        while "the migration is done" not in line:
            line = process.stderr.readline()
            check(line, "the server ended")
        check(not connects(port), "a client could connect before the server listens")
        process.send_signal(signal.SIGTERM)
        log = process.communicate(timeout=SECONDS_MAX)[1]
        check(process.returncode == 0, f"status {process.returncode}: {log}")
        check("ended by a signal before the server listened" in log, log)
    finally:
        process.kill()
        process.wait()


def test_a_step_after_the_drain_that_fails_makes_status_1(mistake, reason):
    began = time.monotonic()
    with Server(PROGRAM, io=IO, status=1, environment={"MISTAKE": mistake}) as server:
        pass
    check(time.monotonic() - began < SECONDS_MAX, "the step was not cancelled")
    check(re.search(rf"error a step of after_drain failed place=metrics_server\.cpp:\d+ reason={reason}", server.log),
          server.log)


if __name__ == "__main__":
    test_the_steps_run_in_order()
    test_a_step_that_fails_is_one_line_and_nothing_listens()
    test_the_port_is_closed_during_the_steps_and_a_signal_ends_them()
    test_a_step_after_the_drain_that_fails_makes_status_1("after_fails", '"the flush failed"')
    test_a_step_after_the_drain_that_fails_makes_status_1("after_hangs", '"cancelled, because it took longer than 300 ms"')
