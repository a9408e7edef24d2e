# SPDX-License-Identifier: MIT
"""The proxy under test, and what comes of raw requests to it."""

import contextlib
import os
import pathlib
import socket
import sys
import time

from server_process import Server

IO = os.environ.get("VOLT_TEST_IO", "auto")
PROGRAMS = pathlib.Path(sys.argv[1])
PATIENCE_SECONDS = 60
HOPS = {"connection", "content-length", "transfer-encoding", "keep-alive", "upgrade", "te", "trailer", "expect", "date",
        "proxy-connection", "proxy-authorization"}


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def eventually(condition, what):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        check(time.monotonic() < deadline, what)
        time.sleep(0.02)


def proxy(*origins, **settings):
    """The proxy before these; `settings` are PROXY_* without their prefix. No health checks unless it says so."""
    variables = {"UPSTREAMS": ",".join(getattr(origin, "uri", origin) for origin in origins), "HEALTH_PATH": "-",
                 "CLIENT_SHARE": 100, "CONNECT_TIMEOUT": "30s", "HEALTH_TIMEOUT": "30s"}  # on a machine that is busy
    variables.update(settings)
    return Server(PROGRAMS / "proxy", io=IO, environment={f"PROXY_{name}": str(variables[name]) for name in variables})


class Answer:
    """What came, up to the connection's end, taken apart."""

    def __init__(self, raw, method="GET"):
        self.raw = raw
        head, found, rest = raw.partition(b"\r\n\r\n")
        check(found, f"no answer: {raw!r}")
        while head.startswith((b"HTTP/1.1 100", b"HTTP/1.1 103")):
            head, _, rest = rest.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        self.status = int(lines[0].split(" ")[1])
        self.fields = [tuple(part.strip() for part in line.split(":", 1)) for line in lines[1:]]
        self.trailers = []
        self.whole = True
        names = {name.lower(): value for name, value in self.fields}
        self.field = names.get
        if method == "HEAD" or self.status in (204, 304):
            self.body = rest
        elif names.get("transfer-encoding") == "chunked":
            self.body = self._chunks(rest)
        else:
            self.body = rest
            self.whole = len(rest) == int(names.get("content-length", len(rest)))

    def _chunks(self, rest):
        body = b""
        while True:
            size, found, rest = rest.partition(b"\r\n")
            if not found:
                self.whole = False
                return body
            size = int(size.partition(b";")[0], 16)
            if size == 0:
                break
            body += rest[:size]
            rest = rest[size + 2:]
        for line in rest.decode("latin-1").split("\r\n"):
            if line:
                self.trailers.append(tuple(part.strip() for part in line.split(":", 1)))
        return body

    def end_to_end(self):
        return sorted((name.lower(), value) for name, value in self.fields
                      if name.lower() not in HOPS | {"via"})


def exchange(port, request, method="GET"):
    """Sends these bytes, which ask for the connection's end, and gives the answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS) as client:
        client.sendall(request)
        raw = b""
        with contextlib.suppress(ConnectionResetError):
            while piece := client.recv(65536):
                raw += piece
        return Answer(raw, method)


def get(port, path, *fields, method="GET"):
    lines = [f"{method} {path} HTTP/1.1", "Host: shop.example", "Connection: close", *fields]
    return exchange(port, ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"), method)


def chunked(*pieces, trailers=""):
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n" + trailers.encode() + b"\r\n"
