#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Promise 24: the times that /metrics, the operators' page and the access log show are those that clients measure.

  latency_test.py FOLDER_OF_PROGRAMS            the short form, which ctest runs: facts that hold on a busy machine
  latency_test.py FOLDER_OF_PROGRAMS --long     10,000 requests each: alone, with half a processor (a cgroup), and beside
                                                busy neighbors; within a tenth

Handlers compute for 10 us, 200 us, 3 ms and 80 ms, or sleep for 80 ms (known_durations.cpp). A client of four connections
measures each request, and each handler says how long it took. Both are compared with what the server says of the same
requests. Nothing is compared with a limit on the clock: a busy machine makes requests slow, and all must agree on it.
VOLT_TEST_IO chooses the engine.
"""

import contextlib
import http.client
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

from measure import DEADLINE_SECONDS, IO, Server, check, eventually, ops_port, percentile, sanitized
from quota import cgroup_with_quota, in_cgroup

PROGRAM = pathlib.Path(sys.argv[1], "known_durations")
LONG = "--long" in sys.argv[2:]
CLIENTS = 4
REQUESTS = 10_000 if LONG else 400
SHARE = 0.1 if LONG else 0.25  # of the client's time, by which a figure may differ
INNOCENT = ("/busy-10us", "/busy-200us", "/asleep-80ms")
LASTING = ("/busy-3ms", "/busy-80ms", "/asleep-80ms")
# What a handler's own clock does not see: middleware, and the compositions of the response. Sanitizers multiply it.
OVERHEAD_MS = 1.0 if sanitized(PROGRAM) else 0.05 if LONG else 0.2


class Measured:
    """The requests of a run: for each path, what the client, the handlers and the access log say, in milliseconds."""

    def __init__(self, client_lines, log_lines):
        logged = {}
        for line in log_lines:
            fields = json.loads(line)
            if fields.get("module") == "access":
                logged[fields["request_id"]] = fields
        self.paths = {}
        for line in client_lines:
            request, path, client_ns, handler_ns = line.split()
            fields = logged.get(request)
            check(fields is not None and fields["pattern"] == path, f"{request} has no line of its own: {fields}")
            self.paths.setdefault(path, []).append((int(client_ns) / 1e6, int(handler_ns) / 1e6, fields))

    def client(self, path):
        return [client for client, _, _ in self.paths[path]]

    def handler(self, path):
        return [handler for _, handler, _ in self.paths[path]]

    def log(self, path, field):
        return [fields[field] for _, _, fields in self.paths[path]]


def fetch(port, path):
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE_SECONDS)
    try:
        client.request("GET", path)
        return client.getresponse().read().decode()
    finally:
        client.close()


def page_update(port):
    """What an open page gets first: it covers all that has happened since the start."""
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE_SECONDS)
    try:
        client.request("GET", "/events")
        response = client.getresponse()
        while True:
            line = response.readline().decode()
            if line.startswith("data: "):
                return json.loads(line[6:])
    finally:
        client.close()


def samples(text, name, **wanted):
    """The values of a metric's samples with these labels."""
    found = []
    for labels, value in re.findall(rf"^{name}(?:\{{(.*)\}})? (\S+)$", text, re.M):
        have = dict(re.findall(r'(\w+)="([^"]*)"', labels))
        if all(have.get(key) == value_wanted for key, value_wanted in wanted.items()):
            found.append(float(value))
    return found


def mean_ms(text, name, **wanted):
    return 1000 * sum(samples(text, name + "_sum", **wanted)) / sum(samples(text, name + "_count", **wanted))


def near(what, value, truth, least=0.0):
    """`value` may differ from `truth` by a share of it, and by `least`."""
    allowed = SHARE * truth + least
    print(f"  {what}: {value:.3f} ms, true: {truth:.3f} ms", flush=True)
    check(abs(value - truth) <= allowed, f"{what}: {value:.3f} ms, but the truth is {truth:.3f} ms")


def compare_log(measured, path):
    mean = statistics.mean
    for fields in (fields for _, _, fields in measured.paths[path]):
        parts = fields["queue_ms"] + fields["handler_ms"] + fields["send_ms"]
        check(abs(parts - fields["duration_ms"]) < 0.01, f"the phases do not sum up: {fields}")
    near(f"{path} handler_ms of the log", mean(measured.log(path, "handler_ms")), mean(measured.handler(path)), OVERHEAD_MS)
    if path in LASTING:
        near(f"{path} duration_ms of the log", mean(measured.log(path, "duration_ms")), mean(measured.client(path)),
             OVERHEAD_MS)


