#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Promises 3 and 10: a limit on memory is kept while clients do not read, and memory and descriptors are given back.

Usage: memory_test.py FOLDER_OF_PROGRAMS [--long]; VOLT_TEST_IO chooses the reactor. --long makes more rounds and more
connections, and as root also runs the server in memory cgroups (version 1) of 64 and 128 MiB, where exceeding the limit
would end the process.
"""

import argparse
import contextlib
import os
import pathlib
import socket
import tempfile
import time

from measure import IO, Server, check, descriptors, eventually, metric, raise_descriptor_limit

SANITIZED = "ASAN_OPTIONS" in os.environ or "TSAN_OPTIONS" in os.environ
LIMIT_MIB = 1024 if SANITIZED else 128
RESPONSE_BYTES = 10_000_000
CLIENTS = 60
REQUEST = b"GET /big HTTP/1.1\r\nHost: a\r\n\r\n"
SMALL_REQUEST = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
PIPELINED_LIMIT_MIB = 1024 if SANITIZED else 64
PIPELINED_PEAK_MIB_MAX = 48
PIPELINED_BYTES = 128 * 1024  # of each client; the responses would be four times as large
ALL_HAVE_ROOM_AFTER_SECONDS = 25  # soon after it, server.stall-timeout ends clients, and the later ones have their room
ROUNDS = 3
PATIENCE_SECONDS = 60  # longer than server.stall-timeout, which may have to make room first
CGROUP = pathlib.Path("/sys/fs/cgroup/memory")


def status_field(pid, name):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) / 1024
    raise AssertionError(f"no {name}")


def connect(port, address="127.0.0.1"):
    connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS, source_address=(address, 0))
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
    began = time.monotonic()
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
        is_late = time.monotonic() - began > ALL_HAVE_ROOM_AFTER_SECONDS  # 15 seconds on a machine that is not busy
        had_room = is_late or CLIENTS * RESPONSE_BYTES < limit_mib << 20
        check(refused > 0 or had_room, "the others are refused")
    peak = status_field(server.process.pid, "VmHWM")
    print(f"{CLIENTS} clients that do not read, limit {limit_mib} MiB: {served} served, {refused} refused, "
          f"peak {peak:.0f} MiB")
    check(peak <= limit_mib, f"the peak was {peak:.0f} MiB, the limit is {limit_mib} MiB")
    until = time.monotonic() + PATIENCE_SECONDS
    while read_all(server.port) != b"200":
        check(time.monotonic() < until, "it serves again when the clients have gone")
        time.sleep(0.1)


def test_there_is_a_limit_by_default(server):
    check(metric(server, "volt_memory_max_bytes") > 0, "the server has no limit on memory")


def test_memory_is_given_back(server):
    for _ in range(40):
        check(read_all(server.port) == b"200", "a single client is served")
    resident = status_field(server.process.pid, "VmRSS")
    print(f"after 40 responses of 10 MB: {resident:.0f} MiB resident")
    check(resident < (400 if SANITIZED else 64), f"{resident:.0f} MiB stay resident")


def test_connections_leave_nothing(server, count, growth_max):
    """In each round so many connections are open at once. Neither memory nor descriptors grow from round to round."""
    pid = server.process.pid
    with connect(server.port) as first:
        check(ask_small(first) == b"200", "it serves")
    before, resident = descriptors(pid), []
    for number in range(ROUNDS):
        with contextlib.ExitStack() as stack:
            for _ in range(count):  # from an address for each round, because the ports of one do not suffice for all
                connection = stack.enter_context(connect(server.port, f"127.0.0.{number + 1}"))
                check(ask_small(connection) == b"200", "each connection is served")
            resident.append(status_field(pid, "VmRSS"))
        eventually(lambda: descriptors(pid) <= before, "the descriptors of closed connections are closed")
    growth = resident[-1] / resident[-2] - 1
    print(f"{ROUNDS} rounds of {count} connections: {', '.join(f'{mib:.1f}' for mib in resident)} MiB resident, "
          f"{growth:+.1%} in the last one")
    check(SANITIZED or growth < growth_max, f"the memory grew by {growth:.1%}")


def ask_small(connection):
    """Returns the status of a small response."""
    connection.sendall(SMALL_REQUEST)
    return connection.recv(4096).split(b" ")[1]


def test_clients_that_pipeline(server, clients):
    """Each sends thousands of requests, and reads no response."""
    with contextlib.ExitStack() as stack:
        for _ in range(clients):
            connection = stack.enter_context(connect(server.port))
            connection.setblocking(False)
            left = SMALL_REQUEST * (PIPELINED_BYTES // len(SMALL_REQUEST))
            with contextlib.suppress(OSError):  # the kernel takes no more, or the server has disconnected the client
                while left:
                    left = left[connection.send(left):]
        with connect(server.port) as another:
            check(ask_small(another) == b"200", "another client is served meanwhile")
        peak = status_field(server.process.pid, "VmHWM")
    print(f"{clients} clients that pipeline and do not read: peak {peak:.0f} MiB")
    check(SANITIZED or peak <= PIPELINED_PEAK_MIB_MAX, f"the peak was {peak:.0f} MiB")


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
raise_descriptor_limit()
connections, growth, pipelining = (10_000, 0.01, 1000) if options.long else (500, 0.05, 100)
for _ in range(5 if options.long else 1):
    with Server(program, f"--server.memory-bytes-max={LIMIT_MIB}MiB", io=IO) as test_server:
        test_clients_that_do_not_read(test_server, LIMIT_MIB)
with Server(program, "--ops=127.0.0.1:0", io=IO) as test_server:
    test_there_is_a_limit_by_default(test_server)
    test_memory_is_given_back(test_server)
with Server(program, "--server.idle-timeout=1h", io=IO) as test_server:
    test_connections_leave_nothing(test_server, connections, growth)
with Server(program, f"--server.memory-bytes-max={PIPELINED_LIMIT_MIB}MiB", io=IO) as test_server:
    test_clients_that_pipeline(test_server, pipelining)
if options.long and not SANITIZED:
    if not may_make_cgroups():
        print("left out: no memory cgroup of version 1 may be made")
    else:
        for limit, test in ((LIMIT_MIB, lambda served: test_clients_that_do_not_read(served, LIMIT_MIB)),
                            (PIPELINED_LIMIT_MIB, lambda served: test_clients_that_pipeline(served, pipelining))):
            with tempfile.TemporaryDirectory() as temporary, in_cgroup(limit, temporary) as limited:
                with Server(limited, io=IO) as test_server:
                    test(test_server)
