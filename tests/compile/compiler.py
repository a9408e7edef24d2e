# SPDX-License-Identifier: MIT
"""Runs the compiler that the tree is built with on small programs."""

import os
import pathlib
import subprocess
import tempfile


class Compiler:
    def __init__(self, root, folder, name=None, *options):
        self.name = name or os.environ.get("CXX", "clang++-19")
        self.root, self.folder = pathlib.Path(root), pathlib.Path(folder)
        self.command = [self.name, "-std=c++23", f"-I{root}", *options]

    def run(self, *arguments):
        # The C locale gives messages plain quotes, so that callers can match them.
        return subprocess.run([*self.command, *arguments], text=True, capture_output=True, check=False,
                              env={**os.environ, "LC_ALL": "C"})

    def precompile(self, header):
        """Precompiles `header`, which check() includes before each program."""
        path = self.folder / "first.h"
        path.write_text(header)
        done = self.run("-x", "c++-header", str(path), "-o", f"{path}.gch")
        if done.returncode != 0:
            raise SystemExit(f"{self.name}: {done.stderr}")

    def check(self, text, options=()):
        """Returns (whether the text compiles, the compiler's messages). Several threads may call this."""
        with tempfile.NamedTemporaryFile("w", suffix=".cpp", dir=self.folder) as file:
            file.write(text)
            file.flush()
            done = self.run(*options, "-include", str(self.folder / "first.h"), "-fsyntax-only", file.name)
        return done.returncode == 0, done.stderr

    def preprocess(self, text):
        path = self.folder / "snippet.cpp"
        path.write_text(text)
        done = self.run("-E", str(path))
        if done.returncode != 0:
            raise SystemExit(f"{self.name}: {done.stderr}")
        return done.stdout
