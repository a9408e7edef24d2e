# SPDX-License-Identifier: MIT
"""What the tests of promises share: programs, figures of a process and of its /metrics, and requests on raw sockets."""

import contextlib
import http.client
import os
import pathlib
import re
import resource
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
from server_process import Server  # noqa: E402,F401 pylint: disable=unused-import,wrong-import-position

IO = os.environ.get("VOLT_TEST_IO", "auto")
SKIPPED = 77
DEADLINE_SECONDS = 60  # for waits that end at once, on a busy machine


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def eventually(condition, what, seconds=DEADLINE_SECONDS):
    """Returns how long it took until the condition was true. `what`: the text of the failure, or a function for it."""
    start = time.monotonic()
    while not condition():
        check(time.monotonic() - start < seconds, what() if callable(what) else what)
        time.sleep(0.05)
    return time.monotonic() - start


def skip(reason):
    print(f"skipped: {reason}", flush=True)
    sys.exit(SKIPPED)


def sanitized(program):
    text = pathlib.Path(program).read_bytes()
    return b"__asan_init" in text or b"__tsan_init" in text


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0


def raise_descriptor_limit():
    """Raises the soft limit of open files to the hard one, which servers that are started later inherit."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return most


def resident_kib(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1])


def descriptors(pid):
    """The number of open files and sockets. Without eventfd and epoll: each spare worker that was ever needed keeps one."""
    count = 0
    for name in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):  # closed since it was listed
            count += os.readlink(f"/proc/{pid}/fd/{name}") not in ("anon_inode:[eventfd]", "anon_inode:[eventpoll]")
    return count


def ops_port(server):
    return int(re.search(r"ops endpoint available at \S*:(\d+)", server.log)[1])


def metric(server, name):
    """The sum of all samples of that metric."""
    client = http.client.HTTPConnection("127.0.0.1", ops_port(server), timeout=DEADLINE_SECONDS)
    try:
        client.request("GET", "/metrics")
        text = client.getresponse().read().decode()
    finally:
        client.close()
    samples = re.findall(rf"^{re.escape(name)}(?:{{[^}}]*}})? (\S+)$", text, re.MULTILINE)
    check(samples, f"/metrics has no {name}")
    return sum(float(sample) for sample in samples)


def slope_per_hour(samples):
    """The slope of (seconds, value) pairs by least squares, per hour."""
    count = len(samples)
    mean_x = sum(x for x, _ in samples) / count
    mean_y = sum(y for _, y in samples) / count
    spread = sum((x - mean_x) ** 2 for x, _ in samples)
    return 3600 * sum((x - mean_x) * (y - mean_y) for x, y in samples) / spread if spread else 0.0


def run_tests(tests):
    for test in tests:
        test()
        print(f"{test.__name__}: ok", flush=True)
