#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A Redis server of a test's own: in a temporary folder, on loopback and a unix socket, gone afterwards.

Usage: private_redis.py PROGRAM [ARGUMENT...]
runs the program with REDIS_URL set; leaves with its status, or with 77 where Redis is not installed. A server that the
program ends is started again, so that tests can restart it.
"""

import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from ports import free_port

READY_SECONDS_MAX = 120  # a loaded machine
SERVERS = ("redis-server", "valkey-server")


class PrivateRedis:
    """`with PrivateRedis() as server:` makes and starts it; `server.url` is how to connect. The settings replace lines of
    its configuration: `PrivateRedis(appendonly="yes")`."""

    def __init__(self, **settings):
        self.program = next(filter(None, map(shutil.which, SERVERS)))
        self.settings = {"appendonly": "no", **settings}
        self.process = None
        self.ending = False
        self.away_seconds = 0

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="volt_redis_"))
        try:
            self._make_certificate()
            self.port, self.tls_port = free_port(), free_port()
            self.has_tls = True
            self.configure()
            if not self._starts():
                self.has_tls = False  # a server that was built without TLS
                self.configure()
                if not self._starts():
                    raise AssertionError("Redis does not start:\n" + (self.folder / "log").read_text())
            self.keeper = threading.Thread(target=self._keep)
            self.keeper.start()
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        return self

    def __exit__(self, *_):
        self.ending = True
        self.process.kill()
        self.keeper.join()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def url(self):
        return f"unix://{self.folder}/socket"

    @property
    def tcp_url(self):
        return f"redis://127.0.0.1:{self.port}"

    @property
    def tls_url(self):
        return f"rediss://localhost:{self.tls_port}"

    def configure(self):
        lines = [f"port {self.port}", "bind 127.0.0.1", f"unixsocket {self.folder}/socket", "unixsocketperm 700",
                 'save ""', f"dir {self.folder}", "daemonize no", "enable-debug-command yes",
                 f"pidfile {self.folder}/pid", "user ann on >se:cret/ ~* &* +@all"]
        lines += [f"{name} {value}" for name, value in self.settings.items()]
        if self.has_tls:
            lines += [f"tls-port {self.tls_port}", f"tls-cert-file {self.folder}/certificate.pem",
                      f"tls-key-file {self.folder}/key.pem", "tls-auth-clients no"]
        (self.folder / "redis.conf").write_text("\n".join(lines) + "\n")

    def start(self):
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen([self.program, self.folder / "redis.conf"], stdout=log, stderr=log,
                                            cwd=self.folder, start_new_session=True)

    def _starts(self):
        self.start()
        end = time.monotonic() + READY_SECONDS_MAX
        while not (self.folder / "socket").exists():
            if self.process.poll() is not None or time.monotonic() > end:
                return False
            time.sleep(0.02)
        return True

    def restart(self, end=signal.SIGTERM, away_seconds=0):
        """Ends the server by that signal. It is away for that time, and then takes some more to serve."""
        self.away_seconds, ended = away_seconds, self.process
        ended.send_signal(end)
        ended.wait(READY_SECONDS_MAX)
        deadline = time.monotonic() + READY_SECONDS_MAX
        while self.process is ended or not self._answers():
            if time.monotonic() > deadline:
                raise AssertionError("Redis does not start again:\n" + (self.folder / "log").read_text())
            time.sleep(0.02)

    def _answers(self):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), READY_SECONDS_MAX) as client:
            client.sendall(b"PING\r\n")
            return client.recv(64).startswith(b"+PONG")  # not -LOADING
        return False

    def _keep(self):
        """Starts the server again whenever it has ended."""
        while not self.ending:
            self.process.wait()
            time.sleep(self.away_seconds)
            if not self.ending:
                self.start()
                time.sleep(0.05)  # one that cannot start does not keep a processor busy

    def _make_certificate(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2",
                        "-addext", "subjectAltName=DNS:localhost", "-keyout", self.folder / "key.pem", "-out",
                        self.folder / "certificate.pem"], check=True, capture_output=True)


def installed():
    return any(map(shutil.which, SERVERS))


if __name__ == "__main__":
    if not installed():
        print("Redis is not installed: skipped")
        sys.exit(77)
    with PrivateRedis() as private:
        environment = {**os.environ, "REDIS_URL": private.url, "TEST_REDIS_TCP_URL": private.tcp_url,
                       "TEST_REDIS_CERTIFICATE": str(private.folder / "certificate.pem")}
        if private.has_tls:
            environment["TEST_REDIS_TLS_URL"] = private.tls_url
        status = subprocess.run(sys.argv[1:], env=environment, check=False).returncode
    sys.exit(status)
