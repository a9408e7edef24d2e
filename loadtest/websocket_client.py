# SPDX-License-Identifier: MIT
"""Sends WebSocket messages to an echo server: websocket_client.py PORT CONNECTIONS SECONDS. Each connection sends a
message when the previous echo has arrived. Prints figures in the format of requests.lua, without latencies: those of a
client in Python would be its own."""

import select
import socket
import sys
import time

MESSAGE = b"0123456789abcdef"
MASK = b"\x37\xfa\x21\x3d"
FRAME = b"\x81" + bytes([0x80 | len(MESSAGE)]) + MASK + bytes(byte ^ MASK[at % 4] for at, byte in enumerate(MESSAGE))
ECHO = b"\x81" + bytes([len(MESSAGE)]) + MESSAGE
HANDSHAKE = (
    b"GET /websocket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
CONNECT_PATIENCE_S = 5


def connect(port):
    connection = socket.create_connection(("127.0.0.1", port), timeout=CONNECT_PATIENCE_S)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.sendall(HANDSHAKE)
    response = b""
    while not response.endswith(b"\r\n\r\n"):
        piece = connection.recv(4096)
        if not piece:
            raise SystemExit(f"the server refuses a WebSocket: {response!r}")
        response += piece
    connection.setblocking(False)
    return connection


def converse(connections, seconds):
    """Returns (echoes, errors). A connection that fails sends no further messages."""
    waiting = select.epoll()
    of = {connection.fileno(): connection for connection in connections}
    received = dict.fromkeys(of, b"")
    for descriptor, connection in of.items():
        waiting.register(descriptor, select.EPOLLIN)
        connection.send(FRAME)
    echoes = errors = 0
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for descriptor, _ in waiting.poll(0.1):
            received[descriptor] += of[descriptor].recv(4096)
            if received[descriptor] == ECHO:
                echoes += 1
                received[descriptor] = b""
                of[descriptor].send(FRAME)
            elif not ECHO.startswith(received[descriptor]) or not received[descriptor]:
                errors += 1
                waiting.unregister(descriptor)
    return echoes, errors


def main():
    port, count, seconds = (int(argument) for argument in sys.argv[1:])
    connections = [connect(port) for _ in range(count)]
    began = time.monotonic()
    echoes, errors = converse(connections, seconds)
    print(f"figures requests={echoes} us={int((time.monotonic() - began) * 1e6)} errors={errors} p50_us=0 p99_us=0")


if __name__ == "__main__":
    main()
