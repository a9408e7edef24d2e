#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An early response reaches clients that still send 20 MB: each client in each of 8 tries, with and without TLS.

Usage: refusal_test.py FOLDER_OF_PROGRAMS; VOLT_TEST_IO chooses the reactor. Clients that are not installed are left out.
"""

import http.client
import importlib.util
import os
import pathlib
import shutil
import ssl
import subprocess
import sys
import tempfile

from server_process import Server

IO = os.environ.get("VOLT_TEST_IO", "auto")
PROGRAM = pathlib.Path(sys.argv[1]) / "conformance_target"  # echoes bodies of at most 1 MiB
TRIES = 8
BODY = b"x" * 20_000_000
TIMEOUT_SECONDS = 60


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def pieces():
    for begin in range(0, len(BODY), 100_000):
        yield BODY[begin : begin + 100_000]


def http_client(url, chunked):
    scheme, _, place = url.partition("://")
    host, _, path = place.partition("/")
    if scheme == "https":
        connection = http.client.HTTPSConnection(host, timeout=TIMEOUT_SECONDS, context=ssl._create_unverified_context())
    else:
        connection = http.client.HTTPConnection(host, timeout=TIMEOUT_SECONDS)
    connection.request("POST", "/" + path, pieces() if chunked else BODY, encode_chunked=chunked,
                       headers={"Transfer-Encoding": "chunked"} if chunked else {})
    response = connection.getresponse()
    response.read()
    connection.close()
    return response.status


def requests_client(url, chunked):
    import requests
    import urllib3

    urllib3.disable_warnings()
    return requests.post(url, data=pieces() if chunked else BODY, timeout=TIMEOUT_SECONDS, verify=False).status_code


def httpx_client(url, chunked):
    import httpx

    return httpx.post(url, content=pieces() if chunked else BODY, timeout=TIMEOUT_SECONDS, verify=False).status_code


BODY_FILE = tempfile.NamedTemporaryFile()
BODY_FILE.write(BODY)
BODY_FILE.flush()


def curl(url, chunked):
    flags = ["-H", "Transfer-Encoding: chunked"] if chunked else []
    out = subprocess.run(["curl", "-sk", "-m", str(TIMEOUT_SECONDS), "-o", "/dev/null", "-w", "%{http_code} %{exitcode}",
                          "-H", "Expect:", *flags, "-T", BODY_FILE.name, "-X", "POST", url], capture_output=True, text=True)
    check(out.stdout.endswith(" 0"), f"curl: {out.stdout} {out.stderr}")
    return int(out.stdout.split()[0])


FETCH = """
const body = Buffer.alloc(20000000, "x");
async function* pieces() { for (let i = 0; i < body.length; i += 100000) yield body.subarray(i, i + 100000); }
const [url, chunked, tries] = process.argv.slice(1);
(async () => {
  for (let i = 0; i < Number(tries); ++i) {
    const response = await fetch(url, { method: "POST", body: chunked === "1" ? pieces() : body, duplex: "half" });
    await response.text();
    console.log(response.status);
  }
})();
"""


def fetch(url, chunked):
    """Returns the statuses of all tries: one process makes them, because it takes long to start."""
    out = subprocess.run(["node", "-e", FETCH, url, "1" if chunked else "0", str(TRIES)], capture_output=True, text=True,
                         timeout=TIMEOUT_SECONDS, env={**os.environ, "NODE_TLS_REJECT_UNAUTHORIZED": "0"})
    check(out.returncode == 0, f"fetch: {out.stdout} {out.stderr}")
    return [int(status) for status in out.stdout.split()]


def each(client):
    def all_tries(url, chunked):
        got = []
        for _ in range(TRIES):
            try:
                got.append(client(url, chunked))
            except Exception as error:  # counted: the report names all tries
                got.append(repr(error))
        return got

    return all_tries


def clients():
    yield "http.client", each(http_client)
    for module, client in (("requests", requests_client), ("httpx", httpx_client)):
        if importlib.util.find_spec(module):
            yield module, each(client)
    if shutil.which("curl"):
        yield "curl", each(curl)
    if shutil.which("node"):
        yield "fetch", fetch


def check_clients(flags, scheme, listen="127.0.0.1:0"):
    with Server(PROGRAM, *flags, io=IO, listen=listen) as server:
        for name, client in clients():
            for chunked in (False, True):
                got = client(f"{scheme}://127.0.0.1:{server.port}/", chunked)
                print(f"{scheme} {name} {'chunked' if chunked else 'sized'}: {got.count(413)}/{TRIES}", flush=True)
                check(got == [413] * TRIES, f"{name} over {scheme} got {got}")


def test_plain():
    check_clients([], "http")


def test_tls():
    check_clients(["--tls.dev", "true", "--tls.listen", "127.0.0.1:0"], "https", listen=None)


if __name__ == "__main__":
    for test in (test_plain, test_tls):
        test()
        print(f"{test.__name__}: ok")
