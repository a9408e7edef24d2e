#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bin/arena by the rules of HttpArena's verifier, profile by profile; and beyond, where its rules say more than it checks.

Usage: arena_test.py FOLDER_OF_PROGRAMS; VOLT_TEST_IO chooses the reactor.
"""

import gzip
import http.client
import json
import os
import pathlib
import random
import re
import socket
import ssl
import sys
import tempfile
import time

from server_process import Server
from websocket_peer import WebSocketPeer

IO = os.environ.get("VOLT_TEST_IO", "auto")
ARENA = pathlib.Path(sys.argv[1], "arena")
PATIENCE_SECONDS = 60
ITEMS = [{"id": i, "name": f"Item {i} \"quoted\" é", "category": ["electronics", "tools"][i % 2], "price": 5 + i * 3,
          "quantity": 1 + i % 7, "active": i % 3 == 0, "tags": ["a", f"t{i}"][:1 + i % 2],
          "rating": {"score": 1 + i % 5, "count": i * 11}} for i in range(1, 51)]


def check(condition, what):
    if not condition:
        raise AssertionError(what)


class Arena(Server):
    """The program, with the data that the harness mounts."""

    def __init__(self, *flags):
        self.data = tempfile.TemporaryDirectory()
        self.files = pathlib.Path(self.data.name, "static")
        self.files.mkdir()
        for name, content in (("app.js", b"let a = 1;\n" * 500), ("reset.css", b"a { margin: 0 }\n" * 400),
                              ("hero.webp", os.urandom(45_000)), ("index.html", b"<p>hello\n" * 100)):
            self.put(name, content)
        dataset = pathlib.Path(self.data.name, "dataset.json")
        dataset.write_text(json.dumps(ITEMS))
        super().__init__(ARENA, *flags, io=IO, environment={"ARENA_DATASET": str(dataset),
                                                           "ARENA_STATIC": str(self.files)})

    def put(self, name, content):
        """A new file in the place of the old, and of its compressed forms."""
        for suffix, form in (("", content), (".gz", gzip.compress(content)), (".br", b"br:" + content[:100])):
            if not suffix or not name.endswith("webp"):
                (self.files / "new").write_bytes(form)
                (self.files / "new").rename(self.files / (name + suffix))

    def secure_port(self):
        """Returns the port of the TLS listener, whose log line may come after the one that `with` waits for."""
        end = time.monotonic() + PATIENCE_SECONDS
        while not (place := re.search(r"listening on [^\s\"]*:(\d+).*tls=true", self.log)):
            check(self.process.poll() is None and time.monotonic() < end, self.log)
            time.sleep(0.02)
        return int(place[1])

    def __exit__(self, kind, error, trace):
        super().__exit__(kind, error, trace)
        self.data.cleanup()

    def ask(self, method, path, body=None, headers=None, **options):
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
        client.request(method, path, body, headers or {}, **options)
        answer = client.getresponse()
        content = answer.read()
        client.close()
        return answer.status, answer.headers, content

    def in_pieces(self, *pieces):
        """The answer to a request that comes in so many segments, the last of which asks for the end."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_SECONDS) as client:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for piece in pieces:
                client.sendall(piece)
                time.sleep(0.01)
            return client.makefile("rb").read().partition(b"\r\n\r\n")[2]


def test_baseline():
    with Arena() as arena:
        plain = {"Content-Type": "text/plain"}
        for _ in range(5):
            a, b, body = (random.randint(-9999, 9999) for _ in range(3))
            status, fields, answer = arena.ask("GET", f"/baseline11?a={a}&b={b}")
            check((status, answer) == (200, str(a + b).encode()), answer)
            check(fields["Content-Type"].split(";")[0] == "text/plain", fields)
            want = str(a + b + body).encode()
            status, fields, answer = arena.ask("POST", f"/baseline11?a={a}&b={b}", str(body), plain)
            check((status, answer) == (200, want), answer)
            check(fields["Content-Type"].split(";")[0] == "text/plain", fields)
            answer = arena.ask("POST", f"/baseline11?a={a}&b={b}", iter([str(body).encode()]),
                               {**plain, "Transfer-Encoding": "chunked"}, encode_chunked=True)[2]
            check(answer == want, f"in chunks: {answer}")


