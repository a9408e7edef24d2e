#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare.py FOLDER: prints a table of the files FOLDER/<runtime>.<round>, whose lines are "row<tab>value".

Prints the median of each runtime, and the median of the ratios volt/peer of each round. A ratio that is below 1 in some
rounds and above 1 in others is marked noise: run more rounds, or use a quieter machine.
"""

import pathlib
import statistics
import sys


BUILT_IN = ("tokio", "go", "rayon", "onetbb")  # in the order of the tables of README.md


def width(peer):
    return max(10, len(peer))


def read(folder):
    """Returns {runtime: [{row: value} per round]}, and the rows in the order in which they first occur."""
    runs, rows = {}, []
    for path in sorted(pathlib.Path(folder).iterdir(), key=lambda path: path.suffix):
        values = dict(line.split("\t") for line in path.read_text().splitlines())
        runs.setdefault(path.stem, []).append({row: float(value) for row, value in values.items()})
        rows += [row for row in values if row not in rows]
    return runs, rows


def values_of(runs, row):
    return [run[row] for run in runs if row in run]


def ratio(ours, theirs, row):
    """The ratio of the row in `ours` and `theirs`, which are lists of rounds; a round without either figure is left
    out."""
    ratios = [a[row] / b[row] for a, b in zip(ours, theirs) if row in a and b.get(row, 0) > 0]
    if not ratios:
        return ""
    noise = min(ratios) < 1 < max(ratios)
    return f"{statistics.median(ratios):.2f}" + (" noise" if noise else "")


def main():
    runs, rows = read(sys.argv[1])
    peers = [peer for peer in BUILT_IN if peer in runs]
    peers += sorted(runtime for runtime in runs if runtime not in ("volt", *BUILT_IN))
    header = f"{'row':<20}{'volt':>10}"
    for peer in peers:
        header += f" |{peer:>{width(peer)}} {'ratio':<10}"
    print(header)
    for row in rows:
        ours = values_of(runs.get("volt", []), row)
        line = f"{row:<20}{statistics.median(ours):10.1f}" if ours else f"{row:<20}{'-':>10}"
        for peer in peers:
            theirs = values_of(runs[peer], row)
            figure = f"{statistics.median(theirs):.1f}" if theirs else "-"
            line += f" |{figure:>{width(peer)}} {ratio(runs.get('volt', []), runs[peer], row):<10}"
        print(line.rstrip())
    count = len(next(iter(runs.values())))
    print(f"{count} rounds; ns per operation; .p50 and .p99 in us; parked_bytes in bytes per task")


if __name__ == "__main__":
    main()