def compare_metrics(measured, path, metrics):
    mean = statistics.mean
    count = samples(metrics, "volt_request_phase_seconds_count", http_route=path, phase="send")
    check(count == [len(measured.paths[path])], f"{path}: {count} requests of {len(measured.paths[path])} were counted")
    near(f"{path} handler phase of /metrics", mean_ms(metrics, "volt_request_phase_seconds", http_route=path, phase="handler"),
         mean(measured.handler(path)), OVERHEAD_MS)
    if path in LASTING:
        near(f"{path} duration of /metrics", mean_ms(metrics, "http_server_request_duration_seconds", http_route=path),
             mean(measured.client(path)), OVERHEAD_MS)


# The page has the 99th percentiles of its buckets, which are a tenth wide at most: they are compared with those of the
# same requests in the log.
def compare_page(measured, path, update, patterns):
    line = next(line for line in update["tables"]["phases"] if patterns[line["route"]] == path)
    for phase in ("queue", "handler", "send"):
        logged = percentile(measured.log(path, phase + "_ms"), 0.99)
        if logged < 0.02:
            check(line[phase] < 0.00003, f"{path} {phase}: {line[phase]} s on the page, {logged} ms in the log")
            continue
        ordered = sorted(measured.log(path, phase + "_ms"))
        count = len(ordered)
        around = [ordered[max(0, int(count * 0.98) - 1)], ordered[min(count - 1, int(count * 0.999))]]
        shown = 1000 * line[phase]
        check(0.88 * around[0] <= shown <= 1.12 * around[1],
              f"{path} {phase}: p99 of {shown:.3f} ms on the page, {around} ms around it in the log")


# A sanitizer's own locks and mappings may block a short request for a millisecond, which is then its stall.
def check_stalls(metrics, measured):
    for path in INNOCENT:
        [stalls] = samples(metrics, "volt_route_stalls_total", http_route=path)
        slow = sum(fields["duration_ms"] >= 1 for _, _, fields in measured.paths[path]) if sanitized(PROGRAM) else 0
        check(stalls <= slow, f"{path} was charged with {stalls:.0f} stalls; {slow} requests may have had one")
    for labels in re.findall(r"^volt_route_stalls_total(?:\{(.*)\})? [1-9]", metrics, re.M):
        check("http_route=" in labels, "a stall was charged to no route")
    guilty = sum(samples(metrics, "volt_route_stalls_total"))
    requests = sum(len(measured.paths[path]) for path in ("/busy-3ms", "/busy-80ms"))
    print(f"  {guilty:.0f} stalls of {requests} long computations, none of other routes; "
          f"{samples(metrics, 'volt_other_stalls_total')} of no request", flush=True)


def measure(cgroup=None):
    server = Server(PROGRAM, "--ops", "127.0.0.1:0", "--log.format", "json", io=IO)
    in_cgroup(server, cgroup)
    with server:
        client = subprocess.run([PROGRAM, "client", str(server.port), str(CLIENTS), str(REQUESTS)], check=True,
                                capture_output=True, text=True, timeout=600)
        lines = client.stdout.splitlines()
        check(len(lines) == REQUESTS, f"the client measured {len(lines)} requests")
        port = ops_port(server)
        update = page_update(port)
        metrics = fetch(port, "/metrics")
        patterns = [route["pattern"] for route in json.loads(fetch(port, "/routes"))["routes"]]
        eventually(lambda: server.log.count('"module":"access"') == REQUESTS, "lines of the access log are missing")
        measured = Measured(lines, server.log.splitlines())
    for path in sorted(measured.paths):
        compare_log(measured, path)
        compare_metrics(measured, path, metrics)
        compare_page(measured, path, update, patterns)
    check_stalls(metrics, measured)


@contextlib.contextmanager
def neighbors():
    """Two busy programs for each processor."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * os.cpu_count())]
    try:
        yield
    finally:
        for program in busy:
            program.kill()
            program.wait()


def main():
    print("alone:", flush=True)
    measure()
    if not LONG:
        return
    print("beside busy neighbors:", flush=True)
    with neighbors():
        measure()
    with cgroup_with_quota(0.5) as cgroup:
        if cgroup is None:
            print("no cgroup can be made: the run with half a processor is skipped", flush=True)
            return
        print("with half a processor:", flush=True)
        measure(cgroup)


if __name__ == "__main__":
    main()
