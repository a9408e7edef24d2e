# SPDX-License-Identifier: MIT
"""Where a symbol is used: in the programs of the pages; otherwise in those of apps/; otherwise in the tests."""

import re
import typing

USES_MAX = 3
WORD = re.compile(r"[A-Za-z_]\w+")
SHARED_NAMES = ("runtime", "http", "config")  # libraries whose names most programs use without naming the library


class Use(typing.NamedTuple):
    title: str
    url: str  # from the root of the site


def words_by_line(code):
    """{word: the first line that has it}, lines from 1, without those that include or use names."""
    found = {}
    for number, line in enumerate(code.split("\n"), 1):
        if not line.startswith(("#include", "using ", "//")):
            for word in WORD.findall(line):
                found.setdefault(word, number)
    return found


class Uses:
    def __init__(self, root, pages, url_of_source):
        self.url_of_source = url_of_source
        self.sections = [(page, section, words_by_line(code)) for page in pages for section in page.sections
                         for anchor, code in page.blocks if anchor == section.anchor]
        self.programs = [(path.relative_to(root).as_posix(), words_by_line(path.read_text()))
                         for pattern in ("apps/**/*.cpp", "apps/**/*.h", "tests/**/*_test.cpp")
                         for path in sorted(root.glob(pattern))]

    def of(self, symbol):
        library = symbol.page.partition("/")[0]

        def used_in(words):
            return symbol.last in words and (library in SHARED_NAMES or library in words)

        found = {}
        for page, section, words in self.sections:
            if used_in(words):
                title = page.title if section.title == page.title else f"{page.title}: {section.title}"
                found[f"{page.url}#{section.anchor}"] = title
        word = symbol.last.lower()
        uses = [Use(title, url) for url, title in sorted(found.items(), key=lambda use: word not in use[1].lower())]
        if not uses:
            uses = [Use(f"{path}, line {words[symbol.last]}", f"{self.url_of_source(path)}#L{words[symbol.last]}")
                    for path, words in self.in_programs(symbol, used_in)]
        return uses[:USES_MAX]

    def in_programs(self, symbol, used_in):
        """One program: the test of the header, or else the first that uses the symbol."""
        own_test = f"tests/{symbol.header.removesuffix('.h')}_test.cpp"
        found = [program for program in self.programs if used_in(program[1])]
        return sorted(found, key=lambda program: (not program[0].startswith("apps/"), program[0] != own_test))[:1]
