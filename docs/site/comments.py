# SPDX-License-Identifier: MIT
"""The comments of C++ headers, for Doxygen: the tree writes plain `//` comments, which Doxygen ignores.

`marked` turns those that document a declaration into Doxygen's comments, on as many lines, so that Doxygen attaches each
to its declaration. Their text becomes \\verbatim, because it is plain text: `@`, `<` and `#` in it mean themselves.
"""

import re

WHOLE_LINE = re.compile(r"^\s*// ?(.*)$")
TRAILING = re.compile(r"^(\s*[^\s/].*?[;,)\w])\s\s?// (.*)$")  # code, then a comment
NOT_DOCUMENTATION = ("clang-format", "NOLINT", "namespace ", "relaxed:", "SPDX-")
STATEMENT = re.compile(r"\s*(#|return\b|if\b|case\b|for\b|while\b|throw\b|co_)")


def documents(text):
    return not text.lstrip().startswith(NOT_DOCUMENTATION)


def comment_lines(line):
    match = WHOLE_LINE.match(line)
    return match[1] if match and documents(match[1]) else None


def file_comment(source):
    """The comment at the beginning of a header, below its license; empty if it has none."""
    text = []
    for line in source.split("\n"):
        words = comment_lines(line)
        if words is not None:
            text.append(words)
        elif text or line.startswith("#"):
            break
    return "\n".join(text)


def marked(source):
    lines = source.split("\n")
    result, at = [], 0
    begun = False  # after the comment about the file
    while at < len(lines):
        end = at
        while end < len(lines) and comment_lines(lines[end]) is not None:
            end += 1
        if end == at:
            begun = begun or lines[at].startswith("#")
            result.append(marked_trailing(lines[at]))
            at += 1
            continue
        follows = lines[end].strip() if end < len(lines) else ""
        # A comment above an empty line is about several declarations, and belongs to none of them.
        if begun and follows and not follows.startswith(("}", "#", "//", "namespace")):
            result += as_block([comment_lines(line) for line in lines[at:end]])
        else:
            result += lines[at:end]
        at = end
    return "\n".join(result)


def as_block(text, opening="/*!"):
    text = [line.replace("*/", "* /") for line in text]
    text[0] = f"{opening} \\verbatim {text[0]}"
    text[-1] += " \\endverbatim */"
    return text


def marked_trailing(line):
    match = TRAILING.match(line)
    if not match or not documents(match[2]) or STATEMENT.match(line):
        return line
    return f"{match[1]} {as_block([match[2]], '/*!<')[0]}"
