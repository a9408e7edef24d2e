#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures how a server sends each message of one WebSocket to thousands of others, on several servers in turn.

  loadtest/topics.py                                    Volt with both engines, Go with gorilla, and Node with ws
  loadtest/topics.py --subscribers 10000 --loads 1,16 --peer 'uws=/path/of/a/server'

topics_driver opens the WebSockets, at /topic, and sends messages of 32 bytes: one, or 16 in one piece, whenever all
subscribers have received the last ones. A --peer gets its port in PORT, and has also an echo at /websocket. All servers
have one worker, because a topic of uWebSockets and of ws is that of one thread; --workers 2 is for those that can.

The columns are the server's processor time per delivery, deliveries per second, and the time until half, 99 % and all of
the subscribers have a piece. Each ratio is the median of the ratios of the rounds to the first server. Server and driver
share the machine; driver is the driver's processor time per delivery.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys

import peers
import rounds
import scenarios
from server_process import Server, ServerError

BYTES = 32
COLUMNS = ("server_cpu_us", "per_s", "p50_ms", "p99_ms", "last_p50_ms", "driver_cpu_us")


def servers_of(options):
    """Returns {name: (peer, engine of Volt)} of those that are installed."""
    found = {f"volt-{io}": (peers.PEERS["volt"], io) for io in ("uring", "epoll")}
    for name in ("go", "node"):
        peer = peers.PEERS[name]
        if peer.missing() or "websocket" not in peer.abilities():
            more = [package for package, _ in peer.more.values()]
            print(f"no {name}: apt-get install {' '.join([*peer.missing(), *more])}", file=sys.stderr)
            continue
        peer.build()
        found[name] = (peer, "")
    for name, _, command in (entry.partition("=") for entry in options.peer):
        found[name] = (peers.Peer(can=(), command=peers.own(*command.split()), version=lambda: "from outside"), "")
    return found


def measure(peer, batch, options):
    with Server(peer, scenarios.SCENARIOS["websocket"], options) as server:
        words = [options.driver, server.port, options.subscribers, batch, BYTES, options.seconds]
        pipe = subprocess.PIPE
        with subprocess.Popen(list(map(str, words)), stdin=pipe, stdout=pipe, stderr=pipe, text=True) as driver:
            driver.stdout.readline()  # ready, or nothing if it has failed
            before = server.cpu_seconds()
            said, why = driver.communicate("\n")
            used = server.cpu_seconds() - before
        if driver.returncode != 0:
            raise ServerError(why.strip())
        figures = json.loads(said)
        figures["server_cpu_us"] = used * 1e6 / figures["deliveries"]
        figures["per_s"] = figures["deliveries"] / figures["seconds"]
        return figures


def row(batch, name, runs, first):
    cells = []
    for column in COLUMNS:
        median = statistics.median(run[column] for run in runs)
        ratio = statistics.median(run[column] / other[column] for run, other in zip(runs, first))
        cells.append(f"{median:.3g} ({ratio:.2f})" if column != "per_s" else f"{median:,.0f} ({ratio:.2f})")
    return f"| {' | '.join([str(batch), name, *cells])} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--subscribers", type=int, default=10_000, help="default: %(default)s")
    parser.add_argument("--loads", default="1,16", help="messages in one piece; default: %(default)s")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=COMMAND", help="a further server")
    parser.add_argument("--only", help="names of the servers to measure; default: all")
    parser.add_argument("--rounds", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--seconds", type=float, default=4, help="duration of a run; default: %(default)s")
    parser.add_argument("--workers", type=int, default=1, help="workers of each server; default: %(default)s")
    parser.add_argument("--build", default="build/release", help="folder of Volt's build; default: %(default)s")
    options = parser.parse_args()
    options.driver = pathlib.Path(options.build, "bin/topics_driver")
    servers = servers_of(options)
    if options.only:
        servers = {name: servers[name] for name in rounds.chosen(options.only, servers)}
    for name, (peer, _) in servers.items():
        print(f"{name}: {peer.versions()}")
    print(f"\n| piece | server | {' | '.join(COLUMNS)} |\n|---|---{'|---:' * len(COLUMNS)}|")
    with rounds.prepared(options):
        for batch in map(int, options.loads.split(",")):
            runs = {name: [] for name in servers}
            for _ in range(options.rounds):
                for name, (peer, options.io) in servers.items():
                    runs[name].append(measure(peer, batch, options))
            for name, figures in runs.items():
                print(row(batch, name, figures, next(iter(runs.values()))), flush=True)


if __name__ == "__main__":
    main()
