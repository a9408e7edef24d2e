#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No command of ./dev that a newcomer gives after another one compiles the release build again: all configure it alike.
The compiler and the tests are stand-ins.

Usage: builds_test.py DEV
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from stand_ins import make_tools

TOOLS = ("sh", "cat", "chmod", "cp", "dirname", "env", "find", "grep", "mkdir", "nproc", "rm", "sed", "sort", "tee", "wc",
         "xargs")
STAND_INS = {
    "id": "echo 0",
    "dpkg-query": "echo installed",
    "dpkg": "echo amd64",
    "unshare": "exit 1",  # no Debian 13
    "setsid": "exit 0",   # no build beside the tests
    "clang-format-19": "exit 0",
    "ctest": "exit 0",
    "cmake": 'echo "$*" >>configured; mkdir -p build/$2 && : >build/$2/CMakeCache.txt',
    "ninja": "mkdir -p $2/bin && echo '#!/bin/sh' >$2/bin/first && chmod 755 $2/bin/first",
}
CASES = (  # (why, commands, VOLT_FAST_BUILD of the release build each time that it is configured)
    ("the tests after a program", (["run", "first"], ["test", "--quick"]), "ON ON"),
    ("all tests after a program", (["run", "first"], ["test"], ["run", "first"]), "ON ON ON ON"),
    ("a program after the tests", (["test", "--quick"], ["run", "first"]), "ON ON"),
    ("the tests on other kernels after a program", (["run", "first"], ["test", "--kernels", "6.1"]), "ON ON"),
    ("packages after a program", (["run", "first"], ["package", "prefix"]), "ON ON"),
    ("a build that was asked for compiles each file alone, and keeps to it",
     (["run", "first"], ["build"], ["test", "--quick"]), "ON OFF OFF"),
)


def make_tree(folder, dev):
    for name in ("dev", "cmake/unpack.sh", "tests/commands.sh", "tests/systems/debian13.sh"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(dev.parent / name, folder / name)
    (folder / "apps/first").mkdir(parents=True)
    (folder / "apps/first/main.cpp").touch()
    (folder / "build/packages/kernels/6.1").mkdir(parents=True)
    (folder / "build/packages/kernels/6.1/vmlinuz").touch()
    (folder / "tests/kernels").mkdir()
    (folder / "tests/kernels/boot.py").symlink_to(shutil.which("true"))
    make_tools(folder / "tools", TOOLS, STAND_INS)


def modes_of_release(configured):
    """What VOLT_FAST_BUILD is in the cache after each call of cmake."""
    mode, modes = "OFF", []
    for line in configured.splitlines():
        if line.startswith("--preset release"):
            given = re.search(r"-DVOLT_FAST_BUILD=(\w+)", line)
            mode = given[1] if given else mode
            modes.append(mode)
    return " ".join(modes)


def main():
    failed = False
    for why, commands, wanted in CASES:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            make_tree(folder, pathlib.Path(sys.argv[1]).resolve())
            ran = [subprocess.run([folder / "dev", *command], env={"PATH": str(folder / "tools")}, timeout=600, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, cwd=folder)
                   for command in commands]
            modes = modes_of_release((folder / "configured").read_text())
            if modes != wanted or any(done.returncode != 0 for done in ran):
                failed = True
                print(f"{why}: {modes}, wanted {wanted}; {[(done.returncode, done.stdout) for done in ran]}", flush=True)
    if failed:
        sys.exit(1)
    print(f"{len(CASES)} cases ok")


if __name__ == "__main__":
    main()
