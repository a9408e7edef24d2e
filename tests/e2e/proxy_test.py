#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bin/proxy among upstreams that are busy, unhealthy, slow and killed, and clients that are slow and go.

Usage: proxy_test.py FOLDER_OF_PROGRAMS; VOLT_TEST_IO chooses the reactor.
"""

import concurrent.futures
import contextlib
import http.client
import json
import pathlib
import re
import socket
import sys
import threading
import time

from origin import Origin
from proxied import IO, PATIENCE_SECONDS, PROGRAMS, Answer, check, eventually, exchange, get, proxy
from server_process import Server
from websocket_peer import WebSocketPeer

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from ports import refusing_port  # pylint: disable=wrong-import-position

MIB = 1024 * 1024
LARGE_BYTES = 64 * MIB
MEMORY_GROWTH_MAX = 24 * MIB  # with a body of 64 MiB under way


def test_nobody_to_ask():
    with refusing_port() as port, proxy(f"http://127.0.0.1:{port}") as server:
        answer = get(server.port, "/x")
        check(answer.status == 502 and json.loads(answer.body)["title"] == "Bad Gateway", answer.raw)
    with Origin() as origin, proxy(origin, RESPONSE_TIMEOUT="200ms") as server:
        answer = get(server.port, "/silent")
        check(answer.status == 504 and json.loads(answer.body)["status"] == 504, answer.raw)
        eventually(lambda: origin.gone == ["/silent"], "the upstream is let go")


def test_only_so_many_requests_at_a_time():
    with Origin() as origin, proxy(origin, CONNECTIONS_MAX=2, WAIT="30s") as server:
        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            answers = list(pool.map(lambda _: get(server.port, "/sleep/0.05").status, range(24)))
        check(answers == [200] * 24 and origin.connections <= 2, f"{answers}, {origin.connections} connections")
    with Origin() as origin, proxy(origin, CONNECTIONS_MAX=1, WAIT="1ms") as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_SECONDS) as first:
            first.sendall(b"GET /silent HTTP/1.1\r\nHost: a\r\n\r\n")
            eventually(lambda: origin.requests, "the first is under way")
            answer = get(server.port, "/x")
            check((answer.status, answer.field("retry-after")) == (503, "1"), answer.raw)


UPGRADE = b"GET /upgrade HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"


def test_tunnels_and_slow_bodies_take_no_places_of_requests():
    with Origin() as origin, proxy(origin, CONNECTIONS_MAX=2, BODIES_MAX=2, TUNNELS_MAX=2, WAIT="100ms") as server:
        with contextlib.ExitStack() as stack:
            def begin(request):
                client = stack.enter_context(socket.create_connection(("127.0.0.1", server.port),
                                                                      timeout=PATIENCE_SECONDS))
                client.sendall(request)
                return client

            for _ in range(2):
                check(b" 101 " in begin(UPGRADE).recv(4096), "a tunnel")
            for number in range(2):
                begin(b"PUT /sink HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nabc")
                eventually(lambda number=number: len(origin.requests) == 3 + number, "a slow upload")
            check(b" 503 " in begin(UPGRADE).recv(4096), "no third tunnel")
            for _ in range(4):
                check(get(server.port, "/x").status == 200, "requests have places of their own")
            for _ in range(4):
                begin(b"PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab")  # small: it is received first
            answer = exchange(server.port, b"PUT /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 4\r\n\r\n"
                                           b"body")
            check(answer.status == 200, "and so have small bodies")


def test_slow_readers_take_no_places_of_requests():
    with Origin() as origin, proxy(origin, CONNECTIONS_MAX=2, BODIES_MAX=2, WAIT="100ms") as server:
        with contextlib.ExitStack() as stack:
            for _ in range(2):  # slow readers: nothing is read but the heads
                client = stack.enter_context(socket.create_connection(("127.0.0.1", server.port),
                                                                      timeout=PATIENCE_SECONDS))
                client.sendall(f"GET /bytes/{LARGE_BYTES} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
                check(b" 200 " in client.recv(100), "a slow reader")
            for _ in range(4):
                check(get(server.port, "/x").status == 200, "others are served meanwhile")


def get_from(address, port):
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS, source_address=(address, 0)) as client:
        client.sendall(b"GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        return Answer(client.makefile("rb").read())


def test_one_client_has_only_its_share_of_places():
    with Origin() as origin, proxy(origin, CONNECTIONS_MAX=4, CLIENT_SHARE=50) as server:
        with contextlib.ExitStack() as stack:
            for number in range(2):
                client = stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
                client.sendall(b"GET /silent HTTP/1.1\r\nHost: a\r\n\r\n")
                eventually(lambda number=number: len(origin.requests) == number + 1, "it is under way")
            refused = get(server.port, "/x")
            check((refused.status, refused.field("retry-after")) == (429, "1"), refused.raw)
            check(get_from("127.0.0.2", server.port).status == 200, "another client")
        eventually(lambda: get(server.port, "/x").status == 200, "its places are given back")


def test_the_least_busy_is_asked():
    with Origin() as slow, Origin() as quick, proxy(slow, quick) as server:
        with contextlib.ExitStack() as stack:
            for _ in range(6):
                client = stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
                client.sendall(b"GET /silent HTTP/1.1\r\nHost: a\r\n\r\n")
            eventually(lambda: len(slow.requests) == 3 == len(quick.requests), "six are spread evenly")
        eventually(lambda: len(slow.gone) == 3 == len(quick.gone), "who goes takes his request along")
        held = socket.create_connection(("127.0.0.1", server.port))
        held.sendall(b"GET /silent HTTP/1.1\r\nHost: a\r\n\r\n")
        eventually(lambda: len(slow.requests) + len(quick.requests) == 7, "one is held")
        busy, idle = (slow, quick) if len(slow.requests) == 4 else (quick, slow)
        for _ in range(10):
            get(server.port, "/x")
        check(len(busy.requests) == 4 and len(idle.requests) == 13, f"{len(busy.requests)}, {len(idle.requests)}")
        held.close()


def test_a_request_is_sent_elsewhere_only_if_that_is_safe():
    with Origin() as bad, Origin() as good:
        bad.answers["cut"] = good.answers["cut"] = b""
        good.do_as_is = lambda connection, request, name: good.do_any(connection, request)
        with proxy(bad, good, FAILURES_MAX=1000) as server:
            for method, body, want in (("GET", "", {200}), ("PUT", "", {200}), ("DELETE", "", {200}),
                                       ("POST", "", {200, 502}), ("PUT", "body", {200, 502}),
                                       ("PATCH", "", {200, 502})):
                fields = [f"Content-Length: {len(body)}"] if body or method == "POST" else []
                statuses = set()
                for _ in range(4):
                    lines = [f"{method} /as-is/cut HTTP/1.1", "Host: a", "Connection: close", *fields]
                    statuses.add(exchange(server.port, ("\r\n".join(lines) + "\r\n\r\n" + body).encode()).status)
                check(statuses == want, f"{method} with {body!r}: {statuses}")
        bad.stop()
        with proxy(bad, good, FAILURES_MAX=1000) as server:  # the first upstream never reads the body: the other one gets all of it
            for _ in range(4):
                answer = exchange(server.port, b"PUT /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                                               b"Content-Length: 4\r\n\r\nbody")
                check(answer.status == 200 and good.requests[-1].body == b"body", answer.raw)


def test_nothing_is_lost_when_an_upstream_is_killed():
    hello = PROGRAMS / "hello"
    with Server(hello, io=IO, status=-9) as victim, Server(hello, io=IO) as second, Server(hello, io=IO) as third:
        places = [f"http://127.0.0.1:{program.port}" for program in (victim, second, third)]
        with proxy(*places, HEALTH_PATH="/", HEALTH_INTERVAL="100ms", HEALTH_FALL=2) as server:
            stop, statuses, lock = threading.Event(), {}, threading.Lock()

            def ask():
                client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_SECONDS)
                while not stop.is_set():
                    client.request("GET", "/json")
                    answer = client.getresponse()
                    body = answer.read()
                    with lock:
                        key = (answer.status, body)
                        statuses[key] = statuses.get(key, 0) + 1
                client.close()

            threads = [threading.Thread(target=ask) for _ in range(8)]
            for thread in threads:
                thread.start()
            eventually(lambda: sum(statuses.values()) > 300, "there is load")
            victim.process.kill()
            at_kill = sum(statuses.values())
            eventually(lambda: "an upstream is unhealthy" in server.log and sum(statuses.values()) > at_kill + 300,
                       "it goes on")
            stop.set()
            for thread in threads:
                thread.join()
            check(list(statuses) == [(200, b'{"message":"Hello, World!"}')], statuses)
        victim.process.wait()


def test_checks_find_who_is_ill_and_who_is_well_again():
    with Origin() as first, Origin() as second:
        with proxy(first, second, HEALTH_PATH="/health", HEALTH_INTERVAL="20ms", HEALTH_RISE=2, HEALTH_FALL=2) as server:
            first.healthy = False
            eventually(lambda: "an upstream is unhealthy" in server.log, "it is found unhealthy")
            before = len(first.requests)
            for _ in range(6):
                check(get(server.port, "/x").status == 200, "the other is asked")
            check(len(first.requests) == before, "it is left alone")
            second.healthy = False
            eventually(lambda: server.log.count("an upstream is unhealthy") == 2, "so is the other")
            check(get(server.port, "/x").status == 503, "no upstream is left")
            first.healthy = True
            eventually(lambda: "an upstream is healthy again" in server.log, "it is healthy again")
            check(get(server.port, "/x").status == 200, "and asked again")


def test_who_fails_is_left_alone_for_a_while():
    with Origin() as bad, Origin() as good, proxy(bad, good, FAILURES_MAX=2, EJECT_FOR="10m") as server:
        bad.do_any = lambda connection, request, *_: False
        for _ in range(12):
            check(get(server.port, "/x").status == 200, "the other answers")
        check(len(bad.requests) == 2, f"{len(bad.requests)} requests reached who fails")
        eventually(lambda: "gets no requests for a while" in server.log, "and the log says so")


def memory_of(server):
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(r"RssAnon:\s+(\d+) kB", status)[1]) * 1024


def sanitized():
    program = (PROGRAMS / "proxy").read_bytes()
    return b"__asan_init" in program or b"__tsan_init" in program


class MemoryWatch:
    """The most that the server had meanwhile, above what it had before."""

    def __init__(self, server):
        self.server = server

    def __enter__(self):
        self.before = self.most = memory_of(self.server)
        self.done = threading.Event()
        self.thread = threading.Thread(target=self._look)
        self.thread.start()
        return self

    def _look(self):
        while not self.done.wait(0.01):
            self.most = max(self.most, memory_of(self.server))

    def __exit__(self, kind, error, trace):
        self.done.set()
        self.thread.join()
        if kind is None and not sanitized():
            check(self.most - self.before < MEMORY_GROWTH_MAX, f"from {self.before} to {self.most} bytes")


def test_large_bodies_pass_through_little_memory():
    block = bytes(range(256)) * 256
    with Origin() as origin, proxy(origin) as server, MemoryWatch(server):
        for framing in ("length", "chunked"):
            client = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_SECONDS)
            line = f"Content-Length: {LARGE_BYTES}" if framing == "length" else "Transfer-Encoding: chunked"
            client.sendall(f"PUT /sink HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{line}\r\n\r\n".encode())
            for _ in range(LARGE_BYTES // len(block)):
                client.sendall(block if framing == "length" else b"%x\r\n%s\r\n" % (len(block), block))
            client.sendall(b"" if framing == "length" else b"0\r\n\r\n")
            answer = Answer(client.makefile("rb").read())
            check(answer.body == str(LARGE_BYTES).encode(), f"{framing}: {answer.raw[:200]}")
            client.close()
        with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_SECONDS) as client:
            client.sendall(f"GET /bytes/{LARGE_BYTES} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
            time.sleep(0.5)  # a slow client: the upstream must not run ahead of it
            raw = client.makefile("rb").read()
        answer = Answer(raw)
        check(len(answer.body) == LARGE_BYTES and answer.body[:256 * 256] == block, f"{len(answer.body)} bytes came")


def test_both_ways_at_once():
    """An upstream that answers each piece as it comes: the beginning of the answer does not wait for the end of the body."""
    with Origin() as origin, proxy(origin) as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_SECONDS) as client:
            file = client.makefile("rb")
            client.sendall(b"POST /echo-stream HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            check(b" 200 " in file.readline(), "the head comes before the body")
            while file.readline() != b"\r\n":
                pass
            for i in range(50):
                piece = f"piece {i}".encode()
                client.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
                check(file.readline() == b"%x\r\n" % len(piece) and file.readline() == piece + b"\r\n", f"piece {i}")
            client.sendall(b"0\r\n\r\n")
            check(file.read(5) == b"0\r\n\r\n", "and the end")
        size = 8 * MIB
        with MemoryWatch(server), socket.create_connection(("127.0.0.1", server.port),
                                                           timeout=PATIENCE_SECONDS) as client:
            file = client.makefile("rb")

            def send():
                client.sendall(f"POST /echo-stream HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: {size}"
                               "\r\n\r\n".encode())
                for at in range(0, size, 65536):
                    client.sendall(bytes([at // 65536 % 256]) * 65536)

            sender = threading.Thread(target=send)
            sender.start()
            answer = Answer(file.read())
            sender.join()
            want = b"".join(bytes([at // 65536 % 256]) * 65536 for at in range(0, size, 65536))
            check(answer.body == want and answer.whole, f"{len(answer.body)} bytes came back")


def test_a_body_is_asked_for_when_somebody_takes_it():
    with Origin() as origin, proxy(origin) as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_SECONDS) as client:
            client.sendall(b"PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n"
                           b"Connection: close\r\n\r\n")
            file = client.makefile("rb")
            check(file.readline() == b"HTTP/1.1 100 Continue\r\n" and file.readline() == b"\r\n", "it goes on")
            client.sendall(b"body")
            answer = Answer(file.read())
            check(answer.status == 200 and origin.requests[-1].body == b"body", answer.raw)
    with refusing_port() as port, proxy(f"http://127.0.0.1:{port}") as server:
        answer = exchange(server.port, b"PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
        check(answer.raw.startswith(b"HTTP/1.1 502"), f"no upstream takes it: {answer.raw[:100]}")


def test_who_goes_takes_his_request_along():
    with Origin() as origin, proxy(origin) as server:
        requests = {
            "waiting for an answer": b"GET /silent?a HTTP/1.1\r\nHost: a\r\n\r\n",
            "sending a body": b"PUT /sink?b HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nhalf",
        }
        for why, request in requests.items():
            seen = len(origin.requests)
            client = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_SECONDS)
            client.sendall(request)
            eventually(lambda seen=seen: len(origin.requests) > seen, f"{why}: it is under way")
            client.close()
            eventually(lambda: not origin.open, f"{why}: the upstream is let go")
        client = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_SECONDS)
        client.sendall(b"GET /drip/1000/0.2 HTTP/1.1\r\nHost: a\r\n\r\n")
        check(b"200 OK" in client.recv(4096), "an answer that is under way")
        client.close()
        eventually(lambda: not origin.open, "in an answer: the upstream is let go")
        check(get(server.port, "/x").status == 200, "and it serves on")


def test_a_connection_goes_on_with_another_protocol():
    ask = (b"GET /upgrade HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Way: in\r\n\r\n")
    with Origin() as origin, proxy(origin) as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_SECONDS) as client:
            file = client.makefile("rb")
            client.sendall(ask + b"early ")
            head = b"".join(iter(file.readline, b"\r\n")).lower()
            check(head.startswith(b"http/1.1 101") and b"upgrade: websocket" in head and b"x-tunnel: yes" in head, head)
            check(file.read(12) == b"hello early ", "what came behind the heads")
            for i in range(20):
                client.sendall(b"%04d" % i)
                check(file.read(4) == b"%04d" % i, "both ways")
            client.sendall(b"bye")
            check(file.read() == b"bye", "and the end")
        eventually(lambda: not origin.open, "the upstream is let go")
        check(b"x-way" in ",".join(name for name, _ in origin.requests[-1].fields).lower().encode(), "its fields")
        client = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_SECONDS)
        client.sendall(ask)
        check(b"101" in client.recv(4096), "another")
        client.close()
        eventually(lambda: not origin.open, "who goes ends it")
    with Origin() as origin, proxy(origin, TUNNEL_IDLE_TIMEOUT="500ms") as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_SECONDS) as client:
            client.sendall(ask)
            check(b"101" in client.recv(4096), "a tunnel")
            began = time.monotonic()
            while client.recv(4096):
                pass
            check(time.monotonic() - began >= 0.4, "it is kept for the idle timeout")
        eventually(lambda: not origin.open, "a silent tunnel ends on both sides")
    with Server(PROGRAMS / "chat", io=IO) as chat, proxy(f"http://127.0.0.1:{chat.port}") as server:
        with WebSocketPeer(server.port, "/chat/lobby?name=ann") as ann:
            check(json.loads(ann.receive_text()) == {"joined": "ann"}, "a WebSocket of chat")
            for text in ("hello", "y" * 4000):
                ann.send_text(text)
                check(json.loads(ann.receive_text())["data"]["text"] == text, "both ways")


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"{name}: ok", flush=True)
