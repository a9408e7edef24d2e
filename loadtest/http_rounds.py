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


class Scenario(typing.NamedTuple):
    connections: int
    depth: int  # requests sent at a time on one connection
    path: str = peers.PATH
    body: bytes = peers.BODY


SCENARIOS = {
    "64": Scenario(64, 1),
    "512": Scenario(512, 1),
    "64x16": Scenario(64, 16),
}


class Round(typing.NamedTuple):
    cpu_us: float  # server's, a request
    both_us: float  # server's and wrk's, a request
    rate: float  # requests a second
    p99_us: float
    errors: int  # of sockets, and answers that are no success
    rss_mib: float


def wrk(port, scenario, seconds):
    command = ["wrk", "-t2", f"-c{scenario.connections}", f"-d{seconds}s", "-s", str(HERE / "pipelining.lua")]
    command += [f"http://127.0.0.1:{port}{scenario.path}", "--", str(scenario.depth)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for line in output.splitlines():
        if line.startswith("figures "):
            return {name: int(value) for name, value in (item.split("=") for item in line.split()[1:])}
    raise SystemExit(f"wrk said nothing: {output}")


def own_children_cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(name, scenario, options):
    with server_process.Server(name, options, scenario.path, scenario.body) as server:
        wrk(server.port, scenario, WARM_UP_S)
        server_before, wrk_before = server.cpu_seconds(), own_children_cpu_seconds()
        figures = wrk(server.port, scenario, options.seconds)
        server_s = server.cpu_seconds() - server_before
        wrk_s = own_children_cpu_seconds() - wrk_before
        requests = max(figures["requests"], 1)
        return Round(
            cpu_us=server_s * 1e6 / requests,
            both_us=(server_s + wrk_s) * 1e6 / requests,
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
    print(f"{'server':<10}{'CPU us/req':>11}{'+wrk':>8}{'req/s':>10}{'p99 us':>8}{'errors':>7}{'MiB':>6}{'spread':>8}")
    for server, rounds in results.items():
        medians = Round(*(statistics.median(values) for values in zip(*rounds)))
        # wrk's percentiles are wrong where it pipelines.
        p99 = f"{medians.p99_us:8.0f}" if scenario.depth == 1 else f"{'-':>8}"
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--servers", default="volt,nginx", help="of: " + ", ".join(peers.PEERS))
    parser.add_argument("--scenarios", default=",".join(SCENARIOS), help="of: " + ", ".join(SCENARIOS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=4, help="of each run")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--io", default="auto", choices=("auto", "uring", "epoll"), help="ours")
    parser.add_argument("--build", default="build/release", help="where bin/hello is")
    options = parser.parse_args()
    options.peers = peers.PEERS
    run({name: SCENARIOS[name] for name in options.scenarios.split(",")}, options)


def run(scenarios, options):
    for name, scenario in scenarios.items():
        results = {server: [] for server in options.servers.split(",")}
        for _ in range(options.rounds):
            for server, rounds in results.items():
                rounds.append(measure(server, scenario, options))
        print_scenario(name, scenario, results)
    print(f"\nmedians of {options.rounds} rounds of {options.seconds} s; server and wrk -t2 on the same processors")


if __name__ == "__main__":
    main()
