#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Chooses which test files the fast builds compile as one: unity_groups.py SIZE FILE...

Prints a line GROUP;FILE for each file that shares a group with others, for UNITY_GROUP of CMake; a group has at most SIZE
files. Tests declare many equal names in namespace-scope (Seen, head_of, kAddress), and renaming hundreds of them for the
sake of the build would make each test worse. So no file comes into a group in which another file declares a name that it
uses, or uses one that it declares. Names that only follow a dot, an arrow or :: do not count.

Files that define macros or use foreign namespaces as a whole are compiled alone.
"""

import re
import sys

NOT_CODE = re.compile(
    r"""//[^\n]* | /\*.*?\*/ | R"(?P<fence>\w*)\(.*?\)(?P=fence)" | "(?:\\.|[^"\\\n])*"
    | (?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'""",
    re.DOTALL | re.VERBOSE,
)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
ALONE = re.compile(r"^\s*#\s*define\b|^using namespace (?!test;|std::\w*literals;)", re.MULTILINE)
USED = re.compile(r"(?<![\w.>:])[A-Za-z_]\w*|(?<=[^-]>)[A-Za-z_]\w*")
NAMESPACE = re.compile(r"(^|\s)namespace\s*[\w:]*\s*$")
ATTRIBUTES = re.compile(r"\[\[.*?\]\]|alignas\(.*?\)")
TEMPLATE = re.compile(r"^template\s*<.*?>\s*(?=(?:struct|class|using|auto|inline|constexpr|[\w:<>]+\s))", re.DOTALL)
DECLARED = (
    re.compile(r"(?:struct|class|union|enum(?:\s+class)?)\s+(\w+)"),
    re.compile(r"(?:using|namespace)\s+(\w+)\s*="),
    re.compile(r"using\s+[\w:]+::(\w+)$"),
)
FUNCTION = re.compile(r"(\w+)\s*\(")
VARIABLE = re.compile(r"(\w+)\s*(?:\[.*\])?\s*$")
NOT_NAMES = re.compile(r"TEST_\w+|operator|test")  # the namespace `test` belongs to all


def code_of(text):
    """The text without comments, directives and what literals contain."""
    return DIRECTIVE.sub("", NOT_CODE.sub(lambda match: " " if match[0][0] == "/" else '""', text))


def statements(code):
    """Yields the beginning of each declaration at namespace scope, up to its brace or semicolon."""
    scopes, statement, in_tail = [], "", False  # the tail: what may stand between a closing brace and a semicolon
    for character in code:
        outside = "block" not in scopes
        if character == "{":
            if outside and NAMESPACE.search(statement):
                scopes.append("namespace")
            else:
                if outside:
                    yield statement
                scopes.append("block")
            statement = ""
        elif character == "}":
            if scopes and scopes.pop() == "block":
                in_tail = "block" not in scopes
            statement = ""
        elif character == ";" and outside:
            if not in_tail:
                yield statement
            statement, in_tail = "", False
        elif outside:
            statement += character
            in_tail = in_tail and character.isspace()


def declared_name(statement):
    statement = TEMPLATE.sub("", ATTRIBUTES.sub("", statement).strip()).strip()
    for pattern in DECLARED:
        if match := pattern.match(statement):
            return match[1]
    if statement.startswith("using"):
        return None
    head = statement.split("=")[0]
    match = FUNCTION.search(head) or VARIABLE.search(head)
    return match[1] if match else None


class Names:
    def __init__(self, code):
        names = {declared_name(statement) for statement in statements(code)}
        self.declared = {name for name in names if name and not NOT_NAMES.fullmatch(name)}
        self.used = set(USED.findall(code)) | self.declared

    def fits(self, other):
        return not (self.declared & other.used or self.used & other.declared)

    def add(self, other):
        self.declared |= other.declared
        self.used |= other.used


def groups_of(files, size):
    groups = []
    for file in files:
        with open(file, encoding="utf-8") as stream:
            text = stream.read()
        if ALONE.search(text):
            continue
        names = Names(code_of(text))
        for members, taken in groups:
            if len(members) < size and taken.fits(names):
                members.append(file)
                taken.add(names)
                break
        else:
            groups.append(([file], names))
    return [members for members, _ in groups if len(members) > 1]


def main(size, *files):
    for number, members in enumerate(groups_of(files, int(size))):
        for file in members:
            print(f"together{number};{file}")


if __name__ == "__main__":
    main(*sys.argv[1:])
