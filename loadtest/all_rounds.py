#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures Volt and other servers in all scenarios, alternately. Writes tables, plots and figures into a folder.

A peer takes part in the scenarios that it can serve (peers.py). A peer that is not installed is left out. --peer adds a
server from elsewhere, such as one that Debian does not have:

  --peer uWebSockets-20.74=/path/of/its/program             it serves /plaintext
  --peer axum-0.8:json,work='/path/of/its/program --flag'   and /json and /work

Its name should have its version. It gets its port in PORT and the number of its workers in WORKERS.
"""

import datetime
import os
import pathlib
import platform
import re
import shlex
import subprocess
import sys

import database
import peers
import report
import rounds
import scenarios

START_AND_STOP_S = 0.3  # seconds to start and stop a server

def machine():
    environment = os.environ | {"LC_ALL": "C"}
    lscpu = subprocess.run(["lscpu"], capture_output=True, text=True, check=True, env=environment)
    model = re.search(r"Model name: +(.*)", lscpu.stdout)
    return {
        "processor": model[1] if model else platform.machine(),
        "processors": len(os.sched_getaffinity(0)),
        "kernel": f"{platform.system()} {platform.release()}",
        "load": f"{os.getloadavg()[0]:.2f}",
    }


def ready(chosen, asked):
    """Builds the peers of `chosen`, {name: peer}, that take part in one of the scenarios `asked`. Returns them, and a
    line for each peer or ability that is left out."""
    there, left_out = {}, []
    wanted = {ability for scenario in asked for ability in scenario.can}
    for name, peer in chosen.items():
        if missing := peer.missing():
            left_out.append(f"no {name}: apt-get install {' '.join(missing)}")
        elif any(takes_part(peer, scenario) for scenario in asked):
            try:
                peer.build()
                there[name] = peer
            except subprocess.CalledProcessError as error:
                left_out.append(f"no {name}: its build failed with status {error.returncode}")
        for ability, (package, path) in peer.more.items():
            if ability in wanted and not missing and not peers.present(path):
                left_out.append(f"{name} without {ability}: apt-get install {package}")
    return there, left_out


def possible(asked):
    """Returns the entries of {name: scenario} whose packages are installed, and a line for the others."""
    missing = [] if database.installed() else [name for name, each in asked.items() if each.needs_database]
    left_out = [f"no {', '.join(missing)}: apt-get install {database.PACKAGE}"] if missing else []
    return {name: each for name, each in asked.items() if name not in missing}, left_out


def takes_part(peer, scenario):
    return set(scenario.can) <= set(peer.abilities())


def versions(servers, asked):
    found = {name: peer.versions() for name, peer in servers.items()}
    if any(scenario.needs_database for scenario in asked):
        found["PostgreSQL"] = database.version()
    return found


def shown(command):
    """Returns the command line as a user would type it."""
    return shlex.join("python3" if word == sys.executable else word for word in command)


def measure(scenario, servers, options):
    """Measures a scenario. Returns its entry for the outcome's "scenarios", from which report.py makes a table."""
    able = {name: peer for name, peer in servers.items() if takes_part(peer, scenario)}
    with database.beside(options, scenario.needs_database):
        results, commands, failures = rounds.in_turns(scenario, able, options, report.say)
    return {
        "title": scenario.title,
        "judged_by": scenario.judged_by,
        "client": shown(scenario.client(scenario, "PORT", options.seconds + scenario.seconds_more, options.build)),
        "commands": {name: shown(command) for name, command in commands.items()},
        "failures": failures,
        "rounds": {name: [each._asdict() for each in runs] for name, runs in results.items()},
    }


def main():
    names = [name for name in scenarios.SCENARIOS if name not in scenarios.OPTIONAL]
    parser = rounds.arguments(__doc__, names, peers.PEERS)
    today = datetime.date.today().isoformat()
    results = f"loadtest/results/{today}"
    parser.add_argument("--results", type=pathlib.Path, default=results, help="default: %(default)s")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME[:ABILITIES]=COMMAND", type=peers.from_elsewhere,
                        help="adds a server")
    options = parser.parse_args()
    asked = {name: scenarios.SCENARIOS[name] for name in rounds.chosen(options.scenarios, scenarios.SCENARIOS)}
    asked, left_out = possible(asked)
    chosen = {name: peers.PEERS[name] for name in rounds.chosen(options.peers, peers.PEERS)}
    for name, peer in options.peer:
        if chosen.setdefault(name, peer) is not peer:
            parser.error(f"--peer: there are two servers with the name {name}")
    servers, without = ready(chosen, asked.values())
    left_out += without
    if not report.can_plot():
        left_out.append("no plots: apt-get install gnuplot-nox")
    for line in left_out:
        report.say(line)
    outcome = {
        "date": today,
        "command": shlex.join(["loadtest/run.sh", *sys.argv[1:]]),
        "machine": machine(),
        **{name: getattr(options, name) for name in ("rounds", "seconds", "workers", "io")},
        "versions": versions(servers, asked.values()),
        "left_out": left_out,
        "scenarios": {},
    }
    runs = [each for each in asked.values() for peer in servers.values() if takes_part(peer, each)]
    besides_s = rounds.WARM_UP_S + START_AND_STOP_S
    seconds = options.rounds * sum(options.seconds + each.seconds_more + besides_s for each in runs)
    report.say(f"{options.rounds * len(runs)} runs: about {seconds / 60:.0f} minutes")
    with rounds.prepared(options):
        for name, scenario in asked.items():
            measured = outcome["scenarios"][name] = measure(scenario, servers, options)
            print(report.table_of(name, measured), flush=True)
            report.write(options.results, outcome)  # after each scenario: the run may be interrupted
    print(f"{options.results}/README.md")
    failed = [f"{peer} in {name}: {why}" for name, each in outcome["scenarios"].items()
              for peer, why in each["failures"].items()]
    sys.exit("\n".join(failed) or 0)


if __name__ == "__main__":
    main()
