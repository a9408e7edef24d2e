#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gdb, with config/debug/volt-gdb.py, shows the tasks of a crashed program: as it crashes, and from its core dump.

Usage: debugger_test.py PROGRAM SCRIPT; skipped (status 77) without gdb, and where a process may not be traced.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

PATIENCE_SECONDS = 120
SKIPPED = 77


def gdb(*commands, core=None):
    words = ["gdb", "--nx", "--batch", "-ex", "set style enabled off", "-ex", "set debuginfod enabled off"]
    for command in ("source " + SCRIPT, *commands):
        words += ["-ex", command]
    words += [PROGRAM] + ([core] if core else [])
    result = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)
    return result.stdout + result.stderr


def check(pattern, output):
    if not re.search(pattern, output, re.MULTILINE):
        raise AssertionError(f"no match for {pattern!r} in:\n{output}")


def line_of(code):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "crashing_program.cpp"), encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if code in line)


def check_commands(output):
    # The chain of the handler: the innermost coroutine first, each with the place of its await.
    check(r"^task \d+ on worker \d+, GET /report/\{name\}\n"
          r"    #0 .*render\S*\(int\) .*crashing_program\.cpp:\d+\n"
          rf"    #1 .*report\S*\(\) .*crashing_program\.cpp:{line_of('co_await render(7)')}\n"
          rf"    #2 .*main.* .*crashing_program\.cpp:{line_of('co_await report()')}\n", output)
    check(r"^task \d+: runs on worker \d+, GET /report/\{name\}$", output)
    check(r"^task \d+: (waits for timer|is queued)\n"
          r"(    #0 .*wait_for_news\(\).*\n    #1 )?.*watch_news\(\)", output)
    check(r"^worker \d+: thread \d+ \(LWP \d+\), runs task \d+, GET /report/\{name\}$", output)


PROGRAM, SCRIPT = sys.argv[1:]
COMMANDS = ("volt where", "volt tasks", "volt workers")
if shutil.which("gdb") is None:
    print("skipped: gdb is not installed")
    sys.exit(SKIPPED)
with tempfile.TemporaryDirectory() as folder:
    core_file = os.path.join(folder, "core")
    live = gdb("run", f"generate-core-file {core_file}", *COMMANDS)
    if re.search("(?i)ptrace|could not trace", live):
        print("skipped: a process may not be traced here")
        sys.exit(SKIPPED)
    check("signal SIGABRT", live)
    check_commands(live)
    check_commands(gdb(*COMMANDS, core=core_file))
    check("no task has the number 12345", gdb("volt tasks 12345", core=core_file))
check("this program has no symbols of Volt's runtime", subprocess.run(
    ["gdb", "--nx", "--batch", "-ex", "source " + SCRIPT, "-ex", "volt tasks", "/bin/true"],
    capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False).stderr)
