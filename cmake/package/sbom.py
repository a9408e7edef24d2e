#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the software bill of materials of Volt: an SPDX 2.3 document in JSON.

  sbom.py FILE [PROGRAM...]

It lists the packages that Volt's libraries are compiled and linked with, in the versions that are installed, and the
packages of the shared libraries that each PROGRAM loads. The document depends on nothing else, so that it is equal byte
for byte for equal inputs: its date is SOURCE_DATE_EPOCH, or that of the newest commit.
"""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
LLHTTP_UNPACKED = ROOT / "build/packages/llhttp/usr/include/llhttp.h"  # ./dev unpacks it where the system has none
# The development packages of Volt's dependencies: how Volt uses them, and their licenses.
DEPENDENCIES = {
    "liburing-dev": ("STATIC_LINK", "MIT"),
    "libc-ares-dev": ("STATIC_LINK", "MIT"),
    "libllhttp-dev": ("STATIC_LINK", "MIT"),
    "libssl-dev": ("DYNAMIC_LINK", "Apache-2.0"),
    "libargon2-dev": ("STATIC_LINK", "CC0-1.0 OR Apache-2.0"),
    "libsimdjson-dev": ("DYNAMIC_LINK", "Apache-2.0"),
    "zlib1g-dev": ("DYNAMIC_LINK", "Zlib"),
    "libbrotli-dev": ("DYNAMIC_LINK", "MIT"),
    "libzstd-dev": ("DYNAMIC_LINK", "BSD-3-Clause"),
    "libpq-dev": ("DYNAMIC_LINK", "PostgreSQL"),
    "libhiredis-dev": ("DYNAMIC_LINK", "BSD-3-Clause"),
    "libsqlite3-dev": ("DYNAMIC_LINK", "blessing"),
    "libcli11-dev": ("STATIC_LINK", "BSD-3-Clause"),  # headers only
    "libtomlplusplus-dev": ("STATIC_LINK", "MIT"),  # headers only
}


def output(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    except FileNotFoundError:  # such as git, in an unpacked archive of the sources
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def volt_version():
    return re.search(r"project\(volt VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]


def installed_version(package):
    """The version of the installed package; for llhttp, that of the unpacked one; None if there is none."""
    version = output("dpkg-query", "--show", "--showformat", "${Version}", package)
    if not version and package == "libllhttp-dev" and LLHTTP_UNPACKED.exists():
        numbers = re.findall(r"#define LLHTTP_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", LLHTTP_UNPACKED.read_text())
        version = ".".join(numbers)
    return version or None


def loaded_packages(program):
    """The packages of the shared libraries that the loader finds for the program: {package: version}."""
    packages = {}
    for path in re.findall(r"=> (/\S+)", output("ldd", str(program))):
        real = os.path.realpath(path)
        owner = output("dpkg-query", "--search", real) or output("dpkg-query", "--search", real.removeprefix("/usr"))
        if owner:
            name = owner.split("\n")[0].split(":")[0]
            packages[name] = installed_version(name)
    return packages


def spdx_package(name, version, license_name="NOASSERTION"):
    package = {
        "SPDXID": f"SPDXRef-{name.replace('+', 'x')}",
        "name": name,
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": license_name,
        "copyrightText": "NOASSERTION",
    }
    if name != "volt":
        package["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                    "referenceLocator": f"pkg:deb/debian/{name.replace('+', '%2B')}@{version}"}]
    return package


def document(programs):
    volt = spdx_package("volt", volt_version(), "MIT")
    packages, relationships = [volt], []
    for name, (link, license_name) in sorted(DEPENDENCIES.items()):
        version = installed_version(name)
        if version:
            package = spdx_package(name, version, license_name)
            packages.append(package)
            relationships.append((volt["SPDXID"], link, package["SPDXID"]))
    known = {package["name"] for package in packages}
    loaded = {}
    for program in programs:
        loaded.update(loaded_packages(program))
    for name, version in sorted(loaded.items()):
        if name not in known:
            package = spdx_package(name, version)
            packages.append(package)
            relationships.append((volt["SPDXID"], "DYNAMIC_LINK", package["SPDXID"]))
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH") or output("git", "log", "-1", "--format=%ct") or 0)
    digest = hashlib.sha256(json.dumps(packages, sort_keys=True).encode()).hexdigest()
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"volt-{volt['versionInfo']}",
        "documentNamespace": f"https://spdx.org/spdxdocs/volt-{volt['versionInfo']}-{digest}",
        "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds)),
                         "creators": ["Tool: volt-sbom"]},
        "packages": packages,
        "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                           "relatedSpdxElement": volt["SPDXID"]}] +
                         [{"spdxElementId": user, "relationshipType": how, "relatedSpdxElement": used}
                          for user, how, used in relationships],
    }


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    pathlib.Path(sys.argv[1]).write_text(json.dumps(document(sys.argv[2:]), indent=2) + "\n")


if __name__ == "__main__":
    main()
