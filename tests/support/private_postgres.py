#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A PostgreSQL server of a test's own: in a temporary folder, on loopback and a unix socket, gone afterwards.

Usage: private_postgres.py PROGRAM [ARGUMENT...]
runs the program with DATABASE_URL set; leaves with its status, or with 77 where PostgreSQL is not installed.
"""

import glob
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from ports import free_port

READY_SECONDS_MAX = 120  # a loaded machine
SETTINGS = {
    "fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_connections": "100",
    "shared_buffers": "64MB", "autovacuum": "off", "timezone": "UTC",
    "listen_addresses": "127.0.0.1", "ssl": "on", "log_min_messages": "panic",
}


def folder_of_programs():
    """Debian's, the newest; else where the path leads. None: not installed."""
    found = glob.glob("/usr/lib/postgresql/*/bin/initdb")
    if found:
        return pathlib.Path(max(found, key=lambda path: int(path.split("/")[4]))).parent
    path = shutil.which("initdb")
    return pathlib.Path(path).resolve().parent if path else None


class PrivatePostgres:
    """`with PrivatePostgres() as server:` makes and starts it; `server.url` is how to connect, as a superuser."""

    def __init__(self, **settings):
        self.programs = folder_of_programs()
        self.settings = {**SETTINGS, **settings}
        self.process = None

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="volt_pg_"))
        self.identity = {}
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            names = {entry.pw_name for entry in pwd.getpwall()}
            user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self.identity = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        try:
            self._run("initdb", "--pgdata", self.folder / "data", "--username", "test", "--auth", "trust",
                      "--no-sync", "--encoding", "UTF8", "--locale", "C")
            self._make_certificate()
            self.port = free_port()
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.process is not None:
            self.process.send_signal(signal.SIGQUIT)  # at once, but it takes its shared memory with it
            try:
                self.process.wait(READY_SECONDS_MAX)
            except subprocess.TimeoutExpired:
                self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def url(self):
        return f"postgresql://test@/postgres?host={self.folder}&port={self.port}"

    @property
    def tcp_url(self):
        return f"postgresql://test@127.0.0.1:{self.port}/postgres?sslmode=disable"

    @property
    def tls_url(self):
        return f"postgresql://test@127.0.0.1:{self.port}/postgres?sslmode=require"

    def start(self):
        flags = [f"--{name}={value}" for name, value in self.settings.items()]
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [self.programs / "postgres", "-D", self.folder / "data", "-k", self.folder, "-p", str(self.port), *flags],
                stdout=log, stderr=log, cwd=self.folder, start_new_session=True, **self.identity)
        end = time.monotonic() + READY_SECONDS_MAX
        while not self._ready():
            if self.process.poll() is not None or time.monotonic() > end:
                raise AssertionError("PostgreSQL does not start:\n" + (self.folder / "log").read_text())
            time.sleep(0.05)

    def kill(self):
        """As a power cut would: every process of it."""
        if self.process is not None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self._wait_for_backends()
            self.process = None

    def restart(self, end=signal.SIGINT, away_seconds=0):
        """Ends the server by that signal, SIGINT being a fast shutdown, and starts it again after that time."""
        if end == signal.SIGKILL:
            self.kill()
        else:
            self.process.send_signal(end)
            self.process.wait(READY_SECONDS_MAX)
        time.sleep(away_seconds)
        self.start()

    def query(self, text):
        """Rows as lists of texts."""
        printed = self._run("psql", "--no-psqlrc", "--tuples-only", "--no-align", "--field-separator", "\t",
                            "--set", "ON_ERROR_STOP=1", "--dbname", self.url, "--command", text)
        return [line.split("\t") for line in printed.splitlines()]

    def load(self, script):
        self._run("psql", "--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", "--dbname", self.url, text=script)

    def _ready(self):
        return subprocess.run([self.programs / "psql", "--no-psqlrc", "--dbname", self.url, "--command", "select 1"],
                              capture_output=True, check=False).returncode == 0

    def _make_certificate(self):
        """Where the server looks for it, readable by nobody else, as it wants."""
        key, certificate = self.folder / "data/server.key", self.folder / "data/server.crt"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2",
                        "-keyout", key, "-out", certificate], check=True, capture_output=True, umask=0o077,
                       **self.identity)

    def _run(self, program, *arguments, text=None):
        done = subprocess.run([self.programs / program, *arguments], input=text, capture_output=True, text=True,
                              cwd=self.folder, check=False, **self.identity)
        if done.returncode != 0:
            raise AssertionError(f"{program}: {done.stderr}")
        return done.stdout

    def _wait_for_backends(self):
        """Backends make process groups of their own; they end when they see that their parent has."""
        pattern = str(self.folder / "data")
        pid_file = self.folder / "data" / "postmaster.pid"
        end = time.monotonic() + READY_SECONDS_MAX
        while self._backends(pattern) and time.monotonic() < end:
            time.sleep(0.02)
        pid_file.unlink(missing_ok=True)  # its number may be another process's by now

    @staticmethod
    def _backends(folder):
        found = []
        for entry in glob.glob("/proc/[0-9]*"):
            try:
                if os.readlink(entry + "/cwd") == folder:
                    found.append(int(entry.rsplit("/", 1)[1]))
            except OSError:
                pass  # it has ended, or is not ours
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return found


def installed():
    return folder_of_programs() is not None


if __name__ == "__main__":
    if not installed():
        print("PostgreSQL is not installed: skipped")
        sys.exit(77)
    with PrivatePostgres() as private:
        environment = {**os.environ, "DATABASE_URL": private.url, "TEST_DATABASE_TCP_URL": private.tcp_url,
                       "TEST_DATABASE_TLS_URL": private.tls_url}
        status = subprocess.run(sys.argv[1:], env=environment, check=False).returncode
    sys.exit(status)
