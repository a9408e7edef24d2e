#!/usr/bin/env python3
"""bin/hello with --ops: what probes see while it starts, works, is stuck and drains.

Usage: ops_test.py FOLDER_OF_PROGRAMS; VOLT_TEST_IO chooses the reactor.
"""

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
        answer = client.getresponse()
        return answer.status, answer.read().decode()
    finally:
        client.close()


def ops_port(server):
    return int(re.search(r"operators may ask at \S*:(\d+)", server.log)[1])


def ask_meanwhile(port, path):
    """The answers to come, once the thread has ended."""
    answers = []
    thread = threading.Thread(target=lambda: answers.append(get(port, path)))
    thread.start()
    return thread, answers


def test_no_ops_listener_unless_asked_for():
    with Server(HELLO, io=IO) as server:
        check("operators" not in server.log, "it listens where nobody asked it to")


def test_a_drain_shows_at_once_and_ends_well():
    with Server(HELLO, "--ops", "127.0.0.1:0", io=IO) as server:
        port = ops_port(server)
        deadline = time.monotonic() + 30
        while get(port, "/readyz") != (200, "ready\n"):
            check(time.monotonic() < deadline, "it is never ready")
        thread, answers = ask_meanwhile(server.port, "/work?us=1000000")
        while "http_server_active_requests 1\n" not in get(port, "/metrics")[1]:
            check(time.monotonic() < deadline, "the request is never under way")
        server.terminate()
        states = []
        while thread.is_alive():
            try:
                states.append((get(port, "/readyz"), get(port, "/healthz")[0]))
            except OSError:
                break  # it has drained
        thread.join()
        check(answers == [(200, "done\n")], f"the request under way: {answers}")
        check(((503, "draining\n"), 200) in states, f"while it drained: {states[:3]}")
        late = states[len(states) // 2:]
        check(all(state == ((503, "draining\n"), 200) for state in late), f"it became ready again: {late}")
        check(server.wait() == 0, "it drained")


def test_stuck_workers_do_not_silence_the_probe():
    with Server(HELLO, "--ops", "127.0.0.1:0", io=IO) as server:
        port = ops_port(server)
        busy = [ask_meanwhile(server.port, "/work?us=1000000") for _ in range(4)]
        while int(re.search(r"http_server_active_requests (\d+)", get(port, "/metrics")[1])[1]) < 2:
            pass
        check(get(port, "/healthz")[0] == 200, "alive")
        check(any(thread.is_alive() for thread, _ in busy), "the workers were stuck meanwhile")
        for thread, answers in busy:
            thread.join()
            check(answers == [(200, "done\n")], f"the handlers finish: {answers}")
        check("keeps its worker busy" in server.log and "route=/work" in server.log, f"the stall is logged:\n{server.log}")


def test_it_answers_to_the_names_that_it_goes_by():
    with Server(HELLO, "--ops", "127.0.0.1:0", "--ops.allowed-hosts", "ops.example.com", io=IO) as server:
        for host, status in (("ops.example.com", 200), ("ops.example.com:80", 200), ("www.example.com", 421)):
            client = http.client.HTTPConnection("127.0.0.1", ops_port(server), timeout=30)
            client.request("GET", "/healthz", headers={"Host": host})
            check(client.getresponse().status == status, host)
            client.close()


def test_a_bad_address_is_told():
    for where, said in (("nonsense", "expected addresses with ports"), ("203.0.113.1:1", "203.0.113.1:1: ")):
        run = subprocess.run([HELLO, "--listen", "127.0.0.1:0", "--io", IO, "--ops", where],
                             capture_output=True, text=True, timeout=30)
        check(run.returncode != 0 and said in run.stderr, f"--ops {where}: {run.returncode}, {run.stderr}")


def probe(*flags, **environment):
    """--check-health: the status, and what it says."""
    ended = subprocess.run([str(HELLO), "--check-health", *flags], capture_output=True, text=True, timeout=30,
                           env={**os.environ, **environment})
    return ended.returncode, ended.stdout + ended.stderr


def test_a_program_is_its_own_probe():
    with Server(HELLO, "--ops", "127.0.0.1:0", io=IO) as server:
        place = f"127.0.0.1:{ops_port(server)}"
        check(probe("--ops", place) == (0, ""), "it is healthy")
        every = f"0.0.0.0:{ops_port(server)}"
        check(probe(VOLT_OPS_LISTEN=every) == (0, ""), "every address is this machine")
        other = f"127.0.0.1:{server.port}"
        check(probe("--ops", other) == (1, f"{other}: answered HTTP/1.1 404 Not Found\n"), "that is not for operators")
    check(probe("--ops", place) == (1, f"{place}: Connection refused\n"), "it has ended")
    check(probe() == (1, "ops.listen names no place to ask at\n"), "nobody said where")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        place = f"127.0.0.1:{silent.getsockname()[1]}"
        check(probe("--ops", place) == (1, f"{place}: Connection timed out\n"), "who is silent is not alive")


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"{name}: ok", flush=True)
