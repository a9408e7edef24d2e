#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures the memory of connections: the proportional set size (smaps_rollup) of a server before, with and after many
idle connections, over TCP and over TLS; and of a server that receives an upload in chunks of one byte.

The client runs in another process, which is not counted. Kernel memory for sockets is not counted either.
"""

import argparse
import contextlib
import pathlib
import re
import resource
import socket
import ssl
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
GET = b"GET /plaintext HTTP/1.1\r\nHost: a\r\n\r\n"
BURST = 4096  # chunks sent at a time


def pss_kib(pid):
    rollup = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(re.search(r"^Pss:\s+(\d+) kB", rollup, re.M)[1])


@contextlib.contextmanager
def served(name, *flags, environment=None):
    with tempfile.TemporaryFile("w+") as log:
        program = [str(ROOT / "build/release/bin" / name), "--workers", "2", *flags]
        process = subprocess.Popen(program, stderr=log, env=environment)
        try:
            for _ in range(200):
                time.sleep(0.05)
                log.seek(0)
                if match := re.search(r"listening on \S*:(\d+)", log.read()):
                    break
            else:
                raise SystemExit(f"{name} does not listen")
            yield process.pid, int(match[1])
        finally:
            process.terminate()
            process.wait()


def client_context(version):
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.minimum_version = context.maximum_version = version
    return context


def connect(port, context):
    stream = socket.create_connection(("127.0.0.1", port))
    if context:
        stream = context.wrap_socket(stream, server_hostname="localhost")
    stream.sendall(GET)
    response = b""
    while not response.endswith(b"Hello, World!"):
        response += stream.recv(4096)
    return stream


def idle_connections(count, *flags, context=None):
    """Returns the bytes per connection, and the KiB of the process before and after."""
    with served("hello", "--server.idle-timeout", "1h", *flags) as (pid, port):
        for _ in range(50):
            connect(port, context).close()
        time.sleep(1)
        before = pss_kib(pid)
        streams = [connect(port, context) for _ in range(count)]
        time.sleep(2)
        during = pss_kib(pid)
        for stream in streams:
            stream.close()
        time.sleep(2)
        return (during - before) * 1024 / count, before, pss_kib(pid)


def upload_by_the_byte(size):
    """Returns by how many KiB, at most, the process grew during the upload."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {"FILES_FOLDER": folder, "FILES_UPLOADS": folder}
        with served("files", "--listen", "127.0.0.1:0", environment=environment) as (pid, port):
            grown = 0
            for body in (10_000, size):  # the first upload warms up the server
                head = f'--b\r\nContent-Disposition: form-data; name="file"; filename="{body}"\r\n\r\n'.encode()
                with socket.create_connection(("127.0.0.1", port)) as stream:
                    stream.sendall(b"POST /upload HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
                                   b"Content-Type: multipart/form-data; boundary=b\r\n\r\n")
                    stream.sendall(f"{len(head):x}\r\n".encode() + head + b"\r\n")
                    before = pss_kib(pid)
                    for _ in range(body // BURST + 1):
                        stream.sendall(b"1\r\nx\r\n" * BURST)
                        grown = max(grown, pss_kib(pid) - before) if body == size else 0
                    stream.sendall(b"7\r\n\r\n--b--\r\n0\r\n\r\n")
                    response = stream.recv(4096)
                    if response.split()[1] != b"200":
                        raise SystemExit(f"the upload was refused: {response!r}")
            return grown


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--connections", type=int, default=10_000)
    parser.add_argument("--tls-connections", type=int, default=2_000)
    parser.add_argument("--io", default="auto")
    options = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    io = ["--io", options.io]
    tls = ["--tls.listen", "127.0.0.1:0", "--tls-dev", *io]
    version_2, version_3 = ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3
    rows = [("idle keep-alive", options.connections, ["--listen", "127.0.0.1:0", *io], None),
            ("idle TLS 1.3", options.tls_connections, tls, client_context(version_3)),
            ("  without tickets", options.tls_connections, [*tls, "--tls.session-tickets=false"],
             client_context(version_3)),
            ("idle TLS 1.2", options.tls_connections, tls, client_context(version_2)),
            ("  without tickets", options.tls_connections, [*tls, "--tls.session-tickets=false"],
             client_context(version_2))]
    for name, count, flags, context in rows:
        each, before, after = idle_connections(count, *flags, context=context)
        print(f"{name:17} {each:8.0f} bytes per connection ({count}); process {before} KiB before, {after} KiB after")
    print(f"upload of 10 MB in chunks of 1 byte: process grows by at most {upload_by_the_byte(10_000_000)} KiB")


if __name__ == "__main__":
    main()
