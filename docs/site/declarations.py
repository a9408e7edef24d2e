# SPDX-License-Identifier: MIT
"""The text of a declaration, as its header has it: clang-format has laid it out better than Doxygen prints it."""

import re

LINES_MAX = 40
ENDS_BEFORE = re.compile(r"([;{}]|(public|private|protected):|^#.*)\s*(//.*)?$")  # the end of what is above


def without_comment(line):
    return re.sub(r"\s*(?<![:\"])//.*$", "", line)


def first_line(lines, at):
    """The index of the first line of the declaration whose name is in line `at`."""
    while at > 0:
        above = without_comment(lines[at - 1]).rstrip()
        if not above.strip() or lines[at - 1].lstrip().startswith(("//", "/*")) or ENDS_BEFORE.search(above):
            break
        at -= 1
    return at


def dedented(lines):
    lines = [line.rstrip() for line in lines if line.strip()]
    margin = min((len(line) - len(line.lstrip()) for line in lines), default=0)
    return "\n".join(line[margin:] for line in lines)


def declaration_at(lines, line, kind):
    """The declaration in line `line` (from 1) without the body of a class or function, and without comments. An enum
    has its enumerators, with their comments."""
    begin = first_line(lines, line - 1)
    if kind == "enum":
        return enumeration(lines, begin)
    taken, depth = [], 0
    for number in range(begin, min(begin + LINES_MAX, len(lines))):
        text = without_comment(lines[number])
        end = None
        for at, char in enumerate(text):
            if char in "([":
                depth += 1
            elif char in ")]":
                depth -= 1
            elif depth == 0 and (char == ";" or (char == "{" and kind not in ("variable", "concept", "typedef"))):
                end = at
                break
        if end is not None:
            taken.append(text[:end])
            break
        taken.append(text)
    text = dedented(taken).rstrip()
    if kind == "function":
        text = without_initializers(text)
    return re.sub(r"\[\[nodiscard(\(.*?\))?\]\] ", "", text) + ("" if kind in ("class", "struct") else ";")


def without_initializers(text):
    """A constructor without its member initializers."""
    return re.sub(r"\)(\s*noexcept)?\s+: \w.*$", lambda match: ")" + (match[1] or ""), text, flags=re.S)


def enumeration(lines, begin):
    end = begin
    while end < len(lines) - 1 and end - begin < LINES_MAX * 4 and "};" not in lines[end]:
        end += 1
    return dedented(lines[begin:end + 1])
