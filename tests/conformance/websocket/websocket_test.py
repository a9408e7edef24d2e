#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Replays the 517 cases of README.md against conformance_target, which echoes.

Usage: websocket_test.py FOLDER_OF_PROGRAMS [--long] [NUMBER...]; VOLT_TEST_IO chooses the engine. With NUMBERs, such as
`6.4` or `12.1.3`, runs the cases whose numbers begin so. --long sends the full 1,000 messages in each case of the
categories 12 and 13; otherwise about 256 KiB.
"""

import collections
import itertools
import os
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "e2e")]

import compression  # noqa: E402
from cases import PER_FRAME, Await, cases  # noqa: E402
from peer import BINARY, CLOSE, NAMES, TEXT, Ended, Peer, encode, fragments  # noqa: E402
from server_process import Server  # noqa: E402

IO = os.environ.get("VOLT_TEST_IO", "auto")
EXPECTED_COUNTS = {"1": 16, "2": 11, "3": 7, "4": 10, "5": 20, "6": 145, "7": 37, "9": 54, "10": 1, "12": 90, "13": 126}
ROUND_TRIPS = 1000
SHORT_BYTES = 256 * 1024


def shown(event):
    opcode, payload = event
    return f"{NAMES.get(opcode, opcode)} of {len(payload)} bytes: {payload[:40]!r}"


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def check_end(peer):
    """The server closes the connection first (RFC 6455 section 7.1.1), and sends nothing after its Close."""
    try:
        event = peer.receive()
    except Ended:
        return
    raise AssertionError(f"after the Close came {shown(event)}")


def close_properly(peer):
    peer.send(encode(CLOSE, struct.pack("!H", 1000)))
    event = peer.receive()
    check(event == (CLOSE, struct.pack("!H", 1000)), f"instead of the Close came {shown(event)}")
    check_end(peer)


def code_of(payload):
    return struct.unpack("!H", payload[:2])[0] if payload else None


def play(peer, case):
    """Sends the steps, and returns the events that were awaited in between."""
    events = []
    for is_wait, steps in itertools.groupby(case.steps, lambda step: isinstance(step, Await)):
        if is_wait:
            for step in steps:
                events.append(peer.receive())
                check(events[-1] == (step.opcode, step.payload), f"came {shown(events[-1])}")
        elif case.chop == PER_FRAME:
            for step in steps:
                peer.send(step)
        else:
            peer.send(b"".join(steps), case.chop)
    return events


def run_case(port, case):
    peer = Peer(port)
    events = play(peer, case)
    if not case.closes:
        while len(events) < len(case.receives):
            events.append(peer.receive())
        check(events == case.receives, f"came {[shown(event) for event in events]}")
        close_properly(peer)
    else:
        while not events or events[-1][0] != CLOSE:
            events.append(peer.receive())
        check(code_of(events[-1][1]) in case.closes, f"closed with {events[-1][1]!r} instead of {case.closes}")
        check(events[:-1] == case.receives, f"came {[shown(event) for event in events]}")
        peer.send(encode(CLOSE, events[-1][1][:2]))
        check_end(peer)
    peer.close()


def echo(peer, opcode, payload, data, chop=None):
    peer.send(data, chop)
    event = peer.receive()
    check(event == (opcode, payload), f"came {shown(event)}")


def run_limit(port, opcode, payload, frame_bytes, chop=None, count=1):
    peer = Peer(port, "/large")
    for _ in range(count):
        echo(peer, opcode, payload, fragments(opcode, payload, frame_bytes or len(payload) or 1), chop)
    close_properly(peer)
    peer.close()


def limits():
    """9: sizes; 10: fragments as a client's library makes them."""
    unit = 1 << 10
    for group, opcode, pattern in ((0, TEXT, b"abcde12345"), (1, BINARY, b"\0\xfe\xff")):
        def payload(size, pattern=pattern):
            return (pattern * (size // len(pattern) + 1))[:size]

        for at, size in enumerate((64, 256, 1024, 4096, 8192, 16384), 1):
            yield f"9.{1 + group}.{at}", (opcode, payload(size * unit), None)
        for at in range(9):
            yield f"9.{3 + group}.{at + 1}", (opcode, payload(4096 * unit), 64 * 4**at)
        for at in range(6):
            yield f"9.{5 + group}.{at + 1}", (opcode, payload(1024 * unit), None, 64 * 2**at)
        for at, size in enumerate((0, 16, 64, 256, 1024, 4096), 1):
            yield f"9.{7 + group}.{at}", (opcode, payload(size), None, None, ROUND_TRIPS)
    yield "10.1.1", (TEXT, b"*" * 65536, 1300)


def run_compression(port, case, long):
    for path in ("/deflate", "/deflate-context"):
        peer = Peer(port, path, case.offers)
        check(peer.deflate, "the server declines every offer")
        compression.check_accepted(peer.accepted, case.offers, keeps_context=path == "/deflate-context")
        count = ROUND_TRIPS if long else max(2, min(ROUND_TRIPS, SHORT_BYTES // case.size))
        for payload in itertools.islice(case.payloads(), count):
            peer.send_message(case.opcode, payload, case.fragment_bytes)
            event = peer.receive()
            check(event == (case.opcode, payload), f"{path}: came {shown(event)}")
        close_properly(peer)
        peer.close()


def all_cases(port, long):
    for case in cases():
        yield case.number, lambda case=case: run_case(port, case)
    for number, arguments in limits():
        yield number, lambda arguments=arguments: run_limit(port, *arguments)
    for case in compression.cases():
        yield case.number, lambda case=case: run_compression(port, case, long)


def main(program, *arguments):
    chosen = [argument for argument in arguments if not argument.startswith("-")]
    failures = []
    counts = collections.Counter()
    with Server(program, io=IO) as server:
        for number, run in all_cases(server.port, "--long" in arguments):
            if chosen and not any((number + ".").startswith(prefix + ".") for prefix in chosen):
                continue
            counts[number.partition(".")[0]] += 1
            try:
                run()
            except Ended:
                failures.append(f"{number}: the server closed the connection without a Close")
            except (AssertionError, OSError, ValueError) as error:
                failures.append(f"{number}: {error}")
    for category, count in counts.items():
        print(f"category {category}: {count} cases")
    print(*failures, sep="\n")
    check(not failures, f"{len(failures)} of {counts.total()} cases failed")
    check(chosen or counts == EXPECTED_COUNTS, f"{dict(counts)} are not the {sum(EXPECTED_COUNTS.values())} cases")
    print(f"{counts.total()} cases: ok")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]) / "conformance_target", *sys.argv[2:])
