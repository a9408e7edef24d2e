#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bin/hello from outside: what it answers, how it takes its flags, and that SIGTERM under load loses no request.

Usage: hello_test.py FOLDER_OF_PROGRAMS; VOLT_TEST_IO chooses the reactor.
"""

import http.client
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time

from server_process import Server

IO = os.environ.get("VOLT_TEST_IO", "auto")
ENGINE = {"uring": " io=io_uring", "epoll": " io=epoll", "auto": " io="}[IO]
PROGRAM = pathlib.Path(sys.argv[1]) / "hello"


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def ask(server, method, path, body=None, headers=None):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    try:
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def test_answers():
    cases = [  # why, method, path, status, pattern of the body, content type
        ("the root", "GET", "/", 200, b"Hello, World!", "text/plain"),
        ("plaintext", "GET", "/plaintext?a=b", 200, b"Hello, World!", "text/plain"),
        ("json", "GET", "/json", 200, rb'\{"message":"Hello, World!"\}', "application/json"),
        ("HEAD has no body", "HEAD", "/json", 200, b"", "application/json"),
        ("work", "GET", "/work?us=100", 200, b"done\n", "text/plain; charset=utf-8"),
        ("work without its time", "GET", "/work", 400, rb'.*"query us is missing".*', "application/problem+json"),
        ("work for ever", "GET", "/work?us=1000001", 400, rb'.*"us is 0 to 1000000".*', "application/problem+json"),
        ("work in words", "GET", "/work?us=1e3", 400, rb'.*whole number.*', "application/problem+json"),
        ("no such path", "GET", "/none", 404, rb'\{"title":"Not Found","status":404\}', "application/problem+json"),
        ("another method", "POST", "/", 405, rb'\{"title":"Method Not Allowed","status":405\}', "application/problem+json"),
    ]
    with Server(PROGRAM, io=IO) as server:
        check(ENGINE in server.log and " workers=2" in server.log, "the log names engine and workers")
        for why, method, path, status, body, kind in cases:
            got = ask(server, method, path)
            as_wanted = (got[0], got[1]["Content-Type"]) == (status, kind) and re.fullmatch(body, got[2])
            check(as_wanted, f"{why}: got {got}")
        check(ask(server, "POST", "/")[1]["Allow"] == "GET, HEAD, OPTIONS", "405 has Allow")


def test_work_takes_its_time():
    with Server(PROGRAM, io=IO) as server:
        began = time.monotonic()
        ask(server, "GET", "/work?us=200000")
        check(time.monotonic() - began >= 0.2, "work of 200 ms took less")


def load(port, stop, outcome):
    """Asks on one connection after the other; counts answers, requests that got none, and connections that came too late:
    the kernel resets those whose handshake is in progress when their listener is closed."""
    answered = lost = late = 0
    while not stop.is_set():
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            connection.connect()
        except ConnectionRefusedError:
            break  # the listener is closed: nothing was asked
        except OSError:
            continue  # reset before anything was asked
        asked = 0
        try:
            for asked in range(200):
                connection.request("GET", "/work?us=300")
                answer = connection.getresponse()
                check(answer.read() == b"done\n", "a torn answer")
                answered += 1
                if answer.getheader("Connection") == "close":
                    break
        except (OSError, http.client.HTTPException) as error:
            if asked == 0 and isinstance(error, ConnectionResetError):
                late += 1
            else:
                lost += 1
                outcome.append(repr(error))
        connection.close()
    outcome.append((answered, lost, late))


def test_drains_under_load():
    # The linger is for clients that share two processors with other tests.
    with Server(PROGRAM, "--server.drain-idle-timeout", "4s", io=IO) as server:
        stop, outcome = threading.Event(), []
        idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(10)]
        threads = [threading.Thread(target=load, args=(server.port, stop, outcome)) for _ in range(8)]
        for thread in threads:
            thread.start()
        time.sleep(0.5)
        began = time.monotonic()
        server.terminate()
        for connection in idle:
            connection.settimeout(20)
            check(connection.recv(1) == b"", "an idle connection ends with an end, not with a reset")
            connection.close()
        check(server.wait() == 0, f"status {server.process.returncode}: {server.log}")
        took = time.monotonic() - began
        stop.set()
        for thread in threads:
            thread.join()
        counts = [entry for entry in outcome if isinstance(entry, tuple)]
        answered, lost, late = (sum(column) for column in zip(*counts))
        print(f"drained in {took:.1f} s, {answered} answered, {lost} lost, {late} came too late")
        check(answered > 100 and lost == 0, f"requests were lost: {outcome}")
        check(late <= len(threads), f"each came too late at most once: {outcome}")
        check(re.search(r" info drained took=\d+\.\d{3} connections_cut=0 tasks_cut=0 ", server.log), server.log)


def test_falls_back_where_rings_have_too_little_memory():
    """Enough for the probe's ring (12 KiB at least) and not for two. As nobody, if as root, whom no limit binds."""
    flags = ["--process.user", "nobody"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "hello"
        program.write_text(f'#!/bin/sh\nulimit -l 16 && exec {PROGRAM} "$@"\n')
        program.chmod(0o755)
        with Server(program, "--ops", "127.0.0.1:0", *flags) as server:
            check(" io=epoll" in server.log and server.log.count("io_uring is not available here") == 1, server.log)
            check(ask(server, "GET", "/")[0] == 200, "it serves")


def test_second_signal_ends_at_once():
    with Server(PROGRAM, io=IO, status=1) as server:
        stuck = socket.create_connection(("127.0.0.1", server.port))
        stuck.sendall(b"GET / HTTP/1.1\r\n")  # its head has 10 seconds
        time.sleep(0.2)
        began = time.monotonic()
        server.terminate()
        time.sleep(0.3)
        server.terminate()
        check(server.wait() == server.status and time.monotonic() - began < 5, "the second SIGTERM ends it, with status 1")
        check(re.search(r" warning drained took=\d+\.\d{3} connections_cut=1 tasks_cut=1 ", server.log), server.log)


def test_outlives_the_reader_of_its_log():
    with Server(PROGRAM, io=IO) as server:
        pass
    reading, writing = os.pipe()
    process = subprocess.Popen([str(PROGRAM), "--listen", f"127.0.0.1:{server.port}", "--io", IO], stderr=writing)
    os.close(writing)
    check(b"listening" in os.read(reading, 4096), "it listens")
    os.close(reading)
    with socket.create_connection(("127.0.0.1", server.port)) as stuck:
        stuck.sendall(b"GET / HTTP/1.1\r\n")
        time.sleep(0.2)
        for _ in range(2):  # it has something to say: a connection was cut short
            process.terminate()
            time.sleep(0.3)
        check(process.wait(30) == 1, f"status {process.returncode}")


def ask_socket(connect):
    connection = http.client.HTTPConnection("localhost")
    connection.sock = connect()
    connection.request("GET", "/plaintext")
    return connection.getresponse().read()


def test_several_listeners():
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as inherited:
        path = f"{folder}/hello.sock"
        # systemd's way: descriptors from 3 on, and the process that they are meant for.
        script = 'exec 3<&%d; export LISTEN_FDS=1 LISTEN_PID=$$; exec "$@"' % inherited.fileno()
        flags = ["--io", IO, "--workers", "2", "--listen", f"unix:{path}", "--listen", "systemd:"]
        process = subprocess.Popen(["/bin/sh", "-c", script, "sh", str(PROGRAM), *flags],
                                   pass_fds=[inherited.fileno()], stderr=subprocess.PIPE, text=True)
        for wanted in ("unix:", "inherited"):
            line = process.stderr.readline()
            check(wanted in line, f"the log says {line!r}")

        def connect_unix():
            stream = socket.socket(socket.AF_UNIX)
            stream.connect(path)
            return stream

        check(ask_socket(connect_unix) == b"Hello, World!", "the unix socket answers")
        check(ask_socket(lambda: socket.create_connection(inherited.getsockname())) == b"Hello, World!",
              "the inherited socket answers")
        process.terminate()
        check(process.wait(30) == 0, "both drain")
        check(not os.path.exists(path), "the socket's file is gone")


def refused(*flags):
    ended = subprocess.run([str(PROGRAM), *flags], capture_output=True, text=True, timeout=30)
    return ended.returncode, ended.stdout + ended.stderr


def test_flags_that_cannot_be_meant():
    with Server(PROGRAM, io=IO) as server:
        cases = [  # why, flags, what the message names
            ("no such flag", ["--colour"], "--colour"),
            ("no address", ["--listen", "nowhere"], "nowhere"),
            ("no port", ["--listen", "127.0.0.1"], "127.0.0.1"),
            ("a port out of range", ["--listen", "127.0.0.1:65536"], "65536"),
            ("not a number", ["--workers", "many"], "--workers"),
            ("fewer than none", ["--workers", "-1"], "--workers"),
            ("too many", ["--workers", "100000"], "--workers"),
            ("no such engine", ["--io", "kqueue"], "--io"),
            ("an address of another machine", ["--listen", "192.0.2.1:80"], "192.0.2.1:80"),
            ("a port that is taken", ["--listen", f"127.0.0.1:{server.port}"], "in use"),
        ]
        for why, flags, names in cases:
            status, message = refused(*flags)
            check(status != 0, f"{why}: status 0")
            check(names in message and len(message) < 500, f"{why}: says {message!r}")
        status, message = refused("--help")
        check(status == 0 and "--listen" in message and "--workers" in message, f"--help says {message!r}")
        check(ask(server, "GET", "/")[0] == 200, "the one that listens still answers")


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"{name}: ok", flush=True)
