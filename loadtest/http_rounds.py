#!/usr/bin/env python3
"""Drives wrk against our hello and its peers in turns (A B A B ...), and compares pair by pair.

Server and client share the machine, so throughput says as much about wrk as about the server; what counts is the
server's processor time a request. A ratio is only given where it exceeds the spread within either server; else it is
"noise".
"""

import argparse
import pathlib
import resource
import statistics
import subprocess
import typing

import peers
import server_process

HERE = pathlib.Path(__file__).resolve().parent
WARM_UP_S = 1


class Round(typing.NamedTuple):
    cpu_us: float  # server's, a request
    both_us: float  # server's and the client's, a request
    rate: float  # requests a second
    p99_us: float
    errors: int  # of sockets, and answers that are no success
    rss_mib: float


def wrk(url, scenario, seconds):
    """The command line of a client: it prints a line of figures, as pipelining.lua does."""
    command = ["wrk", "-t2", f"-c{scenario.connections}", f"-d{seconds}s", "-s", str(HERE / "pipelining.lua")]
    return [*command, url, "--", str(scenario.depth)]


class Scenario(typing.NamedTuple):
    connections: int
    depth: int  # requests sent at a time on one connection
    path: str = peers.PATH
    body: bytes = peers.BODY
    scheme: str = "http"
    client: typing.Callable = wrk


SCENARIOS = {
    "64": Scenario(64, 1),
    "512": Scenario(512, 1),
    "64x16": Scenario(64, 16),
}


def load(port, scenario, seconds):
    command = scenario.client(f"{scenario.scheme}://127.0.0.1:{port}{scenario.path}", scenario, seconds)
    ended = subprocess.run(command, check=False, capture_output=True, text=True)
    for line in ended.stdout.splitlines():
        if line.startswith("figures "):
            return {name: int(value) for name, value in (item.split("=") for item in line.split()[1:])}
    raise SystemExit(f"{command[0]} gave no figures: {ended.stdout}{ended.stderr}")


def own_children_cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(name, scenario, options):
    with server_process.Server(name, options, scenario) as server:
        load(server.port, scenario, WARM_UP_S)
        server_before, client_before = server.cpu_seconds(), own_children_cpu_seconds()
        figures = load(server.port, scenario, options.seconds)
        server_s = server.cpu_seconds() - server_before
        client_s = own_children_cpu_seconds() - client_before
        requests = max(figures["requests"], 1)
        return Round(
            cpu_us=server_s * 1e6 / requests,
            both_us=(server_s + client_s) * 1e6 / requests,
            rate=requests * 1e6 / figures["us"],
            p99_us=figures["p99_us"],
            errors=figures["errors"],
            rss_mib=server.resident_mib(),
        )


def spread(values):
    """Between the quartiles; of fewer than four values, between the ends."""
    if len(values) < 4:
        return max(values) - min(values)
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return high - low


def compare(ours, theirs):
    """The median of the ratios, round by round, or "noise"."""
    difference = abs(statistics.median(ours) - statistics.median(theirs))
    if max(spread(ours), spread(theirs)) >= difference:
        return "noise"
    return f"{statistics.median(a / b for a, b in zip(ours, theirs)):.3f}"


def print_scenario(name, scenario, results):
    print(f"\n{name}: {scenario.connections} connections" + (f", {scenario.depth} pipelined" * (scenario.depth > 1)))
    print(f"{'server':<10}{'CPU us/req':>11}{'+client':>8}{'req/s':>10}{'p99 us':>8}{'errors':>7}{'MiB':>6}{'spread':>8}")
    for server, rounds in results.items():
        medians = Round(*(statistics.median(values) for values in zip(*rounds)))
        # wrk's percentiles are wrong where it pipelines; other clients have none.
        p99 = f"{medians.p99_us:8.0f}" if scenario.depth == 1 and medians.p99_us else f"{'-':>8}"
        errors = sum(each.errors for each in rounds)
        width = spread([each.cpu_us for each in rounds]) / medians.cpu_us if medians.cpu_us else 0
        print(
            f"{server:<10}{medians.cpu_us:11.2f}{medians.both_us:8.2f}{medians.rate:10.0f}{p99}{errors:7}"
            f"{medians.rss_mib:6.1f}{width:8.1%}"
        )
    ours = results.get("volt")
    for server, rounds in results.items():
        if server != "volt" and ours:
            cpu = compare([each.cpu_us for each in ours], [each.cpu_us for each in rounds])
            rate = compare([each.rate for each in ours], [each.rate for each in rounds])
            print(f"volt / {server}: CPU a request {cpu}, requests a second {rate}", flush=True)


def arguments(description, servers):
    """A parser of what all such programs take; `servers` are functions as in peers.py."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--servers", default=",".join(servers), help="of: " + ", ".join(servers))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=4, help="of each run")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--io", default="auto", choices=("auto", "uring", "epoll"), help="ours")
    parser.add_argument("--build", default="build/release", help="where bin is, with our programs")
    parser.set_defaults(peers=servers)
    return parser


def main():
    parser = arguments(__doc__, peers.PEERS)
    parser.add_argument("--scenarios", default=",".join(SCENARIOS), help="of: " + ", ".join(SCENARIOS))
    options = parser.parse_args()
    run({name: SCENARIOS[name] for name in options.scenarios.split(",")}, options)


def run(scenarios, options):
    for name, scenario in scenarios.items():
        results = {server: [] for server in options.servers.split(",")}
        for _ in range(options.rounds):
            for server, rounds in results.items():
                rounds.append(measure(server, scenario, options))
        print_scenario(name, scenario, results)
    print(f"\nmedians of {options.rounds} rounds of {options.seconds} s; server and client on the same processors")


if __name__ == "__main__":
    main()
