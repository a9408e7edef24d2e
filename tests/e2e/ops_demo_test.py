#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bin/ops-demo: the program generates its own load, shows it on the ops page, and ends on SIGTERM.

Usage: ops_demo_test.py FOLDER_OF_PROGRAMS; VOLT_TEST_IO chooses the reactor.
"""

import http.client
import os
import pathlib
import re
import sys
import time
import urllib.parse

from server_process import Server

IO = os.environ.get("VOLT_TEST_IO", "auto")
DEMO = pathlib.Path(sys.argv[1], "ops-demo")
TIMEOUT_SECONDS = 120


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def get(url, path):
    place = urllib.parse.urlsplit(url)
    client = http.client.HTTPConnection(place.hostname, place.port, timeout=TIMEOUT_SECONDS)
    client.request("GET", path)
    response = client.getresponse()
    body = response.read().decode()
    client.close()
    return response.status, response.headers, body


def response_counts(url):
    """Returns {(route, status): count of responses}."""
    counts = {}
    metrics = get(url, "/metrics")[2]
    for labels, count in re.findall(r"^http_server_request_duration_seconds_count\{(.*)\} (\d+)$", metrics, re.M):
        names = dict(re.findall(r'(\w+)="([^"]*)"', labels))
        key = (names.get("http_route"), names.get("http_response_status_code"))
        counts[key] = counts.get(key, 0) + int(count)
    return counts


def test_the_demo_generates_load_and_ends_on_sigterm():
    with Server(DEMO, "--ops", "127.0.0.1:0", io=IO) as server:
        url = re.search(r"ops endpoint available at .*url=(http://\S+)", server.log)[1]
        status, fields, body = get(url, "/")
        check(status == 200 and fields["Content-Type"].startswith("text/html") and "<html" in body, (status, fields))
        wanted = {"/fast", "/slow", "/primes", "/failing", "/lines"}
        deadline = time.monotonic() + TIMEOUT_SECONDS
        counts = {}
        while not (wanted <= {route for route, _ in counts} and any(s and s[0] == "5" for _, s in counts)):
            check(time.monotonic() < deadline, f"not all routes are requested: {counts}")
            time.sleep(0.2)
            counts = response_counts(url)
        before = sum(counts.values())
        while sum(response_counts(url).values()) <= before:
            check(time.monotonic() < deadline, "the load stopped")
            time.sleep(0.2)
        began = time.monotonic()
        server.terminate()
        check(server.wait() == 0 and time.monotonic() - began < 25, "the program's own clients delay its end")


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"{name}: ok", flush=True)
