#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two builds of one tree are equal byte for byte, although they are made in folders of different names and lengths.

  reproducible_test.py ROOT CXX [TARGET FILE]     for example: .. hello bin/hello

ctest builds a library, which takes seconds; a program takes as long as two builds of Volt.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT, COMPILER = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
TARGET, FILE = sys.argv[3:5] if len(sys.argv) > 3 else ("volt_crypto", "libvolt_crypto.a")
NOT_BUILT = {"build", "docs", "loadtest", "tests"}  # all else is copied, so that a new library needs no word here


def run(*command, **environment):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})
    if done.returncode:
        sys.exit(f"{command}:\n{done.stdout}{done.stderr}")


def build(tree, build_folder):
    tree.mkdir(parents=True)
    for source in sorted(ROOT.iterdir()):
        if not source.name.startswith(".") and source.name not in NOT_BUILT:
            (shutil.copytree if source.is_dir() else shutil.copy)(source, tree / source.name)
    if (ROOT / "build/packages").exists():  # what ./dev has unpacked
        (tree / "build").mkdir()
        (tree / "build/packages").symlink_to(ROOT / "build/packages")
    # Without a library's dependencies, which its archive does not contain. ccache would return the first build's object.
    run("cmake", "-S", tree, "-B", build_folder, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={COMPILER}",
        "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -g1 -DNDEBUG", "-DVOLT_TESTS=OFF",
        "-DCMAKE_OPTIMIZE_DEPENDENCIES=ON", "-DVOLT_FAST_BUILD=ON", CCACHE_DISABLE="1")
    run("cmake", "--build", build_folder, "--target", TARGET, CCACHE_DISABLE="1")
    return (build_folder / FILE).read_bytes()


def main():
    with tempfile.TemporaryDirectory() as name:
        first, second = pathlib.Path(name, "a"), pathlib.Path(name, "another", "folder")
        one = build(first, first / "build/release")
        two = build(second, pathlib.Path(name, "elsewhere"))
    if one != two:
        at = next((i for i, (a, b) in enumerate(zip(one, two)) if a != b), min(len(one), len(two)))
        sys.exit(f"{FILE} differs at byte {at}: {one[at - 40:at + 40]!r} and {two[at - 40:at + 40]!r}")
    if f"{ROOT}/".encode() in one or name.encode() in one:
        sys.exit(f"{FILE} names the folder in which it was built")
    print(f"{FILE}: {len(one)} bytes, equal")


if __name__ == "__main__":
    main()
