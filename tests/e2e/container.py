# SPDX-License-Identifier: MIT
"""Containers of the image of this repository, by the client of Docker, which finds its daemon as always."""

import datetime
import http.client
import json
import re
import shutil
import subprocess
import time

WAIT_SECONDS_MAX = 60
PORT = 8080  # inside


def docker(*words, check=True, timeout=300):
    """What it writes to stdout."""
    ended = subprocess.run(["docker", *map(str, words)], capture_output=True, text=True, timeout=timeout)
    if check and ended.returncode != 0:
        raise AssertionError(f"docker {' '.join(map(str, words))}: status {ended.returncode}\n{ended.stderr}")
    return ended.stdout


def why_no_docker():
    """None if there is a daemon, and the image that ours begins with."""
    if shutil.which("docker") is None:
        return "no docker here"
    try:
        if not docker("version", "--format", "{{.Server.Version}}", check=False, timeout=30).strip():
            return "no Docker daemon here"
    except subprocess.TimeoutExpired:
        return "the Docker daemon does not answer"
    base = "debian:trixie-slim"
    if not docker("image", "ls", "--quiet", base) and not docker("pull", "--quiet", base, check=False):
        return f"no {base} here, and no registry"
    return None


def eventually(condition, what):
    deadline = time.monotonic() + WAIT_SECONDS_MAX
    while time.monotonic() < deadline:
        if result := condition():
            return result
        time.sleep(0.02)
    raise AssertionError(f"in vain: {what()}")


class Container:
    """`with Container(image, "hello", options=["--read-only"]) as container:` is one that runs; it leaves by SIGTERM
    and wants that exit status."""

    def __init__(self, image, *command, options=(), status=0):
        self.image, self.command, self.options, self.status = image, command, options, status

    def __enter__(self):
        place = ["--publish", f"127.0.0.1::{PORT}"]
        self.name = docker("create", *place, *self.options, self.image, *self.command).strip()
        try:
            self.start()
        except BaseException:
            docker("rm", "--force", "--volumes", self.name)
            raise
        return self

    def start(self):
        docker("start", self.name)
        published = docker("port", self.name, PORT, check=False)  # nothing, if it has ended, or in the host's network
        self.port = int(published.rsplit(":", 1)[1]) if published else None

    def first_answer(self):
        """The status at /, and the seconds since its process was started."""
        def answer():
            if self.port is None or not self.inspect("State.Running"):
                raise AssertionError(f"it has ended with status {self.inspect('State.ExitCode')}:\n{self.log}")
            try:
                return self.ask("GET", "/")[0]
            except (OSError, http.client.HTTPException):
                return None  # docker's own listener accepts before the program does
        status = eventually(answer, lambda: f"an answer of\n{self.log}")
        answered = datetime.datetime.now(datetime.UTC)
        started = datetime.datetime.fromisoformat(self.inspect("State.StartedAt"))
        return status, (answered - started).total_seconds()

    def ask(self, method, path, body=None, headers=None):
        """Status, fields, body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT_SECONDS_MAX)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    @property
    def log(self):
        ended = subprocess.run(["docker", "logs", self.name], capture_output=True, text=True, timeout=WAIT_SECONDS_MAX)
        return ended.stdout + ended.stderr

    def logged(self, pattern):
        return eventually(lambda: re.search(pattern, self.log), lambda: f"{pattern} in\n{self.log}")

    def inspect(self, path):
        return json.loads(docker("inspect", "--format", "{{json .%s}}" % path, self.name))

    def becomes(self, health):
        eventually(lambda: self.inspect("State.Health.Status") == health, lambda: self.inspect("State.Health"))

    def signal(self, name):
        docker("kill", "--signal", name, self.name)

    def wait(self):
        """Its exit status, once it has ended."""
        return int(docker("wait", self.name, timeout=WAIT_SECONDS_MAX))

    def stop(self):
        """By SIGTERM, as `docker stop` does; the seconds that takes."""
        began = time.monotonic()
        docker("stop", "--time", 10, self.name)
        return time.monotonic() - began

    def __exit__(self, kind, error, trace):
        try:
            if kind is not None:
                print(self.log)
                return
            took = self.stop()
            status = self.inspect("State.ExitCode")
            if status != self.status or took >= 10:
                raise AssertionError(f"ended with status {status} after {took:.1f} s:\n{self.log}")
        finally:
            docker("rm", "--force", "--volumes", self.name)
