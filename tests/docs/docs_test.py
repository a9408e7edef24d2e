#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""README.md and the pages of docs/ do what they say: their programs are compiled against an installed Volt and run,
their commands give what is printed below them.

Usage: docs_test.py ROOT BUILD_FOLDER CXX [PAGE...]       a page is README.md or docs/NAME.md; without any, all are

In a page, a block
  ```cpp      that begins with #include begins a program; those that follow go on with it
  ```console  has commands after "$ ", and below each what it prints: every line of it, but "..." stands for any text in a
              line, and alone for any lines.
              Before the first program they prepare its folder; then they ask the program above, at localhost:8080
Programs that include a header of SERVED are served while their commands run; others must end with status 0. Pages with
programs that include <pg/...> have a PostgreSQL at DATABASE_URL, and those with <redis/...> a Redis at REDIS_URL; where
none is installed these are compiled only. Programs that include a library of LIBRARIES are compiled only, and skipped
where it is not installed. Every other kind of block is for
reading only. The blocks of docs/tutorial.md are files of a project instead (tutorial.py).
"""

import concurrent.futures
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import typing

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "e2e"), str(TESTS / "support")]
import private_postgres  # pylint: disable=wrong-import-position
import private_redis  # pylint: disable=wrong-import-position
import tutorial  # pylint: disable=wrong-import-position
from server_process import Server  # pylint: disable=wrong-import-position

BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.M | re.S)
SECONDS_MAX = 60
SERVED = ("<config/run.h>", "<config/program.h>")
LIBRARIES = {"spdlog/": "spdlog"}  # how a program includes it, its name for pkg-config
HEADERS = ("asio.hpp",)  # libraries of headers alone, which pkg-config does not know


class Step(typing.NamedTuple):
    """A program, or none, and the commands below it."""

    code: str
    commands: list  # of (command, what it prints)


def commands_of(block):
    return re.findall(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", block, re.M)


def steps_of(text):
    steps = [Step("", [])]
    for kind, block in BLOCK.findall(text):
        if kind == "cpp" and block.startswith("#include"):
            steps.append(Step(block, []))
        elif kind == "cpp":
            steps[-1] = steps[-1]._replace(code=steps[-1].code + "\n" + block)
        elif kind == "console":
            steps[-1].commands.extend(commands_of(block))
    return steps


def matches(wanted, printed):
    def pattern_of(line):
        return r"(?:.*\n)*?" if line.strip() == "..." else re.escape(line).replace(r"\.\.\.", ".*") + r"\n"

    pattern = "".join(map(pattern_of, wanted.splitlines()))
    return re.fullmatch(pattern, printed if printed.endswith("\n") or not printed else printed + "\n") is not None


def libraries_of(code):
    return [name for folder, name in [*LIBRARIES.items(), *zip(HEADERS, HEADERS)] if f"#include <{folder}" in code]


def flags_of(libraries, kind):
    libraries = [name for name in libraries if name not in HEADERS]
    if not libraries:
        return []
    done = subprocess.run(["pkg-config", kind, *libraries], capture_output=True, text=True, check=True)
    return [flag.replace("-I", "-isystem") for flag in done.stdout.split()]


def installed(libraries):
    if not all(pathlib.Path("/usr/include", name).exists() for name in libraries if name in HEADERS):
        return False
    known = [name for name in libraries if name not in HEADERS]
    return not known or subprocess.run(["pkg-config", "--exists", *known], check=False).returncode == 0


class Tree:
    """An installed Volt, and the headers that most programs begin with, parsed once."""

    def __init__(self, build, folder, compiler):
        self.volt, self.compiler = folder / "volt", compiler
        subprocess.run(["cmake", "--install", build, "--prefix", self.volt], check=True, capture_output=True)
        place = str(next(self.volt.rglob("volt.pc")).parent)

        def flags(kind):
            packages = ["volt", "volt-sqlite", "volt-sessions", "volt-stores", "volt-topics"]
            return subprocess.run(["pkg-config", kind, *packages], check=True, capture_output=True, text=True,
                                  env={**os.environ, "PKG_CONFIG_PATH": place}).stdout.split()

        self.compile = [compiler, "-Wall", "-Wextra", "-Werror", "-O0", *flags("--cflags")]
        self.link = flags("--libs") + (["-fuse-ld=lld"] if shutil.which("ld.lld") or shutil.which("ld.lld-19") else [])
        self.first = folder / "first.h"
        self.first.write_text("#include <config/run.h>\n#include <http/http.h>\n")
        subprocess.run([*self.compile, "-x", "c++-header", self.first, "-o", f"{self.first}.gch"], check=True)

    def build(self, code, program):
        source = program.with_suffix(".cpp")
        source.write_text(code)
        libraries = libraries_of(code)
        flags = flags_of(libraries, "--cflags")
        # The precompiled header has been compiled without the macros of other libraries.
        first = [] if libraries else ["-include", self.first]
        done = subprocess.run([*self.compile, *flags, *first, source, "-o", program, *self.link,
                               *flags_of(libraries, "--libs")], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stderr)


def run(command, folder, port):
    script = command.replace("localhost:8080", f"127.0.0.1:{port}")
    done = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True, timeout=SECONDS_MAX,
                          check=False)
    return done.stdout + done.stderr


def run_commands(commands, folder, port=0):
    for command, wanted in commands:
        printed = run(command, folder, port).replace(f"127.0.0.1:{port}", "localhost:8080")
        if not matches(wanted, printed):
            raise AssertionError(f"$ {command}\nprints\n{printed}\nnot\n{wanted}")


# How a program includes the client of a server, the variable that names the server, and what starts one.
SERVERS = (("pg", "DATABASE_URL", private_postgres.installed, private_postgres.PrivatePostgres),
           ("redis", "REDIS_URL", private_redis.installed, private_redis.PrivateRedis))


def variables_of(page):
    """The variables of the servers that the programs of the page need."""
    return [variable for folder, variable, *_ in SERVERS if f"#include <{folder}/" in page.read_text()]


@contextlib.contextmanager
def servers_for(pages):
    """Starts the servers that one of the pages needs, and that are installed."""
    with contextlib.ExitStack() as running:
        for _, variable, installed_here, start in SERVERS:
            os.environ.pop(variable, None)
            if installed_here() and any(variable in variables_of(page) for page in pages):
                os.environ[variable] = running.enter_context(start()).url
        yield


def check_tutorial(page, tree, folder):
    program = tutorial.replay(page, folder / "links", tree.volt, tree.compiler)
    with Server(program, folder=folder) as server:
        run_commands([command for step in steps_of(page.read_text()) for command in step.commands], folder, server.port)
    return f"{page.name}: {len(tutorial.steps_of(page.read_text()))} steps"


def check_page(page, tree, folder):
    folder.mkdir()
    if page.name == "tutorial.md":
        return check_tutorial(page, tree, folder)
    ran, skipped = 0, []
    runs = all(variable in os.environ for variable in variables_of(page))
    for number, step in enumerate(steps_of(page.read_text())):
        if not step.code:
            run_commands(step.commands if runs else [], folder)
            continue
        if not installed(libraries_of(step.code)):
            skipped += libraries_of(step.code)
            continue
        program = folder / f"program{number}"
        tree.build(step.code, program)
        if not runs or libraries_of(step.code):
            continue
        if any(header in step.code for header in SERVED):
            with Server(program, folder=folder) as server:
                run_commands(step.commands, folder, server.port)
        else:
            subprocess.run([program], cwd=folder, check=True, timeout=SECONDS_MAX)
        ran += 1
    return f"{page.name}: {ran} programs" + "".join(f", one skipped without {name}" for name in skipped)


def main():
    root, build, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    pages = [root / name for name in sys.argv[4:]] or [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    pages.sort(key=lambda page: page.name != "tutorial.md")  # takes the longest
    failed = False
    with servers_for(pages), tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        tree = Tree(build, pathlib.Path(name), compiler)
        checks = {page: pool.submit(check_page, page, tree, pathlib.Path(name) / str(number))
                  for number, page in enumerate(pages)}
        for page, check in checks.items():
            try:
                print(check.result(), flush=True)
            except (AssertionError, subprocess.SubprocessError) as error:
                failed = True
                print(f"{page.name}: {error}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
