#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The image is made of what the tree is made of: the Dockerfile installs what `dev` does, its context has each folder.
The Dockerfile and the CI file of new projects install it, too.

It is for every processor: the Dockerfile names none, and where the seccomp profile permits a system call that ARM64 does
not have, it also permits the one that libc uses there. Also, what the profile permits is listed once, in order, so that
one finds it.
"""

import json
import re

from source_tree import Sample, main

NOT_IN_IMAGE = {"doctest-dev"}  # for tests
TEMPLATE = "cmake/package/template/"
INSTALLING = ("Dockerfile", TEMPLATE + "Dockerfile", TEMPLATE + ".github/workflows/ci.yaml")
# System calls of x86-64 that ARM64 does not have, and what libc calls there instead; "" for nothing.
ON_ARM64 = {
    "access": "faccessat", "arch_prctl": "", "dup2": "dup3", "epoll_wait": "epoll_pwait", "getpgrp": "getpgid",
    "lstat": "newfstatat", "mkdir": "mkdirat", "open": "openat", "poll": "ppoll", "readlink": "readlinkat",
    "rename": "renameat", "rmdir": "unlinkat", "stat": "newfstatat", "time": "clock_gettime", "unlink": "unlinkat",
}
PROCESSOR = re.compile(r"x86|amd64|arm64|aarch64", re.IGNORECASE)
FOLDER_OF = re.compile(r"^ *(?:volt_library\(\w+ |add_subdirectory\(|include\()(?!tests\)|loadtest\))(\w+)[/)]", re.MULTILINE)


def words(text):
    return set(text.replace("\\\n", " ").split())


def check_packages(path, files):
    wanted = re.search(r'^to_build="([^"]*)"', files["dev"], re.MULTILINE)
    installs = re.search(r"apt-get install((?:\\\n|[^\n])*)", files[path])
    missing = words(wanted[1]) - NOT_IN_IMAGE - words(installs[1])
    return [f"{path}: does not install {package}, as dev does" for package in sorted(missing)]


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
    for name in sorted(seen & set(ON_ARM64)):
        if ON_ARM64[name] and ON_ARM64[name] not in seen:
            messages.append(f"config/deploy/seccomp.json: permits {name}, but not {ON_ARM64[name]}, its form on ARM64")
    return messages


def check_processor(path, text):
    return [f"{path}:{number}: names a processor" for number, line in enumerate(text.split("\n"), 1)
            if not line.startswith("#") and PROCESSOR.search(line)]


def check(files):
    messages = []
    for path in (path for path in INSTALLING if path in files):
        messages += check_packages(path, files) + check_processor(path, files[path])
    if ".dockerignore" in files:
        messages += check_context(files)
    if "config/deploy/seccomp.json" in files:
        messages += check_profile(files["config/deploy/seccomp.json"])
    return messages


DEV = 'to_build="clang-19 \\\nzlib1g-dev doctest-dev"\n'
INSTALL = "RUN apt-get update && apt-get install --yes \\\n  clang-19 {}\nRUN cmake\n"
LISTS = "if(TLS)\n  volt_library(volt_tls tls)\nendif()\nadd_subdirectory(apps)\nif(T)\n  add_subdirectory(tests)\nendif()\n"


def profile(*groups):
    return {"config/deploy/seccomp.json": json.dumps({"syscalls": [{"comment": "c", "names": g} for g in groups]})}


SAMPLES = [
    Sample("the same packages", {"dev": DEV, "Dockerfile": INSTALL.format("zlib1g-dev")}, ""),
    Sample("a package too few", {"dev": DEV, "Dockerfile": INSTALL.format("zlib1g")}, "zlib1g-dev, as dev does"),
    Sample("a package too few for new projects", {"dev": DEV, TEMPLATE + "Dockerfile": INSTALL.format("zlib1g")},
           TEMPLATE + "Dockerfile: does not install zlib1g-dev"),
    Sample("each folder is let in", {"CMakeLists.txt": LISTS, ".dockerignore": "*\n!apps\n!tls\n"}, ""),
    Sample("a folder is kept out", {"CMakeLists.txt": LISTS, ".dockerignore": "*\n!apps\n"}, "keeps out tls"),
    Sample("names in order", profile(["a", "b"], ["c"]), ""),
    Sample("names out of order", profile(["b", "a"]), "not in order"),
    Sample("a name twice", profile(["a", "b"], ["b"]), "b is there twice"),
    Sample("a call and its form on ARM64", profile(["open", "openat"], ["time"], ["clock_gettime"]), ""),
    Sample("a call without its form on ARM64", profile(["open"]), "permits open, but not openat"),
    Sample("a processor", {"dev": DEV, "Dockerfile": INSTALL.format("zlib1g-dev") + "RUN cp /usr/lib/x86_64-linux-gnu/a b"},
           "names a processor"),
]

if __name__ == "__main__":
    main(check, SAMPLES)
