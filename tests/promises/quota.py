# SPDX-License-Identifier: MIT
"""A cgroup with a quota of processor time, version 1 or 2, for tests of what a server does with little of it."""

import contextlib
import os
import pathlib
import time


def make_cgroup(processors):
    """Returns the folder of a new cgroup with that quota, or None where none may be made. Its weight is high, so that
    it gets its quota although other programs run."""
    own = {}
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        own.update(dict.fromkeys(controllers.split(","), path))
    first = pathlib.Path("/sys/fs/cgroup/cpu/cpu.cfs_quota_us").exists()
    parent = "/sys/fs/cgroup/cpu" + own.get("cpu", "/") if first else "/sys/fs/cgroup" + own.get("", "/")
    folder = pathlib.Path(parent, f"volt_quota_{os.getpid()}")
    quota = str(int(processors * 100_000))
    try:
        folder.mkdir()
    except OSError:
        return None
    try:
        if first:
            (folder / "cpu.cfs_quota_us").write_text(quota)
            (folder / "cpu.shares").write_text("200000")
        else:
            (folder / "cpu.max").write_text(f"{quota} 100000")
            (folder / "cpu.weight").write_text("10000")
    except OSError:
        folder.rmdir()
        return None
    return folder


@contextlib.contextmanager
def cgroup_with_quota(processors):
    """Yields the folder of such a cgroup, or None."""
    folder = make_cgroup(processors)
    try:
        yield folder
    finally:
        if folder is not None:
            deadline = time.monotonic() + 20
            while (folder / "cgroup.procs").read_text() and time.monotonic() < deadline:
                time.sleep(0.05)
            folder.rmdir()


def in_cgroup(server, cgroup):
    """Makes a Server that has not started begin in that cgroup, if it is not None."""
    if cgroup is not None:
        server.command = ["/bin/sh", "-c", f'echo $$ > "{cgroup}/cgroup.procs" && exec "$0" "$@"', *server.command]
