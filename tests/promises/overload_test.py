#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Promise 9: what a server does when it is asked for more than it can do.

  overload_test.py FOLDER_OF_PROGRAMS            the short form, which ctest runs: facts that hold on a busy machine
  overload_test.py FOLDER_OF_PROGRAMS --long     the figures of the promise; takes two minutes for each engine

VOLT_TEST_IO chooses the engine. The server may use half a processor (a cgroup, version 1 or 2) or, where none may be
made, one processor. An open-loop client, which sends at its rate whatever is answered, asks for four times of what the
server can do.

  goodput    responses with 200 a second, and their share of the server's capacity
  accepted   time from the request, with the connect, to a 200
  refused    the same to a 503, which must have Retry-After
  backlog    the largest number of connections in the kernel's queue of the listening socket
"""

import contextlib
import heapq
import multiprocessing
import os
import pathlib
import selectors
import socket
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
from quota import cgroup_with_quota, in_cgroup  # noqa: E402
from server_process import Server  # noqa: E402

IO = os.environ.get("VOLT_TEST_IO", "auto")
PROGRAMS = pathlib.Path(sys.argv[1])
LONG = "--long" in sys.argv[2:]
PROCESSORS = 0.5
TIMES_CAPACITY = 4
CLIENT_TIMEOUT = 4.0 if LONG else 20.0
GOODPUT_MIN = 0.9 if LONG else 0.3  # the short form runs beside other tests


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def sanitized(program):
    return b"__asan_init" in program.read_bytes() or b"__tsan_init" in program.read_bytes()


def percentile(times, share):
    times = sorted(times)
    return times[min(len(times) - 1, int(len(times) * share))] * 1000 if times else 0.0


def handler_us(cgroup):
    """Returns how long handlers compute: so long that one Python client can ask for four times of what is possible."""
    return 2000 if cgroup else 5000


@contextlib.contextmanager
def limited(program, cgroup, *flags):
    """Runs the server with what it may use."""
    server = Server(program, *flags, io=IO, refuses_late=True)
    in_cgroup(server, cgroup)
    processors = os.sched_getaffinity(0)
    if cgroup is None:
        os.sched_setaffinity(0, {min(processors)})  # the server inherits it
    with server:
        os.sched_setaffinity(0, processors)
        yield server


class Backlog:
    """Samples the number of connections in the accept queues of a port: rx_queue of a listening socket."""

    def __init__(self, port):
        self.most = 0
        self.port = f":{port:04X}"
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.sample, daemon=True)
        self.thread.start()

    def sample(self):
        while not self.stop.wait(0.2):
            waiting = 0
            with open("/proc/net/tcp", encoding="ascii") as table:
                for line in table:
                    fields = line.split()
                    if fields[1].endswith(self.port) and fields[3] == "0A":
                        waiting += int(fields[4].split(":")[1], 16)
            self.most = max(self.most, waiting)

    def close(self):
        self.stop.set()
        self.thread.join()
        return self.most


class Load:
    """Sends requests at a rate for some seconds, each on a connection that is idle or else a new one, and reads the
    responses. With `rate` None, `clients` send one request after another instead."""

    def __init__(self, port, path, seconds, rate=None, clients=0):
        self.address = ("127.0.0.1", port)
        self.request = f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode()
        self.seconds = seconds
        self.selector = selectors.DefaultSelector()
        self.idle = []
        self.began = {}  # the connections with a request: when it was sent
        self.deadlines = []
        self.accepted, self.refused = [], []
        self.timeouts = self.errors = self.sent = self.without_retry_after = 0
        start = time.monotonic()
        while (now := time.monotonic()) < start + seconds:
            due = len(self.began) < clients if rate is None else self.sent < (now - start) * rate
            if due:
                self.send(now)
                if self.sent % 16:
                    continue
            self.receive(0 if due else 0.001)
        self.per_second = len(self.accepted) / (time.monotonic() - start)
        while self.began:
            self.receive(0.05)
        for client in self.idle:
            client.close()
        self.selector.close()

    def send(self, now):
        self.sent += 1
        if self.idle:
            client = self.idle.pop()
        else:
            client = socket.socket()
            client.setblocking(False)
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            client.connect_ex(self.address)
            self.selector.register(client, selectors.EVENT_WRITE)
            self.began[client] = now
            heapq.heappush(self.deadlines, (now + CLIENT_TIMEOUT, id(client), client, now))
            return
        self.began[client] = now
        heapq.heappush(self.deadlines, (now + CLIENT_TIMEOUT, id(client), client, now))
        try:
            client.send(self.request)
        except OSError:
            self.fail(client)

    def receive(self, wait):
        for key, events in self.selector.select(wait):
            client = key.fileobj
            try:
                if events & selectors.EVENT_WRITE:
                    client.send(self.request)
                    self.selector.modify(client, selectors.EVENT_READ)
                    continue
                response = client.recv(65536)
            except OSError:
                self.fail(client)
                continue
            if client not in self.began:  # the server has closed an idle connection
                self.idle.remove(client)
                self.drop(client)
                continue
            if not response:
                self.fail(client)
                continue
            self.note(client, response)
        now = time.monotonic()
        while self.deadlines and self.deadlines[0][0] < now:
            _, _, client, began = heapq.heappop(self.deadlines)
            if self.began.get(client) == began:
                self.timeouts += 1
                self.drop(client)

    def note(self, client, response):  # responses are so short that they come whole
        took = time.monotonic() - self.began.pop(client)
        if response.startswith(b"HTTP/1.1 200"):
            self.accepted.append(took)
        elif response.startswith(b"HTTP/1.1 503"):
            self.refused.append(took)
            self.without_retry_after += b"\r\nRetry-After: " not in response
        else:
            self.errors += 1
        if b"\r\nConnection: close" in response:
            self.drop(client)
        else:
            self.idle.append(client)

    def fail(self, client):
        self.errors += 1
        self.drop(client)

    def drop(self, client):
        self.began.pop(client, None)
        self.selector.unregister(client)
        client.close()

    def __str__(self):
        return (f"goodput {self.per_second:.0f}/s, accepted p50 {percentile(self.accepted, .5):.1f} "
                f"p99 {percentile(self.accepted, .99):.1f} ms, {len(self.refused)} refused p50 "
                f"{percentile(self.refused, .5):.1f} p99 {percentile(self.refused, .99):.1f} ms, "
                f"{self.timeouts} timeouts, {self.errors} errors")


def overload(program, cgroup, path, seconds):
    """Returns the loads below the capacity, at it, and four times above it, and the largest backlog at the last."""
    with limited(program, cgroup) as server:
        Load(server.port, path, 1, clients=4)  # the server learns that the route is slow
        capacity = Load(server.port, path, max(2, seconds / 4), clients=8)
        below = Load(server.port, path, max(1, seconds / 4), rate=capacity.per_second / 4)
        backlog = Backlog(server.port)
        above = Load(server.port, path, seconds, rate=capacity.per_second * TIMES_CAPACITY)
        return below, capacity, above, backlog.close()


def test_overload():
    """In the short form only what cannot fail on a machine that others use as well."""
    with cgroup_with_quota(PROCESSORS) as cgroup:
        us = handler_us(cgroup)
        below, capacity, above, backlog = overload(PROGRAMS / "hello", cgroup, f"/work?us={us}", 20 if LONG else 4)
    where = "half a processor" if cgroup else "one processor"
    print(f"{IO}, {where}, handlers of {us / 1000:g} ms, {TIMES_CAPACITY} times the capacity")
    print(f"  a quarter   {below}\n  capacity    {capacity}\n  overload    {above}, backlog {backlog}")
    share = above.per_second / capacity.per_second
    print(f"  goodput {share:.0%}, accepted p99 {percentile(above.accepted, .99) / percentile(below.accepted, .99):.1f} "
          f"times that at a quarter of the capacity")
    check(above.timeouts == 0, "a request timed out")
    check(above.errors == 0, "a request failed")
    check(above.without_retry_after == 0, "a 503 has no Retry-After")
    check(above.refused, "the overload was none")
    check(backlog < 1000, "the backlog fills")
    check(share > GOODPUT_MIN, "less is served than below the capacity")


def pipeline(port, clients):
    chunk = b"GET /plaintext HTTP/1.1\r\nHost: a\r\n\r\n" * 5000
    selector = selectors.DefaultSelector()
    for _ in range(clients):
        client = socket.create_connection(("127.0.0.1", port), timeout=CLIENT_TIMEOUT)
        client.setblocking(False)
        selector.register(client, selectors.EVENT_READ | selectors.EVENT_WRITE, [b""])
    while True:
        for key, events in selector.select():
            with contextlib.suppress(BlockingIOError):
                if events & selectors.EVENT_READ and not key.fileobj.recv(1 << 18):
                    sys.exit("disconnected")
                if events & selectors.EVENT_WRITE:
                    left = key.data[0] or chunk  # whole requests only, however little the kernel takes at a time
                    key.data[0] = left[key.fileobj.send(left):]


def test_greedy_pipeliners():
    """New connections, while 64 clients send requests without end and read the responses."""
    with Server(PROGRAMS / "hello", io=IO, refuses_late=True) as server:
        greedy = [multiprocessing.Process(target=pipeline, args=(server.port, 32), daemon=True) for _ in range(2)]
        for process in greedy:
            process.start()
        times = []
        refused = 0
        end = time.monotonic() + (10 if LONG else 2)
        try:
            while time.monotonic() < end:
                began = time.monotonic()
                with socket.create_connection(("127.0.0.1", server.port), timeout=CLIENT_TIMEOUT) as client:
                    client.sendall(b"GET /plaintext HTTP/1.1\r\nHost: a\r\n\r\n")
                    response = client.recv(4096)
                check(response[:12] in (b"HTTP/1.1 200", b"HTTP/1.1 503"), "a light client is not answered")
                refused += response[9:12] == b"503"  # only where other programs use the processors as well
                times.append(time.monotonic() - began)
            check(all(process.is_alive() for process in greedy), "a greedy client was disconnected")
        finally:
            for process in greedy:
                process.terminate()
                process.join()
    print(f"{IO}, new connections beside 64 greedy pipeliners: {len(times)}, {refused} refused, "
          f"p50 {percentile(times, .5):.1f} p99 {percentile(times, .99):.1f} ms")


def test_all_workers_blocked_but_one():
    """An overload of the worker that is left, while the other one sleeps in a handler."""
    if not (PROGRAMS / "loadtest_server").exists():
        print("skipped: there is no loadtest_server")
        return
    with cgroup_with_quota(PROCESSORS) as cgroup, limited(PROGRAMS / "loadtest_server", cgroup) as server:
        path = f"/work?us={handler_us(cgroup)}"
        Load(server.port, path, 1, clients=4)
        capacity = Load(server.port, path, 2, clients=8)
        with socket.create_connection(("127.0.0.1", server.port)) as blocks:
            blocks.sendall(b"GET /block?us=900000 HTTP/1.1\r\nHost: a\r\n\r\n" * (20 if LONG else 5))
            time.sleep(0.2)
            backlog = Backlog(server.port)
            above = Load(server.port, path, 15 if LONG else 4, rate=capacity.per_second * TIMES_CAPACITY)
            waiting = backlog.close()
    print(f"{IO}, the same with one of two workers blocked: {above}, backlog {waiting}, "
          f"goodput {above.per_second / capacity.per_second:.0%}")
    check(above.timeouts == 0, "a request timed out")
    check(above.errors == 0, "a request failed")
    check(above.without_retry_after == 0, "a 503 has no Retry-After")
    check(waiting < 1000, "the backlog fills")
    check(above.per_second > GOODPUT_MIN * capacity.per_second, "less is served than below the capacity")


if __name__ == "__main__":
    if sanitized(PROGRAMS / "hello"):
        sys.exit(77)  # they are so slow that even the client's rate is an overload
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"{name}: ok", flush=True)
