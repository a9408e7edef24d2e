#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures the cost of including http/http.h, in lines, because times are not reproducible on a busy machine.

To raise a limit, change it here, in a commit that gives the reason.
"""

import pathlib
import re
import sys
import tempfile

from compiler import Compiler

PROGRAM = '#include "http/http.h"\nint main() { volt::http::App app; app.get("/", [] { return "a"; }); }\n'

OUR_LINES_MAX = 5760
# Maximum number of lines of all headers, by release of libstdc++. Other releases have not been measured.
LINES_MAX = {12: 77_500, 14: 96_300}

# Headers that http/http.h must not reach. <sstream> is missing because <chrono> of libstdc++ 12 includes it.
FORBIDDEN = re.compile(
    r"(^|/)(openssl/|liburing|ares\.h$|llhttp\.h$|simdjson|fmt/|zlib\.h$|zstd|brotli/|CLI/|toml\+\+/|regex$|iostream$"
    r"|fstream$|filesystem$|linux/io_uring\.h$)"
)
FORMATTING = re.compile(r"/(format|locale)$")  # forbidden as well, but <chrono> of libstdc++ 13 and later includes them
MARKER = re.compile(r'^# \d+ "([^"]*)"')


def weigh(preprocessed, root):
    """Returns (own lines, all lines, files); blank lines are not counted."""
    ours, lines, files, mine = 0, 0, set(), False
    for line in preprocessed.splitlines():
        if match := MARKER.match(line):
            files.add(match[1])
            mine = match[1].startswith(str(root) + "/")
        elif line.strip():
            lines += 1
            ours += mine
    return ours, lines, files


def release_of_libstdcxx(compiler):
    text = compiler.preprocess("#include <cstddef>\nrelease=_GLIBCXX_RELEASE;\n")
    match = re.search(r"release=(?:\s|# .*)*(\d+)", text)  # g++ puts a line marker between
    return int(match[1]) if match else None


def main(root):
    root = pathlib.Path(root).resolve()
    messages = []
    with tempfile.TemporaryDirectory() as folder:
        compiler = Compiler(root, folder)
        ours, lines, files = weigh(compiler.preprocess(PROGRAM), root)
        release = release_of_libstdcxx(compiler)
    if ours == 0:
        messages.append("found no line of this repository: the line markers of this compiler are unknown")
    if ours > OUR_LINES_MAX:
        messages.append(f"{ours} lines of this repository exceed the limit of {OUR_LINES_MAX}")
    if lines > LINES_MAX.get(release, lines):
        messages.append(f"{lines} lines in all with libstdc++ {release} exceed the limit of {LINES_MAX[release]}")
    forbidden = [name for name in sorted(files)
                 if FORBIDDEN.search(name) or (release is not None and release < 13 and FORMATTING.search(name))]
    messages += [f"includes {name}, directly or indirectly" for name in forbidden]
    for message in messages:
        print(f"http/http.h: {message}")
    print(f"{compiler.name}: {ours} lines of this repository, {lines} in all, {len(files)} files, libstdc++ {release}")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
