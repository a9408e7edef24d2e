# SPDX-License-Identifier: MIT
"""A server under test: starts it, checks its response, and reads its CPU time and memory from /proc."""

import contextlib
import os
import pathlib
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/support"))
from ports import free_port  # pylint: disable=wrong-import-position

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
START_PATIENCE_S = 60.0  # on a busy machine node takes more than 10 s
STOP_PATIENCE_S = 5.0
HANDSHAKE = (
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)


class ServerError(Exception):
    """The server does not start, or its response is not the scenario's."""


def stat_fields(pid):
    """Returns the fields of /proc/PID/stat after the name, which may contain spaces; the first is field 3 of
    proc(5)."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        return file.read().rpartition(")")[2].split()


def process_tree(root):
    """Returns the process ids of `root` and all its descendants."""
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError):
                parents[int(name)] = int(stat_fields(name)[1])
    tree = [root]
    for pid in tree:
        tree += [child for child, parent in parents.items() if parent == pid]
    return tree


def cpu_seconds(root):
    """Returns the user and system time of `root` and its descendants, including ended threads and children."""
    ticks = 0
    for pid in process_tree(root):
        with contextlib.suppress(OSError):  # the process has just ended
            ticks += sum(int(field) for field in stat_fields(pid)[11:15])
    return ticks / TICKS_PER_SECOND


def connect(port, tls):
    connection = socket.create_connection(("127.0.0.1", port), timeout=2)
    if not tls:
        return connection
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context.wrap_socket(connection)


def ask(port, scenario):
    """Returns the response to one request, head and body; for a WebSocket only the head."""
    websocket = "websocket" in scenario.can
    fields = HANDSHAKE if websocket else "Connection: close\r\n"
    if scenario.upload_bytes:
        fields += f"Content-Length: {scenario.upload_bytes}\r\n"
    method = "POST" if scenario.upload_bytes else "GET"
    head = f"{method} {scenario.path} HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n"
    with connect(port, scenario.tls) as connection:
        connection.sendall(head.encode() + b"x" * scenario.upload_bytes)
        response = b""
        while piece := connection.recv(65536):
            response += piece
            if websocket and b"\r\n\r\n" in response:
                break
        return response


def as_wanted(response, scenario):
    head, _, body = response.partition(b"\r\n\r\n")
    if "websocket" in scenario.can:
        return head.startswith(b"HTTP/1.1 101 ") and b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" in head
    dated = b"\ndate:" in head.lower()
    right = scenario.right(body) if scenario.right else body == scenario.body
    return head.startswith(b"HTTP/1.1 200 ") and dated and scenario.kind.encode() in head and right


class Server:
    """with Server(peer, scenario, options) as server: ... Raises ServerError if its response is not the scenario's."""

    def __init__(self, peer, scenario, options):
        self.peer = peer
        self.scenario = scenario
        self.options = options
        self.port = free_port()
        self.stack = contextlib.ExitStack()

    def __enter__(self):
        folder = self.stack.enter_context(tempfile.TemporaryDirectory(prefix="volt-loadtest-"))
        self.command = self.peer.command(self.port, self.scenario.tls, folder, self.options)
        self.log = os.path.join(folder, "log")
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.stack.callback(self.stop)
        try:
            self.wait_until_it_responds()
        except BaseException:
            self.stack.close()
            raise
        return self

    def __exit__(self, *exception):
        self.stack.close()

    def wait_until_it_responds(self):
        give_up = time.monotonic() + START_PATIENCE_S
        while True:
            if self.process.poll() is not None:
                with open(self.log, encoding="utf-8", errors="replace") as log:
                    raise ServerError(f"ended with status {self.process.returncode}: {log.read()}")
            try:
                response = ask(self.port, self.scenario)
                break
            except OSError as error:
                if time.monotonic() > give_up:
                    raise ServerError(f"does not respond: {error}") from error
                time.sleep(0.02)
        if not as_wanted(response, self.scenario):
            raise ServerError(f"wrong response: {response[:1000]!r}")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(STOP_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def cpu_seconds(self):
        return cpu_seconds(self.process.pid)

    def resident_mib(self):
        pages = sum(int(stat_fields(pid)[21]) for pid in process_tree(self.process.pid))
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
