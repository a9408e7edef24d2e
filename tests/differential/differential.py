#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Replays raw requests, and mutations of them, through nginx and HAProxy to bin/counting_target: what the back end saw
is to be what the proxy sent, request by request, whatever else shares the connection between the two.

Usage: differential.py FOLDER_OF_PROGRAMS [--count N] [--seed N] [--cases FOLDER] [--proxies NAME,...] [--keep FOLDER]
VOLT_CASES is another way to name the cases; VOLT_TEST_IO chooses the reactor; --keep is where the proxies' files are to
stay. Exit status: 0, 1 for a finding, 77 if there is nothing to test with.
"""

import argparse
import collections
import os
import pathlib
import sys
import tempfile
import time

import clients
import proxies
import judgement
import mutation
import tap

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))
from server_process import Server  # noqa: E402

CASES = ROOT.parent / "shared" / "conformance"
FRONTS = ("nginx", "nginx_lax", "haproxy", "haproxy_lax")
SKIPPED = 77
# HAProxy takes up a pipelined request only if it has not seen the client's end before: on a busy machine it misses one in
# seven, and with it what the back end would refuse.
ALONE_ROUNDS_MAX = 12
SHOWN_MAX = 10  # findings of one front


def per_case(log, chosen):
    """{number of the client: how many of its requests are so}"""
    return collections.Counter(clients.number_of(sent.client) for sent in log.values() if chosen(sent))


def refused_in_company(front, cases, log):
    """Numbers of the cases of which the back end refused more than when one is replayed at a time. The client of half a
    request may be gone before it is refused, so then whatever fails will do."""
    in_company = per_case(log, lambda sent: sent.refused)
    doubtful = sorted(in_company)
    first = len(cases)
    for _ in range(ALONE_ROUNDS_MAX):
        again = [(first + at, cases[number]) for at, number in enumerate(doubtful)]
        clients.replay(again, front.port, connections_max=1)
        alone = per_case(front.sent(), lambda sent: not sent.succeeded)
        doubtful = [number for at, number in enumerate(doubtful) if alone[first + at] < in_company[number]]
        first += len(again)
    return doubtful


def run_front(front, cases, programs, io):
    """(findings, figures, log)"""
    with Server(programs / "counting_target", io=io) as target, tap.TapProcess(target.port) as listening:
        with front.serving(listening.port):
            started = time.monotonic()
            waiting = clients.replay(enumerate(cases), front.port)
            seconds = time.monotonic() - started
            log = front.sent()
            in_company = refused_in_company(front, cases, log)
            with_alone = front.sent()
        connections = listening.end()
    findings, figures = judgement.judge(connections, with_alone)
    ids = {clients.number_of(sent.client): request_id for request_id, sent in log.items()}
    findings += [judgement.Finding("company", f"case {number}", (ids[number],)) for number in in_company]
    figures["cases refused, replayed alone"] = len(per_case(log, lambda sent: sent.refused))
    figures["clients left waiting"] = waiting
    figures["seconds"] = round(seconds)
    return findings, figures, log


def describe(finding, log, cases):
    lines = [f"  {finding.kind}: {finding.what}"]
    for request_id in finding.ids:
        if sent := log.get(request_id):
            number = clients.number_of(sent.client)
            lines += [f"    {sent}", f"    case {number}: {cases[number]!r}"]
    return "\n".join(lines)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=pathlib.Path, default=os.environ.get("VOLT_CASES", CASES))
    parser.add_argument("--proxies", default=",".join(FRONTS))
    parser.add_argument("--keep", type=pathlib.Path)
    return parser.parse_args()


def skip(why):
    print(f"differential: SKIPPED: {why}", flush=True)
    sys.exit(SKIPPED)


def main():
    options = arguments()
    judgement.check_samples()
    for program in ("nginx", "haproxy"):
        if not proxies.find(program):
            skip(f"{program} is not installed")
    plain = mutation.read_cases(options.cases)
    if not plain:
        skip(f"no raw requests in {options.cases}")
    cases = plain + mutation.mutate(plain, options.count, options.seed)
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for name in options.proxies.split(","):
            front = proxies.Front(name, options.keep or folder)
            findings, figures, log = run_front(front, cases, options.programs, os.environ.get("VOLT_TEST_IO", "auto"))
            told = ", ".join(f"{count} {what}" for what, count in figures.items())
            size = f"{len(plain)} cases and {options.count} mutated"
            print(f"{name}: {size}: {told}; {len(findings)} findings", flush=True)
            for finding in findings[:SHOWN_MAX]:
                print(describe(finding, log, cases), flush=True)
            failed = failed or bool(findings) or not figures["answered"]
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
