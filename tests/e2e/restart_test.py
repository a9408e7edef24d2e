#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How a server ends and is followed by another: drains, SIGUSR2 under load, what systemd is told, given-up privileges.

Usage: restart_test.py FOLDER_OF_PROGRAMS [--restarts N]; VOLT_TEST_IO chooses the reactor.
"""

import argparse
import http.client
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from server_process import Server

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from ports import free_port  # pylint: disable=wrong-import-position

IO = os.environ.get("VOLT_TEST_IO", "auto")
WAIT_SECONDS_MAX = 30
PAUSE_SECONDS_MAX = 0.5 * float(os.environ.get("VOLT_TEST_TIMEOUT_FACTOR", "4"))  # machines of CI are busy
PATIENT = ("--server.drain-idle-timeout", "5s")  # with clients that share those machines with other tests


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def eventually(condition, what, seconds=WAIT_SECONDS_MAX):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if result := condition():
            return result
        time.sleep(0.01)
    raise AssertionError(f"in vain: {what()}")


def logged(server, pattern, times=1):
    """The nth match in the log, awaited."""
    def found():
        matches = re.findall(pattern, server.log)
        return matches[times - 1] if len(matches) >= times else None
    return eventually(found, lambda: f"{pattern} ({times}) in\n{server.log}")


class Client:
    """One connection at a time, kept alive while the server wants it."""

    def __init__(self, port):
        self.port, self.stream = port, None

    def ask(self, path="/plaintext"):
        """The head of the answer; raises if there is none."""
        if self.stream is None:
            self.stream = socket.create_connection(("127.0.0.1", self.port), timeout=WAIT_SECONDS_MAX)
        self.stream.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        answer = b""
        while b"\r\n\r\n" not in answer or not answer.endswith(b"Hello, World!"):
            part = self.stream.recv(65536)
            if not part:
                raise ConnectionError(f"the connection ended after {answer!r}")
            answer += part
        if b"\r\nConnection: close" in answer:
            self.close()
        return answer

    def close(self):
        if self.stream is not None:
            self.stream.close()
        self.stream = None


class Load:
    """Clients that ask all the time; each request that gets no answer is told."""

    def __init__(self, port, clients=8):
        self.stop, self.lost, self.answered, self.worst = threading.Event(), [], 0, 0.0
        self.threads = [threading.Thread(target=self._ask, args=(port,)) for _ in range(clients)]

    def _ask(self, port):
        client = Client(port)
        while not self.stop.is_set():
            began = time.monotonic()
            try:
                client.ask()
                self.answered += 1
            except OSError as error:
                self.lost.append(repr(error))
                client.close()
            self.worst = max(self.worst, time.monotonic() - began)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        for thread in self.threads:
            thread.join()


def alive(pid):
    try:
        os.kill(pid, 0)
        return True
    except ProcessLookupError:
        return False


def end_last(server, pid):
    os.kill(pid, signal.SIGTERM)
    eventually(lambda: not server.reader.is_alive(), lambda: f"{pid} does not end:\n{server.log}")


class HAProxy:
    """In front of a server, keeping connections to it alive; `port` is its own."""

    def __init__(self, behind):
        self.port = free_port()
        self.config = f"""
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
listen front
  bind 127.0.0.1:{self.port}
  http-reuse always
  server app 127.0.0.1:{behind}
