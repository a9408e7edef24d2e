# SPDX-License-Identifier: MIT
"""Replays docs/tutorial.md: its blocks are files of a project, and changes of them.

The project is one that volt-new has made. After each step its tests are built and must pass, and its program is built after
the steps that change main.cpp and after the last one.

  ```cpp NAME     is the file NAME, whole
  ```diff NAME    is a change of it: hunks, separated by lines with @@, of lines that begin with a blank, - or +. What a
                  hunk removes or repeats must be in the file exactly once after the place of the hunk before it
"""

import pathlib
import re
import subprocess
import typing

BLOCK = re.compile(r"^```(\w+) ([\w.]+)\n(.*?)^```$", re.M | re.S)
STEP = re.compile(r"^## (\d+\. .*)$", re.M)


class Step(typing.NamedTuple):
    title: str
    changes: list  # of (kind, file, text)


def steps_of(page):
    """The numbered sections of the page, with their blocks."""
    parts = STEP.split(page)[1:]
    return [Step(title, BLOCK.findall(text)) for title, text in zip(parts[::2], parts[1::2])]


def patched(text, change):
    """The text with the hunks of a change applied."""
    done, rest = "", text
    for hunk in re.split(r"^@@\n", change, flags=re.M):
        lines = [line if line else " " for line in hunk.splitlines()]
        before = "".join(line[1:] + "\n" for line in lines if line[0] in " -")
        after = "".join(line[1:] + "\n" for line in lines if line[0] in " +")
        place = rest.find(before)
        if not before or place < 0:
            raise AssertionError(f"the file has no such lines:\n{before}\nbut\n{rest}")
        kept = rest[:place] + after
        done, rest = done + kept, rest[place + len(before):]
    return done + rest


def apply(step, project):
    """Makes the changes of a step in the folder of the project."""
    for kind, name, text in step.changes:
        file = project / name
        try:
            file.write_text(patched(file.read_text(), text) if kind == "diff" else text)
        except (AssertionError, FileNotFoundError) as error:
            raise AssertionError(f"{step.title}: {name}: {error}") from error


def run(title, *command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{title}: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")


def build_and_test(title, project, target):
    run(title, "cmake", "--build", project / "build/debug", "--target", target)
    run(title, "ctest", "--test-dir", project / "build/debug", "--output-on-failure", "--no-tests=error")


def replay(page, project, volt, compiler):
    """Replays the page in the folder `project`, with the Volt that is installed in `volt`. Returns the program."""
    run("volt-new", volt / "bin/volt-new", project.name, project)
    run("configure", "cmake", "-S", project, "--preset", "debug", f"-DCMAKE_CXX_COMPILER={compiler}",
        f"-DCMAKE_PREFIX_PATH={volt}")
    steps = steps_of(page.read_text())
    for step in steps:
        apply(step, project)
        whole = step is steps[-1] or any(name == "main.cpp" for _, name, _ in step.changes)
        build_and_test(step.title, project, "all" if whole else f"{project.name}_tests")
    return project / "build/debug" / project.name
