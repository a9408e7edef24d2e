#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The schedule of `./dev fuzz`: turns go to the target that has run least, corpora are minimized, and a finding ends it.

Usage: fuzz_test.py FUZZ_SH. The targets are shell scripts that behave like programs of libFuzzer.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

TARGET = """#!/bin/sh
for argument; do last=$argument; done
case " $* " in
  *" -merge=1 "*) cp "$last/smallest" "${last}.new/" ;;
  *) echo "$0" >>turns
     mkdir -p build/fuzz/corpus/NAME
     touch build/fuzz/corpus/NAME/smallest build/fuzz/corpus/NAME/larger
     echo "Done 10 runs"
     [ ! -e "finds_NAME" ] || { echo "Test unit written to crash-1"; exit 1; } ;;
esac
"""
FRAME = """
set -eu
say() { echo "$*" >&2; }
die() { echo "dev: $*" >&2; exit 1; }
build() { :; }
. FUZZ_SH
"""


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def run(folder, command, **environment):
    frame = FRAME.replace("FUZZ_SH", str(pathlib.Path(sys.argv[1]).resolve()))
    return subprocess.run(["sh", "-c", frame + command], cwd=folder, capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})


def turns(folder):
    return [pathlib.Path(line).name for line in (folder / "turns").read_text().split()]


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "tests/fuzz").mkdir(parents=True)
        (folder / "build/fuzz/bin").mkdir(parents=True)
        for target in ("json", "route"):
            (folder / f"tests/fuzz/{target}_fuzz.cpp").touch()
            program = folder / f"build/fuzz/bin/{target}_fuzz"
            program.write_text(TARGET.replace("NAME", target))
            program.chmod(0o755)

        done = run(folder, "fuzz_schedule 2", VOLT_FUZZ_SLICE="2400")  # three turns
        check(done.returncode == 0, done.stderr)
        check(turns(folder) == ["json_fuzz", "route_fuzz", "json_fuzz"], turns(folder))
        corpus = folder / "build/fuzz/corpus/json"
        check([path.name for path in corpus.iterdir()] == ["smallest"], "the corpus is not minimized")
        check("4800 json" in done.stdout and "2400 route" in done.stdout, done.stdout)

        done = run(folder, "fuzz_schedule 1", VOLT_FUZZ_SLICE="3600")
        check(turns(folder)[-1] == "route_fuzz", "it does not continue with the target that has run least")

        (folder / "finds_json").touch()
        done = run(folder, "fuzz_schedule 3", VOLT_FUZZ_SLICE="3600")
        check(done.returncode == 1, "a finding does not end the schedule")
        check("reproduce it with: build/fuzz/bin/json_fuzz crash-1" in done.stderr, done.stderr)
        check((folder / "build/fuzz/spent/json").read_text() == "4800\n", "an interrupted turn counts")
        check((corpus / "larger").exists(), "the corpus of the finding is not kept")

        done = run(folder, "fuzz_each 1 route_fuzz")
        check(done.returncode == 0 and turns(folder)[-1] == "route_fuzz", done.stderr)
        check(run(folder, "fuzz_each none").stderr.startswith("dev: there is no tests/fuzz/none_fuzz.cpp"), "a wrong name")
        check(run(folder, "fuzz_schedule soon").returncode == 1, "a number of hours that is none")
    print("the schedule: ok")


if __name__ == "__main__":
    main()