def test_baseline_in_fragments():
    head = b"POST /baseline11?a=13&b=42 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    sized, chunks = head + b"Content-Length: 2\r\n\r\n", head + b"Transfer-Encoding: chunked\r\n\r\n"
    with Arena() as arena:
        cases = {
            "a request line in two": (b"GET /baseli", b"ne11?a=13&b=42 HTTP/1.1\r\n",
                                      b"Host: localhost\r\nConnection: close\r\n\r\n"),
            "a head line by line": (b"GET /baseline11?a=13&b=42 HTTP/1.1\r\n", b"Host: localhost\r\n",
                                    b"User-Agent: x\r\n", b"Connection: close\r\n\r\n"),
            "a body behind its head": (sized, b"20"),
            "a body in two": (sized, b"2", b"0"),
            "a chunk in two": (chunks, b"2\r\n2", b"0\r\n0\r\n\r\n"),
            "two chunks, and their sizes apart": (chunks, b"1\r\n2\r\n", b"1", b"\r\n0\r\n0\r", b"\n\r\n"),
            "every byte alone": tuple(bytes([byte]) for byte in sized + b"20"),
        }
        for why, pieces in cases.items():
            want = b"55" if pieces[0].startswith(b"GET") else b"75"
            check(arena.in_pieces(*pieces) == want, why)


def test_connections_of_ten_requests():
    with Arena() as arena:
        for _ in range(5):
            client = http.client.HTTPConnection("127.0.0.1", arena.port, timeout=PATIENCE_SECONDS)
            for i in range(10):
                client.request("GET", f"/baseline11?a={i}&b=1", headers={"Connection": "close"} if i == 9 else {})
                check(client.getresponse().read() == str(i + 1).encode(), i)
            client.close()


def test_pipelined():
    with Arena() as arena:
        status, fields, answer = arena.ask("GET", "/pipeline")
        check((status, answer) == (200, b"ok") and fields["Content-Type"].startswith("text/plain"), fields)
        with socket.create_connection(("127.0.0.1", arena.port), timeout=PATIENCE_SECONDS) as client:
            for _ in range(20):
                client.sendall(b"GET /pipeline HTTP/1.1\r\nHost: a\r\n\r\n" * 16)
                got = b""
                while got.count(b"\r\n\r\nok") < 16:
                    piece = client.recv(65536)
                    check(piece, f"16 answers: {got}")
                    got += piece
                check(got.count(b"HTTP/1.1 200 OK") == 16 and got.endswith(b"ok"), got)


def check_items(body, count, multiplier):
    answer = json.loads(body)
    check(answer["count"] == count and len(answer["items"]) == count, f"{answer['count']}, not {count}")
    for item, want in zip(answer["items"], ITEMS):
        check(item == {**want, "total": want["price"] * want["quantity"] * multiplier}, item)


def test_json():
    with Arena() as arena:
        for count, multiplier in ((12, 3), (22, 7), (31, 2), (50, 5), (1, 1), (0, 4)):
            status, fields, body = arena.ask("GET", f"/json/{count}?m={multiplier}")
            check(status == 200 and fields["Content-Type"].split(";")[0] == "application/json", fields)
            check(fields["Content-Encoding"] is None, "no coding was asked for")
            check_items(body, count, multiplier)
        check_items(arena.ask("GET", "/json/7")[2], 7, 1)
        check_items(arena.ask("GET", "/json/99")[2], 50, 1)


def test_json_compressed():
    with Arena() as arena:
        plain = arena.ask("GET", "/json/50?m=1")[2]
        fields, body = arena.ask("GET", "/json/50?m=1", headers={"Accept-Encoding": "gzip, br"})[1:]
        check(fields["Content-Encoding"] in ("br", "gzip") and len(body) < len(plain) / 4, fields)
        check("accept-encoding" in fields["Vary"].lower(), fields)
        for count, multiplier in ((12, 9), (31, 4), (50, 6)):
            fields, body = arena.ask("GET", f"/json/{count}?m={multiplier}", headers={"Accept-Encoding": "gzip"})[1:]
            check(fields["Content-Encoding"] == "gzip", fields)
            check_items(gzip.decompress(body), count, multiplier)


