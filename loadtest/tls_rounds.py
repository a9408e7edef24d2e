#!/usr/bin/env python3
"""What handshakes cost us and nginx, in turns.

  full      each connection: a handshake, one request, the end
  resumed   the same, with a ticket of the connection before

Both have the same certificate, take the same cipher and key exchange. Of tickets we give one in a full handshake, and
nginx what it gives by itself, two, or --tickets.
"""

import sys

import peers
import report
import rounds
import scenarios

CLIENTS = 4


def handshakes(kind, tls):
    def command(scenario, port, seconds):
        program = str(scenarios.HERE / "tls_client.py")
        url = scenarios.url(scenario, port)
        return [sys.executable, program, url, str(seconds), str(scenario.connections), tls, kind]

    return command


def main():
    parser = rounds.arguments(__doc__, ("full", "resumed"), ("volt", "nginx"))
    parser.add_argument("--keys", default=",".join(rounds.KEYS), help="default: %(default)s")
    parser.add_argument("--tls", default="1.3", choices=("1.2", "1.3"))
    parser.add_argument("--tickets", type=int, default=2, help="that nginx gives; default: %(default)s")
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
