#!/usr/bin/env python3
"""What http/http.h costs who includes it, in lines: time says more, but is never the same on a busy machine.

A bound that is too low is raised here, in a commit that says what was worth it.
"""

import pathlib
import re
import sys
import tempfile

from compiler import Compiler

PROGRAM = '#include "http/http.h"\nint main() { volt::http::App app; app.get("/", [] { return "a"; }); }\n'

OUR_LINES_MAX = 5300
# Of all headers, by the release of libstdc++; others are not bounded, since nobody has counted them.
LINES_MAX = {12: 82_400}

# <sstream> would be one, but libstdc++ 12 has it in <chrono>.
FORBIDDEN = re.compile(
    r"(^|/)(openssl/|liburing|llhttp\.h$|simdjson|fmt/|zlib\.h$|zstd|brotli/|CLI/|toml\+\+/|regex$|iostream$|format$"
    r"|locale$|fstream$|filesystem$|linux/io_uring\.h$)"
)
MARKER = re.compile(r'^# \d+ "([^"]*)"')


def weigh(preprocessed, root):
    """(lines of ours, lines, files), of lines that are not blank."""
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
    match = re.search(r"release=(?:\s|# .*)*(\d+)", text)  # g++ puts a marker between
    return int(match[1]) if match else None


def main(root):
    root = pathlib.Path(root).resolve()
    messages = []
    with tempfile.TemporaryDirectory() as folder:
        compiler = Compiler(root, folder)
        ours, lines, files = weigh(compiler.preprocess(PROGRAM), root)
        release = release_of_libstdcxx(compiler)
    if ours == 0:
        messages.append("no line of ours was found: the markers of this compiler are not understood")
    if ours > OUR_LINES_MAX:
        messages.append(f"{ours} lines of ours, at most {OUR_LINES_MAX}")
    if lines > LINES_MAX.get(release, lines):
        messages.append(f"{lines} lines in all with libstdc++ {release}, at most {LINES_MAX[release]}")
    messages += [f"reaches {name}" for name in sorted(files) if FORBIDDEN.search(name)]
    for message in messages:
        print(f"http/http.h: {message}")
    print(f"{compiler.name}: {ours} lines of ours, {lines} in all, {len(files)} files, libstdc++ {release}")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
