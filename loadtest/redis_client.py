#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures the Redis client, node-redis and redis-benchmark, alternately, with a Redis of its own on a unix socket.

All read one key of 3 bytes over and over, with one thread:

  one    one command at a time, on one connection
  50     50 commands at a time: of 50 tasks that share a connection, and on 50 connections of redis-benchmark
  50x1   50 commands at a time in one piece, on one connection: a batch, the commands that node-redis gets in one turn of
         its event loop, and the pipelining of redis-benchmark

node-redis is left out where it is not installed (Debian's node-redis, or --node-modules).

The columns are commands per second, the processor time of the client per command, and the 99th percentile of the time
to a reply, or to the last reply of a piece. Each ratio is the median of the ratios of the rounds.
"""

import argparse
import csv
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import private_redis  # pylint: disable=wrong-import-position

LOADS = {  # name: tasks and batch of redis_driver, connections and pipeline of redis-benchmark
    "one": (1, 1, 1, 1),
    "50": (50, 1, 50, 1),
    "50x1": (1, 50, 1, 50),
}
COLUMNS = ("commands_per_s", "cpu_us", "p99_us")


def volt(redis, load, options, io):
    tasks, batch, *_ = LOADS[load]
    words = [options.driver, redis.url, tasks, batch, options.commands, io]
    return json.loads(subprocess.run(list(map(str, words)), check=True, stdout=subprocess.PIPE).stdout)


def children_cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def redis_benchmark(redis, load, commands, test="get"):
    *_, connections, pipeline = LOADS[load]
    words = ["redis-benchmark", "-s", redis.folder / "socket", "-t", test, "-n", commands, "-c", connections,
             "-P", pipeline, "--csv"]
    before = children_cpu_seconds()
    done = subprocess.run(list(map(str, words)), check=True, stdout=subprocess.PIPE, text=True)
    cpu_seconds = children_cpu_seconds() - before
    row = list(csv.DictReader(done.stdout.splitlines()))[-1]
    return {"commands_per_s": float(row["rps"]), "cpu_us": cpu_seconds / commands * 1e6,
            "p99_us": float(row["p99_latency_ms"]) * 1e3}


def node_redis(redis, load, options):
    tasks, batch, *_ = LOADS[load]
    words = ["node", ROOT / "loadtest/peers/node/redis.js", redis.folder / "socket", tasks, batch, options.commands]
    environment = {**os.environ, "NODE_PATH": str(options.node_modules)}
    return json.loads(subprocess.run(list(map(str, words)), check=True, stdout=subprocess.PIPE, env=environment).stdout)


def has_node_redis(options):
    return shutil.which("node") is not None and (options.node_modules / "redis").is_dir()


def measure(redis, load, options):
    """Returns the figures of each round by client."""
    clients = {io: lambda io=io: volt(redis, load, options, io) for io in options.io.split(",")}
    if has_node_redis(options):
        clients["node-redis"] = lambda: node_redis(redis, load, options)
    clients["redis-benchmark"] = lambda: redis_benchmark(redis, load, options.commands)
    rounds = {name: [] for name in clients}
    for _ in range(options.rounds):
        for name, run in clients.items():
            rounds[name].append(run())
    return rounds


def report(load, rounds):
    peer = rounds["redis-benchmark"]
    for name, runs in rounds.items():
        cells = []
        for column in COLUMNS:
            median = statistics.median(run[column] for run in runs)
            ratio = statistics.median(run[column] / other[column] for run, other in zip(runs, peer))
            cells += [f"{median:.10g}" if median >= 1000 else f"{median:.2f}", f"{ratio:.2f}"]
        print(f"| {' | '.join([load, name, *cells])} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--loads", default=",".join(LOADS), help="default: %(default)s")
    parser.add_argument("--rounds", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--commands", type=int, default=200_000, help="of each run; default: %(default)s")
    parser.add_argument("--io", default="uring,epoll", help="default: %(default)s")
    parser.add_argument("--driver", default=ROOT / "build/release/bin/redis_driver", help="default: %(default)s")
    parser.add_argument("--node-modules", type=pathlib.Path, default=pathlib.Path("/usr/share/nodejs"),
                        help="folder that has node-redis; default: %(default)s")
    options = parser.parse_args()
    if not has_node_redis(options):
        print(f"node-redis is left out: there is none in {options.node_modules} (apt-get install nodejs node-redis)",
              file=sys.stderr)
    if not (private_redis.installed() and shutil.which("redis-benchmark")):
        sys.exit("apt-get install redis-server")
    print("| load | client | commands/s | ratio | CPU us | ratio | p99 us | ratio |")
    print("|------|--------|-----------:|------:|-------:|------:|-------:|------:|")
    with private_redis.PrivateRedis() as redis:
        redis_benchmark(redis, "one", 1, test="set")  # the key
        for load in options.loads.split(","):
            report(load, measure(redis, load, options))


if __name__ == "__main__":
    main()
