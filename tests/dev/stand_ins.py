# SPDX-License-Identifier: MIT
"""A folder of programs for the PATH of ./dev: some of the system's, and scripts that stand in for others."""

import shutil


def make_tools(folder, names, scripts):
    """Makes the folder with links to the programs of these names, and with the scripts: {name: what it does}."""
    folder.mkdir()
    for name in names:
        (folder / name).symlink_to(shutil.which(name))
    for name, script in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
