#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that wrong programs do not compile, that the first error is the right sentence, and that the output is short.

Beside each wrong program is a similar one that compiles. README.md lists the programs; `refused.py ROOT --write` writes
its tables anew.
"""

import concurrent.futures
import functools
import os
import pathlib
import re
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "compile"))
from compiler import Compiler  # noqa: E402
from refused_enums import ENUMS_OF_DATABASES  # noqa: E402
from refused_error_pages import ERROR_PAGES  # noqa: E402
from refused_programs import CHAPTERS, COMMON  # noqa: E402
from refused_tasks import IGNORED, LIFETIMES, TASKS  # noqa: E402
from refused_templates import TEMPLATES  # noqa: E402

CHAPTERS = {**CHAPTERS, "Error pages": ERROR_PAGES, "Enums in databases": ENUMS_OF_DATABASES, "Tasks": TASKS,
            "Templates": TEMPLATES}

PARTS = 6  # g++ compiles the wrong programs in this number of groups
LINES_MAX = {"clang": 45, "g++": 90}  # g++ prints three lines for each context of an instantiation
HEADER = """#include "http/http.h"
#include "config/program.h"
#include "http/html/template.h"
#include "http/html/form.h"
#include "http/metrics/metrics.h"
#include "http/middleware/problem_pages.h"
#include "http/multipart/multipart.h"
#include "http/validation/checked.h"
#include "http/websocket/websocket.h"
#include "runtime/concurrent.h"
#include "runtime/parallel.h"
#include "runtime/runtime.h"
#include "runtime/scope.h"
#include "runtime/time.h"
#include "sqlite/sqlite.h"
#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>
using namespace volt;
using namespace volt::http;
using namespace std::chrono_literals;
"""
HEADER += f"namespace volt_test {{ {COMMON} }}\n"
CHECK_LIFETIMES = ("-DVOLT_CHECK_LIFETIMES", "-Wdangling")
CHECKED = '#pragma clang attribute push([[clang::coro_wrapper]], apply_to = function)\n%s\n#pragma clang attribute pop\n'


def program(wrong, statement, space="volt_test"):
    opening, closing = {
        "function": ("inline void build(App& app, Runtime& runtime, const char* text, int number) {", "}"),
        "coroutine": ("inline Task<> build(App& app, Runtime& runtime, const char* text, int number) {", "co_return; }"),
    }[wrong.place]
    return (
        f"namespace {space} {{ using namespace volt_test; {wrong.needs}\n{opening}\n"
        "(void)app, (void)runtime, (void)text, (void)number;\n"
        f"{statement}\n{closing}\n}}\n"
    )


def first_error(said, kind="error"):
    """Returns the first error, without its place and without what the compilers add to a failed assertion."""
    for line in said.splitlines():
        if match := re.match(rf".*?: (?:fatal )?{kind}: (.*)", line):
            return re.sub(r"^static assertion failed(?: due to requirement '.*?')?: ", "", match[1])
    return ""


def judge(compiler, wrong):
    compiles, said = compiler.check(program(wrong, wrong.bad))
    if compiles:
        return f"{wrong.what}: compiles, but should not: {wrong.bad}", 0
    return judge_output(compiler, wrong, said)


def judge_output(compiler, wrong, said):
    lines = len(said.splitlines())
    heard = said if wrong.note else first_error(said)
    expected = wrong.says if re.search(r"[|]", wrong.says) else re.escape(wrong.says)
    if not re.search(expected, heard):
        return f"{wrong.what}: the first error is not '{wrong.says}':\n{said}", lines
    lines_max = LINES_MAX["clang" if "clang" in compiler.name else "g++"]
    if lines > lines_max:
        return f"{wrong.what}: {lines} lines of output, more than {lines_max}:\n{said}", lines
    return None, lines


def judge_together(compiler, wrongs):
    """Compiles the wrong programs as one, and those alone whose error is not found: the compiler reports an error of a
    template once, in the first program that has it. For g++, which instantiates templates of the header for seconds in
    each translation unit."""
    text = "".join(f'#line 1 "wrong{i}.cpp"\n{program(wrong, wrong.bad, f"wrong{i}")}' for i, wrong in enumerate(wrongs))
    _, said = compiler.check(text, options=["-fmax-errors=0"])
    outputs, current = [""] * len(wrongs), None
    for line in said.splitlines(keepends=True):
        if match := re.search(r"\bwrong(\d+)\.cpp\b", line):
            current = int(match[1])
        if current is not None:
            outputs[current] += line
    judged = [judge_output(compiler, wrong, output) for wrong, output in zip(wrongs, outputs)]
    return [judge(compiler, wrong) if message else (message, lines) for wrong, (message, lines) in zip(wrongs, judged)]


def judge_warning(wrong, check):
    """Returns a message unless the compiler warns of the wrong program, and of nothing in the right one."""
    def warnings(statement):
        compiles, said = check(program(wrong, statement))
        return compiles, first_error(said, "warning"), said

    accepted, warning, said = warnings(wrong.good)
    if not accepted or warning:
        return f"{wrong.what}: a warning or an error, but should not: {wrong.good}\n{said}"
    accepted, warning, said = warnings(wrong.bad)
    if not accepted or wrong.says not in warning:
        return f"{wrong.what}: the first warning is not '{wrong.says}':\n{said}"
    return None


def judge_good(compiler, wrongs):
    """Compiles all right programs as one, each in a namespace of its own."""
    text = "".join(program(wrong, wrong.good, f"good{i}") for i, wrong in enumerate(wrongs))
    compiles, said = compiler.check(text)
    return None if compiles else f"the right programs do not compile:\n{said}"


def compilers():
    """The compiler of the build; if that is clang, g++ 14 too, where it is installed."""
    first = os.environ.get("CXX", "clang++-19")
    return [first, "g++-14"] if "clang" in first and shutil.which("g++-14") else [first]


def precompiled(root, folder, name, header, *options):
    """Returns a compiler that has precompiled `header`. clang's precompiled headers have the instances of templates too."""
    instances = ["-fpch-instantiate-templates"] if "clang" in name else []
    compiler = Compiler(root, tempfile.mkdtemp(dir=folder), name, *instances, *options)
    compiler.precompile(header)
    return compiler


