#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Promise 19: a jump of the wall clock by two hours changes no timer, and the Date field follows it within a second.

  clock_test.py FOLDER_OF_PROGRAMS [--long]

libfaketime moves the wall clock of the server while it runs, and leaves its monotonic clock alone, as an administrator or
NTP would. VOLT_TEST_IO chooses the engine. --long jumps more often. Skipped where libfaketime is not installed.
"""

import email.utils
import glob
import pathlib
import socket
import sys
import tempfile
import time

from measure import IO, SKIPPED, Server, check, eventually, metric, run_tests, sanitized, skip

PROGRAM = pathlib.Path(sys.argv[1], "hello")
ROUNDS = 10 if "--long" in sys.argv[2:] else 1
HOURS = 2
TIMEOUT_SECONDS = 3
EARLY_SECONDS = 0.2
LATE_SECONDS_MAX = 10  # on a busy machine; a timer that followed the clock would be two hours late
REQUEST = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"


def library():
    found = glob.glob("/usr/lib/*/faketime/libfaketime.so.1") + glob.glob("/usr/lib/faketime/libfaketime.so.1")
    return found[0] if found else None


class Clock:
    """The wall clock of the server: the true time and an offset, which libfaketime reads from a file at each call."""

    def __init__(self, folder):
        self.file = pathlib.Path(folder, "offset")
        self.set(0)

    def set(self, seconds):
        self.offset = seconds
        new = self.file.with_suffix(".new")
        new.write_text(f"{seconds:+d}\n")
        new.replace(self.file)  # never half written

    def now(self):
        return time.time() + self.offset

    def environment(self):
        return {"LD_PRELOAD": library(), "FAKETIME_TIMESTAMP_FILE": str(self.file), "FAKETIME_NO_CACHE": "1",
                "FAKETIME_DONT_FAKE_MONOTONIC": "1"}


def connect(port):
    return socket.create_connection(("127.0.0.1", port), timeout=60)


def date_error(port, clock):
    """How far the Date field of a response is from the server's clock, in seconds."""
    with connect(port) as client:
        client.sendall(REQUEST)
        response = client.recv(4096).decode()
    date = next(line for line in response.split("\r\n") if line.startswith("Date: "))
    return abs(email.utils.parsedate_to_datetime(date[6:]).timestamp() - clock.now())


def waits_for_close(client, began, why):
    """Returns after how many seconds the server has ended the connection."""
    client.settimeout(TIMEOUT_SECONDS + LATE_SECONDS_MAX)
    try:
        while client.recv(4096):
            pass
    except ConnectionError:
        pass
    except TimeoutError:
        check(False, f"{why}: still open after {time.monotonic() - began:.1f} s")
    took = time.monotonic() - began
    check(took > TIMEOUT_SECONDS - EARLY_SECONDS, f"{why}: ended after {took:.1f} s, before its deadline")
    return took


def test_jumps():
    with tempfile.TemporaryDirectory() as folder:
        clock = Clock(folder)
        timeout = f"{TIMEOUT_SECONDS}s"
        with Server(PROGRAM, "--ops", "127.0.0.1:0", "--server.head-timeout", timeout, "--server.idle-timeout", timeout,
                    io=IO, environment=clock.environment()) as server:
            for jump in (HOURS * 3600, -HOURS * 3600) * ROUNDS:
                one_jump(server, clock, jump)
            eventually(lambda: metric(server, "volt_connections") == 0, "connections are left")


def one_jump(server, clock, jump):
    check(date_error(server.port, clock) < 2.5, "the Date field is wrong before the jump")
    with connect(server.port) as half, connect(server.port) as idle:
        half.sendall(b"GET / HT")
        idle.sendall(REQUEST)
        idle.recv(4096)
        began = time.monotonic()
        time.sleep(TIMEOUT_SECONDS / 3)
        clock.set(clock.offset + jump)
        # A Date has whole seconds, so it may be nearly two seconds old one second after it was made.
        followed = eventually(lambda: date_error(server.port, clock) < 2.1, "the Date field does not follow", 10)
        head_took = waits_for_close(half, began, "a half head")
        idle_took = waits_for_close(idle, began, "an idle connection")
    print(f"{IO}, {jump / 3600:+.0f} h: Date right after {followed:.1f} s; deadlines of {TIMEOUT_SECONDS} s ended a head "
          f"after {head_took:.1f} s, an idle connection after {idle_took:.1f} s", flush=True)


if __name__ == "__main__":
    if not library():
        skip("libfaketime is not installed")
    if sanitized(PROGRAM):
        sys.exit(SKIPPED)  # a sanitizer must be loaded before libfaketime
    run_tests([test_jumps])
