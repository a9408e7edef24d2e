#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The example programs from outside: bin/crud, bin/chat, bin/sse, bin/files and bin/links, over sockets.

Usage: apps_test.py FOLDER_OF_PROGRAMS; VOLT_TEST_IO chooses the reactor.
"""

import concurrent.futures
import contextlib
import gzip
import http.client
import http.server
import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

from server_process import Server
from websocket_peer import WebSocketPeer

IO = os.environ.get("VOLT_TEST_IO", "auto")
PROGRAMS = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]


def check(condition, what):
    if not condition:
        raise AssertionError(what)


@contextlib.contextmanager
def serve(name, **environment):
    """The program with these variables set."""
    before = dict(os.environ)
    os.environ.update({key: str(value) for key, value in environment.items()})
    try:
        server = Server(PROGRAMS / name, io=IO)
        with server:
            yield server
    finally:
        os.environ.clear()
        os.environ.update(before)


def ask(server, method, path, body=None, headers=None):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    try:
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def ask_crud(server, method, path, value=None, token="t", version=None):
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    if version:
        headers["If-Match"] = f'"{version}"'
    body = None if value is None else json.dumps(value)
    status, fields, answer = ask(server, method, "/api/v1" + path, body, headers)
    return status, fields, json.loads(answer) if answer else None


def test_crud_keeps_its_items():
    with tempfile.TemporaryDirectory() as folder:
        environment = {"CRUD_DB": f"{folder}/items.db", "CRUD_TOKEN": "secret"}
        with serve("crud", **environment) as server:
            check(ask_crud(server, "GET", "/items")[0] == 401, "another token is refused")
            status, fields, item = ask_crud(server, "POST", "/items", {"name": "pen", "price": 3}, "secret")
            check((status, fields["Location"]) == (201, "/api/v1/items/1"), f"created: {status} {fields}")
            check(item == {"id": 1, "name": "pen", "price": 3, "version": 1}, f"created: {item}")
            status, fields, item = ask_crud(server, "PUT", "/items/1", {"name": "ink", "price": 4}, "secret", 1)
            check((status, fields["ETag"], item["name"]) == (200, '"2"', "ink"), f"changed: {status} {fields} {item}")
        check("status=201" in server.log, "the log has a line for each request: " + server.log)
        with serve("crud", **environment) as server:
            check(ask_crud(server, "GET", "/items", token="secret")[2] == [item], "it is there after a restart")
            status = ask_crud(server, "DELETE", "/items/1", token="secret", version=1)[0]
            check(status == 412, f"not in another version: {status}")
            check(ask_crud(server, "DELETE", "/items/1", token="secret", version=2)[0] == 204, "it can be deleted")
            check(ask_crud(server, "GET", "/items/1", token="secret")[0] == 404, "it is gone")


def test_crud_loses_no_update_of_many():
    with serve("crud") as server:
        item = ask_crud(server, "POST", "/items", {"name": "counter", "price": 0})[2]

        def count_up(times):
            for _ in range(times):
                status = 412
                while status == 412:
                    seen = ask_crud(server, "GET", f"/items/{item['id']}")[2]
                    changed = {"name": "counter", "price": seen["price"] + 1}
                    status = ask_crud(server, "PUT", f"/items/{item['id']}", changed, version=seen["version"])[0]
                check(status == 200, f"counted: {status}")

        with concurrent.futures.ThreadPoolExecutor() as threads:
            for counting in [threads.submit(count_up, 10) for _ in range(4)]:
                counting.result()
        last = ask_crud(server, "GET", f"/items/{item['id']}")[2]
        check((last["price"], last["version"]) == (40, 41), f"each counted once: {last}")


def test_crud_says_that_its_database_is_locked():
    with tempfile.TemporaryDirectory() as folder:
        with serve("crud", CRUD_DB=f"{folder}/items.db") as server:
            other = sqlite3.connect(f"{folder}/items.db", isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            status, fields, _ = ask_crud(server, "POST", "/items", {"name": "pen", "price": 3})
            check((status, fields["Retry-After"]) == (503, "1"), f"locked: {status} {fields}")
            check(ask_crud(server, "GET", "/items")[0] == 200, "reading goes on")
            other.execute("ROLLBACK")
            check(ask_crud(server, "POST", "/items", {"name": "pen", "price": 3})[0] == 201, "it is free again")
            other.close()


def test_crud_compresses_what_is_long():
    with serve("crud") as server:
        names = [f"pen {i:02}" + "x" * 50 for i in range(30)]
        for name in names:
            check(ask_crud(server, "POST", "/items", {"name": name, "price": 3})[0] == 201, "added")
        headers = {"Authorization": "Bearer t", "Accept-Encoding": "gzip"}
        status, fields, body = ask(server, "GET", "/api/v1/items?limit=30", headers=headers)
        check((status, fields["Content-Encoding"]) == (200, "gzip") and len(body) < 1000, f"{status} {fields}")
        check([item["name"] for item in json.loads(gzip.decompress(body))] == names, "they are the items")


def test_crud_tells_what_it_does():
    with serve("crud") as server:
        status, fields, body = ask(server, "GET", "/openapi.json")
        check((status, fields["Content-Type"]) == (200, "application/json"), f"{status} {fields}")
        reviewed = ROOT / "apps/crud/openapi.json"
        check(json.loads(body)["paths"] == json.loads(reviewed.read_text())["paths"], "as it was reviewed")


def heard(peer):
    event = json.loads(peer.receive_text())
    if "data" in event:
        return event["data"]["name"], event["data"]["text"]
    return (event["joined"], "has come") if "joined" in event else (event["left"], "has left")


def test_chat():
    with serve("chat") as server:
        check(b"<title>Chat</title>" in ask(server, "GET", "/")[2], "the page")
        with WebSocketPeer(server.port, "/chat/lobby?name=ann") as ann:
            check(heard(ann) == ("ann", "has come"), "ann hears that she has come")
            with WebSocketPeer(server.port, "/chat/lobby?name=bob") as bob:
                check(heard(ann) == ("bob", "has come") == heard(bob), "both hear of bob")
                for text in ["hello", "<b>&amp;\"", "Grüße", "x" * 4096]:
                    bob.send_text(text)
                    check(heard(ann) == ("bob", text) == heard(bob), f"both hear {text[:20]!r}")
            check(heard(ann) == ("bob", "has left"), "ann hears that bob has left")
        with WebSocketPeer(server.port, "/chat/lobby?name=eve") as eve:
            while heard(eve) != ("eve", "has come"):  # ann may be seen to leave only now, or later
                pass
            began = time.monotonic()
            server.terminate()
            while (text := eve.receive_text()) is not None:
                check(json.loads(text) == {"left": "ann"}, text)
            check(eve.close_code == 1001, f"a drain says 1001, not {eve.close_code}")
        check(server.wait() == 0 and time.monotonic() - began < 10, "and is soon done")


def test_chat_carries_many():
    with serve("chat") as server, contextlib.ExitStack() as stack:
        peers = []
        for i in range(30):
            peers.append(stack.enter_context(WebSocketPeer(server.port, f"/chat/lobby?name=p{i}")))
            for peer in peers:
                check(heard(peer) == (f"p{i}", "has come"), f"all hear that p{i} has come")
        peers[0].send_text("to all")
        for peer in peers:
            check(heard(peer) == ("p0", "to all"), "all hear it")


class Events:
    """The events of a stream, as (type, data), one by one."""

    def __init__(self, server, last_event_id=None, path="/events"):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        self.connection.request("GET", path, headers={"Last-Event-ID": last_event_id} if last_event_id else {})
        self.answer = self.connection.getresponse()
        check(self.answer.headers["Content-Type"] == "text/event-stream", "an event stream")

    def next(self):
        fields = {}
        while line := self.answer.readline().decode().rstrip("\n"):
            name, _, value = line.partition(": ")
            fields.setdefault(name, value)
        return fields.get("event"), fields.get("data")

    def close(self):
        self.answer.close()
        self.connection.close()


def test_sse():
    with serve("sse") as server:
        check(b"EventSource" in ask(server, "GET", "/")[2], "the page")
        began = time.monotonic()
        ann, bob = Events(server), Events(server, "41")
        check([ann.next() for _ in range(3)] == [("count", "1"), ("count", "2"), ("count", "3")], "it counts")
        check(1.9 < time.monotonic() - began < 20, "once a second")
        check(bob.next() == ("count", "42"), "who comes back goes on")
        said = json.dumps({"text": "hello, everybody"})
        check(ask(server, "POST", "/say", said, {"Content-Type": "application/json"})[0] == 204, "it is taken")
        # The messages before are kept: an unknown id gets a gap, then those messages.
        news = Events(server, "41", "/news")
        check(news.next() == ("gap", '{"lost":null}'), "an unknown id")
        check(json.loads(news.next()[1]) == json.loads(said), "it is heard")
        news.close()
        ann.close()
        check(bob.next()[0] == "count", "one that goes does not disturb the other")
        began = time.monotonic()
        server.terminate()
        while bob.next() != (None, None):
            pass
        bob.close()
        check(server.wait() == 0 and time.monotonic() - began < 10, "a drain ends a stream, and is soon done")


def multipart_form(file_name, content):
    head = f'--b\r\nContent-Disposition: form-data; name="file"; filename="{file_name}"\r\n\r\n'
    return head.encode() + content + b"\r\n--b--\r\n", {"Content-Type": "multipart/form-data; boundary=b"}


def test_files():
    with tempfile.TemporaryDirectory() as folder:
        shown, uploads = pathlib.Path(folder, "shown"), pathlib.Path(folder, "uploads")
        shown.mkdir()
        style = b"body { color: black }\n" * 1000
        (shown / "style.css").write_bytes(style)
        (shown / "style.css.gz").write_bytes(gzip.compress(style))
        (pathlib.Path(folder) / "secret").write_text("secret")
        with serve("files", FILES_FOLDER=shown, FILES_UPLOADS=uploads) as server:
            status, fields, body = ask(server, "GET", "/style.css")
            check((status, fields["Content-Type"], body) == (200, "text/css; charset=utf-8", style), "a file")
            tag = {"If-None-Match": fields["ETag"]}
            check(ask(server, "GET", "/style.css", headers=tag)[0] == 304, "not again")
            status, fields, body = ask(server, "GET", "/style.css", headers={"Accept-Encoding": "gzip"})
            check((fields["Content-Encoding"], gzip.decompress(body)) == ("gzip", style), "its sibling")
            status, _, body = ask(server, "GET", "/style.css", headers={"Range": "bytes=5-9"})
            check((status, body) == (206, style[5:10]), "a range")
            for path in ["/../secret", "/%2e%2e/secret", "/style.css/../../secret"]:
                status, _, body = ask(server, "GET", path)
                check(status in (400, 404) and b"secret" not in body.lower().replace(path.encode(), b""), path)
            large = os.urandom(3_000_000)
            status, _, body = ask(server, "POST", "/upload", *multipart_form("large.bin", large))
            check((status, json.loads(body)) == (200, [{"name": "large.bin", "bytes": len(large)}]), f"{status} {body}")
            check((uploads / "large.bin").read_bytes() == large, "it is on the disk")
            status, fields, body = ask(server, "GET", "/uploads/large.bin")
            check(body == large and fields["Content-Disposition"] == "attachment", "and comes back")
            check(ask(server, "POST", "/upload", *multipart_form("large.bin", b"x"))[0] == 409, "nothing is replaced")


class Checker(http.server.BaseHTTPRequestHandler):
    """The other service that apps/links asks: it fails until it is told to work."""

    works = threading.Event()

    def do_POST(self):
        url = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["url"]
        body = json.dumps({"safe": "danger" not in url}).encode() if self.works.is_set() else b""
        self.send_response(200 if body else 500)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def eventually(condition, what, seconds_max=60):
    deadline = time.monotonic() + seconds_max
    while not condition():
        check(time.monotonic() < deadline, what)
        time.sleep(0.05)


def test_links_loses_nothing_when_it_is_killed():
    checker = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Checker)
    threading.Thread(target=checker.serve_forever, daemon=True).start()
    form = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}
    content = os.urandom(300_000)
    with tempfile.TemporaryDirectory() as folder, contextlib.closing(checker.socket):
        flags = ["--links.folder", f"{folder}/data", "--links.checker", f"http://127.0.0.1:{checker.server_port}/",
                 "--links.assets", ROOT / "apps/links/public"]

        def links(status):
            return Server(PROGRAMS / "links", *map(str, flags), io=IO, status=status)

        with links(-signal.SIGKILL) as server:
            status, fields, _ = ask(server, "POST", "/signup", "name=ann&password=correct+horse", form)
            check((status, fields["Location"]) == (303, "/"), f"an account: {status} {fields}")
            session = {"Cookie": fields["Set-Cookie"].partition(";")[0], "Sec-Fetch-Site": "same-origin"}
            for name, url in (("volt", "https://volt.example/"), ("bad", "https://danger.example/")):
                added = ask(server, "POST", "/links", f"name={name}&url={url}", {**form, **session})
                check(added[0] == 303, f"a link: {added}")
            body, kind = multipart_form("large.bin", content)
            uploaded = ask(server, "POST", "/api/files", body, {**kind, **session})
            check(uploaded[0] == 200, f"a file: {uploaded}")
            check(ask(server, "GET", "/l/volt")[0] == 503, "nothing is known about the address")
            jobs = sqlite3.connect(f"{folder}/data/links.db", isolation_level=None)
            failed = "select count(*) from volt_job where error = 'the checker responds with 500'"
            eventually(lambda: jobs.execute(failed).fetchone() == (2,), "the other service was asked, and the jobs wait")
            jobs.close()
            server.process.kill()
        Checker.works.set()
        with links(0) as server:
            check(b"You are ann." in ask(server, "GET", "/", headers=session)[2], "ann is still logged in")
            eventually(lambda: ask(server, "GET", "/l/volt")[0] == 302, "the check is done by the next process")
            eventually(lambda: ask(server, "GET", "/l/bad")[0] == 410, "and the other one")
            path = "/f/" + json.loads(uploaded[2])[0]["id"]
            check(ask(server, "GET", path)[2] == content, "the file is whole")
            status, _, part = ask(server, "GET", path, headers={"Range": "bytes=-10"})
            check((status, part) == (206, content[-10:]), f"and its end: {status}")


def test_flags_that_only_print_need_no_files():
    """A program answers them before it opens anything: here neither its files nor its settings exist."""
    names = ["accounts", "arena", "chat", "crud", "files", "hello", "links", "proxy", "sse", "techempower"]
    flags = {"--help": "--listen", "--version": "Volt ", "--print-config": "[server]"}
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            for flag, text in flags.items():
                done = subprocess.run([PROGRAMS / name, flag], cwd=folder, env={}, capture_output=True, timeout=30)
                said = done.stdout.decode() + done.stderr.decode()
                check(done.returncode == 0 and text in said, f"{name} {flag}: status {done.returncode}, {said[:200]!r}")


def test_settings_of_a_program_are_checked_before_it_starts():
    def said(name, *flags, **environment):
        done = subprocess.run([PROGRAMS / name, *flags], env=environment, capture_output=True, timeout=30)
        return done.returncode, done.stderr.decode()

    missing = "proxy.upstreams: is missing; set it in the configuration file, by PROXY_UPSTREAMS or by --proxy.upstreams\n"
    check(said("proxy") == (2, missing), said("proxy"))
    wrong = said("proxy", "--proxy.client-share=0", PROXY_UPSTREAMS="http://127.0.0.1:1", PROXY_WAIT="1000")
    check(wrong == (2, 'PROXY_WAIT: found "1000", expected a duration with its unit, such as "30s"\n'
                       '--proxy.client-share: found "0", expected a whole number; it must be from 1 to 100\n'), wrong)
    secret = said("crud", "--check-config", CRUD_TOKEN_FILE="/none")
    check(secret == (2, "CRUD_TOKEN_FILE: secret /none: No such file or directory\n"), secret)
    for name in ("arena", "crud", "techempower"):
        pool = said(name, "--check-config", DATABASE_MAX_CONN="0")
        check(pool == (2, 'DATABASE_MAX_CONN: found "0", expected a whole number; it must be from 1 to 10000\n'), pool)


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"{name}: ok", flush=True)