def check(root, name):
    wrongs = [wrong for chapter in CHAPTERS.values() for wrong in chapter]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        compiler = precompiled(root, folder, name, HEADER, "-Wno-unused-result")
        good = pool.submit(judge_good, compiler, wrongs)
        ignored = functools.partial(compiler.check, options=["-Wunused-result"])
        warnings = [pool.submit(judge_warning, wrong, ignored) for wrong in IGNORED]
        if "clang" in name:
            lifetimes = precompiled(root, folder, name, CHECKED % HEADER, "-Wno-unused-result", *CHECK_LIFETIMES)
            warnings += [pool.submit(judge_warning, wrong, lambda text: lifetimes.check(CHECKED % text)) for wrong in LIFETIMES]
            judged = list(pool.map(lambda wrong: judge(compiler, wrong), wrongs))
        else:
            parts = [wrongs[first::PARTS] for first in range(PARTS)]  # neighbours often have the same error
            wrongs = sum(parts, [])
            judged = sum(pool.map(functools.partial(judge_together, compiler), parts), [])
    if "--lines" in sys.argv:
        for wrong, (_, lines) in zip(wrongs, judged):
            print(f"{lines:5} {wrong.what}")
    messages = [good.result(), *[task.result() for task in warnings], *[message for message, _ in judged]]
    messages = [message for message in messages if message]
    print("\n".join(messages) or f"{name}: {len(judged)} wrong programs are refused, "
          f"with the right sentence and in at most {max(lines for _, lines in judged)} lines")
    return messages


def cell(text):
    return text.replace("|", "\\|")


def tables():
    """The tables of README.md."""
    text = ""
    for title, wrongs in [*CHAPTERS.items(), ("Tasks that are ignored (warnings)", IGNORED), ("Lifetimes of tasks, with `VOLT_CHECK_LIFETIMES`", LIFETIMES)]:
        text += f"### {title}\n\n| mistake | program | what the compiler says |\n|---|---|---|\n"
        for wrong in wrongs:
            text += f"| {wrong.what} | `{cell(wrong.bad)}` | {cell(wrong.says)} |\n"
        text += "\n"
    return text


def main(root):
    readme = pathlib.Path(root) / "tests/misuse/README.md"
    before, marker, rest = readme.read_text().partition("<!-- refused.py -->\n")
    if not marker:
        raise SystemExit("README.md has no place for the tables")
    if "--write" in sys.argv:
        readme.write_text(before + marker + "\n" + tables().rstrip() + "\n")
        return 0
    failed = [message for name in compilers() for message in check(root, name)]
    if rest.strip() != tables().strip():
        print("README.md is not up to date: run tests/misuse/refused.py . --write")
        return 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
