# SPDX-License-Identifier: MIT
"""An origin server by hand, for what stands in front of it: it remembers each request as it came, byte for byte, and
answers as the path says, rightly or not.

    /as-is/NAME         the bytes that Origin.answers has under that name, whatever they are; then the end
    /bytes/N            N bytes, with their length
    /drip/N/SECONDS     N chunks of one line each, with pauses
    /echo-stream        answers at once, and then each piece of the body as it comes
    /sink               how many bytes the body had
    /sleep/SECONDS      waits, then as any other
    /silent             nothing, until the other end goes
    /upgrade            101 and what it is sent, if it is asked for
    /health             200, or 503 while the origin is not `healthy`
    any other           what was asked, as JSON
"""

import contextlib
import json
import socket
import socketserver
import threading
import time


class Request:
    """One request as it came. `body` is decoded, `trailers` are what was behind it."""

    def __init__(self, file, keep_body=True):
        self.line = self._line(file)
        self.fields, self.body, self.trailers, self.bytes, self.framing = [], b"", [], 0, "none"
        if not self.line:
            return
        while line := self._line(file):
            name, _, value = line.partition(":")
            self.fields.append((name, value.strip()))
        self.file, self.keep_body = file, keep_body
        self.method, self.target, _ = self.line.split(" ")

    @staticmethod
    def _line(file):
        return file.readline().decode("latin-1").rstrip("\r\n")

    def field(self, name):
        return next((value for own, value in self.fields if own.lower() == name.lower()), None)

    def pieces(self):
        """Reads the body."""
        if length := self.field("content-length"):
            self.framing, left = "length", int(length)
            while left:
                piece = self.file.read1(min(left, 65536))
                if not piece:
                    raise ConnectionError("the body was cut off")
                left -= len(piece)
                yield self._note(piece)
        elif self.field("transfer-encoding"):
            self.framing = "chunked"
            while size := int(self._line(self.file).partition(";")[0], 16):
                yield self._note(self.file.read(size))
                self._line(self.file)
            while line := self._line(self.file):
                name, _, value = line.partition(":")
                self.trailers.append((name, value.strip()))

    def _note(self, piece):
        self.bytes += len(piece)
        if self.keep_body:
            self.body += piece
        return piece

    def as_json(self):
        return {"line": self.line, "fields": self.fields, "body": self.body.decode("latin-1"),
                "trailers": self.trailers, "framing": self.framing}


class Origin:
    """`with Origin() as origin:` listens on a port of its own; each connection has a thread."""

    def __init__(self):
        self.answers = {}
        self.healthy = True
        self.requests = []  # all but those for /health
        self.gone = []  # paths of those whose other end went before the answer's end
        self.connections = 0
        self.open = set()
        self.lock = threading.Lock()

    def __enter__(self):
        origin = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                with contextlib.suppress(OSError, ValueError):
                    origin.serve(self.connection, self.rfile)

        class Listener(socketserver.ThreadingTCPServer):
            daemon_threads = True
            request_queue_size = 256

        self.listener = Listener(("127.0.0.1", 0), Handler)
        self.port = self.listener.server_address[1]
        self.uri = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.listener.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, kind, error, trace):
        self.stop()

    def stop(self):
        """Like a process that is killed: the listener and every connection are closed."""
        self.listener.shutdown()
        self.listener.server_close()
        with self.lock:
            for connection in self.open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def serve(self, connection, file):
        with self.lock:
            self.connections += 1
            self.open.add(connection)
        try:
            while self.serve_one(connection, file):
                pass
        finally:
            with self.lock:
                self.open.discard(connection)

    def serve_one(self, connection, file):
        request = Request(file)
        if not request.line:
            return False
        parts = request.target.partition("?")[0].split("/")[1:]
        if parts[0] != "health":
            with self.lock:
                self.requests.append(request)
        try:
            return getattr(self, "do_" + parts[0].replace("-", "_"), self.do_any)(connection, request, *parts[1:])
        except OSError:
            self.gone.append(request.target)
            raise

    @staticmethod
    def reply(connection, body, status="200 OK", fields=()):
        head = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *fields]
        connection.sendall(("\r\n".join(head) + "\r\n\r\n").encode("latin-1") + body)
        return True

    def do_any(self, connection, request, *_):
        for _ in request.pieces():
            pass
        body = json.dumps(request.as_json()).encode()
        return self.reply(connection, b"" if request.method == "HEAD" else body, fields=["X-Origin: 1"])

    def do_as_is(self, connection, request, name):
        for _ in request.pieces():
            pass
        connection.sendall(self.answers[name])
        return False

    def do_bytes(self, connection, request, count):
        count = int(count)
        connection.sendall(f"HTTP/1.1 200 OK\r\nContent-Length: {count}\r\n\r\n".encode())
        piece = bytes(range(256)) * 256
        while count:
            connection.sendall(piece[:count])
            count -= min(count, len(piece))
        return True

    def do_drip(self, connection, request, count, seconds):
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for i in range(int(count)):
            line = f"line {i}\n".encode()
            connection.sendall(b"%x\r\n%s\r\n" % (len(line), line))
            time.sleep(float(seconds))
        connection.sendall(b"0\r\nX-Behind: it\r\n\r\n")
        return True

    def do_echo_stream(self, connection, request):
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for piece in request.pieces():
            connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
        connection.sendall(b"0\r\n\r\n")
        return True

    def do_sink(self, connection, request):
        request.keep_body = False
        for _ in request.pieces():
            pass
        return self.reply(connection, str(request.bytes).encode())

    def do_sleep(self, connection, request, seconds):
        time.sleep(float(seconds))
        return self.do_any(connection, request)

    def do_silent(self, connection, request):
        while connection.recv(65536):
            pass
        self.gone.append(request.target)
        return False

    def do_upgrade(self, connection, request):
        if (request.field("upgrade") or "").lower() != "websocket":
            return self.reply(connection, b"", "426 Upgrade Required")
        connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                           b"X-Tunnel: yes\r\n\r\nhello ")
        while piece := request.file.read1(65536):
            connection.sendall(piece)
            if b"bye" in piece:
                break
        return False

    def do_health(self, connection, request):
        return self.reply(connection, b"", "200 OK" if self.healthy else "503 Service Unavailable")
