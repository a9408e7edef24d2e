#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bin/proxy, message by message: what goes in comes out, but for what must not.

Usage: proxy_messages_test.py FOLDER_OF_PROGRAMS; VOLT_TEST_IO chooses the reactor.
"""

import itertools
import json
import socket
import threading

from origin import Origin
from proxied import HOPS, check, chunked, exchange, get, proxy

OWN_FIELDS = {"via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "forwarded"}


def request_cases():
    """(why, method, target, fields, framing, body, trailers)"""
    for method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
        yield f"{method} without a body", method, "/x", [], "none", b"", []
    for method, (framing, body) in itertools.product(
            ("POST", "PUT", "PATCH", "DELETE", "GET"),
            (("length", b"a"), ("length", b"x" * 100_000), ("chunked", b"hello"), ("chunked", b"y" * 70_000))):
        yield f"{method}, {framing}, {len(body)} bytes", method, "/x", [("Content-Type", "text/x")], framing, body, []
    yield "trailers", "POST", "/x", [], "chunked", b"body", [("X-Sum", "7"), ("X-Other", "o")]
    yield "no bytes in chunks", "POST", "/x", [], "chunked", b"", []
    yield "no bytes by their length", "POST", "/x", [], "length", b"", []
    for target in ("/", "/?", "/a?b", "/a?b=c&d=%20e?f", "/%2e%2e/x", "//double//slash", "/a;b=c", "/" + "l" * 2000,
                   "/~tilde/(paren)/'quote'", "/%01%ff", "/a/../b"):
        yield f"target {target[:30]}", "GET", target, [], "none", b"", []
    for fields in ([("Accept", "a/b"), ("accept", "c/d")], [("Cookie", "a=b; c=d")], [("Authorization", "Bearer t")],
                   [("X-Empty", "")], [("X-Latin", "caf\xe9")], [("X-Long", "v" * 4000)], [("Range", "bytes=0-1")],
                   [("If-None-Match", '"e"')], [("Via", "1.0 before")], [(f"X-{i}", str(i)) for i in range(50)]):
        yield f"field {fields[0][0]}", "GET", "/x", fields, "none", b"", []


def compose(method, target, fields, framing, body, trailers):
    lines = [f"{method} {target} HTTP/1.1", "Host: shop.example", "Connection: close",
             *(f"{name}: {value}" for name, value in fields)]
    if framing == "length":
        lines.append(f"Content-Length: {len(body)}")
    elif framing == "chunked":
        lines.append("Transfer-Encoding: chunked")
        pieces = [body[at:at + 9000] for at in range(0, len(body), 9000)]
        body = chunked(*pieces, trailers="".join(f"{name}: {value}\r\n" for name, value in trailers))
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body


def test_what_goes_in_comes_out():
    with Origin() as origin, proxy(origin) as server:
        cases = list(request_cases())
        check(len(cases) >= 50, len(cases))
        for why, method, target, fields, framing, body, trailers in cases:
            answer = exchange(server.port, compose(method, target, fields, framing, body, trailers), method)
            check(answer.status == 200, f"{why}: {answer.raw[:300]}")
            seen = origin.requests[-1]
            check(seen.line == f"{method} {target} HTTP/1.1", f"{why}: {seen.line[:100]}")
            check(seen.body == body and seen.trailers == trailers, f"{why}: {seen.bytes} bytes, {seen.trailers}")
            check(framing == "none" or not body or seen.framing == framing, f"{why}: {seen.framing}")
            passed = [field for field in seen.fields if field[0].lower() not in OWN_FIELDS | HOPS]
            given = [field for field in fields if field[0] != "Via"]
            check(passed == [("Host", "shop.example"), *given], f"{why}: {passed}")
            via = ", ".join(value for name, value in seen.fields if name.lower() == "via")
            check(via == ", ".join([value for name, value in fields if name == "Via"] + ["1.1 volt-proxy"]), via)
            check(answer.field("x-origin") == "1" and answer.field("via") == "1.1 volt-proxy", f"{why}: {answer.fields}")
            if method != "HEAD":
                check(json.loads(answer.body) == json.loads(json.dumps(seen.as_json())), f"{why}: the answer's body")


def test_answers_come_back_as_they_are():
    ends = {"length": lambda body: (f"Content-Length: {len(body)}", body), "close": lambda body: ("X-End: close", body),
            "chunked": lambda body: ("Transfer-Encoding: chunked", chunked(body, trailers="X-Behind: t\r\n"))}
    with Origin() as origin, proxy(origin) as server:
        for status, (end, compose_end), size in itertools.product(
                (200, 201, 206, 299, 301, 400, 404, 500, 503), ends.items(), (1, 50_000)):
            line, wire = compose_end(b"b" * size)
            origin.answers["a"] = (f"HTTP/1.1 {status} Odd Reason\r\n{line}\r\nSet-Cookie: a=b\r\nSet-Cookie: c=d\r\n"
                                   "Content-Type: text/odd\r\nConnection: X-Hop\r\nX-Hop: 1\r\nServer: odd\r\n"
                                   "\r\n").encode() + wire
            answer = get(server.port, "/as-is/a")
            why = f"{status}, {end}, {size}: {answer.raw[:400]}"
            check(answer.status == status and answer.body == b"b" * size and answer.whole, why)
            want = [("content-type", "text/odd"), ("server", "odd"), ("set-cookie", "a=b"), ("set-cookie", "c=d")]
            check(answer.end_to_end() == want + ([("x-end", "close")] if end == "close" else []), why)
            check(answer.trailers == ([("X-Behind", "t")] if end == "chunked" else []), why)
        for status in (204, 304):
            origin.answers["a"] = f"HTTP/1.1 {status} X\r\nETag: \"e\"\r\n\r\n".encode()
            answer = get(server.port, "/as-is/a")
            check((answer.status, answer.body, answer.field("etag")) == (status, b"", '"e"'), answer.raw)
            check(answer.field("content-length") is None, answer.raw)
        origin.answers["a"] = b"HTTP/1.1 200 OK\r\nContent-Length: 1234\r\nETag: \"e\"\r\n\r\n"
        answer = get(server.port, "/as-is/a", method="HEAD")
        check((answer.body, answer.field("content-length")) == (b"", "1234"), answer.raw)


def test_who_asks_is_said_by_the_proxy():
    lies = ["X-Forwarded-For: 6.6.6.6", "Forwarded: for=6.6.6.6", "X-Forwarded-Proto: https", "X-Real-IP: 6.6.6.6",
            "X-Forwarded-Host: evil"]
    with Origin() as origin:
        with proxy(origin) as server:
            seen = json.loads(get(server.port, "/x", *lies).body)
            fields = [field for field in seen["fields"] if field[0].lower() in OWN_FIELDS | {"x-real-ip"}]
            check(fields == [["X-Forwarded-For", "127.0.0.1"], ["X-Forwarded-Proto", "http"],
                             ["X-Forwarded-Host", "shop.example"],
                             ["Forwarded", 'for=127.0.0.1;proto=http;host="shop.example"'],
                             ["Via", "1.1 volt-proxy"]], f"no field of the client is believed: {fields}")
        with proxy(origin, TRUST_FORWARDED="true") as server:
            get(server.port, "/x", *lies)
            seen = origin.requests[-1]
            for name, want in (("X-Forwarded-For", ["6.6.6.6", "127.0.0.1"]), ("X-Forwarded-Proto", ["https"]),
                               ("X-Forwarded-Host", ["evil"]), ("X-Real-IP", ["6.6.6.6"])):
                check([value for own, value in seen.fields if own == name] == want, f"{name}: {seen.fields}")


def test_a_client_cannot_forge_what_the_proxy_strips():
    lies = ["X_Forwarded_For: 6.6.6.6", "X_Real_IP: 6.6.6.6", "x_forwarded-proto: https", "X-Forwarded-Port: 1",
            "X-Forwarded-Server: evil", "Remote_Addr: 6.6.6.6"]
    trailers = [("X-Real-IP", "6.6.6.6"), ("X_Real_IP", "6.6.6.6"), ("X-Forwarded-Port", "1"),
                ("X_Forwarded_For", "6.6.6.6"), ("X-Sum", "7")]
    with Origin() as origin:
        for trusted in (False, True):
            with proxy(origin, TRUST_FORWARDED="true" if trusted else "false") as server:
                exchange(server.port, compose("POST", "/x", [tuple(lie.split(": ")) for lie in lies], "chunked", b"body",
                                              trailers))
                seen = origin.requests[-1]
                check(not any("_" in name or "6.6.6.6" in value for name, value in seen.fields), seen.fields)
                check(seen.trailers == [("X-Sum", "7")], seen.trailers)
                check(("X-Forwarded-Port" in dict(seen.fields)) == trusted, seen.fields)
        with proxy(origin) as server:
            origin.answers["a"] = (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" +
                                   chunked(b"b", trailers="X-Sum: 7\r\nX_Real_IP: 1\r\n"))
            check(get(server.port, "/as-is/a").trailers == [("X-Sum", "7")], "trailers of a response")


def test_a_connection_field_of_thousands_of_options():
    with Origin() as origin, proxy(origin) as server:
        get(server.port, "/x", "Connection: X-Hop" + "," * 8000, "X-Hop: 1", "X-Other: 2")
        names = [name for name, _ in origin.requests[-1].fields]
        check("X-Other" in names and "X-Hop" not in names, names)


def test_interim_responses_are_forwarded():
    hints = (b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\nConnection: X-Hop\r\nX-Hop: 1\r\n\r\n")
    final = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    wanted = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
    with Origin() as origin, proxy(origin) as server:
        origin.answers["a"] = b"HTTP/1.1 100 Continue\r\n\r\n" + hints + hints + final
        answer = get(server.port, "/as-is/a")
        check(answer.raw.startswith(wanted * 2 + b"HTTP/1.1 200 OK") and answer.body == b"ok", answer.raw)
        old = exchange(server.port, b"GET /as-is/a HTTP/1.0\r\nHost: a\r\n\r\n")
        check(old.raw.startswith(b"HTTP/1.1 200 OK") and old.body == b"ok", f"HTTP/1.0 has none: {old.raw}")
        origin.answers["a"] = hints * 17 + final
        check(get(server.port, "/as-is/a").status == 502, "there are at most 16")
        seen = []

        def do_late(connection, request, *_):
            connection.sendall(hints)
            seen.append(origin_waits.wait(60))
            return origin.reply(connection, b"ok")

        origin_waits = threading.Event()
        origin.do_late = do_late
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as client:
            client.sendall(b"GET /late HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            file = client.makefile("rb")
            check(file.read(len(wanted)) == wanted, "it comes before the response")
            origin_waits.set()
            check(file.read().endswith(b"ok") and seen == [True], "and then the response")


def test_max_forwards_is_counted():
    with Origin() as origin, proxy(origin) as server:
        for method, value, want in (("OPTIONS", "2", "1"), ("OPTIONS", "1", "0"), ("GET", "0", "0")):
            get(server.port, "/x", f"Max-Forwards: {value}", method=method)
            check(origin.requests[-1].field("max-forwards") == want, f"{method} {value}: {origin.requests[-1].fields}")
        before = len(origin.requests)
        answer = get(server.port, "/x", "Max-Forwards: 0", method="OPTIONS")
        check(answer.status == 204 and "OPTIONS" in answer.field("allow"), answer.raw)
        for value in ("-1", "x", "1, 2", ""):
            check(get(server.port, "/x", f"Max-Forwards: {value}", method="OPTIONS").status == 400, value)
        for value in ("0", "5"):
            check(get(server.port, "/x", f"Max-Forwards: {value}", method="TRACE").status == 405, "TRACE is refused")
        check(len(origin.requests) == before, "none of them was forwarded")


def test_which_hosts_are_served():
    with Origin() as origin:
        with proxy(origin, HOSTS="shop.example,[::1]", KEEP_HOST="false") as server:
            check(get(server.port, "/x").status == 200, "a host that is served")
            check(origin.requests[-1].field("host") == origin.uri.removeprefix("http://"), "the upstream's own name")
            for host, status in (("SHOP.example:80", 200), ("[::1]:8080", 200), ("other.example", 421), ("shop", 421)):
                answer = exchange(server.port, f"GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
                check(answer.status == status, f"{host}: {answer.status}")
        with proxy(origin) as server:
            answer = exchange(server.port, b"GET http://a.example/b?c HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            seen = json.loads(answer.body)
            check(seen["line"] == "GET /b?c HTTP/1.1" and ["Host", "a.example"] in seen["fields"], seen)


def test_two_voices_about_an_end_never_reach_an_upstream():
    post = b"POST /x HTTP/1.1\r\nHost: a\r\n"
    cases = {
        "a length and chunks": post + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /evil ",
        "two lengths": post + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        "a list of lengths": post + b"Content-Length: 3, 4\r\n\r\nabcd",
        "a length with a sign": post + b"Content-Length: +3\r\n\r\nabc",
        "chunked twice": post + b"Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
        "chunked, hidden": post + b"Transfer-Encoding: xchunked\r\nContent-Length: 3\r\n\r\nabc",
        "chunked by a tab": post + b"Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n",
        "a space before the colon": post + b"Content-Length : 3\r\n\r\nabc",
        "a folded field": post + b"X: a\r\n Content-Length: 3\r\n\r\nabc",
        "a bare newline": post + b"X: a\nContent-Length: 3\r\n\r\nabc",
        "a chunk size too long": post + b"Transfer-Encoding: chunked\r\n\r\n" + b"F" * 20 + b"\r\n",
        "a field without a name": post + b": x\r\nContent-Length: 3\r\n\r\nabc",
    }
    with Origin() as origin, proxy(origin) as server:
        for why, request in cases.items():
            answer = exchange(server.port, request)
            check(answer.status in (400, 501), f"{why}: {answer.raw[:100]}")
            check(not any(seen.body or "evil" in seen.line for seen in origin.requests), f"{why} reached the upstream")
        # What Connection names is not passed on, but nothing makes the proxy drop what it writes itself.
        get(server.port, "/x", "Connection: X-Forwarded-For, Host, X-Secret", "X-Secret: 1", "Upgrade: h2c")
        names = [name.lower() for name, _ in origin.requests[-1].fields]
        check("x-forwarded-for" in names and "host" in names and "x-secret" not in names, names)
        check("upgrade" not in names and "connection" not in names, names)


def test_wrong_answers_are_502():
    cases = {
        "no HTTP": b"hello\r\n\r\n",
        "nothing": b"",
        "half a head": b"HTTP/1.1 200 OK\r\nConte",
        "two lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "a length and chunks": b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "a head without end": b"HTTP/1.1 200 OK\r\nX: " + b"x" * 200_000,
        "an upgrade nobody asked for": b"HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
        "another protocol": b"HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
        "a status beyond all": b"HTTP/1.1 999 X\r\nContent-Length: 0\r\n\r\n",
    }
    with Origin() as origin, proxy(origin) as server:
        for why, raw in cases.items():
            origin.answers["a"] = raw
            upgrade = "Upgrade, " if why == "another protocol" else ""
            answer = exchange(server.port, f"GET /as-is/a HTTP/1.1\r\nHost: a\r\nConnection: {upgrade}close\r\n"
                                           "Upgrade: websocket\r\n\r\n".encode())
            check(answer.status == 502 and answer.field("content-type") == "application/problem+json",
                  f"{why}: {answer.raw[:200]}")
        for why, raw in {"a length": b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
                         "chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"}.items():
            origin.answers["a"] = raw
            answer = get(server.port, "/as-is/a")
            seen = answer.status == 502 or (answer.body == b"half" and not answer.whole)
            check(seen, f"cut off, {why}: {answer.raw}")


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"{name}: ok", flush=True)
