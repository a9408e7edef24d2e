# SPDX-License-Identifier: MIT
"""The board (apps/board) as it is deployed: HAProxy with config/deploy/board, three replicas, PostgreSQL and Redis."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import urllib.request

from measure import IO, Server, check, eventually

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import private_postgres  # noqa: E402 pylint: disable=wrong-import-position
import private_redis  # noqa: E402 pylint: disable=wrong-import-position
from ports import free_port  # noqa: E402 pylint: disable=wrong-import-position

BALANCER = pathlib.Path(__file__).resolve().parents[2] / "config/deploy/board/haproxy.cfg"
NAMES = ("ONE", "TWO", "THREE")  # of the servers there


def missing():
    """What is not installed here; empty: nothing."""
    found = {"HAProxy": shutil.which("haproxy"), "PostgreSQL": private_postgres.installed(),
             "Redis": private_redis.installed()}
    return ", ".join(name for name, there in found.items() if not there)


class Replica:
    """One process of the board, always on its own two ports."""

    def __init__(self, program, environment, drain_delay):
        self.program, self.environment = program, environment
        self.port, self.ops = free_port(), free_port()
        self.flags = ["--ops", f"127.0.0.1:{self.ops}", "--drain.delay", f"{drain_delay}s", "--log.levels", "access=warning"]
        self.server = None

    def start(self):
        server = Server(self.program, *self.flags, io=IO, listen=f"127.0.0.1:{self.port}", environment=self.environment)
        self.server = server.__enter__()

    def kill(self):
        self.server.process.kill()
        self.server.wait()
        self.server = None

    def stop(self):
        """As an operator does: the replica drains, and must leave with 0."""
        server, self.server = self.server, None
        if server:
            server.__exit__(None, None, None)

    def has_served(self):
        """Whether the balancer uses it."""
        with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{self.ops}/metrics", timeout=10) as answer:
            return b"\nhttp_server_request_duration_seconds_count" in answer.read()
        return False


class Balancer:
    def __init__(self, replicas, check_interval):
        self.port = free_port()
        self.environment = {**os.environ, "BOARD_FRONTEND": f"127.0.0.1:{self.port}",
                            "BOARD_CHECK_INTERVAL": check_interval}
        for name, replica in zip(NAMES, replicas):
            self.environment |= {f"BOARD_{name}": f"127.0.0.1:{replica.port}", f"BOARD_{name}_OPS": str(replica.ops)}

    def __enter__(self):
        self.process = subprocess.Popen(["haproxy", "-db", "-q", "-f", str(BALANCER)], env=self.environment,
                                        stderr=subprocess.DEVNULL)
        eventually(self._serves, "HAProxy does not serve")
        return self

    def _serves(self):
        check(self.process.poll() is None, "HAProxy ended")
        with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{self.port}/posts", timeout=10):
            return True
        return False

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


class Cluster:
    """`with Cluster(program, ..) as cluster:` starts all of it; `cluster.port` is that of the balancer."""

    def __init__(self, program, check_interval, drain_delay):
        # A commit and a reply of Redis are in the files of the machine when the client learns of them.
        self.postgres = private_postgres.PrivatePostgres(synchronous_commit="on")
        self.redis = private_redis.PrivateRedis(appendonly="yes", appendfsync="always")
        self.program, self.check_interval, self.drain_delay = program, check_interval, drain_delay
        self.replicas = []

    def __enter__(self):
        self.stack = contextlib.ExitStack()
        with self.stack:  # unless all of it has started
            self.stack.enter_context(self.postgres)
            self.stack.enter_context(self.redis)
            environment = {"DATABASE_URL": self.postgres.tcp_url, "REDIS_URL": self.redis.tcp_url,
                           "BOARD_COOKIE_SECRET": "0123456789abcdef0123456789abcdef", "BOARD_PLAIN_HTTP": "true",
                           "BOARD_PROXIES": "127.0.0.1", "BOARD_REPLICAS": "3", "BOARD_LOGIN_BURST": "100000",
                           "BOARD_JOB_TIMEOUT": "1s"}
            self.replicas = [Replica(self.program, environment, self.drain_delay) for _ in NAMES]
            self.stack.callback(self._stop)
            self._start_together()
            self.port = self.stack.enter_context(Balancer(self.replicas, self.check_interval)).port
            self.stack = self.stack.pop_all()
        return self

    def __exit__(self, *_):
        self.stack.close()

    def _start_together(self):
        """All of them find an empty database, which one of them migrates."""
        starts = [threading.Thread(target=replica.start) for replica in self.replicas]
        for start in starts:
            start.start()
        for start in starts:
            start.join()
        check(all(replica.server for replica in self.replicas), "a replica did not start")

    def _stop(self):
        for replica in self.replicas:
            replica.stop()
