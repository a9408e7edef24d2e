#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Promises 4 and 5: slow clients do not delay others, and every deadline ends them.

  slow_clients_test.py FOLDER_OF_PROGRAMS            the short form, which ctest runs, with short deadlines
  slow_clients_test.py FOLDER_OF_PROGRAMS --long     the default deadlines, and the figures; a minute for each engine

2,000 connections at once: a third sends a head by single bytes, a third a body, and a third requests a file and reads
single bytes of it. Meanwhile a neighbor sends requests on a connection and on new ones. VOLT_TEST_IO chooses the engine.
"""

import contextlib
import multiprocessing
import pathlib
import socket
import sys
import tempfile
import time

from measure import (IO, SKIPPED, Server, check, eventually, metric, percentile, raise_descriptor_limit, run_tests,
                     sanitized)

PROGRAM = pathlib.Path(sys.argv[1], "conformance_target")
LONG = "--long" in sys.argv[2:]
CLIENTS = 2000
STEP_SECONDS = 0.5  # a byte from each client in this time
FILE_BYTES = 16 << 20  # more than the kernel buffers, so that the response is not complete for the server
FLAGS = [] if LONG else ["--server.head-timeout", "4s", "--server.rate-grace", "4s", "--server.stall-timeout", "6s"]
# head_timeout; rate_grace, after which the average rate is too low; stall_timeout
DEADLINES = {"head": 10, "body": 5, "read": 30} if LONG else {"head": 4, "body": 4, "read": 6}
SLACK_SECONDS = 10 if LONG else 30  # the short form runs on busy machines

HEAD = b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: " + b"x" * 1000
BODY = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n" + b"x" * 1000
READ = b"GET /static/file HTTP/1.1\r\nHost: a\r\n\r\n"
REQUEST = b"GET /neighbor HTTP/1.1\r\nHost: a\r\n\r\n"


class SlowClient:
    def __init__(self, port, kind):
        self.kind = kind
        self.socket = socket.socket()
        if kind == "read":
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)  # the kernel does not read for it
        self.socket.settimeout(30)
        self.socket.connect(("127.0.0.1", port))
        self.socket.setblocking(False)
        whole, quickly = {"head": (HEAD, 20), "body": (BODY, len(BODY) - 1000), "read": (READ, len(READ))}[kind]
        self.socket.send(whole[:quickly])
        self.left = whole[quickly:]
        self.began = time.monotonic()
        self.lasted = None

    def step(self):
        """Sends or reads one byte; notes when the server has ended the connection."""
        try:
            if self.left:
                self.socket.send(self.left[:1])
                self.left = self.left[1:]
            if self.kind != "read":
                self.look_for_response()
            elif self.socket.recv(1) == b"" or self.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] != 1:
                self.end()  # not "established": reset, although the bytes before may still be read
        except BlockingIOError:
            pass
        except OSError:
            self.end()

    def look_for_response(self):
        with contextlib.suppress(BlockingIOError):
            if not self.socket.recv(4096) or not self.left:
                self.end()

    def end(self):
        self.lasted = self.lasted or time.monotonic() - self.began
        self.socket.close()


def exchange(client):
    began = time.monotonic()
    client.sendall(REQUEST)
    response = client.recv(4096)
    check(response.startswith(b"HTTP/1.1 200 "), f"the neighbor got {response[:40]}")
    return time.monotonic() - began


def neighbor(port, stop, results):
    """Sends requests, half of them on new connections, until told to stop."""
    kept_times, new_times = [], []
    with socket.create_connection(("127.0.0.1", port), timeout=60) as kept:
        while not stop.is_set():
            kept_times.append(exchange(kept))
            began = time.monotonic()
            with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
                exchange(client)
            new_times.append(time.monotonic() - began)
            time.sleep(0.002)
    results.put((kept_times, new_times))


class Neighbor:
    """Runs in a process of its own, so that its times are the server's and not those of 2,000 sockets in Python."""

    def __init__(self, port):
        self.stop = multiprocessing.Event()
        self.results = multiprocessing.Queue()
        self.process = multiprocessing.Process(target=neighbor, args=(port, self.stop, self.results))
        self.process.start()

    def finish(self):
        self.stop.set()
        times = self.results.get(timeout=120)
        self.process.join()
        return times


def described(times):
    kept, new = times
    return (f"{len(kept)} requests p50 {percentile(kept, .5) * 1000:.2f} p99 {percentile(kept, .99) * 1000:.2f} ms, "
            f"{len(new)} new connections p99 {percentile(new, .99) * 1000:.2f} ms")


def go_slowly(clients, seconds, server):
    """Steps all clients once in STEP_SECONDS, spread over that time, until the server has ended them all. Returns those
    that it has not ended, and the largest number of connections."""
    end = time.monotonic() + seconds
    most = 0
    while (alive := [client for client in clients if client.lasted is None]) and time.monotonic() < end:
        most = max(most, metric(server, "volt_connections"))
        round_began = time.monotonic()
        for number, client in enumerate(alive):
            client.step()
            if number % 50 == 0:
                due = round_began + STEP_SECONDS * number / len(alive)
                time.sleep(max(0.0, due - time.monotonic()))
    return alive, most


def test_slow_clients():
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "file").write_bytes(b"x" * FILE_BYTES)
        with Server(PROGRAM, "--ops", "127.0.0.1:0", *FLAGS, io=IO, environment={"VOLT_STATIC_DIR": folder}) as server:
            alone = Neighbor(server.port)
            time.sleep(10 if LONG else 1)
            unloaded = alone.finish()
            beside = Neighbor(server.port)
            clients = [SlowClient(server.port, ("head", "body", "read")[i % 3]) for i in range(CLIENTS)]
            alive, most = go_slowly(clients, max(DEADLINES.values()) + SLACK_SECONDS + 30, server)
            loaded = beside.finish()
            check(not alive, f"{len(alive)} of {CLIENTS} slow connections were never ended: {alive and alive[0].kind}")
            eventually(lambda: metric(server, "volt_connections") == 0, "connections are left")
    longest = {kind: max(client.lasted for client in clients if client.kind == kind) for kind in DEADLINES}
    print(f"{IO}, {most:.0f} connections at once; ended after at most " +
          ", ".join(f"{seconds:.1f} s ({kind})" for kind, seconds in longest.items()))
    print(f"  neighbor alone      {described(unloaded)}\n  beside slow clients {described(loaded)}")
    check(most > CLIENTS / 2, f"only {most} connections were open at once")
    for kind, deadline in DEADLINES.items():
        check(longest[kind] < deadline + SLACK_SECONDS, f"a slow {kind} outlives its deadline of {deadline} s")
    if LONG:
        times = percentile(loaded[0], .99) / percentile(unloaded[0], .99)
        print(f"  p99 {times:.1f} times that of the neighbor alone")
        check(percentile(loaded[0], .99) < max(2 * percentile(unloaded[0], .99), 0.005), "slow clients delay others")


if __name__ == "__main__":
    if sanitized(PROGRAM):
        sys.exit(SKIPPED)  # a deadline is soon over there
    raise_descriptor_limit()
    run_tests([test_slow_clients])
