#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/features.md claims what is true: each of its rows names a test and a page, and both exist.

The cell of the test is `tests/FILE`: NAME, where NAME is a test case in C++, a function or a wrong program in Python, or a
test that CMake adds.
"""

import posixpath
import re

from source_tree import Sample, main

PAGE = "docs/features.md"
TEST_COLUMN = "a test of it"
TEST = re.compile(r"`(tests/[^`]+)`: (.+)")
LINK = re.compile(r"\[[^\]]+\]\(([^)#]+)(?:#[^)]*)?\)")
NAMES = {  # suffix of a file -> how a test of this name is written there
    ".cpp": r'TEST_CASE\(\s*"{}"', ".py": r'(?:def {}\(|Wrong\("{}")', ".cmake": r"add_test\(NAME {}\s",
}


def has_test(path, text, name):
    pattern = NAMES.get(posixpath.splitext(path)[1])
    return pattern is not None and re.search(pattern.replace("{}", re.escape(name)), text) is not None


def check_row(cells, files):
    test, link = TEST.fullmatch(cells[2]), LINK.fullmatch(cells[3])
    if not test:
        yield "the third cell must be `tests/FILE`: NAME"
    elif not has_test(test[1], files.get(test[1], ""), test[2]):
        yield f"{test[1]} has no test \"{test[2]}\""
    if not link:
        yield "the fourth cell must be a link to a page"
    elif posixpath.normpath(posixpath.join("docs", link[1])) not in files:
        yield f"there is no page {link[1]}"


def check(files):
    messages, names_tests = [], False
    for number, line in enumerate(files.get(PAGE, "").split("\n"), 1):
        if not line.startswith("|"):
            names_tests = False
            continue
        cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
        if TEST_COLUMN in cells:
            names_tests = True
        elif names_tests and not line.startswith("|---"):
            found = check_row(cells, files) if len(cells) == 4 else ["a row has four cells"]
            messages += [f"{PAGE}:{number}: {message}" for message in found]
    return messages


HEAD = "| feature | in Volt | a test of it | page |\n|---|---|---|---|\n"
CASE = {"tests/a_test.cpp": 'TEST_CASE("it works")', "docs/a.md": "", "README.md": ""}


def sample(why, row, want):
    return Sample(why, {**CASE, PAGE: HEAD + row + "\n"}, want)


SAMPLES = [
    sample("a test and a page", "| a | b | `tests/a_test.cpp`: it works | [A](a.md#part) |", ""),
    sample("a page above docs", "| a | b | `tests/a_test.cpp`: it works | [A](../README.md) |", ""),
    sample("another test", "| a | b | `tests/a_test.cpp`: it fails | [A](a.md) |", "no test"),
    sample("a part of the name", "| a | b | `tests/a_test.cpp`: it | [A](a.md) |", "no test"),
    sample("another file", "| a | b | `tests/b_test.cpp`: it works | [A](a.md) |", "no test"),
    sample("no test", "| a | b | none | [A](a.md) |", "third cell"),
    sample("another page", "| a | b | `tests/a_test.cpp`: it works | [A](b.md) |", "no page"),
    sample("no page", "| a | b | `tests/a_test.cpp`: it works | none |", "fourth cell"),
    sample("a cell is missing", "| a | `tests/a_test.cpp`: it works | [A](a.md) |", "four cells"),
    Sample("other tables", {PAGE: "| a | b |\n|---|---|\n| c | d |\n"}, ""),
    Sample("in Python", {**CASE, "tests/a.py": "def test_it(x):", PAGE: HEAD + "| a | b | `tests/a.py`: test_it | [A](a.md) |"}, ""),
    Sample("in CMake", {**CASE, "tests/t.cmake": "add_test(NAME a_b C)", PAGE: HEAD + "| a | b | `tests/t.cmake`: a_b | [A](a.md) |"}, ""),
]

if __name__ == "__main__":
    main(check, SAMPLES)
