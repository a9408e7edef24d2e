#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""volt-watch: what it does after each kind of change, with a client that makes requests all the time.

The program is a copy of hello, which a script "compiles" from the files of a folder, so that the test takes no compiler's
time. package_test.py watches a project of volt-new.

Usage: watch_test.py VOLT_WATCH FOLDER_OF_PROGRAMS
"""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "e2e"), str(HERE.parent / "support")]
from command import check  # pylint: disable=wrong-import-position
from ports import free_port  # pylint: disable=wrong-import-position
from restart_test import WAIT_SECONDS_MAX, Load, alive, eventually  # pylint: disable=wrong-import-position

CMAKE = """cmake_minimum_required(VERSION 3.25)
project(shop LANGUAGES NONE)
file(GLOB sources CONFIGURE_DEPENDS src/*.cpp)
set(program ${CMAKE_BINARY_DIR}/bin/shop)
add_custom_command(OUTPUT ${program} COMMAND sh ${CMAKE_SOURCE_DIR}/compile.sh ${program} ${sources}
                   DEPENDS ${sources} VERBATIM)
add_custom_target(shop DEPENDS ${program})
"""
PRESETS = """{"version": 6, "configurePresets": [
  {"name": "debug", "generator": "Ninja", "binaryDir": "${sourceDir}/build/debug"}]}
"""
# A program with its sources at its end, a mistake with its place, a program that fails, or a compiler that takes long.
COMPILE = """set -eu
program=$1; shift
for source in "$@"; do
  case $(cat "$source") in
    *mistake*) echo "$source:3:7: error: expected ';' after <expression>"; exit 1 ;;
    *slow*) : >build-is-slow; exec sleep 600 ;;
    *"exits at once"*) printf '#!/bin/sh\\nexit 7\\n' >"$program.new"; chmod +x "$program.new"; mv "$program.new" "$program"; exit ;;
  esac
done
cp HELLO "$program.new"
cat "$@" >>"$program.new"
mv "$program.new" "$program"
"""


class Project:
    """A folder with a project, and volt-watch in it: `with project.watched(program):`."""

    def __init__(self, volt_watch, folder, hello):
        self.volt_watch, self.folder, self.port = volt_watch, folder, free_port()
        (folder / "src").mkdir()
        for name, text in (("CMakeLists.txt", CMAKE), ("CMakePresets.json", PRESETS),
                           ("compile.sh", COMPILE.replace("HELLO", str(hello)))):
            (folder / name).write_text(text)

    def write(self, name, text):
        """As editors do it: into a new file, which replaces the old one."""
        other = self.folder / (name + "~")
        other.write_text(text)
        other.rename(self.folder / name)

    def command(self):
        return [self.volt_watch, "--program", "build/debug/bin/shop", "--", "--listen", f"127.0.0.1:{self.port}",
                "--workers", "2", "--server.drain-idle-timeout", "5s"]

    @contextlib.contextmanager
    def watched(self):
        environment = {**os.environ, "VOLT_SERVER_QUEUE_DELAY_MAX": "0ms"}
        self.log = ""
        self.process = subprocess.Popen(self.command(), cwd=self.folder, env=environment, text=True,
                                        stderr=subprocess.PIPE, start_new_session=True)
        reader = threading.Thread(target=self._read, args=(self.process.stderr,), daemon=True)
        reader.start()
        try:
            yield
        finally:
            if self.process.poll() is None:
                self.process.terminate()
                self.process.wait(WAIT_SECONDS_MAX)
            reader.join(WAIT_SECONDS_MAX)  # it ends with the last process that has the log
            check(not reader.is_alive(), f"a process is left:\n{self.log}")

    def _read(self, stream):
        for line in stream:
            self.log += line

    def says(self, pattern, times=1):
        """The nth match in the log, awaited."""
        def found():
            matches = re.findall(pattern, self.log)
            return matches[times - 1] if len(matches) >= times else None
        return eventually(found, lambda: f"{pattern} ({times}) in\n{self.log}")

    @property
    def served_by(self):
        return int((self.folder / "build/debug/volt-watch/pid").read_text())

    def runs(self, sources):
        """Waits until the program of these sources serves. Returns its process."""
        def found():
            try:
                pid = self.served_by
                return pathlib.Path(f"/proc/{pid}/exe").read_bytes().endswith(sources.encode()) and pid
            except (OSError, ValueError):
                return None
        return eventually(found, lambda: f"no program of {sources!r} serves:\n{self.log}")

    def get(self, accept):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/plaintext", headers={"Accept": accept})
        try:
            with urllib.request.urlopen(request, timeout=WAIT_SECONDS_MAX) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def shows(self, pattern):
        """Waits until browsers are shown it, and checks that others are not."""
        def found():
            status, page = self.get("text/html")
            return status == 500 and re.search(pattern, page)
        eventually(found, lambda: f"{pattern} is not shown:\n{self.get('text/html')}\n{self.log}")
        check(self.get("*/*") == (200, "Hello, World!"), "the program before the change does not respond to others")

    def shows_nothing(self):
        eventually(lambda: self.get("text/html") == (200, "Hello, World!"),
                   lambda: f"the errors are still shown: {self.get('text/html')}\n{self.log}")


def test_start(project):
    """Returns the process that serves in the end."""
    project.write("src/app.cpp", "a mistake")
    project.says("volt-watch: the build failed after")
    check("app.cpp:3:7: error: expected" in project.log and "FAILED" not in project.log, project.log)
    project.write("src/app.cpp", "exits at once")
    project.says("volt-watch: the program ended before it served, with status 7")
    project.write("src/app.cpp", "version 1")
    first = project.runs("version 1")
    project.says("for development only")
    second = subprocess.run(project.command(), cwd=project.folder, capture_output=True, text=True, check=False,
                            timeout=WAIT_SECONDS_MAX)
    check(second.returncode == 1 and f"runs already, as process {first}" in second.stderr, second)


def test_changes(project):
    project.write("src/app.cpp", "version 2")
    project.runs("version 2")
    project.write("src/new.cpp", " and a new file")
    before = project.runs("version 2 and a new file")
    for name, text, error in (
            ("src/app.cpp", "a mistake", r".*app\.cpp:3:7: error: expected &#39;;&#39; after &lt;expression&gt;</b>"),
            ("CMakeLists.txt", CMAKE + "frobnicate()\n", "CMake Error at CMakeLists.txt:8"),
            ("CMakePresets.json", "{", "CMake Error: Could not read presets")):
        old = (project.folder / name).read_text()
        project.write(name, text)
        project.shows("<b>" + error)
        check(project.served_by == before, "another process serves")
        project.write(name, old)
        project.shows_nothing()
        before = project.runs("version 2 and a new file")


def test_a_program_that_does_not_start(project):
    before = project.served_by
    project.write("src/app.cpp", "exits at once")
    project.shows("it did not start")
    check(project.served_by == before, "another process serves")
    project.write("README.md", "A shop that starts again after any change.")
    project.says("the new program did not start", times=2)
    project.shows("it did not start")
    project.write("src/app.cpp", "version 3")
    project.runs("version 3 and a new file")
    project.shows_nothing()


def test_a_change_during_a_build(project):
    project.write("src/app.cpp", "slow")
    eventually(lambda: list(project.folder.rglob("build-is-slow")), lambda: f"it does not compile:\n{project.log}")
    project.write("src/app.cpp", "version 4")
    project.runs("version 4 and a new file")


def test_a_file_that_the_program_does_not_depend_on(project):
    before, status = project.served_by, project.folder / "build/debug/volt-watch/status"
    old = status.stat().st_mtime_ns
    project.write("README.md", "A shop.")
    eventually(lambda: status.exists() and status.stat().st_mtime_ns != old, lambda: f"no build:\n{project.log}")
    project.write("src/app.cpp", "a mistake")
    project.shows("error: expected")
    check(project.served_by == before, "it has been restarted")
    project.write("src/app.cpp", "version 5")
    project.runs("version 5 and a new file")


def test_the_end(project):
    last = project.served_by
    os.kill(last, signal.SIGKILL)
    project.says("volt-watch: the program has ended; it starts again")
    project.write("src/app.cpp", "version 6")
    last = project.runs("version 6 and a new file")
    project.process.send_signal(signal.SIGINT)
    check(project.process.wait(WAIT_SECONDS_MAX) == 0, project.log)
    check(not alive(last), "the program still runs")


def test_a_mistake_before_the_start(project):
    project.says(r"volt-watch: the build failed[^\n]*\n(?:.*\n)*?volt-watch: process \d+ serves")
    project.shows("error: expected")
    project.write("src/app.cpp", "version 7")
    project.runs("version 7 and a new file")
    project.shows_nothing()


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell cannot catch a signal that was ignored before it
    volt_watch, programs = (pathlib.Path(name).resolve() for name in sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        project = Project(volt_watch, pathlib.Path(name), programs / "hello")
        with project.watched():
            test_start(project)
            with Load(project.port, clients=1) as load:
                for test in (test_changes, test_a_program_that_does_not_start, test_a_change_during_a_build,
                             test_a_file_that_the_program_does_not_depend_on):
                    test(project)
                    print(f"{test.__name__}: ok", flush=True)
            check(not load.lost, f"requests were lost: {load.lost[:5]}\n{project.log}")
            check(load.answered > 100, f"only {load.answered} were answered")
            test_the_end(project)
        project.write("src/app.cpp", "a mistake")
        with project.watched():
            test_a_mistake_before_the_start(project)
    print("ok")


if __name__ == "__main__":
    main()
