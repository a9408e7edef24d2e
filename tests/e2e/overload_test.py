#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bin/hello under more than it can bear: memory and connections, each reached, and left again.

Usage: overload_test.py FOLDER_OF_PROGRAMS; VOLT_TEST_IO chooses the reactor. Where a memory cgroup of version 1 can be made,
the server runs in one that the kernel would kill it for; else under a bound of its own.
"""

import http.client
import os
import pathlib
import re
import selectors
import socket
import sys
import time

from server_process import Server

IO = os.environ.get("VOLT_TEST_IO", "auto")
CONFORMANCE = pathlib.Path(sys.argv[1], "conformance_target")
HELLO = pathlib.Path(sys.argv[1], "hello")

MIB = 1024 * 1024
LIMIT_MIB = 64
CLIENTS = 400  # of a body of 1 MiB each: six times the limit
PATIENCE_SECONDS = 60


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def eventually(condition, what):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        check(time.monotonic() < deadline, what)
        time.sleep(0.05)


def status_of(port, path="/", method="GET", body=None):
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    try:
        client.request(method, path, body)
        return client.getresponse().status
    finally:
        client.close()


def ops_port(server):
    return int(re.search(r"ops endpoint available at \S*:(\d+)", server.log)[1])


def metric(server, line):
    client = http.client.HTTPConnection("127.0.0.1", ops_port(server), timeout=PATIENCE_SECONDS)
    try:
        client.request("GET", "/metrics")
        text = client.getresponse().read().decode()
    finally:
        client.close()
    return float(re.search(rf"^{re.escape(line)} (\S+)$", text, re.MULTILINE)[1])


def sanitized(program):
    return b"__asan_init" in program.read_bytes() or b"__tsan_init" in program.read_bytes()


class Cgroup:
    """A memory cgroup of version 1 with that limit; `folder` is None where none can be made."""

    def __enter__(self):
        self.folder = None
        own = next((line.split(":", 2)[2].strip() for line in open("/proc/self/cgroup") if ":memory:" in line), None)
        if own is None:
            return self
        folder = pathlib.Path("/sys/fs/cgroup/memory" + own, f"volt_overload_{os.getpid()}")
        try:
            folder.mkdir()
            (folder / "memory.limit_in_bytes").write_text(str(LIMIT_MIB * MIB))
        except OSError:
            return self
        self.folder = folder
        return self

    def take_in(self, pid):
        (self.folder / "cgroup.procs").write_text(str(pid))

    def kills(self):
        return int(re.search(r"oom_kill (\d+)", (self.folder / "memory.oom_control").read_text())[1])

    def __exit__(self, *_):
        if self.folder is not None:
            eventually(lambda: not (self.folder / "cgroup.procs").read_text(), "the cgroup is never empty")
            self.folder.rmdir()


def resident_mib(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"RssAnon:\s+(\d+) kB", status)[1]) / 1024


class Uploads:
    """Many clients that each send all of a body but its end."""

    def __init__(self, port):
        self.selector = selectors.DefaultSelector()
        self.left = {}
        self.answers = []
        for _ in range(CLIENTS):
            client = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS)
            client.setblocking(False)
            head = b"POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % MIB
            self.left[client] = memoryview(head + b"x" * (MIB - 1))
            self.selector.register(client, selectors.EVENT_READ | selectors.EVENT_WRITE)

    def advance(self, seconds):
        deadline = time.monotonic() + seconds
        while self.selector.get_map() and time.monotonic() < deadline:
            for key, events in self.selector.select(0.05):
                client = key.fileobj
                try:
                    if events & selectors.EVENT_READ:
                        self.answers.append(client.recv(4096)[9:12])
                        self.selector.unregister(client)
                        client.close()
                        continue
                    rest = self.left[client]
                    self.left[client] = rest[client.send(rest[:16384]):]
                except ConnectionError:
                    self.selector.unregister(client)
                    client.close()
                    continue
                if not self.left[client]:
                    self.selector.modify(client, selectors.EVENT_READ)

    def close(self):
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()
        self.selector.close()


def test_memory_stays_within_its_bound():
    if sanitized(CONFORMANCE):
        return  # they keep what is freed
    with Cgroup() as cgroup:
        # In a cgroup the server finds the limit itself; it is started by a shell that has moved there.
        bound = [] if cgroup.folder else ["--server.memory-bytes-max", f"{LIMIT_MIB} MiB"]
        program = [str(CONFORMANCE)]
        if cgroup.folder:
            program = ["/bin/sh", "-c", f'echo $$ > "{cgroup.folder}/cgroup.procs" && exec "$0" "$@"', str(CONFORMANCE)]
        server = Server(program[0], "--ops", "127.0.0.1:0", "--server.stall-timeout", "10m", "--server.rate-grace",
                        "10m", *bound, io=IO)
        server.command = program + server.command[1:]
        with server:
            check(metric(server, "volt_memory_max_bytes") == LIMIT_MIB * MIB, "it does not know its limit")
            for _ in range(2):
                refused = metric(server, 'volt_overload_total{reason="memory"}')
                uploads = Uploads(server.port)
                most = 0
                deadline = time.monotonic() + PATIENCE_SECONDS
                while metric(server, 'volt_overload_total{reason="memory"}') == refused:
                    check(time.monotonic() < deadline, "no body was refused")
                    uploads.advance(0.2)
                    check(server.process.poll() is None, "it ended")
                    most = max(most, resident_mib(server.process.pid))
                check(most < LIMIT_MIB, f"{most} MiB resident")
                eventually(lambda: status_of(server.port) == 200, "a request without a body is not answered")
                uploads.close()
                eventually(lambda: status_of(server.port, "/body", "POST", b"x" * MIB) == 200, "it does not recover")
            check(not cgroup.folder or cgroup.kills() == 0, "it was killed")


def test_who_exhausts_the_connections_leaves_descriptors_to_others():
    if sanitized(HELLO):
        return  # they look at memory through descriptors of their own, and find errors where there are none left
    server = Server(HELLO, "--ops", "127.0.0.1:0", io=IO)
    server.command = ["/bin/sh", "-c", 'ulimit -n 100 && exec "$0" "$@"', *server.command]
    with server:
        most = metric(server, "volt_connections_max")
        check(20 <= most < 90, f"{most} connections with 100 descriptors")
        clients = [socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_SECONDS) for _ in range(200)]
        eventually(lambda: metric(server, 'volt_overload_total{reason="connections"}') > 0, "none ever waits")
        check(metric(server, "volt_connections") <= most, "more than there may be")
        check("cannot accept connections" not in server.log, "it is out of descriptors")
        for client in clients:
            client.close()
        eventually(lambda: status_of(server.port) == 200, "it does not recover")


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"{name}: ok", flush=True)
