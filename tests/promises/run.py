#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the tests of all promises in their long form, one after another, and prints a summary (tests/promises/README.md).

  run.py FOLDER_OF_BUILD [PROMISE...]     for example: run.py build/release P8 P20; without a promise, all of them

Called by `./dev test --long`, which builds what the tests need. The first line of each test in this folder names the
promises that it checks; those that other tests check are in the table below. A command that exits with 77 was skipped.
"""

import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ENGINES = ("uring", "epoll")
SKIPPED = 77
OTHERS = (  # promises, is it run on each engine, command from the root of the repository
    ("P1", True, "tests/e2e/conformance.py {bin}"),
    ("P2", False, "loadtest/memory.py"),
    ("P4 P12", False, "{bin}/simulation --seeds 10000"),
    ("P6 P7", True, "tests/e2e/restart_test.py {bin}"),
    ("P11", True, "tests/e2e/overload_test.py {bin}"),
    ("P13", False, "{bin}/simulation --allocations 1"),
    ("P14", False, "./dev test --model"),
    ("P15", False, "./dev fuzz 60"),
    ("P16", False, "tests/differential/differential.py {bin} --count 20000"),
    ("P17", False, "tests/e2e/tls_scan_test.py {bin}"),
    ("P18", False, "tests/e2e/docker_test.py"),
    ("P21", True, "{bin}/../tests/http_tests --test-suite=*/error_responses,*/heavy_route"),
    ("P22", True, "tests/e2e/apps_test.py {bin}"),
    ("P23", True, "tests/e2e/refusal_test.py {bin} --long"),
)


def promises_of(script):
    """The promises that the first line of the docstring names: "Promises 4 and 5: ..." gives P4 and P5."""
    line = re.search(r'"""Promises? ([^:]*):', script.read_text())
    if not line:
        raise SystemExit(f"{script}: its first line names no promise")
    return [f"P{number}" for number in re.findall(r"\d+", line[1])]


def commands():
    for promises, both, command in OTHERS:
        yield promises.split(), both, command
    for script in sorted(HERE.glob("*_test.py")):
        yield promises_of(script), True, f"{script.relative_to(ROOT)} {{bin}} --long"


def run(command, engine):
    print(f"== {command}" + (f" ({engine})" if engine else ""), flush=True)
    began = time.monotonic()
    environment = {**os.environ, **({"VOLT_TEST_IO": engine} if engine else {})}
    status = subprocess.run(command.split(), cwd=ROOT, env=environment, check=False).returncode
    return {0: "ok", SKIPPED: "skipped"}.get(status, f"FAILED with status {status}"), time.monotonic() - began


def main():
    programs, wanted = pathlib.Path(sys.argv[1]).resolve() / "bin", sys.argv[2:]
    rows = []
    for promises, both, command in sorted(commands(), key=lambda row: int(row[0][0][1:])):
        if wanted and not set(wanted) & set(promises):
            continue
        for engine in ENGINES if both else (None,):
            result, seconds = run(command.format(bin=programs), engine)
            rows.append((" ".join(promises), engine or "", result, seconds, command.format(bin="BIN")))
    print(f"\n{'promise':8} {'engine':6} {'result':10} {'seconds':>7}  command")
    for promises, engine, result, seconds, command in rows:
        print(f"{promises:8} {engine:6} {result:10} {seconds:7.0f}  {command}")
    if not rows:
        sys.exit(f"no test of {' '.join(wanted)}")
    sys.exit(any(row[2].startswith("FAILED") for row in rows))


if __name__ == "__main__":
    main()
