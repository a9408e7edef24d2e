# SPDX-License-Identifier: MIT
"""The places of the site that a name leads to: symbols of the public headers, headers, other files of the tree."""

import re

import tree

# `volt::run`, `http::Response::text(..)`, `volt::Ranged<T, Min, Max>`, `App::on_error`, `co_await volt::blocking(...)`
NAME = re.compile(r"^(?:co_await )?((?:[A-Za-z_]\w*::)*~?[A-Za-z_]\w*)(?:<[^()]*>)?(?:\(.*\)|\{.*\})?;?$", re.S)
FILE = re.compile(r"^(?:<)?((?:[\w.-]+/)+[\w.-]*\w|dev|Dockerfile)(?:>)?$")
# Names of other things that are written like symbols: CMake's targets and folders of the include path.
TARGETS = re.compile(r"^volt::[a-z]+$")


class Names:
    """Knows the symbols, and which names lead to which URL (from the root of the site)."""

    def __init__(self, symbols, url_of_symbol, url_of_file):
        self.url_of_file = url_of_file
        self.by_suffix = {}
        self.namespaces = {"volt"}
        for each in [*symbols, *(member for symbol in symbols for member in symbol.members)]:
            url = url_of_symbol(each)
            parts = each.name.split("::")
            scope = each.name.rpartition("::")[0]
            while scope:
                self.namespaces.add(scope)
                scope = scope.rpartition("::")[0]
            for begin in range(len(parts)):
                found = self.by_suffix.setdefault("::".join(parts[begin:]), {})
                found.setdefault(each.name, (url, len(parts)))

    def symbol(self, name):
        """The URL of the symbol that `name` means; None if there is none or several."""
        found = self.by_suffix.get(name)
        if not found:
            return None
        if name in found:  # qualified from ::
            return found[name][0]
        shortest = min(depth for _, depth in found.values())
        urls = [url for url, depth in found.values() if depth == shortest]
        return urls[0] if len(urls) == 1 else None

    def code(self, text):
        """The URL of inline code; None if it names nothing of ours."""
        if match := FILE.match(text):
            return self.file(match[1])
        match = NAME.match(text)
        if not match:
            return None
        name = match[1]
        if "::" not in name and not re.match(r"[A-Z]\w*[a-z]", name):
            return None  # a word such as `close`, which is the name of many members
        return self.symbol(name)

    def file(self, name):
        path = tree.ROOT / name
        if name.startswith("build/"):  # what happens to have been built
            return None
        if path.is_dir() and (path / "main.cpp").exists():
            return self.url_of_file(f"{name}/main.cpp")
        return self.url_of_file(name) if path.is_file() else None

    def is_missing(self, text):
        """Whether inline code is written as a name of Volt, and there is no such symbol."""
        match = NAME.match(text)
        if not match or not match[1].startswith(("volt::", "http::", "pg::", "sqlite::", "redis::", "tls::", "sessions::",
                                                 "tracing::", "crypto::", "migrations::")):
            return False
        name = match[1]
        known = name in self.by_suffix or f"volt::{name}" in self.namespaces or name in self.namespaces
        return not known and not TARGETS.match(name)
