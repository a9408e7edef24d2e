#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each server that is there answers as each of its scenarios asks: peers_test.py FOLDER_OF_PROGRAMS. What loadtest/run.sh
would have to build first is left out; so is what is not installed, and if that is all, the test is skipped. The clients
that make requests at a fixed rate receive the responses of Volt, run as a server from elsewhere."""

import argparse
import os
import pathlib
import shutil
import sys

from loadtest import database, peers, rounds, scenarios, server_process

SKIPPED = 77


def there(name, peer, build):
    built = build / "bin" / "loadtest_server" if name == "volt" else peer.built
    return not peer.missing() and (not built or os.path.exists(built))


def kinds(peer):
    """One scenario for each kind of answer."""
    found = {}
    for scenario in scenarios.SCENARIOS.values():
        if set(scenario.can) <= set(peer.abilities()):
            found.setdefault((scenario.path, scenario.tls), scenario)
    return found.values()


def ask(names, options, with_database):
    """Of each its scenarios with, or without, a database; how many there were."""
    asked = 0
    for name in names:
        for scenario in kinds(peers.PEERS[name]):
            if scenario.needs_database != with_database:
                continue
            try:
                with server_process.Server(peers.PEERS[name], scenario, options):
                    asked += 1  # entering compares the answer
            except server_process.ServerError as error:
                sys.exit(f"{name}, {scenario.title}: {error}")
    return asked


def check(condition, text):
    if not condition:
        sys.exit(text)


def a_server_from_elsewhere(options):
    program = f"{options.build}/bin/loadtest_server"
    name, peer = peers.from_elsewhere(
        f"volt-1.0:work=sh -c 'exec {program} --listen 127.0.0.1:$PORT --workers $WORKERS --io {options.io}'")
    check(name == "volt-1.0" and peer.abilities() == ("plaintext", "work"), f"{name}: {peer}")
    for title in ("paced-400", "paced-4000", "work-50"):
        scenario = scenarios.SCENARIOS[title]
        with server_process.Server(peer, scenario, options) as server:
            figures = rounds.load(server.port, scenario, 1, options.build)
        check(figures["errors"] == figures["refused"] < figures["requests"], f"{title}: {figures}")
        check(0 < figures["p50_us"] <= figures["p99_us"] <= figures["p999_us"], f"{title}: {figures}")


def wrong_servers_are_refused():
    for text in ("no-command", "=command", "name=", "name:jsno=command", "name=unclosed '"):
        try:
            peers.from_elsewhere(text)
        except (argparse.ArgumentTypeError, ValueError):
            continue
        sys.exit(f"{text!r} is not refused")


def main():
    wrong_servers_are_refused()
    build = pathlib.Path(sys.argv[1]).resolve().parent
    options = argparse.Namespace(workers=2, io=os.environ.get("VOLT_TEST_IO", "auto"), build=str(build))
    names = [name for name, peer in peers.PEERS.items() if there(name, peer, build)]
    if not names or not shutil.which("openssl"):
        sys.exit(SKIPPED)
    with rounds.prepared(options):
        if "volt" in names:
            a_server_from_elsewhere(options)
        asked = ask(names, options, with_database=False)
        if database.installed():
            with database.beside(options, wanted=True):
                asked += ask(names, options, with_database=True)
    print(f"{', '.join(names)}: {asked} right answers")


if __name__ == "__main__":
    main()
