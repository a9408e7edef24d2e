#!/usr/bin/env python3
"""How long do light requests wait beside heavy ones?

LIGHT keep-alive connections ask /plaintext at RATE a second each, in an open loop: a request is due when it is due,
whether or not the one before was answered, and its latency counts from then. Meanwhile HEAVY connections ask
/work?us=US, one after another. Prints percentiles of the light ones in milliseconds; with --figures, a line as
requests.lua prints it.

The client measures itself, too: "sent late" is how long after its due time a request left that nothing held back. If
that is not far below the latencies, they are the client's.
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
        """True once the answer is there as a whole."""
        piece = self.socket.recv(65536)
        if not piece:
            raise SystemExit("the server closed a connection")
        self.received += piece
        head, end, body = self.received.partition(b"\r\n\r\n")
        if not end:
            return False
        if not head.startswith(b"HTTP/1.1 200 "):
            raise SystemExit(f"the server answers {head!r} to {self.request!r}")
        length = next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
        if len(body) < length:
            return False
        self.received = b""
        self.busy = False
        return True


class Light(Connection):
    def __init__(self, address):
        super().__init__(address, b"GET /plaintext HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.due = collections.deque()  # times of the requests not yet answered; the first may be on its way


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
        count = 0  # of requests that were due
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
            return  # sent as soon as the answer before it is there
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
        """What was not answered counts as long as it has waited."""
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
    parser.add_argument("--light", type=int, default=32, help="connections")
    parser.add_argument("--rate", type=float, default=50, help="requests a second of each")
    parser.add_argument("--heavy", type=int, default=1, help="connections")
    parser.add_argument("--us", type=int, default=50_000, help="processor time of a heavy request")
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--figures", action="store_true", help="for programs")
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
