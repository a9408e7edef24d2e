#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Replays raw-request suites against bin/conformance_target, whole, byte by byte and over TLS: no case may fail but
those of tests/conformance/exceptions.txt, the way may change no verdict, and the server must survive and drain.

The suites are other projects' and live beside the repository, in ../shared/conformance; without them there is nothing
to check. Usage: conformance.py FOLDER_OF_PROGRAMS; VOLT_TEST_IO chooses the reactor.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from server_process import Server

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUITES = ROOT.parent / "shared" / "conformance"
EXCEPTIONS = ROOT / "tests" / "conformance" / "exceptions.txt"
PASSES_MIN = 1480  # of the open cases that are counted
RANGES = ("go-ranges", "lighttpd-range")  # all of them are to pass
NOT_COUNTED = ("http11probe", *RANGES)
WAYS = {"whole": [], "split": ["--split", "1"], "tls": ["--tls"]}  # "split": byte by byte
PATIENCE_S = "4"  # for a response: on a busy machine one can take more than 2 s; after 5 s the server itself gives up
LOG_LINES_SHOWN = 50
FILES = SUITES / "static"  # what the suites about byte ranges ask for; without it they are left out


def read_exceptions(text):
    """[(the only way, or None, suite, beginning of the name)]"""
    found = []
    for line in text.split("\n"):
        if not line.strip() or line.startswith("#"):
            continue
        case, reason = re.fullmatch(r"(.*) = (\S.*)", line).groups()
        way, suite, name = re.fullmatch(r"(?:(split|tls) )?([\w-]+): (.+)", case).groups()
        assert reason
        found.append((way, suite, name))
    return found


def patient_copy(suite, folder, only):
    """A copy of the suite, or of its cases in `only`, that have no patience of their own, such as a second."""
    cases = [json.loads(line) for line in suite.read_text().splitlines()]
    if only is not None:
        cases = [case for case in cases if (case["suite"], case["name"]) in only]
    for case in cases:
        case.pop("timeout", None)
    copy = pathlib.Path(folder) / suite.name
    copy.write_text("".join(json.dumps(case) + "\n" for case in cases))
    return copy


def replay(port, flags, only=None):
    """`only`: suites and names of cases; None: all cases."""
    suites = [suite for suite in sorted(SUITES.glob("*.jsonl")) if FILES.is_dir() or suite.stem not in RANGES]
    with tempfile.TemporaryDirectory() as folder:
        files = [patient_copy(suite, folder, only) for suite in suites]
        verdicts = pathlib.Path(folder) / "verdicts.json"
        command = [sys.executable, SUITES / "probe.py", "127.0.0.1", str(port), *files, "--json", verdicts, "--conc", "16"]
        command += ["--timeout", PATIENCE_S, *flags]
        out = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        if "\nALIVE" not in out:
            sys.exit(f"the server did not survive:\n{out[-2000:]}")
        return json.loads(verdicts.read_text())


def judge(results, way, exceptions):
    """Prints a line a suite; returns messages."""
    messages, used, suites = [], set(), {}
    for result in results:
        suites.setdefault(result["suite"], []).append(result["verdict"])
        excused = [
            entry
            for entry in exceptions
            if entry[1] == result["suite"] and result["name"].startswith(entry[2]) and entry[0] in (None, way)
        ]
        if result["verdict"] == "warn" and result["suite"] in RANGES:
            messages.append(f"{result['suite']}: {result['name']}: got {result['got']}")
        if result["verdict"] == "fail":
            used.update(excused)
            if not excused:
                messages.append(f"{result['suite']}: {result['name']}: got {result['got']} {result['why']}")
    for entry in exceptions:
        if entry not in used and entry[0] in (None, way):
            messages.append(f"{EXCEPTIONS.name}: nothing fails any more under `{entry[1]}: {entry[2]}`")
    for suite, verdicts in sorted(suites.items()):
        counts = ", ".join(f"{verdicts.count(kind)} {kind}" for kind in ("pass", "warn", "fail"))
        print(f"  {suite}: {counts} of {len(verdicts)}")
    passes = sum(verdicts.count("pass") for suite, verdicts in suites.items() if suite not in NOT_COUNTED)
    print(f"  all but {', '.join(NOT_COUNTED)}: {passes} pass")
    if passes < PASSES_MIN:
        messages.append(f"{passes} cases pass, at least {PASSES_MIN} wanted")
    return messages


def differing(results_by_way, exceptions):
    """Returns suites and names of the cases whose verdict depends on the way, except those with an exception."""
    verdicts = {}
    for results in results_by_way.values():
        for result in results:
            verdicts.setdefault((result["suite"], result["name"]), set()).add(result["verdict"])
    excused = [(suite, name) for way, suite, name in exceptions if way]
    return {case for case, found in verdicts.items() if len(found) > 1
            and not any(case[0] == suite and case[1].startswith(name) for suite, name in excused)}


def late(results_by_way, exceptions):
    """Returns suites and names of the cases to which a response may have come late, as happens on a busy machine: those
    that timed out, and those whose verdict depends on the way. A closed connection is no late response."""
    every = [result for results in results_by_way.values() for result in results]
    closed = {(one["suite"], one["name"]) for one in every if one["got"] == "close" and one["verdict"] != "pass"}
    timed_out = {(one["suite"], one["name"]) for one in every if one["got"] == "timeout" and one["verdict"] != "pass"}
    return (timed_out | differing(results_by_way, exceptions)) - closed


def replay_all_ways(ports, exceptions):
    """Returns the results by way. Cases that may have been late are sent again, and have their second result."""
    results = {way: replay(ports[way], flags) for way, flags in WAYS.items()}
    again = late(results, exceptions)
    if again:
        print(f"again: {sorted(again)}", flush=True)
        for way, flags in WAYS.items():
            second = {(one["suite"], one["name"]): one for one in replay(ports[way], flags, again)}
            results[way] = [second.get((one["suite"], one["name"]), one) for one in results[way]]
    return results


def main():
    if not SUITES.is_dir():
        print(f"skipped: no raw-request suites in {SUITES.relative_to(ROOT.parent)} beside the repository")
        return
    exceptions = read_exceptions(EXCEPTIONS.read_text())
    messages = []
    if FILES.is_dir():
        os.environ["VOLT_STATIC_DIR"] = str(FILES)
    program, io = pathlib.Path(sys.argv[1]) / "conformance_target", os.environ.get("VOLT_TEST_IO", "auto")
    # Some suites close their half of a connection before the response. By default that may cancel a handler that waits.
    keep = "--server.half-close-cancels=false"
    plain = Server(program, keep, io=io)
    secure = Server(program, keep, "--tls-dev", "--tls.listen", "127.0.0.1:0", io=io, listen=None)
    with plain, secure:
        ports = {way: (secure if way == "tls" else plain).port for way in WAYS}
        results = replay_all_ways(ports, exceptions)
    for way in WAYS:
        print(way)
        messages += judge(results[way], way, exceptions)
    messages += [f"{suite}: {name}: another verdict one way or the other"
                 for suite, name in sorted(differing(results, exceptions))]
    for message in messages:
        print(message)
    if messages:
        for name, server in (("plain", plain), ("secure", secure)):
            print(f"the last lines of the {name} server's log:\n{''.join(server.lines[-LOG_LINES_SHOWN:])}")
        sys.exit(f"{len(messages)} finding(s)")


if __name__ == "__main__":
    main()
