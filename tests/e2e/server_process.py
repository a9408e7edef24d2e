# SPDX-License-Identifier: MIT
"""A program of ours that serves, started on a free port and ended with the test."""

import os
import re
import signal
import subprocess
import threading

READY_SECONDS_MAX = 120  # sanitizers on a busy machine
DRAIN_SECONDS_MAX = 30


class Server:
    """`with Server(path, io="epoll") as server:` leaves by SIGTERM and wants that exit status. Only with
    `refuses_late` does the server refuse requests that have waited for long: on a slow machine any may."""

    def __init__(self, program, *flags, io="auto", workers=2, listen="127.0.0.1:0", status=0, environment=None,
                 folder=None, refuses_late=False):
        self.status = status
        self.folder = folder
        place = ["--listen", listen] if listen else []  # None: only where the flags say
        self.command = [str(program), *place, "--io", io, "--workers", str(workers), *flags]
        patient = {} if refuses_late else {"VOLT_SERVER_QUEUE_DELAY_MAX": "0ms", "VOLT_SERVER_HEAVY_DELAY_MAX": "0ms"}
        self.environment = {**os.environ, **patient, **(environment or {})}
        self.lines = []

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stderr=subprocess.PIPE, text=True, env=self.environment,
                                        cwd=self.folder)
        ready = threading.Event()
        self.reader = threading.Thread(target=self._read, args=(ready,), daemon=True)
        self.reader.start()
        if not ready.wait(READY_SECONDS_MAX) or self.port is None:
            self.process.kill()
            raise AssertionError(f"{' '.join(self.command)} does not listen:\n" + "".join(self.lines))
        return self

    port = None

    def _read(self, ready):
        for line in self.process.stderr:
            self.lines.append(line)
            if match := re.search(r'listening on [^\s"]*:(\d+)', line):
                self.port = int(match[1])
                ready.set()
        ready.set()  # it ended

    @property
    def log(self):
        return "".join(self.lines)

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    def wait(self):
        status = self.process.wait(DRAIN_SECONDS_MAX)
        self.reader.join(DRAIN_SECONDS_MAX)  # a replacement may have the log as well
        return status

    def __exit__(self, kind, error, trace):
        if self.process.poll() is None:
            self.terminate()
        try:
            status = self.wait()
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError("the server did not drain:\n" + self.log)
        if kind is None and status != self.status:
            raise AssertionError(f"the server left with status {status}:\n{self.log}")
