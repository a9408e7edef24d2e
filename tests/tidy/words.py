#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the words that people read: comments, documents and messages.

  words    Comments, documents and the messages of the library use the field's words, and speak of code as of code, not
           as of people (CONTRIBUTING.md, "Words"). FORBIDDEN has each word with what to write instead.
  columns  No line with a comment is longer than 120 columns; the code's own layout is clang-format's.
  names    A file that a comment or a document names is in the tree.
"""

import pathlib
import re

from source_tree import TOKEN, Sample, is_cpp, main, split

COLUMNS_MAX = 120

# (pattern, what to write instead). Upper and lower case are the same here.
FORBIDDEN = [
    (r"some(body|one)|any(body|one)|nobody|no one|everybody|everyone", "name it: the caller, the client, a task"),
    (r"whom|whoever|whomever", "name it: the caller, the client, a task; `which` or `that` in a relative clause"),
    (r"(?<!/)(he|his|him|she|her|hers)", "name it: the client, the peer"),
    (r"lest", "so that .. does not"),
    (r"anew", "again; reloads, restarts"),
    (r"for ever", "forever, without limit"),
    (r"meanwhile", "name the interval: while .."),
    (r"case-blind(ly)?", "case-insensitive"),
    (r"as of \w+\(\d\)", "those of .."),
    (r"watchman", "watchdog"),
    (r"coming to terms", "handshake, negotiation"),
    (r"(?<!there )is no (?!longer|more|less|later|earlier|better|worse|such|need|way)\w+", "is not a .."),
]
OPENINGS = [
    (r"What\b(?!.*\?)", "a noun phrase that names the thing, or a verb"),
    (r"The same\b", "the thing itself: a comment stands alone"),
]

# Named in a comment or a document: a path of ours with a folder, or a header or source by its base name.
TOP = r"(?:runtime|crypto|tracing|reflect|http|tls|migrations|database|pg|sqlite|redis|sessions|config|apps|tests|loadtest|docs|cmake)"
PATH = re.compile(rf"(?<![\w/.<-])({TOP}/[\w./-]*\w\.(?:h|cpp|py|sh|md|toml|cmake|json|yaml|html|js|css|txt))\b")
BASE_NAME = re.compile(r"(?<![\w/.<*-])([a-z]\w*\.(?:h|cpp))\b")
ELSEWHERE = re.compile(r"\b(RUNTIME_NOTES|DESIGN(?:\.md|, | section|'s)|PEERS\.md|RELIABILITY\.md|STYLE\.md|\.\./shared)")
EXAMPLES = ("apps/first/", "apps/NAME")  # folders that a reader makes
GENERIC = {"main.cpp", "x.h", "a.cpp", "b.cpp", "a.h", "b.h"}  # files of examples

# Quotes what others wrote, and names what was there before.
OTHERS_WORDS = ("tests/conformance/cases", "tests/tidy/", "CHANGELOG.md", "LICENSE")
# Whose strings are messages.
MESSAGES = ("runtime/", "crypto/", "tracing/", "http/", "tls/", "migrations/", "database/", "pg/", "sqlite/",
            "redis/", "sessions/", "config/", "apps/")


def words_re(pattern):
    return re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])", re.IGNORECASE)


FORBIDDEN_RE = [(words_re(pattern), instead) for pattern, instead in FORBIDDEN]
OPENINGS_RE = [(re.compile(pattern), instead) for pattern, instead in OPENINGS]
QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"")


def strings_of(text):
    """Each line's string literals, as one string."""
    lines = [""] * (text.count("\n") + 1)
    for match in TOKEN.finditer(text):
        if match.lastgroup in ("string", "raw", "tag"):
            at = text.count("\n", 0, match.start())
            for offset, piece in enumerate(match.group().split("\n")):
                lines[at + offset] += " " + piece
    return lines


def prose_of(path, text):
    """[(line number, prose of the line, opens a comment, is a message)]"""
    if is_cpp(path):
        _, comments = split(text)
        found, open_before = [], False
        for number, line in enumerate(comments, 1):
            bare = re.sub(r"^\s*(//|/\*|\*/|\*)+[!<]?\s?", "", line.strip()) if line.strip() else ""
            if bare:
                found.append((number, bare, not open_before, False))
            whole_line = text_line(text, number).lstrip().startswith("//")
            open_before = bool(line.strip()) and whole_line
        if path.startswith(MESSAGES):
            found += [(number, line, False, True) for number, line in enumerate(strings_of(text), 1) if line]
        return found
    if path.endswith(".md"):
        found, fenced = [], False
        for number, line in enumerate(text.split("\n"), 1):
            if line.lstrip().startswith("```"):
                fenced = not fenced
            elif not fenced:
                found.append((number, line, False, False))
        return found
    marker = "#"
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.lstrip()
        if stripped.startswith(marker) and not stripped.startswith("#!"):
            found.append((number, stripped.lstrip("# "), False, False))
        elif f"  {marker} " in line:
            found.append((number, line.split(f"  {marker} ", 1)[1], False, False))
    return found


