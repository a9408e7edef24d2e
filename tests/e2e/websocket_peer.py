# SPDX-License-Identifier: MIT
"""A WebSocket client by hand (RFC 6455), for text, in the standard library: no masking tricks, no extensions."""

import base64
import hashlib
import os
import socket
import struct

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10


class WebSocketPeer:
    """`with WebSocketPeer(port, "/path") as peer:`; leaves by the closing handshake if the server has not begun it."""

    def __init__(self, port, path, timeout=30):
        self.close_code = None
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=timeout)
        self.file = self.socket.makefile("rb")
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
                             f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
                             "Sec-WebSocket-Version: 13\r\n\r\n").encode())
        status = self.file.readline().decode()
        fields = {}
        while line := self.file.readline().decode().strip():
            name, _, value = line.partition(":")
            fields[name.lower()] = value.strip()
        if " 101 " not in status:
            raise AssertionError(f"no WebSocket: {status}")
        accept = base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()
        if fields.get("sec-websocket-accept") != accept:
            raise AssertionError(f"a wrong acceptance: {fields}")

    def send(self, opcode, payload):
        size = len(payload)
        if size < 126:
            head = struct.pack("!BB", 0x80 | opcode, 0x80 | size)
        elif size < 65536:
            head = struct.pack("!BBH", 0x80 | opcode, 0x80 | 126, size)
        else:
            head = struct.pack("!BBQ", 0x80 | opcode, 0x80 | 127, size)
        mask = os.urandom(4)
        self.socket.sendall(head + mask + bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload)))

    def send_text(self, text):
        self.send(TEXT, text.encode())

    def _exactly(self, size):
        data = self.file.read(size)
        if len(data) != size:
            raise AssertionError("the connection ended within a frame")
        return data

    def receive_frame(self):
        """(opcode, payload): whole messages only, and never masked, which a server must not do."""
        first, size = self._exactly(2)
        if not first & 0x80 or first & 0x70 or size & 0x80:
            raise AssertionError(f"an unexpected head {first:02x} {size:02x}")
        if size == 126:
            size, = struct.unpack("!H", self._exactly(2))
        elif size == 127:
            size, = struct.unpack("!Q", self._exactly(8))
        return first & 0x0F, self._exactly(size)

    def receive_text(self):
        """The next message, None if the server closes; pings are answered."""
        while True:
            opcode, payload = self.receive_frame()
            if opcode == TEXT:
                return payload.decode()
            if opcode == PING:
                self.send(PONG, payload)
            if opcode == CLOSE:
                self.close_code = struct.unpack("!H", payload[:2])[0] if payload else 1005
                self.send(CLOSE, payload[:2])
                return None

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is None and self.close_code is None:
            self.send(CLOSE, struct.pack("!H", 1000))
            while self.receive_frame()[0] != CLOSE:
                pass
        self.file.close()
        self.socket.close()
