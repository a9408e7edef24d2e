# SPDX-License-Identifier: MIT
"""The scenarios: the requests that the servers get, and the client that sends them.

A client is a program that sends requests for some seconds and then prints a line, "figures requests=N us=N errors=N
p50_us=N p99_us=N": the number of responses and the elapsed time, with p999_us=N if it measures that. Percentiles that it
does not measure are 0.
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
PACED_RATES = (400, 4_000, 40_000, 60_000)  # requests a second; the last two: about half and 80 % of a worker
WORK_RATES = {5: 50_000, 50: 12_000, 500: 1_400}  # by microseconds of work; with its own cost, about 70 % of a processor
QUERIES = 20


def wrk(scenario, port, seconds, build):
    del build
    command = ["wrk", "-t2", f"-c{scenario.connections}", f"-d{seconds}s", "-s", str(HERE / "requests.lua")]
    values = (scenario.depth, scenario.upload_bytes, scenario.requests_per_connection)
    return [*command, url(scenario, port), "--", *map(str, values)]


def url(scenario, port):
    return f"{'https' if scenario.tls else 'http'}://127.0.0.1:{port}{scenario.path}"


def paced(rate):
    """Returns a client with an open loop: `rate` requests per second, over scenario.connections in turn."""

    def command(scenario, port, seconds, build):
        words = (port, scenario.path, rate, scenario.connections, seconds)
        return [f"{build}/bin/heavy_driver", "paced", *map(str, words)]

    return command


def beside_heavy(rate, heavy):
    """Returns a client with an open loop: each of scenario.connections sends `rate` requests per second, beside `heavy`
    connections that request computations."""

    def command(scenario, port, seconds, build):
        del build
        flags = {"light": scenario.connections, "rate": rate, "heavy": heavy, "us": HEAVY_US, "seconds": seconds}
        program = [sys.executable, str(HERE / "skew.py"), f"127.0.0.1:{port}", "--figures"]
        return program + [word for name, value in flags.items() for word in (f"--{name}", str(value))]

    return command


def websocket(scenario, port, seconds, build):
    del build
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
    requests_per_connection: int = 0  # on average; 0: connections stay open
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
    "connect": Scenario("64 connections at a time, one for each request", requests_per_connection=1),
    "connect-10": Scenario(
        "64 connections at a time, one for each ten requests", requests_per_connection=10
    ),
    "64x16": Scenario("64 connections, 16 requests pipelined", depth=16),
    "json": Scenario(
        "64 connections, JSON", can=("json",), path="/json", kind="application/json",
        body=b'{"message":"Hello, World!"}',
    ),
    "routes": Scenario(
        "64 connections, one of 500 routes with two parameters, behind three middlewares", can=("routes",),
        path="/shop/kind347/tools/items/42",
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
    **{
        f"paced-{rate}": Scenario(
            f"{rate:,} requests a second over 64 connections, open loop", client=paced(rate),
            judged_by=("cpu_us", "p99_us"), seconds_more=2,
        )
        for rate in PACED_RATES
    },
    **{
        f"work-{us}": Scenario(
            f"{rate:,} requests a second, open loop, whose handlers compute for {us} us", can=("plaintext", "work"),
            path=f"/work?us={us}", body=b"done", client=paced(rate), judged_by=("cpu_us", "p99_us"), seconds_more=2,
        )
        for us, rate in WORK_RATES.items()
    },
    "skew": Scenario(
        f"{LIGHT * LIGHT_RATE:,} light requests a second, open loop, beside handlers that compute for 50 ms",
        can=("plaintext", "work"), connections=LIGHT, client=beside_heavy(LIGHT_RATE, 1), judged_by=("p99_us",),
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
