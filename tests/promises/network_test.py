#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Promise 20: on a bad network no response is wrong, and no connection outlives its deadline.

  network_test.py FOLDER_OF_PROGRAMS            the short form, which ctest runs
  network_test.py FOLDER_OF_PROGRAMS --long     a minute for each network

Two networks. One is a proxy in this process that delays, splits, cuts, pauses and resets (faulty_link.py). The other is a
network namespace in which the kernel does that to the loopback device: 5 % loss and 0.5 % resets by nftables, and 50 ms
delay by netem where the kernel has it. It is skipped, with the reason, where namespaces or nftables may not be used.
Clients send random bodies, and the server echoes them. A connection may fail, but a response that is complete must be
right. VOLT_TEST_IO chooses the engine.
"""

import asyncio
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

from faulty_link import FaultyLink
from measure import IO, SKIPPED, Server, check, eventually, metric, raise_descriptor_limit, run_tests, sanitized

PROGRAM = pathlib.Path(sys.argv[1], "conformance_target")
LONG = "--long" in sys.argv[2:]
SECONDS = 60 if LONG else 4
CLIENTS = 64
FEW = CLIENTS / 4  # more complete responses than this must arrive
EXTRA_SECONDS_MAX = 60  # how much longer the clients may wait for them, on a busy machine
IN_NAMESPACE = "--in-namespace"
# Short deadlines, so that the test sees all of them.
FLAGS = ["--server.head-timeout", "3s", "--server.idle-timeout", "3s", "--server.stall-timeout", "3s",
         "--server.rate-bytes-per-second-min", "0"]
ENDED_SECONDS_MAX = 30  # 3 s, linger, and what TCP needs to notice; on a busy machine
PORT = 8080  # in the namespace, which is empty

LOSS = f"""
table inet bad {{
  chain input {{
    type filter hook input priority 0;
    tcp dport {PORT} numgen random mod 1000 < 5 reject with tcp reset
    tcp dport {PORT} numgen random mod 100 < 5 drop
    tcp sport {PORT} numgen random mod 100 < 5 drop
  }}
}}
"""
CABLE_OUT = f"table inet cable {{ chain input {{ type filter hook input priority 0; " \
            f"tcp dport {PORT} drop; tcp sport {PORT} drop; }}; }}"


class Clients:
    """Each sends requests on a connection until that fails, and then on another one."""

    def __init__(self, port, until):
        self.port = port
        self.until = until
        self.random = random.Random(1)
        self.right = self.failed = 0
        self.wrong = []

    def seconds_left(self):
        extra = 0 if self.right > FEW else EXTRA_SECONDS_MAX
        return self.until + extra - time.monotonic()

    def running(self):
        return self.seconds_left() > 0

    async def one(self):
        while self.running():
            writer = None
            try:
                reader, writer = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", self.port), 5)
                while self.running():
                    await asyncio.wait_for(self.exchange(reader, writer), min(10, max(0.1, self.seconds_left())))
            except (OSError, EOFError, asyncio.TimeoutError):
                self.failed += 1
                await asyncio.sleep(0.01)  # not faster than the network allows
            finally:
                if writer:
                    writer.transport.abort()

    async def exchange(self, reader, writer):
        body = self.random.randbytes(self.random.choice((1, 100, 3000, 50_000)))
        writer.write(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        head = await reader.readuntil(b"\r\n\r\n")
        if head.startswith((b"HTTP/1.1 408 ", b"HTTP/1.1 400 ")):
            raise EOFError  # the deadline has passed, or the request was cut
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        answer = await reader.readexactly(length)
        if not head.startswith(b"HTTP/1.1 200 ") or answer != body:
            self.wrong.append(f"{head[:60]} with {length} of {len(body)} bytes")
        self.right += 1

    async def run(self):
        await asyncio.gather(*(self.one() for _ in range(CLIENTS)))


def judge(name, server, clients, details):
    took = eventually(lambda: metric(server, "volt_connections") == 0, "connections are stuck", ENDED_SECONDS_MAX)
    print(f"{IO}, {name}: {clients.right} responses right, {len(clients.wrong)} wrong, {clients.failed} connections failed"
          f"{details}; the last connection ended {took:.1f} s after its client", flush=True)
    check(not clients.wrong, f"wrong responses: {clients.wrong[:3]}")
    check(clients.right > FEW, "hardly any response arrived")


def serve(*flags, **how):
    return Server(PROGRAM, "--ops", "127.0.0.1:0", *FLAGS, *flags, io=IO, **how)


def test_faulty_link():
    with serve() as server:
        with FaultyLink(server.port, seed=1, reset_share=0.02) as link:
            clients = Clients(link.port, time.monotonic() + SECONDS)
            pull(link, SECONDS / 2)
            asyncio.run(clients.run())
        check(link.resets + link.cuts > 0, "the link was not faulty")
        judge("faulty link", server, clients, f" ({link.resets} resets, {link.cuts} cuts)")


def pull(link, after):
    link.loop.call_soon_threadsafe(lambda: link.loop.call_later(after, link.pull_cable, 1))


def may_use_namespaces():
    """Returns None, or the reason why the kernel cannot be asked for a bad network."""
    for tool in ("unshare", "nft", "ip"):
        if not shutil.which(tool, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin"):
            return f"{tool} is not installed"
    tried = subprocess.run(["unshare", "--net", "--map-root-user", "nft", "-f", "-"], input=LOSS, text=True,
                           capture_output=True, check=False)
    return None if tried.returncode == 0 else (tried.stderr.strip().splitlines() or ["unknown"])[0]


def test_namespace():
    reason = may_use_namespaces()
    if reason:
        print(f"no network namespace: {reason}")
        return
    again = [sys.executable, __file__, *sys.argv[1:], IN_NAMESPACE]
    done = subprocess.run(["unshare", "--net", "--map-root-user", *again], check=False)
    check(done.returncode == 0, "in the namespace")


def command(*words, text=None):
    return subprocess.run(words, input=text, text=True, capture_output=True, check=False)


def in_namespace():
    """Here the loopback device is that of the namespace, which nothing else uses."""
    check(command("ip", "link", "set", "lo", "up").returncode == 0, "the device")
    delayed = command("tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", "25ms").returncode == 0
    with serve(listen=f"127.0.0.1:{PORT}") as server:
        check(command("nft", "-f", "-", text=LOSS).returncode == 0, "the rules")
        clients = Clients(PORT, time.monotonic() + SECONDS)
        asyncio.run(with_cable_out(clients))
        judge("namespace", server, clients, ", 5 % loss, 0.5 % resets, 1 s without network" +
              (", 50 ms delay" if delayed else "; the kernel has no netem: no delay"))


async def with_cable_out(clients):
    """Pulls the cable for a second, and again shortly before the clients end, so that the server learns of no end."""
    async def out():
        await asyncio.sleep(SECONDS / 2)
        check(command("nft", "-f", "-", text=CABLE_OUT).returncode == 0, "the cable")
        await asyncio.sleep(1)
        check(command("nft", "delete", "table", "inet", "cable").returncode == 0, "the cable is out for good")
        while clients.seconds_left() > 0.2:
            await asyncio.sleep(0.05)
        check(command("nft", "-f", "-", text=CABLE_OUT).returncode == 0, "the cable")

    await asyncio.gather(clients.run(), out())


if __name__ == "__main__":
    if sanitized(PROGRAM):
        sys.exit(SKIPPED)  # a deadline is soon over there
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    raise_descriptor_limit()
    if IN_NAMESPACE in sys.argv:
        in_namespace()
    else:
        run_tests([test_faulty_link, test_namespace])
