#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The image is made of what the tree is made of: the Dockerfile installs what `dev` does, its context has each folder.

Also, what the seccomp profile permits is listed once, in order, so that one finds it.
"""

import json
import re

from source_tree import Sample, main

NOT_IN_IMAGE = {"doctest-dev"}  # for tests
FOLDER_OF = re.compile(r"^(?:volt_library\(\w+ |add_subdirectory\(|include\()(\w+)[/)]", re.MULTILINE)


def words(text):
    return set(text.replace("\\\n", " ").split())


def check_packages(files):
    wanted = re.search(r'^to_build="([^"]*)"', files["dev"], re.MULTILINE)
    installs = re.search(r"apt-get install((?:\\\n|[^\n])*)", files["Dockerfile"])
    missing = words(wanted[1]) - NOT_IN_IMAGE - words(installs[1])
    return [f"Dockerfile: does not install {package}, as dev does" for package in sorted(missing)]


def check_context(files):
    let_in = set(re.findall(r"^!(\S+)", files[".dockerignore"], re.MULTILINE))
    folders = set(FOLDER_OF.findall(files["CMakeLists.txt"]))
    return [f".dockerignore: keeps out {folder}, which CMakeLists.txt names" for folder in sorted(folders - let_in)]


def check_profile(text):
    seen, messages = set(), []
    for group in json.loads(text)["syscalls"]:
        names = group["names"]
        if names != sorted(names):
            messages.append(f"config/deploy/seccomp.json: not in order: {group['comment']}")
        if "args" not in group:
            messages += [f"config/deploy/seccomp.json: {name} is there twice" for name in names if name in seen]
        seen |= set(names)
    return messages


def check(files):
    messages = check_packages(files) if "Dockerfile" in files else []
    if ".dockerignore" in files:
        messages += check_context(files)
    if "config/deploy/seccomp.json" in files:
        messages += check_profile(files["config/deploy/seccomp.json"])
    return messages


DEV = 'to_build="clang-19 \\\nzlib1g-dev doctest-dev"\n'
INSTALL = "RUN apt-get update && apt-get install --yes \\\n  clang-19 {}\nRUN cmake\n"
LISTS = "volt_library(volt_tls tls)\nadd_subdirectory(apps)\nif(T)\n  add_subdirectory(tests)\nendif()\n"


def profile(*groups):
    return {"config/deploy/seccomp.json": json.dumps({"syscalls": [{"comment": "c", "names": g} for g in groups]})}


SAMPLES = [
    Sample("the same packages", {"dev": DEV, "Dockerfile": INSTALL.format("zlib1g-dev")}, ""),
    Sample("a package too few", {"dev": DEV, "Dockerfile": INSTALL.format("zlib1g")}, "zlib1g-dev, as dev does"),
    Sample("each folder is let in", {"CMakeLists.txt": LISTS, ".dockerignore": "*\n!apps\n!tls\n"}, ""),
    Sample("a folder is kept out", {"CMakeLists.txt": LISTS, ".dockerignore": "*\n!apps\n"}, "keeps out tls"),
    Sample("names in order", profile(["a", "b"], ["c"]), ""),
    Sample("names out of order", profile(["b", "a"]), "not in order"),
    Sample("a name twice", profile(["a", "b"], ["b"]), "b is there twice"),
]

if __name__ == "__main__":
    main(check, SAMPLES)
