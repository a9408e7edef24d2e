#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures light requests beside handlers that compute, or that block their threads, on several servers in turn.

  loadtest/heavy.py                                         Volt with both engines, and Go: all kinds and numbers
  loadtest/heavy.py --kinds compute:50000,block:50000 --heavy 2,4 --seconds 3 \\
      --server volt-epoll=build/release/bin/loadtest_server --server go=PATH/OF/THE/GO/PEER

Each server gets two workers, a port in PORT, the name of a file to read in COLD_FILE, and a database in LIBPQ_URL. A
command whose name begins with `volt` also gets --listen, --workers and --io; its engine is what follows a dash, as in
`volt-epoll` or `volt_before-epoll`. heavy_driver makes the requests; as root it has a real-time priority, so that its
own delays do not count. A server that does not have a kind's route has an empty row.

Prints a table in Markdown: medians of the rounds, times in milliseconds. loadtest/README.md explains the columns.
"""

import argparse
import contextlib
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

import database
import peers
from server_process import START_PATIENCE_S, connect, free_port

COLD_FILE_BYTES = 8 << 20
PATHS = {
    "compute": "/work?us={us}", "steps": "/steps?count={steps}", "block": "/block?us={us}", "mutex": "/mutex?us={us}",
    "pg": "/pg_sleep?us={us}", "cold": "/cold",
}
KINDS = "compute:5000,compute:50000,compute:500000,steps:50000,block:50000,mutex:50000,pg:50000,cold"
COLUMNS = ("p50", "p99", "p999", "max", "new_p99", "health_max", "heavy_per_s", "heavy_p99", "heavy_max", "refused",
           "errors", "late_p99", "late_max", "driver_cpu")
RESPONSE_PATIENCE_S = 60


def steps_per_us(driver):
    return int(subprocess.run([driver, "steps"], check=True, capture_output=True, text=True).stdout)


def path_of(kind, driver):
    """Returns the path that heavy connections request; `kind` is NAME, or NAME:MICROSECONDS."""
    name, _, us = kind.partition(":")
    return PATHS[name].format(us=us, steps=int(us) * steps_per_us(driver) if name == "steps" else 0)


def status_of(port, path):
    """Returns the status of the response to one request. A server that is not given processors may refuse a request as
    if it was overloaded: it is asked again."""
    deadline = time.monotonic() + START_PATIENCE_S
    while (status := status_once(port, path)) == 503 and time.monotonic() < deadline:
        time.sleep(0.2)
    return status


def status_once(port, path):
    with connect(port, tls=False) as connection:
        connection.settimeout(RESPONSE_PATIENCE_S)
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        return int(connection.recv(4096).split()[1])


def wait_until_it_listens(name, server, port):
    deadline = time.monotonic() + START_PATIENCE_S
    while time.monotonic() < deadline and server.poll() is None:
        try:
            connect(port, tls=False).close()
            return
        except OSError:
            time.sleep(0.05)
    raise SystemExit(f"{name} does not listen on port {port}")


@contextlib.contextmanager
def running(name, command, environment):
    """Runs a server. Gives its port."""
    port = free_port()
    words = command.split()
    if name.startswith("volt"):
        engine = name.partition("-")[2] or "auto"
        words += ["--listen", f"127.0.0.1:{port}", "--workers", "2", "--io", engine]
    environment = os.environ | environment | {"PORT": str(port), "GOMAXPROCS": "2", "WORKERS": "2"}
    server = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until_it_listens(name, server, port)
        yield port
    finally:
        server.kill()
        server.wait()


def run_before_others():
    """Gives this process a real-time priority, if that is permitted."""
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))


def measure(options, name, command, path, heavy, environment):
    """Returns the figures of one run, or None if the server does not have the route."""
    with running(name, command, environment) as port:
        status = status_of(port, path)
        if status == 404:
            return None
        if status != 200:
            raise SystemExit(f"{name} responds to {path} with status {status}")
        words = [options.driver, str(port), str(heavy), path, str(options.seconds)]
        driver = subprocess.run(words, check=True, stdout=subprocess.PIPE, preexec_fn=run_before_others)
        return json.loads(driver.stdout)


def median(rows, column):
    values = sorted(row[column] for row in rows)
    return values[len(values) // 2]


def row(kind, heavy, name, runs):
    runs = [figures for figures in runs if figures is not None]
    cells = [f"{median(runs, column):g}" if runs else "-" for column in COLUMNS]
    return f"| {' | '.join([kind, str(heavy), name, *cells])} |"


@contextlib.contextmanager
def resources(kinds):
    """Makes what handlers of `kinds` use. Gives the servers' environment, which names it."""
    with contextlib.ExitStack() as stack:
        pathlib.Path("build").mkdir(exist_ok=True)  # /tmp may be in memory
        file = stack.enter_context(tempfile.NamedTemporaryFile(dir="build"))
        file.write(os.urandom(COLD_FILE_BYTES))
        file.flush()
        os.fsync(file.fileno())
        environment = {"COLD_FILE": os.path.abspath(file.name)}
        if any(kind.startswith("pg") for kind in kinds) and database.installed():
            environment["LIBPQ_URL"] = stack.enter_context(database.empty()).url
        yield environment


def default_servers(build):
    """Returns {name: command} of Volt, and of the Go peer, which is built with the `go` of the PATH."""
    volt = f"{build}/bin/loadtest_server"
    servers = {"volt-uring": volt, "volt-epoll": volt}
    go = peers.PEERS["go"]
    if missing := go.missing():
        print(f"no go: apt-get install {' '.join(missing)}", file=sys.stderr)
        return servers
    go.build()
    print(f"go {go.versions()}")
    return servers | {"go": go.built}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", action="append", metavar="NAME=COMMAND", help="default: Volt and Go")
    parser.add_argument("--kinds", default=KINDS, help="default: %(default)s")
    parser.add_argument("--heavy", default="1,2,4,8,16", help="numbers of heavy connections; default: %(default)s")
    parser.add_argument("--seconds", type=float, default=5, help="duration of a run; default: %(default)s")
    parser.add_argument("--rounds", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--build", default="build/release", help="folder of Volt's build; default: %(default)s")
    parser.add_argument("--driver", help="default: bin/heavy_driver of the build folder")
    options = parser.parse_args()
    options.driver = options.driver or f"{options.build}/bin/heavy_driver"
    kinds = options.kinds.split(",")
    print(f"{peers.commit()}, {platform.system()} {platform.release()}, {len(os.sched_getaffinity(0))} processors, "
          f"{options.rounds} x {options.seconds:g} s")
    if options.server:
        servers = dict(server.partition("=")[::2] for server in options.server)
    else:
        servers = default_servers(options.build)
    print("\n| kind | heavy | server | " + " | ".join(COLUMNS) + " |")
    print("|---" * (3 + len(COLUMNS)) + "|", flush=True)
    with resources(kinds) as environment:
        for kind in kinds:
            path = path_of(kind, options.driver)
            for heavy in map(int, options.heavy.split(",")):
                runs = {name: [] for name in servers}
                for _ in range(options.rounds):
                    for name, command in servers.items():
                        runs[name].append(measure(options, name, command, path, heavy, environment))
                for name, found in runs.items():
                    print(row(kind, heavy, name, found), flush=True)


if __name__ == "__main__":
    main()
