#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the shipped programs and libraries are compiled with, read from their headers as checksec does.

  binaries_test.py FOLDER_OF_BUILD CXX [--not-optimized]     the latter: without fortified calls, which need optimization

Programs: position-independent, with a read-only relocation table that is complete before main(), a stack without
execution, no segment that is writable and executable, no search path for libraries, stack protector, and fortified calls
of libc. Libraries: stack protector, and on x86-64 the mark of a shadow stack in each object; fortified calls in one of
them at least, because most sizes are known when they are compiled. A program has the mark if everything that it links has
it, so this is only printed.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

APPS = pathlib.Path(__file__).resolve().parents[2] / "apps"
WEAK = ["-no-pie", "-fno-pie", "-fno-stack-protector", "-U_FORTIFY_SOURCE", "-Wl,-z,execstack", "-Wl,-z,norelro",
        "-Wl,-z,lazy", "-Wl,-rpath,/nowhere"]
FAULTS_OF_WEAK = 7


def readelf(*arguments):
    return subprocess.run(["readelf", "--wide", *map(str, arguments)], capture_output=True, text=True, check=True).stdout


def faults_of_program(program, fortified):
    header, segments, dynamic = readelf("-h", program), readelf("-l", program), readelf("-d", program)
    symbols = readelf("--dyn-syms", program)
    checks = (
        ("is not position-independent", re.search(r"Type:\s+DYN", header)),
        ("has no read-only relocations", "GNU_RELRO" in segments),
        ("resolves functions lazily", re.search(r"\(FLAGS(_1)?\).*\b(BIND_)?NOW\b", dynamic)),
        ("has an executable stack", re.search(r"GNU_STACK\s+(\S+\s+){5}RW\s", segments)),
        ("has a segment that is writable and executable", not re.search(r"^\s+LOAD\s.*\sRWE\s", segments, re.MULTILINE)),
        ("has a search path for libraries", not re.search(r"\((RPATH|RUNPATH)\)", dynamic)),
        ("has no stack protector", "__stack_chk_fail" in symbols),
        ("has no fortified calls", not fortified or fortified_names(symbols)),
    )
    return [f"{program.name} {fault}" for fault, good in checks if not good]


def fortified_names(symbols):
    return "\n".join(re.findall(r"\b__(?!stack_)\w+_chk\b", symbols))


def faults_of_library(library, is_x86):
    faults = []
    if "__stack_chk_fail" not in readelf("-s", library):
        faults.append(f"{library.name} has no stack protector")
    if is_x86:
        notes = readelf("-n", library).split("\nFile: ")[1:]
        unmarked = [note.split("(", 1)[1].split(")", 1)[0] for note in notes if "SHSTK" not in note]
        if not notes or unmarked:
            faults.append(f"{library.name}: no shadow stack for {unmarked[:3]}")
    return faults


def test_the_test(compiler):
    """A program that is built to be weak has all of the faults."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder, "weak.cpp"), pathlib.Path(folder, "weak")
        source.write_text("int main() { return 0; }\n")
        subprocess.run([compiler, *WEAK, source, "-o", program], check=True, capture_output=True)
        found = faults_of_program(program, fortified=True)
        assert len(found) >= FAULTS_OF_WEAK, found


def main():
    build, compiler, fortified = pathlib.Path(sys.argv[1]), sys.argv[2], "--not-optimized" not in sys.argv[3:]
    test_the_test(compiler)
    faults, seen = [], []
    is_x86 = False
    for program in (build / "bin" / folder.name for folder in sorted(APPS.iterdir())):
        if program.exists():
            is_x86 = "X86-64" in readelf("-h", program)
            faults += faults_of_program(program, fortified and program.name != "echo")
            seen.append(program.name + (" (shadow stack)" if "SHSTK" in readelf("-n", program) else ""))
    libraries = sorted(build.glob("libvolt_*.a"))
    assert seen and libraries, "there are no programs or no libraries"
    for library in libraries:
        faults += faults_of_library(library, is_x86)
    if fortified and not any(fortified_names(readelf("-s", library)) for library in libraries):
        faults.append("no library has fortified calls")
    if faults:
        sys.exit("\n".join(faults))
    print(f"ok: {', '.join(seen)}; {', '.join(library.name for library in libraries)}")


if __name__ == "__main__":
    main()
