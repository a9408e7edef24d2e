# SPDX-License-Identifier: MIT
"""Commands of the tests of this folder, and what they must hold."""

import os
import subprocess


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def run(*command, stderr=subprocess.PIPE, **environment):
    """Returns what the command prints; with stderr=subprocess.STDOUT also its warnings."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=stderr, text=True, check=False,
                          env={**os.environ, **environment})
    check(done.returncode == 0, f"{command}:\n{done.stdout}{done.stderr or ''}")
    return done.stdout
