# SPDX-License-Identifier: MIT
"""The files of the repository that the site is made of."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Pages outside of docs/. Pages that these link to are added (pages.py).
FIRST_PAGES = ("docs/README.md", "README.md", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md")


def version():
    return re.search(r"project\(volt VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def libraries():
    """The folders of the libraries, in the order of the build: {folder: its list of headers, or None for all}."""
    calls = re.findall(r"^ *volt_library\(\w+ (\w+)(?: \$\{(\w+)\})?\)", (ROOT / "CMakeLists.txt").read_text(), re.M)
    lists = (ROOT / "cmake/public_headers.cmake").read_text()

    def listed(variable):
        found = variable and re.search(rf"set\({variable}\s+(.*?)\)", lists, re.S)
        return found[1].split() if found else None

    return {folder: listed(variable) for folder, variable in calls}


def public_headers():
    """The public headers by library, as CMake has them: {folder: [path]}."""
    return {folder: headers or sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / folder).glob("*.h"))
            for folder, headers in libraries().items()}


def first_pages():
    docs = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md"))
    return [*FIRST_PAGES, *(name for name in docs if name not in FIRST_PAGES)]
