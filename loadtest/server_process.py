"""A server under test: started, asked whether it answers as it should, its processor time and memory read from /proc."""

import contextlib
import os
import signal
import socket
import ssl
import subprocess
import tempfile
import time

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
START_PATIENCE_S = 5.0
STOP_PATIENCE_S = 5.0


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def stat_fields(pid):
    """The fields of /proc/PID/stat behind the name, which may hold spaces; the first is the third of proc(5)."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        return file.read().rpartition(")")[2].split()


def process_tree(root):
    """`root` and all its descendants."""
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError):
                parents[int(name)] = int(stat_fields(name)[1])
    tree = [root]
    for pid in tree:
        tree += [child for child, parent in parents.items() if parent == pid]
    return tree


def connect(port, scheme):
    connection = socket.create_connection(("127.0.0.1", port), timeout=2)
    if scheme == "http":
        return connection
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context.wrap_socket(connection)


def ask(port, scenario):
    """The answer to one request, head and body."""
    with connect(port, scenario.scheme) as connection:
        connection.sendall(f"GET {scenario.path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
        return answer


class Server:
    """with Server("nginx", options, scenario) as server: ..., of options.peers; it must answer as the scenario says."""

    def __init__(self, name, options, scenario):
        self.name = name
        self.scenario = scenario
        self.options = options
        self.port = free_port()
        self.stack = contextlib.ExitStack()

    def __enter__(self):
        folder = self.stack.enter_context(tempfile.TemporaryDirectory(prefix="volt-loadtest-"))
        command = self.options.peers[self.name](self.port, self.options, folder)
        self.log = os.path.join(folder, "log")
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.stack.callback(self.stop)
        try:
            self.wait_until_it_answers()
        except BaseException:
            self.stack.close()
            raise
        return self

    def __exit__(self, *exception):
        self.stack.close()

    def wait_until_it_answers(self):
        give_up = time.monotonic() + START_PATIENCE_S
        while True:
            if self.process.poll() is not None:
                with open(self.log, encoding="utf-8", errors="replace") as log:
                    raise SystemExit(f"{self.name} ended with status {self.process.returncode}: {log.read()}")
            try:
                answer = ask(self.port, self.scenario)
                break
            except OSError as error:
                if time.monotonic() > give_up:
                    raise SystemExit(f"{self.name} does not answer: {error}") from error
                time.sleep(0.02)
        head, _, body = answer.partition(b"\r\n\r\n")
        wanted = head.startswith(b"HTTP/1.1 200 ") and body == self.scenario.body
        if not wanted or b"\ndate:" not in head.lower() or b"text/plain" not in head:
            raise SystemExit(f"{self.name} does not answer as the others: {answer!r}")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(STOP_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def cpu_seconds(self):
        """User and system time of all processes, with that of their threads that have ended."""
        total = 0
        for pid in process_tree(self.process.pid):
            fields = stat_fields(pid)
            total += int(fields[11]) + int(fields[12])
        return total / TICKS_PER_SECOND

    def resident_mib(self):
        pages = sum(int(stat_fields(pid)[21]) for pid in process_tree(self.process.pid))
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
