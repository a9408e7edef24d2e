#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Promise 8: hours of mixed load leave nothing behind: no memory, no descriptor, no task, no lost response.

  soak_test.py FOLDER_OF_PROGRAMS                  the short form, which ctest runs: 10 seconds
  soak_test.py FOLDER_OF_PROGRAMS --long           an hour, with the slope of the resident memory
  soak_test.py FOLDER_OF_PROGRAMS --minutes 10     another length, with the slope

VOLT_TEST_IO chooses the engine. Clients of all kinds at once: keep-alive connections (plain and TLS) with requests, echoed
bodies and a file; a new connection for every tenth request; resets in the middle of a response; heads that never end.
Each response is compared with what was asked for. A request is lost if it gets no response although its client waited.
"""

import asyncio
import contextlib
import os
import pathlib
import random
import re
import socket
import ssl
import struct
import sys
import tempfile
import time

from measure import (IO, SKIPPED, Server, check, descriptors, eventually, metric, raise_descriptor_limit, resident_kib,
                     run_tests, sanitized, slope_per_hour)

PROGRAM = pathlib.Path(sys.argv[1], "conformance_target")
MINUTES = 60.0 if "--long" in sys.argv[2:] else 10 / 60
if "--minutes" in sys.argv[2:]:
    MINUTES = float(sys.argv[sys.argv.index("--minutes") + 1])
JUDGES_SLOPE = MINUTES >= 10  # what is shorter is still warming up
SECONDS = MINUTES * 60
WARM_UP_SHARE = 1 / 6
SAMPLE_SECONDS = 10 if MINUTES > 2 else 0.5
SLOPE_KIB_PER_HOUR_MAX = 1024
WAIT_SECONDS_MAX = 60  # for a response, on a busy machine
KEPT = 16  # connections of each kind that send requests one after another
SLOW = 8  # connections that send slowly
PAUSE_SECONDS = 0.02 if JUDGES_SLOPE else 0.005  # the average is half of it; a load that both can bear
FILE = os.urandom(100_000)
LARGEST_BODY = 60_000
PEAK_ROUNDS = 20
RESET = struct.pack("ii", 1, 0)  # SO_LINGER: close() sends a reset

GET = b"GET /%d HTTP/1.1\r\nHost: a\r\n\r\n"
POST = b"POST /echo-body HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%b"
GET_FILE = b"GET /static/file HTTP/1.1\r\nHost: a\r\n\r\n"


class Load:
    def __init__(self, ports, until):
        self.ports = ports  # plain, TLS
        self.until = until
        self.random = random.Random(1)
        self.counts = dict.fromkeys(("requests", "TLS", "new", "reset", "slow"), 0)
        self.lost = []
        self.tls = ssl.create_default_context()
        self.tls.check_hostname = False
        self.tls.verify_mode = ssl.CERT_NONE

    def running(self):
        return time.monotonic() < self.until

    async def connect(self, secure):
        return await asyncio.open_connection("127.0.0.1", self.ports[secure], ssl=self.tls if secure else None)

    async def exchange(self, reader, writer):
        """Sends one request of some kind, and compares the response."""
        kind = self.random.random()
        if kind < 0.7:
            request, expected = GET % self.random.randrange(1000), b"OK"
        elif kind < 0.95:
            expected = self.random.randbytes(self.random.choice((0, 1, 100, 5000, LARGEST_BODY)))
            request = POST % (len(expected), expected)
        else:
            request, expected = GET_FILE, FILE
        writer.write(request)
        await self.receive(reader, expected, request)
        self.counts["requests"] += 1

    async def receive(self, reader, expected, request):
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        body = await reader.readexactly(length)
        if not head.startswith(b"HTTP/1.1 200 ") or body != expected:
            raise ValueError(f"wrong response to {request[:40]}: {head[:40]}")

    async def reach_peak(self):
        """All connections at once in the middle of the largest request. The allocator keeps some of the memory that
        this needs. If the load came to such a peak by chance, late in the hour, it would look like growth."""
        connections = [await self.connect(secure) for secure in (False, True) for _ in range(KEPT + SLOW)]
        for _ in range(PEAK_ROUNDS):
            body = self.random.randbytes(LARGEST_BODY)
            request = POST % (len(body), body)
            for _, writer in connections:
                writer.write(request[:-1])
            await asyncio.gather(*(writer.drain() for _, writer in connections))
            await asyncio.sleep(0.2)  # the server receives what the kernel has
            for _, writer in connections:
                writer.write(request[-1:])
            await asyncio.gather(*(self.receive(reader, body, request) for reader, _ in connections))
        for reader, writer in connections:
            writer.write(GET_FILE)
            await self.receive(reader, FILE, GET_FILE)  # the server may keep the file open
            writer.close()

    async def keep(self, secure):
        """Requests on a connection that is replaced after ten requests on average."""
        while self.running():
            reader, writer = await self.connect(secure)
            self.counts["TLS" if secure else "new"] += 1
            try:
                while self.running():
                    await asyncio.wait_for(self.exchange(reader, writer), WAIT_SECONDS_MAX)
                    if self.random.random() < 0.1:
                        break
                    await asyncio.sleep(PAUSE_SECONDS * self.random.random())
            except (OSError, EOFError, ValueError, TimeoutError, asyncio.TimeoutError) as error:
                self.lost.append(f"{'TLS' if secure else 'plain'}: {error!r}")
            finally:
                writer.close()
                with contextlib.suppress(OSError, asyncio.TimeoutError):
                    await asyncio.wait_for(writer.wait_closed(), 5)

    async def reset(self):
        """A reset after part of a request, or in the middle of a response."""
        while self.running():
            _, writer = await self.connect(False)
            writer.write(self.random.choice((GET_FILE, b"GET / HT", POST % (1000, b"part"), GET_FILE * 20)))
            await asyncio.sleep(0.02 * self.random.random())
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            writer.transport.abort()
            self.counts["reset"] += 1

    async def go_slowly(self):
        """A head by single bytes that never ends; some clients go away first, and the deadline ends the others."""
        while self.running():
            _, writer = await self.connect(False)
            self.counts["slow"] += 1
            with contextlib.suppress(OSError):
                for byte in b"GET / HTTP/1.1\r\nHost: " + b"a" * self.random.randrange(100):
                    if not self.running() or writer.is_closing():
                        break
                    writer.write(bytes([byte]))
                    await asyncio.sleep(0.1)
            writer.close()

    async def run(self, sample):
        tasks = [self.keep(secure) for secure in (False, True) for _ in range(KEPT)]
        tasks += [self.reset(), self.reset()] + [self.go_slowly() for _ in range(SLOW)]
        await asyncio.gather(*tasks, sample(self))


class Figures:
    """Samples of the process in the course of the load."""

    def __init__(self, pid):
        self.pid = pid
        self.start = time.monotonic()
        self.samples = []

    async def sample(self, load):
        while load.running():
            self.samples.append((time.monotonic() - self.start, resident_kib(self.pid)))
            await asyncio.sleep(min(SAMPLE_SECONDS, max(0.01, load.until - time.monotonic())))

    def slope(self):
        return slope_per_hour([(at, kib) for at, kib in self.samples if at >= SECONDS * WARM_UP_SHARE])


def objects(server):
    """What must be the same before and after: the least of some samples, of which many count a /metrics connection of
    this test that the server has not closed yet."""
    samples = []
    for _ in range(10):
        time.sleep(0.05)
        samples.append((descriptors(server.process.pid), metric(server, "volt_tasks"), metric(server, "volt_connections")))
    return dict(zip(("descriptors", "tasks", "connections"), map(min, zip(*samples))))


def port(server, tls):
    return int(re.search(rf"listening on \S*:(\d+) .*tls={tls}", server.log)[1])


def test_soak():
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "file").write_bytes(FILE)
        flags = ["--ops", "127.0.0.1:0", "--tls-dev", "--tls.listen", "127.0.0.1:0", "--server.head-timeout", "5s"]
        with Server(PROGRAM, *flags, io=IO, environment={"VOLT_STATIC_DIR": folder}) as server:
            eventually(lambda: server.log.count("listening on") == 2, "it does not listen on both")
            ports = (port(server, "false"), port(server, "true"))
            asyncio.run(Load(ports, time.monotonic() + 1).run(Figures(server.process.pid).sample))  # opens what stays open
            asyncio.run(Load(ports, 0).reach_peak())
            eventually(lambda: metric(server, "volt_connections") == 0, "connections of the warm-up are left")
            before = objects(server)
            figures = Figures(server.process.pid)
            load = Load(ports, time.monotonic() + SECONDS)
            asyncio.run(load.run(figures.sample))
            check(not load.lost, f"{len(load.lost)} of {load.counts['requests']} lost: {load.lost[:3]}")
            eventually(lambda: objects(server) == before, f"before {before}, after the load {objects(server)}")
    slope = figures.slope()
    print(f"{IO}, {MINUTES:.1f} minutes: {load.counts}, 0 lost; resident {figures.samples[0][1]} -> "
          f"{figures.samples[-1][1]} KiB" + (f", slope {slope:.0f} KiB an hour" if JUDGES_SLOPE else ""))
    print(f"  before and after: {before}")
    check(load.counts["requests"] > 100 * MINUTES, "hardly any load")
    if JUDGES_SLOPE:
        check(slope < SLOPE_KIB_PER_HOUR_MAX, f"memory grows by {slope:.0f} KiB an hour")


if __name__ == "__main__":
    if sanitized(PROGRAM):
        sys.exit(SKIPPED)  # they keep memory that was freed
    raise_descriptor_limit()
    run_tests([test_soak])
