#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bin/hello with --ops: what probes see while the server starts, serves, is blocked and drains.

Usage: ops_test.py FOLDER_OF_PROGRAMS; VOLT_TEST_IO chooses the reactor.
"""

import ctypes.util
import http.client
import os
import pathlib
import re
import socket
import subprocess
import sys
import threading
import time

from server_process import Server

IO = os.environ.get("VOLT_TEST_IO", "auto")
HELLO = pathlib.Path(sys.argv[1], "hello")


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def get(port, path):
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        client.request("GET", path)
        response = client.getresponse()
        return response.status, response.read().decode()
    finally:
        client.close()


def ops_port(server):
    return int(re.search(r"ops endpoint available at \S*:(\d+)", server.log)[1])


def get_in_thread(port, path):
    """Starts a request in a thread; returns the thread, and the list that will hold its response."""
    responses = []
    thread = threading.Thread(target=lambda: responses.append(get(port, path)))
    thread.start()
    return thread, responses


def test_no_ops_listener_unless_asked_for():
    with Server(HELLO, io=IO) as server:
        check("ops endpoint" not in server.log, "without --ops there is an ops listener")


def test_readyz_reports_a_drain_at_once_and_the_drain_ends():
    with Server(HELLO, "--ops", "127.0.0.1:0", io=IO) as server:
        port = ops_port(server)
        deadline = time.monotonic() + 30
        while get(port, "/readyz") != (200, "ready\n"):
            check(time.monotonic() < deadline, "the server never becomes ready")
        thread, responses = get_in_thread(server.port, "/work?us=1000000")
        while "http_server_active_requests 1\n" not in get(port, "/metrics")[1]:
            check(time.monotonic() < deadline, "the request never starts")
        server.terminate()
        states = []
        while thread.is_alive():
            try:
                states.append((get(port, "/readyz"), get(port, "/healthz")[0]))
            except OSError:
                break  # the server has drained
        thread.join()
        check(responses == [(200, "done\n")], f"the request in progress during the drain: {responses}")
        check(((503, "draining\n"), 200) in states, f"/readyz and /healthz during the drain: {states[:3]}")
        late = states[len(states) // 2:]
        check(all(state == ((503, "draining\n"), 200) for state in late), f"the server became ready again: {late}")
        check(server.wait() == 0, "the server ended with an error after its drain")


def test_blocked_workers_do_not_silence_the_probe():
    with Server(HELLO, "--ops", "127.0.0.1:0", io=IO) as server:
        port = ops_port(server)
        busy = [get_in_thread(server.port, "/work?us=1000000") for _ in range(4)]
        while int(re.search(r"http_server_active_requests (\d+)", get(port, "/metrics")[1])[1]) < 2:
            pass
        check(get(port, "/healthz")[0] == 200, "/healthz does not respond 200 while the workers are blocked")
        check(any(thread.is_alive() for thread, _ in busy), "the workers were not blocked during the probe")
        for thread, responses in busy:
            thread.join()
            check(responses == [(200, "done\n")], f"a blocking handler did not finish: {responses}")
        # On a busy machine a handler may get too little of a processor to be blamed.
        deadline = time.monotonic() + 60
        while not re.search(r"handler blocked its worker worker=.* cpu_ms=\d+\.\d+ .* route=/work\b", server.log):
            check(time.monotonic() < deadline, f"the stall is not logged:\n{server.log}")
            get(server.port, "/work?us=1000000")


def test_only_trusted_hosts_are_served():
    with Server(HELLO, "--ops", "127.0.0.1:0", "--ops.allowed-hosts", "ops.example.com", io=IO) as server:
        for host, status in (("ops.example.com", 200), ("ops.example.com:80", 200), ("www.example.com", 421)):
            client = http.client.HTTPConnection("127.0.0.1", ops_port(server), timeout=30)
            client.request("GET", "/healthz", headers={"Host": host})
            check(client.getresponse().status == status, host)
            client.close()


def test_an_invalid_ops_address_is_an_error():
    for where, said in (("nonsense", "expected addresses of the form"), ("203.0.113.1:1", "203.0.113.1:1: ")):
        run = subprocess.run([HELLO, "--listen", "127.0.0.1:0", "--io", IO, "--ops", where],
                             capture_output=True, text=True, timeout=30)
        check(run.returncode != 0 and said in run.stderr, f"--ops {where}: {run.returncode}, {run.stderr}")


def jemalloc():
    """The name of the library; None where it is not installed, or the program has the allocator of a sanitizer."""
    program = HELLO.read_bytes()
    if b"__asan_init" in program or b"__tsan_init" in program:
        return None
    return ctypes.util.find_library("jemalloc")


def test_debug_heap_shows_which_functions_hold_memory():
    def heap(**environment):
        with Server(HELLO, "--ops", "127.0.0.1:0", io=IO, environment=environment) as server:
            return get(ops_port(server), "/debug/heap")

    remedy = "LD_PRELOAD=libjemalloc.so.2 MALLOC_CONF=prof:true"
    status, text = heap()
    check(status == 501 and remedy in text, f"with the allocator of libc: {status} {text}")
    library = jemalloc()  # redis-server needs it
    if library is None:
        return
    status, text = heap(LD_PRELOAD=library, MALLOC_CONF="prof:false")
    check(status == 501 and remedy in text, f"with jemalloc that does not profile: {status} {text}")
    status, text = heap(LD_PRELOAD=library, MALLOC_CONF="prof:true,lg_prof_sample:10")
    check(status == 200 and re.fullmatch(r"(?:[^\n]+ [1-9]\d*\n)+", text), f"a profile: {status} {text[:500]}")
    sizes = [int(line.rpartition(" ")[2]) for line in text.splitlines()]
    check(sizes == sorted(sizes, reverse=True), f"the largest comes first: {sizes}")
    check(re.search(r"^(?:\S.*;)?volt::http::", text, re.MULTILINE), f"functions have names: {text[:500]}")


def probe(*flags, program=HELLO, **environment):
    """Runs --check-health; returns its exit status and its output."""
    ended = subprocess.run([str(program), "--check-health", *flags], capture_output=True, text=True, timeout=30,
                           env={**os.environ, **environment})
    return ended.returncode, ended.stdout + ended.stderr


def test_check_health_probes_the_ops_listener():
    with Server(HELLO, "--ops", "127.0.0.1:0", io=IO) as server:
        place = f"127.0.0.1:{ops_port(server)}"
        check(probe("--ops", place) == (0, ""), "a running server is healthy")
        every = f"0.0.0.0:{ops_port(server)}"
        check(probe(VOLT_OPS_LISTEN=every) == (0, ""), "the wildcard address is probed on this machine")
        name = f"localhost:{ops_port(server)}"
        check(probe("--ops", name) == (0, ""), "a host name is looked up")
        check(probe("--ops", place, program=HELLO.with_name("crud"), CRUD_DB="/nowhere/items.db") == (0, ""),
              "a check opens no database")
        other = f"127.0.0.1:{server.port}"
        check(probe("--ops", other) == (1, f"{other}: unexpected response: HTTP/1.1 404 Not Found\n"),
              "a port that is not the ops listener is unhealthy")
    check(probe("--ops", place) == (1, f"{place}: Connection refused\n"), "a server that has ended is unhealthy")
    unknown = "no-such-host.invalid:9090"
    check(probe("--ops", unknown) == (1, f"{unknown}: the host name has no address\n"), "an unknown name is unhealthy")
    check(probe() == (1, "--check-health needs an address in ops.listen\n"), "without an ops address the probe fails")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        place = f"127.0.0.1:{silent.getsockname()[1]}"
        check(probe("--ops", place) == (1, f"{place}: Connection timed out\n"),
              "a server that does not respond is unhealthy")


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"{name}: ok", flush=True)
