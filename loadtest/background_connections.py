# SPDX-License-Identifier: MIT
"""Keeps connections open while others are measured: background_connections.py PORT idle|slow COUNT.

  idle   each connection has sent one request and stays open
  slow   each connection sends 4 bytes of a request every 100 ms, reads the response, and begins again

Prints "ready" when all are connected, and runs until its standard input ends. Exits with status 1 if the server has
closed a connection.
"""

import select
import socket
import sys
import time

REQUEST = b"GET /plaintext HTTP/1.1\r\nHost: localhost\r\n\r\n"
PIECE_BYTES, PIECE_PERIOD_S = 4, 0.1
TIMEOUT_S = 20


def connect(port):
    connection = socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def ask_once(connection):
    connection.sendall(REQUEST)
    response = b""
    while not response.endswith(b"Hello, World!"):
        piece = connection.recv(4096)
        if not piece:
            raise OSError("closed")
        response += piece


def closed(connection):
    """Returns whether the server has closed the connection; discards received bytes."""
    try:
        return connection.recv(4096) == b""
    except BlockingIOError:
        return False


def input_ended(patience_s):
    readable, _, _ = select.select([sys.stdin], [], [], patience_s)
    return bool(readable)


def idle(connections):
    input_ended(None)
    return any(closed(connection) for connection in connections)


def slow(connections):
    """Sends the pieces on one connection after the other, so that they are evenly spaced."""
    pieces = [REQUEST[at : at + PIECE_BYTES] for at in range(0, len(REQUEST), PIECE_BYTES)]
    period = PIECE_PERIOD_S / len(connections)
    began = time.monotonic()
    sent = 0
    while not input_ended(max(began + sent * period - time.monotonic(), 0)):
        turn, index = divmod(sent, len(connections))
        if turn % len(pieces) == 0 and closed(connections[index]):
            return True
        connections[index].sendall(pieces[turn % len(pieces)])
        sent += 1
    return False


def main():
    port, kind, count = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    connections = []
    for _ in range(count):
        connections.append(connect(port))
        if kind == "idle":
            ask_once(connections[-1])
        connections[-1].setblocking(False)
    print("ready", flush=True)
    try:
        sys.exit({"idle": idle, "slow": slow}[kind](connections))
    except OSError:
        sys.exit(1)


if __name__ == "__main__":
    main()
