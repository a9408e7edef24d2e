#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each server that is there answers as each of its scenarios asks: peers_test.py FOLDER_OF_PROGRAMS. What loadtest/run.sh
would have to build first is left out; so is what is not installed, and if that is all, the test is skipped."""

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


def main():
    build = pathlib.Path(sys.argv[1]).resolve().parent
    options = argparse.Namespace(workers=2, io=os.environ.get("VOLT_TEST_IO", "auto"), build=str(build))
    names = [name for name, peer in peers.PEERS.items() if there(name, peer, build)]
    if not names or not shutil.which("openssl"):
        sys.exit(SKIPPED)
    with rounds.prepared(options):
        asked = ask(names, options, with_database=False)
        if database.installed():
            with database.beside(options, wanted=True):
                asked += ask(names, options, with_database=True)
    print(f"{', '.join(names)}: {asked} right answers")


if __name__ == "__main__":
    main()
