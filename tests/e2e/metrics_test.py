#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""/metrics of busy servers: hello, and one with metrics of its own, with values that must be right. `promtool check
metrics` finds nothing to complain of in them; where promtool (of Debian's package prometheus) is not installed, the test
checks the rest and is then skipped.

Usage: metrics_test.py FOLDER_OF_PROGRAMS; VOLT_TEST_IO chooses the reactor.
"""

import http.client
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import sys
import time

from server_process import Server

IO = os.environ.get("VOLT_TEST_IO", "auto")
PROGRAMS = pathlib.Path(sys.argv[1])
PROMTOOL = shutil.which("promtool")


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def ask(port, method, path):
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        client.request(method, path)
        response = client.getresponse()
        return response.status, response.read().decode()
    finally:
        client.close()


def use_tls(port):
    """A full handshake, a resumed one, and one that fails."""
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    session = None
    for _ in range(2):
        with socket.create_connection(("127.0.0.1", port), timeout=30) as plain:
            with trusting.wrap_socket(plain, session=session) as secure:
                secure.sendall(b"POST /orders/book HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
                check(secure.recv(4096).startswith(b"HTTP/1.1 201 "), "a request with TLS")
                session = secure.session  # after the response, which the ticket precedes
    check(ask(port, "GET", "/")[0] == 400, "plain HTTP on a TLS port")


def metrics_of(server):
    port = int(re.search(r"ops endpoint available at \S*:(\d+)", server.log)[1])
    check(ask(port, "GET", "/readyz") == (200, "ready\n"), "the server is ready")
    return ask(port, "GET", "/metrics")[1]


def approve(metrics):
    if PROMTOOL is None:
        return
    done = subprocess.run([PROMTOOL, "check", "metrics"], input=metrics, text=True, capture_output=True, check=False)
    check(done.returncode == 0 and not done.stdout + done.stderr, f"promtool: {done.stdout}{done.stderr}\n{metrics}")


def test_hello():
    with Server(PROGRAMS / "hello", "--ops", "127.0.0.1:0", io=IO) as server:
        for path in ("/", "/none", "/work?us=1000"):
            for _ in range(20):
                ask(server.port, "GET", path)
        approve(metrics_of(server))


def ports_of(server, count):
    """The ports on which the server has said that it listens, as soon as there are `count`."""
    give_up = time.monotonic() + 30
    while len(ports := re.findall(r"listening on 127.0.0.1:(\d+)", server.log)) < count:
        check(time.monotonic() < give_up, f"does not listen on {count} ports:\n{server.log}")
        time.sleep(0.02)
    return [int(port) for port in ports]


def test_metrics_of_ones_own():
    flags = ("--ops", "127.0.0.1:0", "--listen", "127.0.0.1:0", "--tls.dev", "true", "--tls.listen", "127.0.0.1:0")
    with Server(PROGRAMS / "metrics_server", *flags, io=IO, listen=None) as server:
        plain, tls = ports_of(server, 2)
        for kind in ("book", "pen", "%22%5C%FF", "one", "two"):
            check(ask(plain, "POST", f"/orders/{kind}")[0] == 201, kind)
        use_tls(tls)
        check(ask(plain, "GET", f"/fetch/{plain}")[1] == "404", "the client works")
        check(ask(plain, "GET", "/fetch/1")[1] == "0", "no server is there")
        metrics = metrics_of(server)
        approve(metrics)
        for line in ('orders_total{kind="book"} 3', 'orders_total{kind="_other"} 2', "carts_open 2.5",
                     'order_seconds_count{kind="pen"} 1', 'volt_tls_handshakes_total{result="full"} 1',
                     'volt_tls_handshakes_total{result="resumed"} 1', 'volt_tls_handshakes_total{result="failed"} 1',
                     'volt_connections_refused_total{reason="handshake"} 1',
                     'volt_http_client_errors_total{client="default",reason="connect"} 1',
                     'volt_connections_refused_total{reason="descriptors"} 0', 'volt_ready_check{check="always"} 1'):
            check(f"\n{line}\n" in metrics, f"no line {line} in:\n{metrics}")


if __name__ == "__main__":
    test_hello()
    test_metrics_of_ones_own()
    if PROMTOOL is None:
        print("promtool is not installed (package prometheus): its checks are skipped")
        sys.exit(77)
