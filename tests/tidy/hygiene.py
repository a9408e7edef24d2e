#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No notes to self, no nameless folder or file, no file too long to read in one sitting, a licence in each source."""

import re

from source_tree import Sample, is_cpp, main

# Spelt apart, so that a search of the tree finds no note to self.
NOTES = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK")) + r")\b")
NAMELESS = re.compile(r"^(util|utils|utilities|common|helper|helpers|misc)$")
LINES_MAX = 450
LICENCE = "SPDX-License-Identifier: MIT"
TEMPLATE = "cmake/package/template/"  # files of users' projects, who choose their licences
CODE = (".h", ".cpp", ".py", ".sh", ".cmake", "CMakeLists.txt")


def check(files):
    messages = []
    for path, text in files.items():
        for part in path.split("/"):
            if NAMELESS.match(part.split(".")[0]):
                messages.append(f"{path}: '{part}' names no concept; name the file after what it holds")
        lines = text.split("\n")
        for number, line in enumerate(lines, 1):
            if note := NOTES.search(line):
                messages.append(f"{path}:{number}: {note.group()}: finish it, or write it down as an issue")
        if (path.endswith(CODE) or path == "dev") and len(lines) - 1 > LINES_MAX:
            messages.append(f"{path}: {len(lines) - 1} lines, at most {LINES_MAX}: a noun is missing")
        if path.endswith(CODE) and not path.startswith(TEMPLATE) and not any(LICENCE in line for line in lines[:2]):
            messages.append(f"{path}: begin with the comment \"{LICENCE}\"")
        if is_cpp(path) and path.endswith(".h") and "#pragma once" not in text:
            messages.append(f"{path}: a header without #pragma once")
    return messages


LICENSED = f"// {LICENCE}\n"

SAMPLES = [
    Sample("clean", {"runtime/task.h": LICENSED + "#pragma once\n"}, ""),
    Sample("without a licence", {"runtime/task.h": "#pragma once\n"}, LICENCE),
    Sample("but for users' projects", {TEMPLATE + "app.h": "#pragma once\n"}, ""),
    Sample("a word that contains one is no note", {"dev": 'mktemp /tmp/XXX' + 'XXX\n'}, ""),
    Sample("a note to self", {"http/server/app.cpp": LICENSED + "// TO" + "DO: later\n"}, "http/server/app.cpp:2"),
    Sample("a nameless file", {"http/util.cpp": LICENSED}, "names no concept"),
    Sample("a nameless folder", {"runtime/common/queue.cpp": LICENSED}, "names no concept"),
    Sample("a file too long", {"http/server/app.cpp": LICENSED + "\n" * (LINES_MAX + 1)}, "a noun is missing"),
    Sample("a header that may be read twice", {"http/server/app.h": LICENSED + "int f();\n"}, "#pragma once"),
]

if __name__ == "__main__":
    main(check, SAMPLES)
