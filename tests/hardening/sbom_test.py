#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The bill of materials names every dependency that `dev` installs for a build, in the version that is installed.

Usage: sbom_test.py ROOT PROGRAM
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT, PROGRAM = pathlib.Path(sys.argv[1]), sys.argv[2]
TOOLS = {"clang-19", "lld-19", "cmake", "ninja-build", "ca-certificates", "doctest-dev"}  # are in no program


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def write(folder, name):
    path = pathlib.Path(folder, name)
    subprocess.run([ROOT / "cmake/package/sbom.py", path, PROGRAM], check=True)
    return path.read_bytes()


def main():
    with tempfile.TemporaryDirectory() as folder:
        text = write(folder, "first")
        check(text == write(folder, "second"), "two documents differ")
    document = json.loads(text)
    for field in ("spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo"):
        check(document.get(field), f"{field} is missing, which SPDX 2.3 requires")
    packages = {package["name"]: package for package in document["packages"]}
    identifiers = [package["SPDXID"] for package in document["packages"]]
    check(len(set(identifiers)) == len(identifiers), "an identifier is there twice")
    check(all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", each) for each in identifiers), f"identifiers: {identifiers}")
    check(all(package["versionInfo"] for package in packages.values()), "a version is missing")
    related = {relation["relatedSpdxElement"] for relation in document["relationships"]}
    check(related == set(identifiers), "a package without a relation")

    wanted = re.search(r'^to_build="([^"]*)"', (ROOT / "dev").read_text(), re.MULTILINE)[1].replace("\\\n", " ").split()
    for name in {*wanted, "libllhttp-dev"} - TOOLS:
        check(name in packages, f"{name} is missing")
    for name in ("libssl-dev", "zlib1g-dev"):
        version = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", name], capture_output=True, text=True, check=True)
        check(packages[name]["versionInfo"] == version.stdout, f"{name} has another version")
    check(any(name.startswith("libssl3") for name in packages), "what the program loads is missing")
    check("libc6" in packages, "the C library is missing")
    print(f"{len(packages)} packages: ok")


if __name__ == "__main__":
    main()
