# SPDX-License-Identifier: MIT
"""The scenarios: the requests that the servers get, and the client that sends them.

A client is a program that sends requests for some seconds and then prints a line, "figures requests=N us=N errors=N
p50_us=N p99_us=N": the number of responses and the elapsed time. Percentiles that it does not measure are 0.
"""

import pathlib
import random
import sys
import typing

import database

HERE = pathlib.Path("loadtest")  # relative to the root, where all scripts run, because commands are part of the results
FILES = {"1k": 1024, "64k": 64 * 1024, "10m": 10 * 1024 * 1024}
UPLOAD_BYTES = 2**20
LIGHT, LIGHT_RATE, HEAVY_US = 32, 50, 50_000
PACED, PACED_RATE = 64, 60
QUERIES = 20


def wrk(scenario, port, seconds):
    command = ["wrk", "-t2", f"-c{scenario.connections}", f"-d{seconds}s", "-s", str(HERE / "requests.lua")]
    if scenario.reconnects:
        command += ["-H", "Connection: close"]
    return [*command, url(scenario, port), "--", str(scenario.depth), str(scenario.upload_bytes)]


def url(scenario, port):
    return f"{'https' if scenario.tls else 'http'}://127.0.0.1:{port}{scenario.path}"


def open_loop(rate, heavy):
    """Returns a client with an open loop: each of scenario.connections sends `rate` requests per second, beside `heavy`
    connections that request computations."""

    def command(scenario, port, seconds):
        flags = {"light": scenario.connections, "rate": rate, "heavy": heavy, "us": HEAVY_US, "seconds": seconds}
        program = [sys.executable, str(HERE / "skew.py"), f"127.0.0.1:{port}", "--figures"]
        return program + [word for name, value in flags.items() for word in (f"--{name}", str(value))]

    return command


def websocket(scenario, port, seconds):
    program = str(HERE / "websocket_client.py")
    return [sys.executable, program, str(port), str(scenario.connections), str(seconds)]


class Scenario(typing.NamedTuple):
    title: str
    can: tuple = ("plaintext",)  # abilities that a peer must have to take part
    path: str = "/plaintext"
    kind: str = "text/plain"
    body: bytes = b"Hello, World!"  # the correct body
    right: typing.Callable = None  # if several bodies are correct: whether a body is
    connections: int = 64
    depth: int = 1  # requests that are pipelined on a connection
    upload_bytes: int = 0
    reconnects: bool = False  # a new connection for each request
    tls: bool = False
    background_connections: tuple = ()  # arguments of background_connections.py: kind and count
    client: typing.Callable = wrk
    seconds_more: int = 0  # added to each run that spends much time on connecting, or has few requests
    judged_by: tuple = ("cpu_us", "rate")  # the figures that are meaningful here

    @property
    def needs_database(self):
        return "db" in self.can


def static(size, **more):
    return Scenario(f"a file of {size}", can=("static",), path=f"/static/{size}.txt", body=file_content(size), **more)


def file_content(size):
    """Returns text that does not compress well."""
    return random.Random(size).randbytes(FILES[size] // 2).hex().encode()


def make_files(folder):
    for size in FILES:
        pathlib.Path(folder, f"{size}.txt").write_bytes(file_content(size))


SCENARIOS = {
    "64": Scenario("64 connections"),
    "512": Scenario("512 connections", connections=512),
    "4096": Scenario("4,096 connections", connections=4096, seconds_more=2),
    "connect": Scenario("64 connections at a time, one for each request", reconnects=True),
    "64x16": Scenario("64 connections, 16 requests pipelined", depth=16),
    "json": Scenario(
        "64 connections, JSON", can=("json",), path="/json", kind="application/json",
        body=b'{"message":"Hello, World!"}',
    ),
    "db": Scenario(
        "64 connections, one row of a database", can=("db",), path="/db", kind="application/json",
        right=database.is_one_row,
    ),
    "db-20": Scenario(
        f"64 connections, {QUERIES} rows by a query each", can=("db",), path=f"/queries?queries={QUERIES}",
        kind="application/json", right=database.are_rows(QUERIES),
    ),
    "idle": Scenario("64 connections beside 10,000 that idle", background_connections=("idle", "10000")),
    "slow": Scenario("64 connections beside 500 that send 4 bytes each 100 ms", background_connections=("slow", "500")),
    "paced": Scenario(
        f"{PACED * PACED_RATE:,} requests a second over {PACED} connections, open loop", connections=PACED,
        client=open_loop(PACED_RATE, 0), judged_by=("cpu_us", "p99_us"), seconds_more=2,
    ),
    "skew": Scenario(
        f"{LIGHT * LIGHT_RATE:,} light requests a second, open loop, beside handlers that compute for 50 ms",
        can=("plaintext", "work"), connections=LIGHT, client=open_loop(LIGHT_RATE, 1), judged_by=("p99_us",),
    ),
    "tls": Scenario("64 connections with TLS that stay open", can=("plaintext", "tls"), tls=True),
    "static-1k": static("1k"),
    "static-64k": static("64k"),
    # The kernel sends a socket's buffer later, and charges the CPU time to the process that then runs, often the
    # client. So only the sum of server and client measures the cost of a file.
    "static-10m": static("10m", judged_by=("cpu_us", "both_us", "rate")),
    "upload": Scenario(
        "16 connections that POST 1 MiB", can=("upload",), path="/upload", body=str(UPLOAD_BYTES).encode(),
        connections=16, upload_bytes=UPLOAD_BYTES,
    ),
    "websocket": Scenario(
        "64 WebSockets, one message of 16 bytes at a time", can=("websocket",), path="/websocket", client=websocket
    ),
}
OPTIONAL = ("static-10m",)  # run only if named by --scenarios
