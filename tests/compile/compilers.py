#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that the header and CMake refuse the same compilers, and say why, and that programs include the header."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

GNU, CLANG = "GNU", "Clang"
CASES = [  # (compiler, major version, pattern of the refusal; None: it is accepted)
    (GNU, 11, "co_await"),
    (GNU, 12, "co_await"),
    (GNU, 13, None),
    (GNU, 14, None),
    (GNU, 16, None),
    (CLANG, 16, "std::expected"),
    (CLANG, 18, "std::expected"),
    (CLANG, 19, None),
    (CLANG, 21, None),
]


# Programs include one of these, and so compiler.h.
UMBRELLAS = ("runtime/runtime.h", "runtime/task.h", "runtime/result.h", "http/http.h", "config/run.h", "config/program.h",
             "pg/pg.h", "sqlite/sqlite.h", "redis/redis.h")


def includes(root, header, seen):
    """All headers of the tree that this one includes."""
    if header not in seen and (pathlib.Path(root) / header).exists():
        seen.add(header)
        for other in re.findall(r'^#include "([^"]+)"', (pathlib.Path(root) / header).read_text(), re.MULTILINE):
            includes(root, other, seen)
    return seen


def header_says(root, compiler, version):
    # -undef removes the macros of the compiler that runs. clang claims to be g++ 4.2.
    macros = [f"-D__GNUC__={version}"] if compiler == GNU else ["-D__GNUC__=4", "-D__clang__", f"-D__clang_major__={version}"]
    done = subprocess.run([os.environ.get("CXX", "clang++-19"), "-undef", *macros, "-E", "-x", "c++",
                           f"{root}/runtime/base/compiler.h"], capture_output=True, text=True, check=False)
    return done.stderr if done.returncode != 0 else ""


def cmake_says(root, compiler, version):
    with tempfile.NamedTemporaryFile("w", suffix=".cmake") as script:
        script.write(f'set(CMAKE_CXX_COMPILER_ID {compiler})\nset(CMAKE_CXX_COMPILER_VERSION {version}.2.0)\n'
                     f'include({root}/cmake/package/compiler.cmake)\nmessage("${{volt_refused_compiler}}")\n')
        script.flush()
        return subprocess.run(["cmake", "-P", script.name], capture_output=True, text=True, check=True).stderr.strip()


def main():
    root, failed = sys.argv[1], False
    for compiler, version, reason in CASES:
        for ask in (header_says, cmake_says):
            said = ask(root, compiler, version)
            if bool(said) != bool(reason) or (reason and (reason not in said or "clang" not in said)):
                failed = True
                print(f"{ask.__name__}, {compiler} {version}: {said or 'accepted'}", flush=True)
    for umbrella in UMBRELLAS:
        if "runtime/base/compiler.h" not in includes(root, umbrella, set()):
            failed = True
            print(f"{umbrella} refuses no compiler", flush=True)
    if failed:
        sys.exit(1)
    print(f"{len(CASES)} compilers judged alike by the header and by CMake")


if __name__ == "__main__":
    main()
