#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Promises 3 and 10 for large responses: a limit on memory is kept while clients do not read, and memory is given back.

Usage: memory_test.py FOLDER_OF_PROGRAMS [--long]; VOLT_TEST_IO chooses the reactor. --long makes more rounds, and as
root also runs the server in a memory cgroup of 128 MiB, where exceeding the limit would end the process.
"""

import argparse
import contextlib
import os
import pathlib
import socket
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "e2e"))
from server_process import Server  # noqa: E402

IO = os.environ.get("VOLT_TEST_IO", "auto")
SANITIZED = "ASAN_OPTIONS" in os.environ or "TSAN_OPTIONS" in os.environ
LIMIT_MIB = 1024 if SANITIZED else 128
RESPONSE_BYTES = 10_000_000
CLIENTS = 60
REQUEST = b"GET /big HTTP/1.1\r\nHost: a\r\n\r\n"
PATIENCE_SECONDS = 20
CGROUP = pathlib.Path("/sys/fs/cgroup/memory")


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def status_field(pid, name):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) / 1024
    raise AssertionError(f"no {name}")


def connect(port):
    connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    return connection


def status_line(connection):
    return connection.recv(64).split(b"\r\n")[0]


def read_all(port):
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS) as connection:
        connection.sendall(REQUEST)
        received = b""
        while b"\r\n\r\n" not in received:
            received += connection.recv(65536)
        head, _, body = received.partition(b"\r\n\r\n")
        size = len(body)
        if b" 200 " in head:
            while size < RESPONSE_BYTES:
                size += len(connection.recv(1 << 20))
            check(size == RESPONSE_BYTES, f"a body of {size} bytes")
        return head.split(b" ")[1]


def test_clients_that_do_not_read(server, limit_mib):
    """CLIENTS connections request a large response and read a few bytes of it."""
    with contextlib.ExitStack() as stack:
        answers = []
        for _ in range(CLIENTS):
            connection = stack.enter_context(connect(server.port))
            connection.sendall(REQUEST)
            answers.append(status_line(connection))
        served = sum(b" 200 " in answer for answer in answers)
        refused = sum(b" 503 " in answer for answer in answers)
        check(served + refused == CLIENTS, f"each client gets an answer: {answers}")
        check(served >= limit_mib // 20 // 2, f"{served} responses were sent")
        check(refused > 0 or CLIENTS * RESPONSE_BYTES < limit_mib << 20, "the others are refused")
    peak = status_field(server.process.pid, "VmHWM")
    print(f"{CLIENTS} clients that do not read, limit {limit_mib} MiB: {served} served, {refused} refused, "
          f"peak {peak:.0f} MiB")
    check(peak <= limit_mib, f"the peak was {peak:.0f} MiB, the limit is {limit_mib} MiB")
    until = time.monotonic() + PATIENCE_SECONDS
    while read_all(server.port) != b"200":
        check(time.monotonic() < until, "it serves again when the clients have gone")
        time.sleep(0.1)


def test_memory_is_given_back(server):
    for _ in range(40):
        check(read_all(server.port) == b"200", "a single client is served")
    resident = status_field(server.process.pid, "VmRSS")
    print(f"after 40 responses of 10 MB: {resident:.0f} MiB resident")
    check(resident < (400 if SANITIZED else 64), f"{resident:.0f} MiB stay resident")


@contextlib.contextmanager
def in_cgroup(limit_mib, folder):
    """Gives a program that runs the server in a new cgroup."""
    group = CGROUP / f"volt_memory_test_{os.getpid()}"
    group.mkdir()
    try:
        (group / "memory.limit_in_bytes").write_text(str(limit_mib << 20))
        wrapper = pathlib.Path(folder, "limited_server")
        wrapper.write_text(f'#!/bin/sh\necho $$ >{group}/cgroup.procs\nexec {program} "$@"\n')
        wrapper.chmod(0o755)
        yield wrapper
    finally:
        until = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < until:
            with contextlib.suppress(OSError):
                group.rmdir()
                return
            time.sleep(0.1)


def may_make_cgroups():
    return os.geteuid() == 0 and os.access(CGROUP / "memory.limit_in_bytes", os.R_OK)


parser = argparse.ArgumentParser()
parser.add_argument("programs")
parser.add_argument("--long", action="store_true")
options = parser.parse_args()
program = pathlib.Path(options.programs, "misbehaving_server").resolve()
for _ in range(5 if options.long else 1):
    with Server(program, f"--server.memory-bytes-max={LIMIT_MIB}MiB", io=IO) as test_server:
        test_clients_that_do_not_read(test_server, LIMIT_MIB)
with Server(program, io=IO) as test_server:
    test_memory_is_given_back(test_server)
if options.long and may_make_cgroups() and not SANITIZED:
    with tempfile.TemporaryDirectory() as temporary, in_cgroup(LIMIT_MIB, temporary) as limited:
        with Server(limited, io=IO) as test_server:
            test_clients_that_do_not_read(test_server, LIMIT_MIB)
