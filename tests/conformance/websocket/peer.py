# SPDX-License-Identifier: MIT
"""A WebSocket client that sends exactly the frames it is given (RFC 6455), also wrong ones, and can compress (RFC 7692).
"""

import base64
import hashlib
import os
import socket
import struct
import zlib

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
NAMES = {CONTINUATION: "continuation", TEXT: "text", BINARY: "binary", CLOSE: "close", PING: "ping", PONG: "pong"}
TIMEOUT_SECONDS = 60  # of each read: sanitizers on a busy machine
TAIL = b"\0\0\xff\xff"  # RFC 7692 section 7.2.1: the sender removes these bytes of each message


def encode(opcode, payload=b"", fin=True, rsv=0):
    """The bytes of one masked frame."""
    size = len(payload)
    head = bytes([fin << 7 | rsv << 4 | opcode])
    if size < 126:
        head += bytes([0x80 | size])
    elif size < 1 << 16:
        head += struct.pack("!BH", 0x80 | 126, size)
    else:
        head += struct.pack("!BQ", 0x80 | 127, size)
    key = os.urandom(4)
    keys = (key * (size // 4 + 1))[:size]
    masked = int.from_bytes(payload, "little") ^ int.from_bytes(keys, "little")
    return head + key + masked.to_bytes(size, "little")


def fragments(opcode, payload, size, rsv=0):
    """The bytes of a message in frames of `size` bytes."""
    parts = [payload[begin : begin + size] for begin in range(0, len(payload), size)] or [b""]
    return b"".join(encode(CONTINUATION if at else opcode, part, at == len(parts) - 1, 0 if at else rsv)
                    for at, part in enumerate(parts))


class Ended(Exception):
    """The server has closed the connection."""


class Deflate:
    """permessage-deflate as the response to the handshake has agreed it."""

    def __init__(self, parameters):
        self.own_bits = int(parameters.get("client_max_window_bits") or 15)
        self.peer_bits = int(parameters.get("server_max_window_bits") or 15)
        self.own_forgets = "client_no_context_takeover" in parameters
        self.peer_forgets = "server_no_context_takeover" in parameters
        self.compressor = self.decompressor = None

    def compress(self, payload):
        if self.compressor is None or self.own_forgets:
            self.compressor = zlib.compressobj(wbits=-max(self.own_bits, 9))  # zlib cannot do 8
        packed = self.compressor.compress(payload) + self.compressor.flush(zlib.Z_SYNC_FLUSH)
        assert packed.endswith(TAIL)
        return packed[: -len(TAIL)]

    def decompress(self, packed):
        if self.decompressor is None or self.peer_forgets:
            self.decompressor = zlib.decompressobj(wbits=-self.peer_bits)  # an error if the server's window is larger
        return self.decompressor.decompress(packed + TAIL)


class Peer:
    def __init__(self, port, path="/", offers=None):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_SECONDS)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")
        self.accepted, self.deflate = self._shake_hands(port, path, offers)

    def _shake_hands(self, port, path, offers):
        key = base64.b64encode(os.urandom(16)).decode()
        extensions = f"Sec-WebSocket-Extensions: {offers}\r\n" if offers else ""
        self.socket.sendall((f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
                             f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
                             f"Sec-WebSocket-Version: 13\r\n{extensions}\r\n").encode())
        status = self.file.readline().decode()
        fields = {}
        while line := self.file.readline().decode().strip():
            name, _, value = line.partition(":")
            fields[name.lower()] = value.strip()
        expected = base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()
        assert " 101 " in status and fields.get("sec-websocket-accept") == expected, (status, fields)
        accepted = fields.get("sec-websocket-extensions")
        if accepted is None:
            return None, None
        name, *parameters = [part.strip() for part in accepted.split(";")]
        assert name == "permessage-deflate", accepted
        return accepted, Deflate({key: value for key, _, value in (part.partition("=") for part in parameters)})

    def send(self, data, chop=None):
        """Sends `data` in pieces of `chop` bytes. A server that has closed the connection is no error here."""
        try:
            for begin in range(0, len(data), chop or len(data) or 1):
                self.socket.sendall(data[begin : begin + (chop or len(data))])
        except (BrokenPipeError, ConnectionResetError):
            pass

    def _exactly(self, size):
        try:
            data = self.file.read(size)
        except ConnectionResetError:
            data = b""
        if len(data) != size:
            raise Ended
        return data

    def _receive_frame(self):
        first, size = self._exactly(2)
        assert not size & 0x80, "a server must not mask (RFC 6455 section 5.1)"
        if size == 126:
            size, = struct.unpack("!H", self._exactly(2))
        elif size == 127:
            size, = struct.unpack("!Q", self._exactly(8))
        return first, self._exactly(size)

    def receive(self):
        """The next message or control frame, (opcode, payload); raises Ended."""
        opcode, parts, packed = None, [], False
        while True:
            first, payload = self._receive_frame()
            kind, fin, rsv = first & 0x0F, first >> 7, first >> 4 & 7
            if kind >= CLOSE:
                assert opcode is None and fin and not rsv and len(payload) <= 125, f"a bad control frame {first:02x}"
                return kind, payload
            assert (kind == CONTINUATION) == (opcode is not None), f"a bad sequence of frames: {first:02x}"
            if opcode is None:
                opcode, packed = kind, rsv == 4
            assert rsv == (4 if packed and not parts else 0) and (not packed or self.deflate), f"RSV in {first:02x}"
            parts.append(payload)
            if fin:
                data = b"".join(parts)
                return opcode, self.deflate.decompress(data) if packed else data

    def send_message(self, opcode, payload, fragment_bytes=None):
        rsv = 0
        if self.deflate:
            payload, rsv = self.deflate.compress(payload), 4
        self.send(fragments(opcode, payload, fragment_bytes or len(payload) or 1, rsv))

    def close(self):
        self.file.close()
        self.socket.close()
