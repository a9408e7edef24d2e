#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What ./dev tells a newcomer: with nothing installed, neither root nor sudo, and names that are not there.

Usage: dev_test.py DEV
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

from stand_ins import make_tools

TOOLS = ("sh", "cat", "dirname", "find", "mkdir", "readlink", "sed")
STRANGER = {"id": "echo 1000", "dpkg-query": "exit 1", "apt-cache": "echo Candidate: 9.3.3", "dpkg": "exit 0",
            "apt-get": "echo called"}

CASES = (  # (why, arguments, status, what it says)
    ("nothing asked: help", [], 0, "./dev run APP"),
    ("help lists every command", ["help"], 0, "./dev package [FOLDER]"),
    ("a command that is not there", ["frobnicate"], 1, "no such command: frobnicate"),
    ("no program named: which there are", ["run"], 1, "one of: first second"),
    ("a program that is not there", ["run", "third"], 1, "there is no apps/third/main.cpp; there is: first second"),
    ("a folder without a program", ["run", "empty"], 1, "there is no apps/empty/main.cpp"),
    ("nothing to watch named", ["watch"], 1, "watch needs a program, one of: first second"),
    ("a program to watch that is not there", ["watch", "third"], 1, "there is no apps/third/main.cpp; there is: first second"),
    ("packages are missing: the command for root", ["run", "first"], 1,
     "apt-get update && apt-get install --no-install-recommends clang-19 "),
    ("and llhttp, where Debian has it", ["run", "first"], 1, " libllhttp-dev"),
    ("package, too, needs them", ["package"], 1, "As root:"),
    ("a cross build needs the emulator", ["build", "arm64"], 1, " qemu-user"),
    ("and so do its tests", ["test", "--arm64"], 1, " qemu-user"),
    ("an option that test does not have", ["test", "--frobnicate"], 1, "test takes --quick, --gcc, --debian13"),
    ("tests on other kernels need a machine for them", ["test", "--kernels"], 1, " qemu-system-x86"),
    ("the long tests need a library that moves the clock", ["test", "--long"], 1, " libfaketime"),
    ("package takes one folder", ["package", "a", "b"], 1, "or nothing"),
    ("the site needs a program that reads C++", ["docs"], 1, " doxygen"),
    ("new needs a name", ["new"], 1, "./dev new NAME [FOLDER]"),
    ("a name that is none", ["new", "-f"], 1, '"-f" cannot be the name of a project: a name consists of letters'),
    ("a project in the tree", ["new", "shop", "apps/first/shop"], 1, "is in Volt's own tree; name a folder outside"),
    ("a folder that is there", ["new", "shop", "apps/first"], 1, "apps/first exists already; name a folder"),
    ("a project beside the tree", ["new", "My_shop"], 0, "dev package "),
    ("whose name is taken now", ["new", "My_shop"], 1, "My_shop exists already"),
)


def make_tree(folder, dev):
    shutil.copytree(dev.parent / "cmake/package", folder / "cmake/package")
    shutil.copy(dev, folder / "dev")
    (folder / "tests").mkdir()
    shutil.copy(dev.parent / "tests/commands.sh", folder / "tests/commands.sh")
    for name in ("first", "second"):
        (folder / "apps" / name).mkdir(parents=True)
        (folder / "apps" / name / "main.cpp").touch()
    (folder / "apps/empty").mkdir()
    make_tools(folder / "tools", TOOLS, STRANGER)


def mistakes_of_project(project, tree):
    """Of the one that the cases make. tests/package builds one, and runs it."""
    found = []
    for template in sorted((tree / "cmake/package/template").rglob("*")):
        made = project / template.relative_to(tree / "cmake/package/template")
        if template.is_file() and (not made.is_file() or "@NAME@" in made.read_text() or "@IMAGE@" in made.read_text()):
            found.append(f"{made} is not there, or has a place for a name")
    for file, says in (("local.cmake", f'list(APPEND CMAKE_PREFIX_PATH "{tree}/build/prefix")'),
                       (".env", f'VOLT_SOURCE="{tree}"'), ("CMakeLists.txt", "project(My_shop "),
                       ("compose.yaml", "image: my-shop\n"), ("Dockerfile", 'ENTRYPOINT ["/bin/My_shop"]')):
        if says not in (project / file).read_text():
            found.append(f"{file} does not say {says}:\n{(project / file).read_text()}")
    return found


def main():
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name, "volt")
        make_tree(folder, pathlib.Path(sys.argv[1]))
        for why, arguments, status, says in CASES:
            done = subprocess.run([folder / "dev", *arguments], env={"PATH": str(folder / "tools")}, timeout=60, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, cwd=folder)
            if done.returncode != status or says not in done.stdout or "called" in done.stdout:
                failed = True
                print(f"{why}: status {done.returncode}, says\n{done.stdout}", flush=True)
        if wrong := mistakes_of_project(pathlib.Path(name, "My_shop"), folder):
            failed = True
            print("the new project:\n" + "\n".join(wrong))
    if failed:
        sys.exit(1)
    print(f"{len(CASES)} cases ok")


if __name__ == "__main__":
    main()
