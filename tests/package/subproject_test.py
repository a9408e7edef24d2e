#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Volt as a part of another project, by add_subdirectory and by FetchContent: it has the targets of the installed package,
and brings nothing else into the project.

Usage: subproject_test.py SOURCE_FOLDER BUILD_FOLDER CXX
"""

import pathlib
import re
import subprocess
import sys
import tempfile

from command import check, run

HERE = pathlib.Path(__file__).resolve().parent


def names_of_the_package(build):
    exported = next((build / "CMakeFiles/Export").rglob("voltTargets.cmake")).read_text()
    return re.search(r"IN ITEMS ([^)]*)\)", exported)[1].split()


class Project:
    """The project in the folder `subproject`, configured."""

    def __init__(self, tree, folder, compiler, way, *options):
        self.folder = folder / way
        self.said = run("cmake", "-S", HERE / "subproject", "-B", self.folder, "-G", "Ninja", "--no-warn-unused-cli",
                        f"-DCMAKE_CXX_COMPILER={compiler}", f"-DVOLT_FROM={way}", f"-DVOLT_TREE={tree}",
                        f"-DFETCHCONTENT_SOURCE_DIR_VOLT={tree}", *options, stderr=subprocess.STDOUT)
        self.found = dict(re.findall(r"^(\w+): (.*)$", (self.folder / "found.txt").read_text(), re.MULTILINE))

    def commands(self, target):
        return run("ninja", "-C", self.folder, "-t", "commands", target)

    def install_rules(self):
        return (self.folder / "volt/cmake_install.cmake", self.folder / "_deps/volt-build/cmake_install.cmake")


def check_alone(project, names):
    check(project.found["missing"] == "", f"not targets: {project.found['missing']}")
    check(project.found["folders"] == "", f"it adds the folders {project.found['folders']}")
    targets = {target.replace("volt_", "volt::") for target in project.found["targets"].split(";")}
    check(targets == set(names), f"its targets are {targets}")
    everything = project.commands("all")
    for used in ("main.cpp", "libvolt_http.a", "libllhttp.a", "libcrypto"):
        check(used in everything, f"the program is built without {used}")
    for unused in ("libvolt_pg.a", "libvolt_config.a", "libvolt_tls.a"):
        check(unused not in everything, f"{unused} is built although no target links it")
    rules = [file.read_text() for file in project.install_rules() if file.exists()]
    check(len(rules) == 1 and "file(INSTALL" not in rules[0], "it installs itself")


def test_add_subdirectory(tree, folder, compiler, names):
    project = Project(tree, folder, compiler, "add_subdirectory", f"-DEXPECTED={';'.join(names)}")
    check_alone(project, names)
    check("-isystem" in project.commands("service"), "its headers are not those of a system")
    run("ninja", "-C", project.folder, "CMakeFiles/service.dir/main.cpp.o")


def test_fetch_content(tree, folder, compiler, names):
    check_alone(Project(tree, folder, compiler, "FetchContent", f"-DEXPECTED={';'.join(names)}"), names)


def test_options(tree, folder, compiler, names):
    project = Project(tree, folder, compiler, "add_subdirectory", "-DVOLT_INSTALL=ON", "-DVOLT_PG=OFF",
                      "-DVOLT_REDIS=OFF", "-DCMAKE_DISABLE_FIND_PACKAGE_Libpq=ON",
                      "-DCMAKE_DISABLE_FIND_PACKAGE_Hiredis=ON", "--fresh")
    without = {name for name in names if name not in
               ("volt::pg", "volt::redis", "volt::stores", "volt::topics")}
    targets = {target.replace("volt_", "volt::") for target in project.found["targets"].split(";")}
    check(targets == without, f"its targets are {targets}")
    installed = (project.folder / "volt/cmake_install.cmake").read_text()
    for expected in ("libvolt_http.a", "volt.pc", "volt-sqlite.pc", "sqlite_sessions.h", "voltConfig.cmake"):
        check(expected in installed, f"{expected} is not installed")
    for unexpected in ("volt-pg.pc", "volt-topics.pc", "libvolt_redis.a", "pg_sessions.h", "volt-hello"):
        check(unexpected not in installed, f"{unexpected} is installed")


def main():
    tree, build, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    names = names_of_the_package(build)
    check("volt::http" in names and len(names) > 10, f"the package has {names}")
    with tempfile.TemporaryDirectory() as folder:
        for test in (test_add_subdirectory, test_fetch_content, test_options):
            test(tree, pathlib.Path(folder), compiler, names)
            print(f"{test.__name__}: ok", flush=True)


if __name__ == "__main__":
    main()
