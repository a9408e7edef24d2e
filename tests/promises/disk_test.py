#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Promise 22, of slow disks: no worker waits for the disk while files are sent that are not in the page cache.

Usage: disk_test.py FOLDER_OF_PROGRAMS [COLD_DISK_LIBRARY] [--long]; VOLT_TEST_IO chooses the reactor.
"""

import argparse
import os
import pathlib
import re
import socket
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "e2e"))
from server_process import Server  # noqa: E402

IO = os.environ.get("VOLT_TEST_IO", "auto")
READERS = 4
PATIENCE_SECONDS = 60


def get(port, path):
    """Returns the status and the size of the body."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
        received = b"".join(iter(lambda: connection.recv(1 << 16), b""))
    head, _, body = received.partition(b"\r\n\r\n")
    return int(head.split(b" ")[1]), body


def neighbour(port, stop, latencies_ms):
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS) as connection:
        while not stop.is_set():
            began = time.monotonic()
            connection.sendall(b"GET /small.txt HTTP/1.1\r\nHost: a\r\n\r\n")
            if not connection.recv(65536).startswith(b"HTTP/1.1 200 "):
                raise AssertionError("the neighbour got no 200")
            latencies_ms.append((time.monotonic() - began) * 1000)
            time.sleep(0.002)


def p99(values):
    return sorted(values)[len(values) * 99 // 100]


def test_no_worker_waits(file_system, environment):
    """READERS clients read large files that are not in the page cache, and a neighbour reads a small one."""
    with tempfile.TemporaryDirectory() as folder:
        contents = [os.urandom(size) for _ in range(READERS)]
        for number, content in enumerate(contents):
            pathlib.Path(folder, f"large{number}.bin").write_bytes(content)
        pathlib.Path(folder, "small.txt").write_text("small\n")
        log = pathlib.Path(folder, "cold_disk.log")
        log.touch()
        environment = {"LD_PRELOAD": str(library), "COLD_DISK_LOG": str(log), "FILES_FOLDER": folder, **environment}
        with Server(pathlib.Path(options.programs, "files").resolve(), io=IO, environment=environment,
                    folder=folder) as server:
            before, during, stop, answers = [], [], threading.Event(), [None] * READERS
            waiting = threading.Thread(target=neighbour, args=(server.port, stop, before))
            waiting.start()
            time.sleep(1)
            stop.set()
            waiting.join()
            stop.clear()
            waiting = threading.Thread(target=neighbour, args=(server.port, stop, during))
            waiting.start()

            def read(number):
                answers[number] = get(server.port, f"/large{number}.bin")

            readers = [threading.Thread(target=read, args=(number,)) for number in range(READERS)]
            for reader in readers:
                reader.start()
            for reader in readers:
                reader.join()
            stop.set()
            waiting.join()
        for number, answer in enumerate(answers):
            if answer != (200, contents[number]):
                raise AssertionError(f"reader {number} got the status {answer and answer[0]} and another body")
        threads = log.read_text().split()
    print(f"{file_system}: {len(threads)} reads from the disk; p99 of a neighbour: {p99(before):.1f} ms before, "
          f"{p99(during):.1f} during")
    if len(threads) < READERS * size // (256 * 1024):
        raise AssertionError("the files were not read from the slow disk")
    workers = [name for name in threads if re.fullmatch(r"volt-\d+|volt-spare", name)]
    if workers:
        raise AssertionError(f"workers waited for the disk: {workers}")


parser = argparse.ArgumentParser()
parser.add_argument("programs")
parser.add_argument("library", nargs="?")
parser.add_argument("--long", action="store_true", help="larger files, and the neighbour's latencies")
options = parser.parse_args()
library = pathlib.Path(options.library or pathlib.Path(options.programs).parent / "tests/libcold_disk.so").resolve()
size = (15 if options.long else 3) * (1 << 20) + 12345
test_no_worker_waits("a file system that tells what is in the page cache", {})
test_no_worker_waits("one that does not tell, as overlayfs", {"COLD_DISK_OVERLAYFS": "1"})
