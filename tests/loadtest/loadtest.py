# SPDX-License-Identifier: MIT
"""The modules of loadtest/, for their tests: `from loadtest import report`. They are run in the root of the repository."""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "loadtest"))
os.chdir(ROOT)

import database
import heavy
import peers
import report
import rounds
import scenarios
import server_process

__all__ = ["database", "heavy", "peers", "report", "rounds", "scenarios", "server_process"]
