# SPDX-License-Identifier: MIT
"""Measures servers alternately (A B A B ...), and compares them round by round.

Server and client share the machine, so throughput depends on the client as much as on the server. The figure to compare
is the server's CPU time per request.
"""

import argparse
import contextlib
import os
import pathlib
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import typing

import scenarios
from server_process import Server, ServerError

WARM_UP_S = 1
KEYS = {"ecdsa": ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"], "rsa": ["rsa:2048"]}


class Round(typing.NamedTuple):
    cpu_us: float  # CPU time of the server per request
    both_us: float  # CPU time of server and client per request
    rate: float  # requests per second
    p50_us: float  # 0 if the client does not measure it
    p99_us: float  # 0 if the client does not measure it
    errors: int  # failed sockets, and responses without success
    rss_mib: float
    database_us: float = 0  # CPU time of the database per request; 0 if there is no database
    p999_us: float = 0  # 0 if the client does not measure it
    late_p99_us: float = 0  # how late the client itself was; 0 if it does not measure it


def load(port, scenario, seconds, build):
    command = scenario.client(scenario, port, seconds, build)
    try:
        ended = subprocess.run(command, check=False, capture_output=True, text=True)
    except OSError as error:
        raise ServerError(f"{command[0]} cannot be run: {error}") from error
    for line in ended.stdout.splitlines():
        if line.startswith("figures "):
            return {name: int(value) for name, value in (item.split("=") for item in line.split()[1:])}
    raise ServerError(f"{command[0]} printed no figures: {ended.stdout}{ended.stderr}")


@contextlib.contextmanager
def background_connections(port, arguments):
    """Runs background_connections.py beside the client. Its CPU time is not counted."""
    if not arguments:
        yield
        return
    command = [sys.executable, str(scenarios.HERE / "background_connections.py"), str(port), *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as beside:
        try:
            if beside.stdout.readline() != "ready\n":
                raise ServerError(f"does not accept the background connections {' '.join(arguments)}")
            yield
        finally:
            beside.stdin.close()  # ends background_connections.py
        if beside.wait() != 0:
            raise ServerError(f"closed one of the background connections {' '.join(arguments)}")


def database_cpu_seconds(options):
    return options.database.cpu_seconds() if options.database else 0


def own_children_cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(peer, scenario, options):
    """Measures once. Returns the command line of the server, and a Round."""
    with Server(peer, scenario, options) as server, background_connections(server.port, scenario.background_connections):
        load(server.port, scenario, WARM_UP_S, options.build)
        server_before, client_before = server.cpu_seconds(), own_children_cpu_seconds()
        database_before = database_cpu_seconds(options)
        figures = load(server.port, scenario, options.seconds + scenario.seconds_more, options.build)
        server_s = server.cpu_seconds() - server_before
        client_s = own_children_cpu_seconds() - client_before
        database_s = database_cpu_seconds(options) - database_before
        requests = max(figures["requests"], 1)
        return server.command, Round(
            cpu_us=server_s * 1e6 / requests,
            both_us=(server_s + client_s) * 1e6 / requests,
            rate=requests * 1e6 / figures["us"],
            p50_us=figures["p50_us"] if scenario.depth == 1 else 0,  # wrk's are wrong for pipelined requests
            p99_us=figures["p99_us"] if scenario.depth == 1 else 0,
            errors=figures["errors"],
            rss_mib=server.resident_mib(),
            database_us=database_s * 1e6 / requests,
            p999_us=figures.get("p999_us", 0),
            late_p99_us=figures.get("late_p99_us", 0),
        )


def in_turns(scenario, servers, options, say):
    """Measures the peers `servers` alternately. Returns {name: [Round]}, {name: command line} and {name: error}; a peer
    with an error is left out of the others."""
    results, commands, failures = {name: [] for name in servers}, {}, {}
    for number in range(1, options.rounds + 1):
        for name in list(results):
            say(f"{scenario.title}: round {number} of {options.rounds}, {name}")
            try:
                commands[name], figures = measure(servers[name], scenario, options)
                results[name].append(figures)
            except ServerError as error:
                failures[name] = str(error)
                del results[name]
    return results, commands, failures


def spread(values):
    """Returns the distance between the quartiles; between the extremes if there are fewer than four values."""
    if len(values) < 4:
        return max(values) - min(values)
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return high - low


def compare(ours, theirs):
    """Returns the median of the ratios of each round; "noise" if the medians differ by no more than the spread; "-" for
    a single round, which has no spread."""
    if len(ours) < 2 or len(theirs) < 2:
        return "-"
    difference = abs(statistics.median(ours) - statistics.median(theirs))
    if max(spread(ours), spread(theirs)) >= difference or min(theirs) == 0:
        return "noise"
    return f"{statistics.median(a / b for a, b in zip(ours, theirs)):.2f}"


def medians(rounds):
    return Round(*(statistics.median(values) for values in zip(*rounds)))


def make_certificate(folder, kind):
    certificate, key = f"{folder}/{kind}.pem", f"{folder}/{kind}.key"
    command = ["openssl", "req", "-x509", "-newkey", *KEYS[kind], "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    subprocess.run([*command, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    return certificate, key


@contextlib.contextmanager
def prepared(options, key="ecdsa"):
    """Adds options.files (a folder), options.certificate and options.key, and raises the limit of descriptors, which
    child processes inherit. On SIGTERM the program exits in good order, so that its servers are stopped."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with tempfile.TemporaryDirectory(prefix="volt-loadtest-") as folder:
        pathlib.Path(folder).chmod(0o755)  # nginx's workers run as another user
        files = os.path.join(folder, "files")
        os.mkdir(files)
        scenarios.make_files(files)
        options.files = files
        options.database = None  # set within database.beside()
        options.certificate, options.key = make_certificate(folder, key)
        yield


def chosen(text, known):
    """Returns the names of a comma-separated list. Exits if one is not in `known`."""
    names = text.split(",")
    if unknown := [name for name in names if name not in known]:
        raise SystemExit(f"unknown: {', '.join(unknown)}; choose from {', '.join(known)}")
    return names


def arguments(description, scenario_names, peer_names):
    """Returns a parser with the flags that all programs here have."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenarios", default=",".join(scenario_names), help="default: %(default)s")
    parser.add_argument("--peers", default=",".join(peer_names), help="default: %(default)s")
    parser.add_argument("--rounds", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--seconds", type=int, default=2, help="seconds of each run; default: %(default)s")
    parser.add_argument("--workers", type=int, default=2, help="workers of each server; default: %(default)s")
    parser.add_argument("--io", default="auto", choices=("auto", "uring", "epoll"), help="Volt's engine")
    parser.add_argument("--build", default="build/release",
                        help="build folder with bin/loadtest_server and bin/heavy_driver; default: %(default)s")
    return parser
