# SPDX-License-Identifier: MIT
"""Clients of the board (apps/board): they log in, post, read, upload and subscribe, and repeat what has failed. A journal
keeps each attempt, and what was acknowledged."""

import base64
import contextlib
import hashlib
import http.client
import json
import os
import random
import socket
import threading
import time
import uuid

from measure import DEADLINE_SECONDS, check

PASSWORD = "correct horse battery"
PAUSE_SECONDS = 0.05  # before a request is repeated
WRITERS, READERS, SUBSCRIBERS = 3, 2, 3
FAILED = (OSError, http.client.HTTPException)


class Journal:
    """What all clients have seen."""

    def __init__(self):
        self.lock = threading.Lock()
        self.requests = 0
        self.failures = []    # (when the attempt began, when it ended, what happened)
        self.operations = []  # (when the first attempt began, when one succeeded)
        self.posts = {}       # id -> text, of each acknowledged post
        self.wrong = []       # what no fault excuses

    def attempt(self, began, failure):
        with self.lock:
            self.requests += 1
            if failure:
                self.failures.append((began, time.monotonic(), failure))

    def operation(self, began):
        with self.lock:
            self.operations.append((began, time.monotonic()))

    def post(self, one, text):
        with self.lock:
            if self.posts.setdefault(one, text) != text:
                self.wrong.append(f"post {one} is {self.posts[one]!r} and {text!r}")

    def any_post(self):
        with self.lock:
            return random.choice(list(self.posts.items())) if self.posts else None

    def accuse(self, what):
        with self.lock:
            self.wrong.append(what)

    def within(self, began, ended):
        """The number of requests, the failures, and the longest operation, of that time."""
        with self.lock:
            failures = [one for one in self.failures if began <= one[1] <= ended]
            operations = [one for one in self.operations if began <= one[1] and one[0] <= ended]
        longest = max((end - begin for begin, end in operations), default=0.0)
        return len(operations) + len(failures), failures, longest


class Client:
    """One browser: a connection to the balancer, and cookies."""

    def __init__(self, port, journal, stop):
        self.port, self.journal, self.stop = port, journal, stop
        self.connection, self.cookie = None, None

    def try_request(self, method, path, body, fields):
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE_SECONDS)
        fields = {"Sec-Fetch-Site": "same-origin", **fields, **({"Cookie": self.cookie} if self.cookie else {})}
        self.connection.request(method, path, body, fields)
        answer = self.connection.getresponse()
        content = answer.read()
        if cookie := answer.getheader("Set-Cookie"):
            self.cookie = cookie.split(";")[0]
        return answer.status, content

    def request(self, method, path, body=None, **fields):
        """Repeats the request until the answer is no failure of the service. Returns (status, content)."""
        fields = {name.replace("_", "-"): value for name, value in fields.items()}
        first = time.monotonic()
        while True:
            began = time.monotonic()
            try:
                status, content = self.try_request(method, path, body, fields)
                failure = f"{method} {path}: {status}" if status >= 500 else None
            except FAILED as error:
                failure = f"{method} {path}: {error!r}"
            self.journal.attempt(began, failure)
            if failure is None:
                self.journal.operation(first)
                return status, content
            if self.connection:
                self.connection.close()
                self.connection = None
            check(time.monotonic() - first < 2 * DEADLINE_SECONDS, f"never succeeds: {failure}")
            time.sleep(PAUSE_SECONDS)

    def send_json(self, method, path, value, **fields):
        return self.request(method, path, json.dumps(value), Content_Type="application/json", **fields)

    def log_in(self, name):
        credentials = {"name": name, "password": PASSWORD}
        self.send_json("POST", "/members", credentials)  # 409 if a lost response was a success
        status, content = self.send_json("POST", "/session", credentials)
        check(status == 200, f"login: {status} {content}")


class Writer(Client):
    """Logs in once: each 401 is a lost session."""

    def __init__(self, *of_client):
        super().__init__(*of_client)
        self.logged_in = threading.Event()

    def run(self, name):
        self.log_in(name)
        self.logged_in.set()
        while not self.stop.is_set():
            self.write()
            if random.random() < 0.1:
                self.upload()
            time.sleep(0.01)
        status, content = self.request("GET", "/session")
        if status != 200 or json.loads(content)["name"] != name:
            self.journal.accuse(f"the session of {name}: {status} {content}")

    def write(self):
        key = str(uuid.uuid4())
        text = f"the post {key}"
        status, content = self.send_json("POST", "/posts", {"text": text}, Idempotency_Key=key)
        if status != 201:
            self.journal.accuse(f"POST /posts: {status} {content}")
            return
        self.journal.post(json.loads(content)["id"], text)

    def upload(self):
        data = os.urandom(20_000)
        path = "/uploads/" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        status, _ = self.request("PUT", path, data, Content_Type="application/octet-stream")
        found, content = self.request("GET", path)
        if status not in (201, 204) or found != 200 or content != data:
            self.journal.accuse(f"upload: {status}, then {found}")


