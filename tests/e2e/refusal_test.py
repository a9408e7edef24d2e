#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An early response reaches clients that still send 20 MB: each client, in each try, directly, with TLS, and behind
nginx and HAProxy, which pass the body on as it comes.

Usage: refusal_test.py FOLDER_OF_PROGRAMS [--long]; VOLT_TEST_IO chooses the engine. Clients and proxies that are not
installed are named and left out. --long makes eight tries of each instead of three.
"""

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from server_process import Server
from uploading_clients import clients

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from ports import free_port  # noqa: E402

IO = os.environ.get("VOLT_TEST_IO", "auto")
PROGRAM = pathlib.Path(sys.argv[1]) / "conformance_target"  # echoes bodies of at most 1 MiB
TRIES = 8 if "--long" in sys.argv else 3
READY_SECONDS = 30

# Refusal: path, kinds of bodies, bytes of an additional header field, flags of the server.
REFUSALS = {
    413: ("/", ("sized", "chunked"), 0, []),
    401: ("/private", ("sized", "chunked"), 0, []),
    431: ("/", ("sized", "chunked"), 40_000, []),
    408: ("/", ("stalled",), 0, ["--server.stall-timeout", "1s"]),
}

NGINX = """
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/nginx_error.log crit;
events {{ worker_connections 1024; }}
http {{
  access_log off; client_max_body_size 0;
  client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder}; uwsgi_temp_path {folder};
  scgi_temp_path {folder};
  server {{
    listen 127.0.0.1:{port};
    location / {{ proxy_pass http://127.0.0.1:{server}; proxy_http_version 1.1; proxy_request_buffering off; }}
  }}
}}
"""
HAPROXY = """
defaults
  mode http
  retries 0
  timeout connect 30s
  timeout client 60s
  timeout server 60s
frontend front
  bind 127.0.0.1:{port}
  default_backend back
backend back
  server back 127.0.0.1:{server}
"""


def check(condition, what):
    if not condition:
        raise AssertionError(what)


FAILURES = []


def check_clients(found, status, url, where, kinds=None):
    path, all_kinds, header_bytes, _ = REFUSALS[status]
    for name, client in found:
        for kind in kinds or all_kinds:
            tries = 1 if kind == "stalled" else TRIES
            got = client(url + path, tries, kind, header_bytes)
            print(f"{where}: {name}, {kind}: {status} in {got.count(status)} of {tries}", flush=True)
            if got != [status] * tries:
                FAILURES.append(f"{name}, {kind}, {where}, instead of {status}: {got}")


def test_direct(found):
    for status, (_, _, _, flags) in REFUSALS.items():
        with Server(PROGRAM, *flags, io=IO) as server:
            check_clients(found, status, f"http://127.0.0.1:{server.port}", "direct")


def test_tls(found):
    with Server(PROGRAM, "--tls.dev", "true", "--tls.listen", "127.0.0.1:0", io=IO, listen=None) as server:
        check_clients(found, 413, f"https://127.0.0.1:{server.port}", "TLS")


@contextlib.contextmanager
def front(program, text, server_port, folder):
    """A proxy in front of the server; its port."""
    port = free_port()
    config = pathlib.Path(folder, f"{program}.conf")
    config.write_text(text.format(folder=folder, port=port, server=server_port))
    flags = ["-p", folder, "-e", "stderr", "-c", config] if program == "nginx" else ["-db", "-f", config]
    with open(pathlib.Path(folder, f"{program}.log"), "wb") as log:
        process = subprocess.Popen([find(program), *map(str, flags)], stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + READY_SECONDS
        while subprocess.run(["curl", "-s", "-o", "/dev/null", f"http://127.0.0.1:{port}/"], check=False).returncode:
            check(process.poll() is None and time.monotonic() < deadline, f"{program} does not listen")
            time.sleep(0.1)
        yield port
    finally:
        process.terminate()
        process.wait(READY_SECONDS)


def find(program):
    return shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin")


def test_behind_proxies(found, folder):
    for program, text in (("nginx", NGINX), ("haproxy", HAPROXY)):
        if not find(program) or not shutil.which("curl"):
            print(f"not installed, and left out: {program}", flush=True)
            continue
        with Server(PROGRAM, io=IO) as server, front(program, text, server.port, folder) as port:
            for status in (413, 401):
                check_clients(found, status, f"http://127.0.0.1:{port}", f"behind {program}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        installed = clients(temporary)
        test_direct(installed)
        test_tls(installed)
        test_behind_proxies(installed, temporary)
        check(not FAILURES, "\n".join(["refusals were lost:", *FAILURES]))
        print("ok")
