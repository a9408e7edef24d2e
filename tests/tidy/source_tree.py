# SPDX-License-Identifier: MIT
"""What the checks share: the files of the tree, C++ split into code and comments, and the frame of a check.

A check is a function from {path: text} to a list of messages, with samples that prove it can fail. It runs on its
samples first, so a check that has lost its teeth fails the build instead of passing it.
"""

import pathlib
import re
import sys
import typing

FOLDERS = ("runtime", "crypto", "tracing", "reflect", "http", "tls", "migrations", "database", "pg",
           "sqlite", "redis", "sessions", "stores", "topics", "config", "apps", "tests", "loadtest", "cmake", "docs", ".ci")
TOP_FILES = ("dev", "CMakeLists.txt", "CMakePresets.json", "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md",
             "CHANGELOG.md", "SECURITY.md", ".clang-tidy", "Dockerfile", ".dockerignore")
SUFFIXES = (".h", ".cpp", ".py", ".sh", ".cmake", ".txt", ".md", ".json", ".toml", ".yaml", ".cfg", ".service", ".socket", "")
OTHERS_TEXT = ("tests/corpus/", "tests/tidy/", "loadtest/results/")  # quoted bytes, and the checks' own samples


class Sample(typing.NamedTuple):
    why: str
    files: dict  # path -> text
    want: str  # part of the only message; empty: the sample is good


def load(root):
    files = {}
    paths = [root / name for name in TOP_FILES]
    for folder in FOLDERS:
        paths += sorted((root / folder).rglob("*"))
    for path in paths:
        name = path.relative_to(root).as_posix()
        skipped = name.startswith(OTHERS_TEXT) or "__pycache__" in name
        if path.is_file() and path.suffix in SUFFIXES and not skipped:
            try:
                files[name] = path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                pass  # not text
    return files


def is_cpp(path):
    return path.endswith((".h", ".cpp"))


TOKEN = re.compile(
    r'(?P<line>//[^\n]*)|(?P<block>/\*.*?\*/)|(?P<raw>R"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)")'
    r'|(?P<string>"(?:\\.|[^"\\\n])*")|(?P<char>(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\')',
    re.DOTALL,
)


def split(text):
    """(code lines, comment lines), of equal number; strings are empty, include lines are kept."""
    code, comments, at = [], [], 0

    def blank(piece):
        return re.sub(r"[^\n]", " ", piece)

    for match in TOKEN.finditer(text):
        between = text[at : match.start()]
        code.append(between)
        comments.append(blank(between))
        piece = match.group()
        comment = match.lastgroup in ("line", "block")
        include = re.search(r"#\s*include\s*$", between)
        code.append(piece if include else blank(piece) if comment else '""' + blank(piece)[2:])
        comments.append(piece if comment else blank(piece))
        at = match.end()
    code.append(text[at:])
    comments.append(blank(text[at:]))
    return "".join(code).split("\n"), "".join(comments).split("\n")


def main(check, samples):
    for sample in samples:
        messages = check(sample.files)
        as_wanted = len(messages) == 1 and sample.want in messages[0] if sample.want else not messages
        if not as_wanted:
            sys.exit(f"{sys.argv[0]}: self-test failed: {sample.why}\n  wanted: {sample.want!r}\n  got: {messages}")
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2])
    files = load(root)
    messages = check(files)
    for message in messages:
        print(message, flush=True)
    if messages:
        sys.exit(f"{len(messages)} finding(s)")
    print(f"{len(samples)} samples judged rightly, {len(files)} files clean")
