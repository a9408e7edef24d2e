#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures the cost of TLS handshakes with Volt and nginx, alternately.

  full      each connection: a handshake, one request, a close
  resumed   like full, but each handshake resumes a session with a ticket of the previous connection

Both servers have the same certificate, cipher and key exchange. In a full handshake Volt issues one ticket; nginx
issues two by default, or --tickets.
"""

import sys

import peers
import report
import rounds
import scenarios

CLIENTS = 4


def handshakes(kind, tls):
    def command(scenario, port, seconds, build):
        del build
        program = str(scenarios.HERE / "tls_client.py")
        url = scenarios.url(scenario, port)
        return [sys.executable, program, url, str(seconds), str(scenario.connections), tls, kind]

    return command


def main():
    parser = rounds.arguments(__doc__, ("full", "resumed"), ("volt", "nginx"))
    parser.add_argument("--keys", default=",".join(rounds.KEYS), help="default: %(default)s")
    parser.add_argument("--tls", default="1.3", choices=("1.2", "1.3"))
    parser.add_argument("--tickets", type=int, default=2, help="tickets that nginx issues; default: %(default)s")
    options = parser.parse_args()
    servers = {name: peers.PEERS[name] for name in rounds.chosen(options.peers, ("volt", "nginx"))}
    if missing := [package for peer in servers.values() for package in peer.missing()]:
        sys.exit(f"apt-get install {' '.join(missing)}")
    for key in rounds.chosen(options.keys, rounds.KEYS):
        for kind in rounds.chosen(options.scenarios, ("full", "resumed")):
            scenario = scenarios.Scenario(
                f"{key}, TLS {options.tls}, {kind} handshakes", tls=True, connections=CLIENTS,
                client=handshakes(kind, options.tls)
            )
            with rounds.prepared(options, key):
                results, _, failures = rounds.in_turns(scenario, servers, options, report.say)
            if failures:
                sys.exit(str(failures))
            print(report.table(scenario.title, results, scenario.judged_by), flush=True)


if __name__ == "__main__":
    main()
