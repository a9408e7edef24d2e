# SPDX-License-Identifier: MIT
"""Where a symbol is used: in the programs of the pages, in those of apps/, in the tests, in Volt's own sources."""

import re
import typing

import tree

USES_MAX = 3
LINES_MAX = 8  # of the code of a use
WORD = re.compile(r"[A-Za-z_]\w+")
DESIGNATOR = re.compile(r"\.[a-z]\w*(?= = )")  # .hedge = {..}
STANDARD = re.compile(r"\bstd::\w[\w:]*")  # names of the standard library that Volt has, too, such as to_string
SHARED_NAMES = ("runtime", "http", "config")  # libraries whose names most programs use without naming the library
FOLDERS = {
    "apps": ("apps/**/*.cpp", "apps/**/*.h"),
    "tests": ("tests/**/*_test.cpp",),
    "own": tuple(f"{library}/**/*.{ending}" for library in tree.libraries() for ending in ("cpp", "h")),
}


class Use(typing.NamedTuple):
    title: str
    url: str  # from the root of the site
    code: str = ""  # of a use in a file


def words_by_line(code):
    """{word or designator: the first line that has it}, lines from 1, without those that include or use names."""
    found = {}
    for number, line in enumerate(code.split("\n"), 1):
        if not line.startswith(("#include", "using ", "//")):
            for word in WORD.findall(STANDARD.sub("", line)) + DESIGNATOR.findall(line):
                found.setdefault(word, number)
    return found


def indentation(line):
    return len(line) - len(line.lstrip())


def statements_at(lines, number):
    """The statement of line `number`, from 1, and those that follow it in its block, up to an empty line."""
    begin = number - 1
    while begin > 0 and lines[begin - 1].strip() and not lines[begin - 1].rstrip().endswith((";", "{", "}", ":", '"')):
        begin -= 1
    end = begin + 1
    while end < min(len(lines), begin + LINES_MAX) and lines[end].strip() and \
            (indentation(lines[end]) >= indentation(lines[begin]) and not lines[end].startswith("TEST_")):
        end += 1
    margin = min(map(indentation, lines[begin:end]))
    return "\n".join(line[margin:] for line in lines[begin:end])


class Uses:
    def __init__(self, root, pages, url_of_source):
        self.root, self.url_of_source = root, url_of_source
        self.sections = [(page, section, words_by_line(code)) for page in pages for section in page.sections
                         for anchor, code in page.blocks if anchor == section.anchor]
        self.folders = {folder: [(path.relative_to(root).as_posix(), words_by_line(path.read_text()))
                                 for path in sorted(set().union(*map(root.glob, patterns)))]
                        for folder, patterns in FOLDERS.items()}

    def in_pages(self, symbol, part=None):
        """The sections whose programs use the symbol, or this member of it, those first whose titles have its name."""
        found = {}
        for page, section, words in self.sections:
            if is_used(symbol, words) if part in (None, symbol) else is_member_used(symbol, part, words):
                title = page.title if section.title == page.title else f"{page.title}: {section.title}"
                found[f"{page.url}#{section.anchor}"] = title
        word = symbol.last.lower()
        return [Use(title, url) for url, title in sorted(found.items(), key=lambda use: word not in use[1].lower())][:USES_MAX]

    def in_folder(self, symbol, folder):
        """One file of a folder of FOLDERS: the test of the header, or else the first that uses the symbol."""
        own_test = f"tests/{symbol.header.removesuffix('.h')}_test.cpp"
        found = [(path, words) for path, words in self.folders[folder] if path != symbol.header and is_used(symbol, words)]
        return [Use(f"{path}, line {words[symbol.last]}", f"{self.url_of_source(path)}#L{words[symbol.last]}",
                    statements_at((self.root / path).read_text().split("\n"), words[symbol.last]))
                for path, words in sorted(found, key=lambda file: file[0] != own_test)[:1]]


def is_used(symbol, words):
    library = symbol.page.partition("/")[0]
    return symbol.last in words and (library in SHARED_NAMES or library in words)


def is_member_used(symbol, member, words):
    """Users hardly ever spell out the name of a class of options, but they do those of its members."""
    if member.kind == "variable":
        return f".{member.last}" in words
    return is_used(symbol, words) and member.last in words
