#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures how long light requests wait beside heavy ones.

LIGHT keep-alive connections request /plaintext at RATE per second each, in an open loop: each request has a due time
that does not depend on earlier responses, and its latency is measured from then. At the same time, HEAVY connections
request /work?us=US, one request after another. Prints percentiles of the light requests in milliseconds; with
--figures, a line in the format of requests.lua.

The client also measures itself: "sent late" is how long after its due time a request was sent whose connection was
free. If it is not far below the latencies, the latencies are the client's.
"""

import argparse
import collections
import select
import socket
import time

WARM_UP_S = 0.5


class Connection:
    def __init__(self, address, request):
        self.socket = socket.create_connection(address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.request = request
        self.received = b""
        self.busy = False

    def fileno(self):
        return self.socket.fileno()

    def send(self):
        self.busy = True
        self.socket.sendall(self.request)

    def receive(self):
        """Receives bytes. Returns whether the response is complete."""
        piece = self.socket.recv(65536)
        if not piece:
            raise SystemExit("the server closed a connection")
        self.received += piece
        head, end, body = self.received.partition(b"\r\n\r\n")
        if not end:
            return False
        if not head.startswith(b"HTTP/1.1 200 "):
            raise SystemExit(f"the server responds to {self.request!r} with {head!r}")
        length = next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
        if len(body) < length:
            return False
        self.received = b""
        self.busy = False
        return True


class Light(Connection):
    def __init__(self, address):
        super().__init__(address, b"GET /plaintext HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.due = collections.deque()  # due times of requests without a response; the first may have been sent


class Run:
    def __init__(self, options):
        host, _, port = options.server.rpartition(":")
        address = (host or "127.0.0.1", int(port))
        self.light = [Light(address) for _ in range(options.light)]
        work = f"GET /work?us={options.us} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        self.heavy = [Connection(address, work) for _ in range(options.heavy)]
        self.period = 1 / (options.rate * options.light)
        self.seconds = options.seconds
        self.latencies = []
        self.sent_late = []
        self.worked = 0

    def run(self):
        for connection in self.heavy:
            connection.send()
        began = time.perf_counter() + WARM_UP_S
        count = 0  # requests that have become due
        while True:
            now = time.perf_counter()
            due = began + count * self.period
            if now >= began + self.seconds:
                break
            if now >= due:
                self.request_due(self.light[count % len(self.light)], due, now)
                count += 1
                continue
            readable, _, _ = select.select(self.light + self.heavy, [], [], due - now)
            for connection in readable:
                self.readable(connection)
        self.give_up()

    def request_due(self, connection, due, now):
        connection.due.append(due)
        if connection.busy:
            return  # is sent when the previous response has arrived
        self.sent_late.append(now - due)
        connection.send()

    def readable(self, connection):
        if not connection.receive():
            return
        if not isinstance(connection, Light):
            self.worked += 1
            connection.send()
            return
        self.latencies.append(time.perf_counter() - connection.due.popleft())
        if connection.due:
            connection.send()

    def give_up(self):
        """Counts each request without a response with the time that it has waited."""
        now = time.perf_counter()
        for connection in self.light:
            self.latencies += [now - due for due in connection.due]


def percentile_ms(values, share):
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)] * 1e3


def print_figures(run):
    p50_us, p99_us = (round(percentile_ms(run.latencies, share) * 1e3) for share in (0.5, 0.99))
    us = round(run.seconds * 1e6)
    print(f"figures requests={len(run.latencies)} us={us} errors=0 p50_us={p50_us} p99_us={p99_us}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server", help="HOST:PORT")
    parser.add_argument("--light", type=int, default=32, help="light connections; default: %(default)s")
    parser.add_argument("--rate", type=float, default=50,
                        help="requests per second on each light connection; default: %(default)s")
    parser.add_argument("--heavy", type=int, default=1, help="heavy connections; default: %(default)s")
    parser.add_argument("--us", type=int, default=50_000,
                        help="CPU time of a heavy request in microseconds; default: %(default)s")
    parser.add_argument("--seconds", type=float, default=8, help="duration; default: %(default)s")
    parser.add_argument("--figures", action="store_true", help="print one line for programs, as requests.lua does")
    options = parser.parse_args()
    run = Run(options)
    run.run()
    if options.figures:
        print_figures(run)
        return
    figures = [f"{name} {percentile_ms(run.latencies, share):.2f}" for name, share in
               (("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999), ("max", 1))]
    print("light ms: " + "  ".join(figures) + f"  ({len(run.latencies)} requests, {run.worked} heavy ones)")
    print(f"sent late ms: p50 {percentile_ms(run.sent_late, 0.5):.2f}  p99 {percentile_ms(run.sent_late, 0.99):.2f}")


if __name__ == "__main__":
    main()
