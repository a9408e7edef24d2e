#!/usr/bin/env python3
"""Files of several sizes, served by us and by nginx in turns: http_rounds.py says how it is measured.

nginx is run with sendfile, without and with open_file_cache; ours looks at a file again after a second, as the latter does.
For large files the answers that are under way at the end are not counted: more seconds make that matter less.
"""

import pathlib
import random
import tempfile

import http_rounds
import peers

SIZES = {"1k": 1024, "64k": 64 * 1024, "10m": 10 * 1024 * 1024}
CONNECTIONS = 64


def make_files(folder, names):
    """Text that nothing compresses by accident; the scenarios that ask for it."""
    scenarios = {}
    for name in names:
        content = random.Random(name).randbytes(SIZES[name] // 2).hex().encode()
        pathlib.Path(folder, f"{name}.txt").write_bytes(content)
        scenarios[name] = http_rounds.Scenario(CONNECTIONS, 1, f"{peers.FILES_PATH}{name}.txt", content)
    return scenarios


def main():
    parser = http_rounds.arguments(__doc__, peers.FILE_PEERS)
    parser.add_argument("--sizes", default=",".join(SIZES), help="of: " + ", ".join(SIZES))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="volt-static-") as folder:
        pathlib.Path(folder).chmod(0o755)  # nginx's workers are somebody else's
        options.files = folder
        http_rounds.run(make_files(folder, options.sizes.split(",")), options)


if __name__ == "__main__":
    main()