def test_json_over_tls():
    with Arena("--tls.dev", "true", "--tls.listen", "127.0.0.1:0") as arena:
        port = arena.secure_port()
        context = ssl._create_unverified_context()
        context.set_alpn_protocols(["h2", "http/1.1"])
        for count, multiplier in ((7, 2), (23, 11), (50, 1)):
            client = http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=PATIENCE_SECONDS)
            client.request("GET", f"/json/{count}?m={multiplier}")
            check(client.sock.selected_alpn_protocol() == "http/1.1", client.sock.selected_alpn_protocol())
            check_items(client.getresponse().read(), count, multiplier)
            client.close()


def test_upload():
    with Arena() as arena:
        binary = {"Content-Type": "application/octet-stream"}
        for size in (17, 0, 512 * 1024, random.randint(1_000_000, 2_000_000), 20 * 1024 * 1024):
            status, fields, answer = arena.ask("POST", "/upload", os.urandom(size), binary)
            check((status, answer) == (200, str(size).encode()), f"{size}: {answer}")
            check(fields["Content-Type"].startswith("text/plain"), fields)
        pieces = [os.urandom(random.randint(1, 100_000)) for _ in range(40)]
        answer = arena.ask("POST", "/upload", iter(pieces), {**binary, "Transfer-Encoding": "chunked"},
                           encode_chunked=True)[2]
        check(answer == str(sum(map(len, pieces))).encode(), "what is counted has come, whatever was said")


def test_static():
    kinds = {"app.js": ("text/javascript", "application/javascript"), "reset.css": ("text/css",),
             "hero.webp": ("image/webp",), "index.html": ("text/html",)}
    with Arena() as arena:
        for name, types in kinds.items():
            status, fields, body = arena.ask("GET", f"/static/{name}")
            check(status == 200 and fields["Content-Type"].split(";")[0] in types, fields)
            check(body == (arena.files / name).read_bytes() and fields["Content-Encoding"] is None, name)
        for coding, suffix in (("gzip", ".gz"), ("br", ".br"), ("br;q=1, gzip;q=0.8", ".br")):
            fields, body = arena.ask("GET", "/static/app.js", headers={"Accept-Encoding": coding})[1:]
            check(body == (arena.files / ("app.js" + suffix)).read_bytes(), f"{coding}: {fields}")
        check(arena.ask("GET", "/static/hero.webp", headers={"Accept-Encoding": "gzip"})[2]
              == (arena.files / "hero.webp").read_bytes(), "what has no compressed form")
        check(arena.ask("GET", "/static/nonexistent.txt")[0] == 404, "a file that is not there")
        for _ in range(3):  # a file of the same length is served as it is now, in every form
            arena.put("app.js", os.urandom(5500))
            for coding, suffix in (("identity", ""), ("gzip", ".gz"), ("br", ".br")):
                body = arena.ask("GET", "/static/app.js", headers={"Accept-Encoding": coding})[2]
                check(body == (arena.files / ("app.js" + suffix)).read_bytes(), f"replaced, {coding}")


def test_echo_of_websocket():
    with Arena() as arena:
        with WebSocketPeer(arena.port, "/ws") as peer:
            for text in ("hello", "", "x" * 126, "y" * 70_000, "Grüße"):
                peer.send_text(text)
                check(peer.receive_text() == text, text[:20])
            peer.send(2, bytes(range(256)))
            check(peer.receive_frame() == (2, bytes(range(256))), "binary stays so")
            for i in range(16):
                peer.send_text(str(i))
            check([peer.receive_text() for _ in range(16)] == [str(i) for i in range(16)], "in order")
        check(arena.ask("GET", "/ws")[0] in (400, 426), "one that asks for no WebSocket")


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"{name}: ok", flush=True)