"""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        path = f"{self.folder.name}/haproxy.cfg"
        pathlib.Path(path).write_text(self.config)
        self.process = subprocess.Popen([shutil.which("haproxy"), "-db", "-q", "-f", path])
        eventually(self._listens, lambda: "HAProxy listens")
        return self

    def _listens(self):
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", self.port)) == 0

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(WAIT_SECONDS_MAX)
        self.folder.cleanup()


def restart_under_load(server, port, restarts, what):
    pid = server.process.pid
    with Load(port) as load:
        for number in range(1, restarts + 1):
            time.sleep(0.1)
            os.kill(pid, signal.SIGUSR2)
            pid = int(logged(server, r"the replacement process is ready pid=(\d+)", number))
        time.sleep(0.2)
    print(f"{restarts} restarts {what}, {load.answered} answered, {len(load.lost)} lost, worst pause {load.worst:.3f} s")
    check(not load.lost, f"requests were lost: {load.lost[:5]}\n{server.log}")
    check(load.answered > 10 * restarts, f"only {load.answered} were answered")
    check(load.worst < PAUSE_SECONDS_MAX, f"a pause of {load.worst:.3f} s")
    end_last(server, pid)
    check(" drained " in server.log and "connections_cut=1" not in server.log, server.log)


def test_restarts_lose_no_request(programs, restarts):
    with Server(programs / "hello", *PATIENT, io=IO) as server:
        restart_under_load(server, server.port, restarts, "directly")


def test_restarts_lose_no_request_behind_haproxy(programs, restarts):
    if shutil.which("haproxy") is None:
        print("no HAProxy here: skipped")
        return
    with Server(programs / "hello", *PATIENT, io=IO) as server, HAProxy(server.port) as front:
        restart_under_load(server, front.port, restarts, "behind HAProxy")


def test_a_successor_that_fails_changes_nothing(programs):
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "hello"
        shutil.copy(programs / "hello", program)
        pid_file = pathlib.Path(folder) / "pid"
        with Server(program, "--process.pid-file", str(pid_file), io=IO) as server:
            client = Client(server.port)
            cases = [("#!/bin/sh\nexit 7\n", 0o755, "exit status 7"), ("", 0o644, "the program could not be started")]
            for number, (text, mode, reason) in enumerate(cases, 1):
                broken = pathlib.Path(folder) / "broken"
                broken.write_text(text)
                broken.chmod(mode)
                broken.rename(program)
                server.process.send_signal(signal.SIGUSR2)
                said = r'the replacement process failed, this process continues pid=\d+ reason="([^"]*)"'
                check(logged(server, said, number) == reason, server.log)
                client.ask()
                check(int(pid_file.read_text()) == server.process.pid, "process.pid_file has the process that continues")
            shutil.copy(programs / "hello", pathlib.Path(folder) / "sound")
            (pathlib.Path(folder) / "sound").rename(program)
            server.process.send_signal(signal.SIGUSR2)
            successor = int(logged(server, r"the replacement process is ready pid=(\d+)"))
            check(int(pid_file.read_text()) == successor, "process.pid_file has the successor")
            end_last(server, successor)
            check(not pid_file.exists(), "the last one removes process.pid_file")


def test_a_pid_file_that_cannot_be_written_stops_a_start_only(programs):
    with tempfile.TemporaryDirectory() as folder:
        pid_file = pathlib.Path(folder) / "run/pid"
        flags = ["--process.pid-file", str(pid_file)]
        started = subprocess.run([programs / "hello", "--listen", "127.0.0.1:0", *flags], capture_output=True, text=True,
                                 timeout=WAIT_SECONDS_MAX, check=False)
        check(started.returncode == 1 and "cannot write process.pid_file: No such file" in started.stderr, started)
        pid_file.parent.mkdir()
        with Server(programs / "hello", *flags, io=IO) as server:
            shutil.rmtree(pid_file.parent)
            server.process.send_signal(signal.SIGUSR2)
            logged(server, "the replacement process failed, this process continues")
            logged(server, "error cannot write process.pid_file")
            Client(server.port).ask()


def test_a_successor_has_the_unix_socket_and_its_file(programs):
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/hello.sock"
        with Server(programs / "hello", "--listen", f"unix:{path}", io=IO) as server:
            server.process.send_signal(signal.SIGUSR2)
            pid = int(logged(server, r"the replacement process is ready pid=(\d+)"))
            check(server.process.wait(WAIT_SECONDS_MAX) == 0, "the first drains")
            client = Client(server.port)
            client.stream = socket.socket(socket.AF_UNIX)
            client.stream.connect(path)
            client.ask()
            client.close()
            end_last(server, pid)
            check(not os.path.exists(path), "the last one removes the file")
            check(server.log.count("inherited=true") == 2, server.log)


def test_a_successor_has_the_sessions(programs):
    def ask(connection, path, cookie="", method="GET", **fields):
        connection.request(method, path, headers={"Cookie": cookie, **fields})
        answer = connection.getresponse()
        given = (answer.headers["Set-Cookie"] or "").partition(";")[0]
        return answer.status, answer.read().decode(), given

    with Server(programs / "session_server", *PATIENT, io=IO) as server:
        kept = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT_SECONDS_MAX)
        cookies = {name: ask(kept, f"/login/{name}")[2] for name in ("ann", "bob", "cid")}
        _, token, visitor = ask(kept, "/token")
        check(visitor.startswith("session-csrf="), visitor)
        server.process.send_signal(signal.SIGUSR2)
        pid = int(logged(server, r"the replacement process is ready pid=(\d+)"))
        # The first process still has this connection, and drains: its answer is the last one.
        check(ask(kept, "/logout", cookies["cid"])[0] == 204, "one leaves meanwhile")
        for name, want in (("ann", "ann"), ("bob", "bob"), ("cid", "nobody")):
            fresh = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT_SECONDS_MAX)
            check(ask(fresh, "/user", cookies[name])[1] == want, f"{name} is {want}")
            fresh.close()
        fresh = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT_SECONDS_MAX)
        status, text, _ = ask(fresh, "/form", visitor, "POST", **{"x-csrf-token": token})
        check((status, text) == (200, "accepted"), f"the token of a visitor: {status} {text}")
        check(ask(fresh, "/login/dan")[2] not in cookies.values(), "new sessions begin")
        check(server.process.wait(WAIT_SECONDS_MAX) == 0, "the first drains")
        check(ask(fresh, "/user", cookies["ann"])[1] == "ann", "and still")
        fresh.close()
        os.kill(pid, signal.SIGUSR2)
        second = int(logged(server, r"the replacement process is ready pid=(\d+)", 2))
        fresh = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT_SECONDS_MAX)
        check(ask(fresh, "/user", cookies["ann"])[1] == "ann", "inherited twice")
        fresh.close()
        end_last(server, second)


def test_a_program_that_was_found_by_path_is_started_again_from_where_it_was(programs):
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as evil:
        shutil.copy(programs / "hello", f"{folder}/hello-by-path")
        decoy = pathlib.Path(evil) / "hello-by-path"
        decoy.write_text("#!/bin/sh\nexit 9\n")  # cannot be executed yet, so it is passed over
        decoy.chmod(0o644)
        environment = {"PATH": f"{evil}:{folder}:{os.environ['PATH']}"}
        with Server("hello-by-path", io=IO, environment=environment) as server:
            decoy.chmod(0o755)
            server.process.send_signal(signal.SIGUSR2)
            end_last(server, int(logged(server, r"the replacement process is ready pid=(\d+)")))


def test_closed_standard_descriptors_are_not_taken_by_sockets(programs):
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        command = f"exec {(programs / 'hello').resolve()} --listen 127.0.0.1:{port} --io {IO} --workers 1 <&- >&- 2>&-"
        process = subprocess.Popen(["sh", "-c", command], cwd=folder)
        try:
            eventually(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0, lambda: "it listens")
            for fd in (0, 1, 2):
                check(os.readlink(f"/proc/{process.pid}/fd/{fd}") == "/dev/null", f"descriptor {fd}")
            Client(port).ask()
        finally:
            process.terminate()
            check(process.wait(WAIT_SECONDS_MAX) == 0, "it ends")


def test_tells_systemd_how_it_is(programs):
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(f"{folder}/notify")
        manager.settimeout(WAIT_SECONDS_MAX)

        def told(wanted):
            while (message := manager.recv(4096).decode()) == "WATCHDOG=1" != wanted:
                pass
            check(re.fullmatch(wanted, message), f"{message!r}, not {wanted!r}")

        environment = {"NOTIFY_SOCKET": f"{folder}/notify", "WATCHDOG_USEC": "100000"}
        with Server(programs / "hello", io=IO, environment=environment) as server:
            told("READY=1")
            told("WATCHDOG=1")
            told("WATCHDOG=1")
            server.process.send_signal(signal.SIGHUP)
            told(r"RELOADING=1\nMONOTONIC_USEC=\d+")
            told("READY=1")
            server.process.send_signal(signal.SIGUSR2)
            told(r"RELOADING=1\nMONOTONIC_USEC=\d+")
            pid = int(logged(server, r"the replacement process is ready pid=(\d+)"))
            messages = set()
            while len(messages) < 2:  # each of the two says that the new one is ready
                message = manager.recv(4096).decode()
                messages |= {message} - {"WATCHDOG=1"}
            check(messages == {f"MAINPID={pid}\nREADY=1", "READY=1"}, messages)
            check(server.process.wait(WAIT_SECONDS_MAX) == 0, "the first drains")
            os.kill(pid, signal.SIGTERM)
            told("STOPPING=1")
            eventually(lambda: not server.reader.is_alive(), lambda: server.log)


def test_accepts_during_the_delay(programs):
    with Server(programs / "hello", "--drain.delay", "1500ms", io=IO) as server:
        before = Client(server.port)
        check(b"Connection: close" not in before.ask(), "before, connections are kept")
        began = time.monotonic()
        server.terminate()
        logged(server, "draining")
        check(b"Connection: close" in before.ask(), "an answer on an old connection ends it")
        check(b"Connection: close" in Client(server.port).ask(), "a new connection is accepted, and its answer ends it")
        check(server.wait() == 0, server.log)
        check(time.monotonic() - began >= 1.5, "it left before the delay was over")


def test_cuts_what_takes_longer_than_the_grace(programs):
    with Server(programs / "hello", "--drain.grace", "500ms", io=IO) as server:
        stuck = socket.create_connection(("127.0.0.1", server.port))
        stuck.sendall(b"GET / HTTP/1.1\r\n")
        time.sleep(0.2)
        began = time.monotonic()
        server.terminate()
        check(server.wait() == 0, f"status {server.process.returncode}: {server.log}")
        check(0.5 <= time.monotonic() - began < 5, "the grace is what was asked for")
        took = float(logged(server, r" warning drained took=([\d.]+) connections_cut=1 tasks_cut=1 "))
        check(500 <= took < 5000, f"the drain says that it took {took} ms")


def test_a_second_signal_ends_the_delay(programs):
    with Server(programs / "hello", "--drain.delay", "1m", io=IO, status=1) as server:
        began = time.monotonic()
        server.terminate()
        logged(server, "draining")
        server.process.send_signal(signal.SIGINT)
        check(server.wait() == 1 and time.monotonic() - began < 20, server.log)


def test_gives_up_its_privileges(programs):
    try:
        subprocess.run(["true"], check=True, user=65534, group=65534, extra_groups=[])
    except PermissionError:
        print("cannot become another user: skipped")
        return
    # Not its own folder: that of the build may be closed to others.
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        shutil.copy(programs / "hello", f"{folder}/hello")
        flags = ["--process.user", "nobody", "--process.umask", "027"]
        with Server(f"{folder}/hello", *flags, io=IO) as server:
            def state_of(pid):
                return pathlib.Path(f"/proc/{pid}/status").read_text()

            pid = server.process.pid
            nobody = subprocess.run(["id", "-u", "nobody"], capture_output=True, text=True, check=True).stdout.strip()
            for generation in range(2):
                check(re.search(rf"\nUid:\t{nobody}\t{nobody}\t{nobody}\t{nobody}\n", state_of(pid)), state_of(pid))
                check("\nUmask:\t0027\n" in state_of(pid), state_of(pid))
                Client(server.port).ask()
                if generation == 0:
                    os.kill(pid, signal.SIGUSR2)
                    pid = int(logged(server, r"the replacement process is ready pid=(\d+)"))
            end_last(server, pid)
        refused = subprocess.run([f"{folder}/hello", "--process.user", "no-such-user", "--listen", "127.0.0.1:0"],
                                 capture_output=True, text=True, timeout=WAIT_SECONDS_MAX)
        check(refused.returncode == 1 and "process.user" in refused.stderr, refused.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--restarts", type=int, default=5)
    arguments = parser.parse_args()
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            extra = [arguments.restarts] if name.startswith("test_restarts") else []
            test(arguments.programs, *extra)
            print(f"{name}: ok", flush=True)
