# SPDX-License-Identifier: MIT
"""Replays docs/tutorial.md: its blocks are files of a project, and changes of them.

The project is one that volt-new has made. After each step, the sources that it concerns must compile; after the last one,
the project is built and tested as its README says. With VOLT_TUTORIAL=every, it is after each step: for a release.

  ```cpp NAME     is the file NAME, whole
  ```diff NAME    is a change of it: hunks, separated by lines with @@, of lines that begin with a blank, - or +. What a
                  hunk removes or repeats must be in the file exactly once after the place of the hunk before it
"""

import os
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
    """Makes the changes of a step in the folder of the project. Returns the names of the files."""
    for kind, name, text in step.changes:
        file = project / name
        try:
            file.write_text(patched(file.read_text(), text) if kind == "diff" else text)
        except (AssertionError, FileNotFoundError) as error:
            raise AssertionError(f"{step.title}: {name}: {error}") from error
    return {name for _, name, _ in step.changes}


def includers(project, changed):
    """The sources that a change of these files concerns: themselves, and those that include one of them."""
    concerned = set(changed)
    grows = True
    while grows:
        grows = False
        for file in project.iterdir():
            if file.suffix in (".h", ".cpp") and file.name not in concerned:
                if concerned & set(re.findall(r'^#include "(.*)"$', file.read_text(), re.M)):
                    concerned.add(file.name)
                    grows = True
    return sorted(project / name for name in concerned if name.endswith(".cpp"))


def run(title, *command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{title}: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")


def build_and_test(title, project, volt, compiler):
    run(title, "cmake", "-S", project, "--preset", "debug", f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_PREFIX_PATH={volt}")
    run(title, "cmake", "--build", project / "build/debug")
    run(title, "ctest", "--test-dir", project / "build/debug", "--output-on-failure", "--no-tests=error")


def replay(page, project, volt, compiler, compile_only):
    """Replays the page in the folder `project`, with the Volt that is installed in `volt`. `compile_only` is the command
    that compiles a source without a result. Returns the program."""
    run("volt-new", volt / "bin/volt-new", project.name, project)
    steps = steps_of(page.read_text())
    last_of_code = [step for step in steps if any(name.endswith((".h", ".cpp")) for _, name, _ in step.changes)][-1]
    for step in steps:
        sources = includers(project, apply(step, project))
        for source in sources if step is not last_of_code else []:  # those of the last one are built below
            run(step.title, *compile_only, source)
        if step is steps[-1] or os.environ.get("VOLT_TUTORIAL") == "every":
            build_and_test(step.title, project, volt, compiler)
    return project / "build/debug" / project.name