class Reader(Client):
    def run(self, _):
        while not self.stop.is_set():
            if known := self.journal.any_post():
                status, content = self.request("GET", f"/posts/{known[0]}")
                if status != 200 or json.loads(content)["text"] != known[1]:
                    self.journal.accuse(f"post {known[0]} was acknowledged, then {status} {content}")
            status, content = self.request("GET", "/posts")
            if status != 200:
                self.journal.accuse(f"GET /posts: {status} {content}")
            time.sleep(0.02)


class Visitor(Client):
    """Logs in and out again and again."""

    def run(self, name):
        while not self.stop.is_set():
            self.log_in(name)
            status, content = self.request("GET", "/session")
            if status != 200:
                self.journal.accuse(f"a new session: {status} {content}")
            self.request("DELETE", "/session")
            self.stop.wait(0.2)


class Subscriber:
    """An EventSource: reconnects with the id of its last event."""

    def __init__(self, port, journal, stop):
        self.port, self.journal, self.stop = port, journal, stop
        self.seen = {}  # post -> how often
        self.last_id, self.connections = None, 0
        self.socket = None

    def run(self, _):
        while not self.stop.is_set():
            with contextlib.suppress(OSError):
                self.listen()
            self.stop.wait(PAUSE_SECONDS)

    def listen(self):
        after = f"Last-Event-ID: {self.last_id}\r\n" if self.last_id else ""
        with socket.create_connection(("127.0.0.1", self.port), timeout=DEADLINE_SECONDS) as self.socket:
            self.socket.sendall(f"GET /live HTTP/1.0\r\nHost: board\r\n{after}\r\n".encode())
            stream = self.socket.makefile("rb")
            if b" 200 " not in stream.readline():
                return
            while stream.readline().strip():
                pass
            self.connections += 1
            event = {}
            for line in stream:
                name, colon, value = line.decode().rstrip("\n").partition(": ")
                if colon:
                    event[name] = value
                elif event:
                    self.take(event)
                    event = {}

    def take(self, event):
        if event.get("event") == "gap":
            self.journal.accuse(f"a subscriber has a gap: {event} after {self.last_id}")
        if "id" in event:
            self.last_id = event["id"]
            post = json.loads(event["data"])["id"]
            self.seen[post] = self.seen.get(post, 0) + 1

    def end(self):
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)


class Load:
    """`with Load(port) as load:` begins when all subscribers are there and all writers have logged in, and ends with the
    block. From then on one client logs in at a time, because a login that waits for others for too long gets 503."""

    def __init__(self, port):
        self.port = port
        self.journal = Journal()
        self.stop, self.silent = threading.Event(), threading.Event()
        self.subscribers = [Subscriber(port, self.journal, self.silent) for _ in range(SUBSCRIBERS)]
        self.first = 0

    def __enter__(self):
        self.listening = [self._begin(one, "") for one in self.subscribers]
        self._await_subscribers()
        writers = [self._client(Writer) for _ in range(WRITERS)]
        people = [(writer, f"writer-{i}") for i, writer in enumerate(writers)]
        people += [(self._client(Reader), "") for _ in range(READERS)] + [(self._client(Visitor), "visitor")]
        self.threads = [self._begin(client, name) for client, name in people]
        self._await_logins(writers)
        return self

    def _await_logins(self, writers):
        began = time.monotonic()
        while not all(writer.logged_in.is_set() for writer in writers):
            check(not self.journal.wrong, self.journal.wrong)
            check(time.monotonic() - began < 4 * DEADLINE_SECONDS, f"no login: {self.journal.failures[-3:]}")
            time.sleep(0.05)

    def _client(self, kind):
        return kind(self.port, self.journal, self.stop)

    def _begin(self, client, name):
        def run():
            try:
                client.run(name)
            except Exception as error:  # pylint: disable=broad-exception-caught
                self.journal.accuse(f"{type(client).__name__}: {error!r}")
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        return thread

    def _await_subscribers(self):
        """Posts until each has received one, from which on it must receive all."""
        writer = self._client(Writer)
        writer.log_in("first")
        began = time.monotonic()
        while not all(one.seen for one in self.subscribers):
            check(time.monotonic() - began < DEADLINE_SECONDS, f"no live updates: {self.journal.wrong}")
            writer.write()
            time.sleep(0.1)
        self.first = max(self.journal.posts)

    def finish(self):
        self.stop.set()
        for thread in self.threads:
            thread.join(2 * DEADLINE_SECONDS)

    def missing(self):
        """The posts that a subscriber has not received yet."""
        wanted = {post for post in self.journal.posts if post > self.first}
        return [wanted - set(one.seen) for one in self.subscribers]

    def __exit__(self, *_):
        self.stop.set()
        self.silent.set()
        for one in self.subscribers:
            one.end()
        for thread in self.threads + self.listening:
            thread.join(DEADLINE_SECONDS)