LINES = {}


def text_line(text, number):
    key = id(text)
    if key not in LINES:
        LINES.clear()
        LINES[key] = text.split("\n")
    return LINES[key][number - 1]


def check_words(path, text):
    messages = []
    for number, prose, opens, is_message in prose_of(path, text):
        bare = prose if is_message else QUOTED.sub('""', prose)
        for pattern, instead in FORBIDDEN_RE:
            if match := pattern.search(bare):
                messages.append(f"{path}:{number}: \"{match.group()}\": write {instead}")
        if opens:
            for pattern, instead in OPENINGS_RE:
                if match := pattern.match(prose):
                    messages.append(f"{path}:{number}: a comment opens with \"{match.group()}\": write {instead}")
    return messages


def check_columns(path, text):
    if not is_cpp(path):
        return []
    return [
        f"{path}:{number}: {len(line)} columns; at most {COLUMNS_MAX}"
        for number, (line, comment) in enumerate(zip(text.split("\n"), split(text)[1]), 1)
        if len(line) > COLUMNS_MAX and comment.strip()
    ]


def check_names(path, text, files, base_names):
    messages = []
    for number, prose, _, is_message in prose_of(path, text):
        if is_message:
            continue
        for match in PATH.finditer(prose):
            if match[1] not in files and not match[1].startswith(EXAMPLES) and not (pathlib.Path(__file__).parents[2] / match[1]).exists():
                messages.append(f"{path}:{number}: there is no {match[1]}")
        if is_cpp(path):
            for match in BASE_NAME.finditer(PATH.sub("", prose)):
                if match[1] not in base_names and match[1] not in GENERIC:
                    messages.append(f"{path}:{number}: there is no file {match[1]} of ours")
        if match := ELSEWHERE.search(prose):
            messages.append(f"{path}:{number}: {match.group().strip()} is not in this repository")
    return messages


def check(files):
    messages = []
    base_names = {path.rpartition("/")[2] for path in files}
    for path, text in files.items():
        if path.startswith(OTHERS_WORDS):
            continue
        if is_cpp(path) or path.endswith((".md", ".py", ".sh", ".cmake", ".txt", ".toml")) or path == "dev":
            messages += check_words(path, text) + check_columns(path, text)
            messages += check_names(path, text, files, base_names)
    return messages


SAMPLES = [
    Sample("plain words", {"http/a.h": "// Returns the first field of that name, case-insensitive.\nint a;\n"}, ""),
    Sample("code is no person", {"http/a.h": "// Whoever closes it may wait.\n"}, '"Whoever"'),
    Sample("in a document", {"docs/a.md": "Nobody is told.\n"}, '"Nobody"'),
    Sample("but a user's name in quotes", {"docs/a.md": "The user `nobody` may do nothing.\n"}, ""),
    Sample("and what is code there", {"docs/a.md": "```sh\nwhose_file\n# whose\n```\n"}, ""),
    Sample("a message", {"http/a.cpp": 'log("nobody listens");\n'}, '"nobody"'),
    Sample("an identifier is none of this", {"http/a.cpp": "int whose = 1;\n"}, ""),
    Sample("an opening", {"http/a.h": "// What the peer has sent.\nint a;\n"}, "opens with"),
    Sample("but not within a comment", {"http/a.h": "// Returns a list of\n// What is a name here.\nint a;\n"}, ""),
    Sample("nor a question", {"http/a.h": "// What if the peer has closed?\nint a;\n"}, ""),
    Sample("a long comment", {"http/a.h": "// " + "x" * 120 + "\n"}, "123 columns"),
    Sample("a path that is there", {"http/a.h": "// See http/a.h and a.h.\n"}, ""),
    Sample("and one that is not", {"http/a.h": "// See http/server/gone.h.\n"}, "there is no http/server/gone.h"),
    Sample("nor a base name", {"http/a.h": "// See gone.h.\n"}, "no file gone.h"),
    Sample("a document of another place", {"http/a.h": "// See DESIGN.md.\n"}, "not in this repository"),
    Sample("a comment in Python", {"tests/a.py": "x = 1  # whoever\n"}, '"whoever"'),
]

if __name__ == "__main__":
    main(check, SAMPLES)
