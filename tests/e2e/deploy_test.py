#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The files of config/deploy: what reads them takes them, their flags are ours, and HAProxy hides restarts.

Usage: deploy_test.py FOLDER_OF_PROGRAMS; VOLT_TEST_IO chooses the reactor. Skips what needs a tool that is not here.
"""

import contextlib
import os
import pathlib
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import urllib.request

from restart_test import Load, check, eventually
from server_process import Server

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from ports import free_port  # pylint: disable=wrong-import-position

IO = os.environ.get("VOLT_TEST_IO", "auto")
HELLO = pathlib.Path(sys.argv[1], "hello")
DEPLOY = pathlib.Path(__file__).parents[2] / "config/deploy"
EXPOSURE_MAX = 15  # of systemd-analyze, in tenths; 40 is still "ok" to it
KUBERNETES_DELAY = 5  # drain.delay there, in seconds


def run(*command):
    ended = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=60)
    return ended.returncode, ended.stdout + ended.stderr


def seconds(text):
    return int(re.fullmatch(r"(\d+)s", text)[1])


def takes(flags, program=HELLO):
    check(run(program, *flags, "--check-config") == (0, "the configuration is valid\n"), flags)


def words_of(text):
    return [word.strip().strip('"') for word in text.split(",")]


def default_grace():
    return seconds(re.search(r'^grace = "(\w+)"$', run(HELLO, "--print-config")[1], re.MULTILINE)[1])


def test_the_unit_is_one():
    unit = (DEPLOY / "volt-hello.service").read_text()
    settings = dict(re.findall(r"^(\w+)=(.*)$", unit, re.MULTILINE))
    takes(shlex.split(settings["ExecStart"])[1:])
    check(seconds(settings["TimeoutStopSec"]) > default_grace(), "systemd kills what still drains")
    if shutil.which("systemd-analyze") is None:
        print("no systemd-analyze here: skipped")
        return
    with tempfile.TemporaryDirectory() as folder:
        service = pathlib.Path(folder, "volt-hello.service")
        service.write_text(unit.replace("/usr/local/bin/hello", "/bin/true"))  # verify wants to see the program
        shutil.copy(DEPLOY / "volt-hello.socket", folder)
        status, said = run("systemd-analyze", "verify", service, pathlib.Path(folder, "volt-hello.socket"))
        check(status == 0 and not re.search(r"^\S*volt-hello", said, re.MULTILINE), said)
        status, said = run("systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE_MAX}", service)
        check(status == 0, said)


def pod_drains_in_time(manifest, program):
    flags = words_of(re.search(r"args: \[(.*)\]", manifest)[1])
    takes(flags, program)
    period = int(re.search(r"terminationGracePeriodSeconds: (\d+)", manifest)[1])
    grace = seconds(flags[flags.index("--drain.grace") + 1])
    check(KUBERNETES_DELAY + grace < period, f"{KUBERNETES_DELAY} and {grace} s of {period}")


def test_the_pod_drains_in_time():
    pod_drains_in_time((DEPLOY / "kubernetes.yaml").read_text(), HELLO)


def test_the_replicas_of_the_board_drain_in_time():
    """And compose.yaml has the replicas that haproxy.cfg names, with settings that the board has."""
    os.environ |= {"BOARD_COOKIE_SECRET": 32 * "x"}
    board = pathlib.Path(sys.argv[1], "board")
    pod_drains_in_time((DEPLOY / "board/kubernetes.yaml").read_text(), board)
    compose = (DEPLOY / "board/compose.yaml").read_text()
    flags = words_of(re.search(r"command: \[board, (.*)\]", compose)[1])
    takes(flags, board)
    delay, grace = (seconds(flags[flags.index(name) + 1]) for name in ("--drain.delay", "--drain.grace"))
    period = seconds(re.search(r"stop_grace_period: (\w+)", compose)[1])
    check(delay + grace < period, f"{delay} and {grace} s of {period}")
    balancer = (DEPLOY / "board/haproxy.cfg").read_text()
    interval = seconds(re.search(r"BOARD_CHECK_INTERVAL-(\w+)", balancer)[1])
    check(delay > int(re.search(r" fall (\d+)", balancer)[1]) * interval, "HAProxy learns of the drain too late")
    replicas = re.findall(r"^  (\w+): \*board$", compose, re.MULTILINE)
    check(replicas == re.findall(r"^  server .*-(\w+):8080}", balancer, re.MULTILINE), replicas)
    known = run(board, "--help")[1]
    for text in (compose, (DEPLOY / "board/kubernetes.yaml").read_text()):
        for name in set(re.findall(r"BOARD_[A-Z_]+(?=[:,] )", text)):
            flag = "--board." + name.removeprefix("BOARD_").lower().replace("_", "-")
            check(f"{flag} " in known, name)
    if shutil.which("haproxy"):
        check(run("haproxy", "-c", "-f", DEPLOY / "board/haproxy.cfg")[0] == 0, "as it is, without an environment")


def ops_port(server):
    return int(re.search(r"ops endpoint available at \S*:(\d+)", server.log)[1])


class Balancer:
    """The HAProxy of haproxy.cfg in front of two servers; `port` is its own."""

    def __init__(self, servers):
        self.port = free_port()
        self.environment = {**os.environ, "VOLT_FRONTEND": f"127.0.0.1:{self.port}"}
        for name, server in zip(("VOLT_BACKEND_ONE", "VOLT_BACKEND_TWO"), servers):
            self.environment |= {name: f"127.0.0.1:{server.port}", f"{name}_OPS": str(ops_port(server))}

    def __enter__(self):
        command = ["haproxy", "-db", "-q", "-f", str(DEPLOY / "haproxy.cfg")]
        self.process = subprocess.Popen(command, env=self.environment, stderr=subprocess.DEVNULL)
        eventually(self._serves, lambda: "HAProxy serves")
        return self

    def _serves(self):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)) as client:
            client.sendall(b"GET /plaintext HTTP/1.0\r\n\r\n")
            return b" 200 OK" in client.recv(64)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def hello(port=0, ops=0):
    return Server(HELLO, "--ops", f"127.0.0.1:{ops}", "--drain.delay", "3s", io=IO, listen=f"127.0.0.1:{port}")


def has_served(server):
    with urllib.request.urlopen(f"http://127.0.0.1:{ops_port(server)}/metrics", timeout=30) as answer:
        return b"\nhttp_server_request_duration_seconds_count" in answer.read()


def test_a_restart_behind_haproxy_is_not_seen():
    if shutil.which("haproxy") is None:
        print("no HAProxy here: skipped")
        return
    check(run("haproxy", "-c", "-f", DEPLOY / "haproxy.cfg")[0] == 0, "as it is, without an environment")
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(hello()) for _ in range(2)]
        front = stack.enter_context(Balancer(servers))
        with Load(front.port) as load:
            for server in servers:
                server.terminate()
                check(server.wait() == 0, server.log)
                again = stack.enter_context(hello(server.port, ops_port(server)))
                eventually(lambda: has_served(again), lambda: "HAProxy takes it back")
        print(f"{load.answered} answered, {len(load.lost)} lost, worst pause {load.worst:.3f} s")
        check(not load.lost and load.answered > 100, f"{load.answered} answered, lost: {load.lost[:5]}")


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"{name}: ok", flush=True)
