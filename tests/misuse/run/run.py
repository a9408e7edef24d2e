#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Starts each program of tests/misuse/run and checks what it gets: run.py PROGRAMS, the built binary.

The table of README.md beside this file has the expectations: how the program ends, and the first line that it prints.
The binary and the table must name the same programs. The time of a log line and the number of its task are left out.
"""

import pathlib
import re
import signal
import subprocess
import sys

SECONDS_MAX = 20  # those that end by themselves take less than one
TABLE = pathlib.Path(__file__).with_name("README.md")
ROW = re.compile(r"^\| `(\w+)` \| (\w+(?: \d+)?) \| `(.*)` \|$")
LOG_TIME = re.compile(r"^\d{4}-\d\d-\d\dT[\d:.]+Z ")
TASK_ID = re.compile(r" task=\d+")


def expectations():
    """{program: (its end, its first line)}"""
    rows = [match.groups() for match in map(ROW.match, TABLE.read_text().splitlines()) if match]
    return {name: (end, line) for name, end, line in rows}


def end_of(status):
    if status == -signal.SIGABRT:
        return "aborts"
    return f"status {status}" if status >= 0 else signal.Signals(-status).name


def observe(binary, name):
    """(its end, its first line)"""
    try:
        process = subprocess.run([binary, name], stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS_MAX)
    except subprocess.TimeoutExpired as hung:
        return "hangs", (hung.stderr or b"").decode().split("\n")[0]
    line = TASK_ID.sub(" task=..", LOG_TIME.sub("", process.stderr.decode().split("\n")[0]))
    return end_of(process.returncode), line


def main():
    binary = sys.argv[1]
    names = subprocess.run([binary], check=True, capture_output=True, text=True).stdout.split()
    expected = expectations()
    failures = [f"{name}: is in the table, but is not a program" for name in expected if name not in names]
    for name in names:
        found = observe(binary, name)
        if found != expected.get(name):
            wanted = "no row" if name not in expected else "| `{}` | {} | `{}` |".format(name, *expected[name])
            failures.append(f"{name}: the table has\n  {wanted}\nand the program gets\n  | `{name}` | {found[0]} | `{found[1]}` |")
    print("\n".join(failures) or f"{len(names)} programs get what the table says")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
