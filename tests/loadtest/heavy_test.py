#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each kind of heavy handler responds, and so do light requests beside it: heavy_test.py FOLDER_OF_PROGRAMS.

The Go peer takes part if it has been built (loadtest/heavy.py, loadtest/run.sh). It and Volt compute the same steps.
"""

import argparse
import http.client
import os
import pathlib
import sys

from loadtest import database, heavy, peers

KINDS = ("compute:1000", "steps:1000", "block:1000", "mutex:1000", "cold", "pg:1000")
SECONDS = (0.2, 5, 20)  # one after the other, until heavy requests have ended: the machine may be busy
SKIPPED = 77


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def all_kinds_respond(options, name, command, environment):
    for kind in KINDS:
        path = heavy.path_of(kind, options.driver)
        for options.seconds in SECONDS:
            figures = heavy.measure(options, name, command, path, 2, environment)
            if figures is None or figures["heavy_per_s"] > 0:
                break
        expected = not kind.startswith("pg") or (name != "go" and database.installed())
        if figures is None:
            check(not expected, f"{name} has no route for {kind}")
            continue
        right = figures["errors"] == 0 and figures["heavy_per_s"] > 0 and figures["light"] > 0
        check(right, f"{name} {kind}: {figures}")
        check(set(heavy.COLUMNS) <= set(figures), f"columns without a figure: {set(heavy.COLUMNS) - set(figures)}")


def body(name, command, path):
    with heavy.running(name, command, {}) as port:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.request("GET", path)
        return connection.getresponse().read()


def xorshift(steps):
    bits = 1
    for _ in range(steps):
        bits ^= bits << 13 & 0xFFFFFFFFFFFFFFFF
        bits ^= bits >> 7
        bits ^= bits << 17 & 0xFFFFFFFFFFFFFFFF
    return str(bits).encode()


def rows_have_medians_or_are_empty():
    runs = [dict.fromkeys(heavy.COLUMNS, value) for value in (3.5, 1, 20)]
    for given, cell in ((runs, "3.5"), ([None], "-")):
        row = heavy.row("cold", 2, "go", given).split()
        check(row == "| cold | 2 | go |".split() + [cell, "|"] * len(heavy.COLUMNS), row)


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    if not (folder / "loadtest_server").exists():
        sys.exit(SKIPPED)
    servers = {f"volt-{os.environ.get('VOLT_TEST_IO', 'auto')}": str(folder / "loadtest_server")}
    if os.path.exists(peers.PEERS["go"].built):
        servers["go"] = peers.PEERS["go"].built
    options = argparse.Namespace(driver=str(folder / "heavy_driver"))
    rows_have_medians_or_are_empty()
    with heavy.resources(KINDS) as environment:
        for name, command in servers.items():
            check(body(name, command, "/steps?count=1000") == xorshift(1000), f"{name} computes other steps")
            all_kinds_respond(options, name, command, environment)
    print(", ".join(servers))


if __name__ == "__main__":
    main()
