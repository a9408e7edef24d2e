"""What the servers are asked for, and by which client.

A client is a program that asks for some seconds and then prints a line, "figures requests=N us=N errors=N p50_us=N
p99_us=N": what was answered, in which time; percentiles that it does not have are 0.
"""

import pathlib
import random
import sys
import typing

import database

HERE = pathlib.Path("loadtest")  # all of this is run in the root: commands are part of the results
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
    """Of scenario.connections, each of them `rate` a second, beside `heavy` connections."""

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
    can: tuple = ("plaintext",)  # what a peer must be able to, to take part
    path: str = "/plaintext"
    kind: str = "text/plain"
    body: bytes = b"Hello, World!"  # of the right answer
    right: typing.Callable = None  # whether a body is, where there are many that are
    connections: int = 64
    depth: int = 1  # requests sent at a time on one connection
    upload_bytes: int = 0
    reconnects: bool = False  # a connection for each request
    tls: bool = False
    background_connections: tuple = ()  # of connections that are there as well: arguments of background_connections.py
    client: typing.Callable = wrk
    seconds_more: int = 0  # of a run, where much of it is connecting, or there is little to count
    judged_by: tuple = ("cpu_us", "rate")  # the figures that say something here

    @property
    def needs_database(self):
        return "db" in self.can


def static(size, **more):
    return Scenario(f"a file of {size}", can=("static",), path=f"/static/{size}.txt", body=file_content(size), **more)


def file_content(size):
    """Text that nothing compresses by accident."""
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
    # What a socket takes is sent later, in the name of whoever the processor is with when there is room: much of it the
    # client, so that only both together say what a file costs.
    "static-10m": static("10m", judged_by=("cpu_us", "both_us", "rate")),
    "upload": Scenario(
        "16 connections that POST 1 MiB", can=("upload",), path="/upload", body=str(UPLOAD_BYTES).encode(),
        connections=16, upload_bytes=UPLOAD_BYTES,
    ),
    "websocket": Scenario(
        "64 WebSockets, one message of 16 bytes at a time", can=("websocket",), path="/websocket", client=websocket
    ),
}
OPTIONAL = ("static-10m",)  # not unless asked for
