#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The status of `./dev test` is that of its tests, also while and after the next build is made beside them, and a build
that still runs is ended. Builds and tests are stand-ins.

Usage: status_test.py COMMANDS_SH
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

PATIENCE_S = 120
SCRIPT = """set -eu
say() { :; }
die() { exit 1; }
build() { :; }
. "$1"
suite first 1 second
%s
"""
LEFT = "VOLT_TEST_ENDS_BY=$(($(date +%%s) + %d)); suite second 1 '' 1000; %s grep -q 'exclude.*e2e' args"
CASES = (  # (why, status of ctest, seconds that the build beside it takes, what follows, status)
    ("all pass", 0, 0, "suite second", 0),
    ("the second suite waits for its build", 0, 0.5, "suite second", 0),
    ("a build that has begun goes on", 0, 0.5, "build_ahead second; suite second", 0),
    ("what takes long is left out when it is late", 0, 0, LEFT % (900, ""), 0),
    ("nothing is left out when it is not late", 0, 0, LEFT % (2000, "!"), 0),
    ("tests fail", 3, 0, "", 1),
    ("tests fail while the next build runs", 3, 600, "", 1),
    ("the script ends while the next build runs", 0, 600, "", 0),
)


def program(path, text):
    """Replaces the file, because one that is about to run cannot be written to."""
    new = path.with_suffix(".new")
    new.write_text(f"#!/bin/sh\n{text}\n")
    new.chmod(0o755)
    new.replace(path)


def runs(process):
    try:
        return pathlib.Path("/proc", process, "stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def still_runs(started):
    """Whether the build has begun, and has not ended soon after the script."""
    if not started.exists() or not (process := started.read_text().strip()):
        return False
    give_up = time.monotonic() + PATIENCE_S
    while runs(process):
        if time.monotonic() > give_up:
            return True
        time.sleep(0.01)
    return False


def main():
    commands = pathlib.Path(sys.argv[1]).resolve()
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for preset in ("first", "second"):
            (folder / "build" / preset).mkdir(parents=True)
        for why, ctest, seconds, rest, status in CASES:
            program(folder / "ctest", f'echo "$@" >args; exit {ctest}')
            program(folder / "dev", f"echo $$ >started; echo >>builds; exec sleep {seconds}")
            (folder / "started").unlink(missing_ok=True)
            (folder / "builds").unlink(missing_ok=True)
            done = subprocess.run(["sh", "-c", SCRIPT % rest, "sh", str(commands)], cwd=folder, timeout=60, check=False,
                                  env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}, capture_output=True)
            left = still_runs(folder / "started")
            builds = (folder / "builds").read_text().count("\n") if (folder / "builds").exists() else 0
            if done.returncode != status or left or builds > 1:
                failed = True
                print(f"{why}: status {done.returncode}, wanted {status}; the build began {builds} times, "
                      f"still runs: {left}\n{done.stderr.decode()}")
    if failed:
        sys.exit(1)
    print(f"{len(CASES)} cases ok")


if __name__ == "__main__":
    main()
