# SPDX-License-Identifier: MIT
"""The HTTP clients of many languages, which send a large body: each installed one returns the statuses that it saw.

A client is called with the URL, the number of tries, the kind of body and the size of an additional header field.
Kinds: `sized`, `chunked`, and `stalled`, which is chunked and pauses for a while after the first piece.
"""

import contextlib
import http.client
import importlib.util
import os
import pathlib
import shutil
import ssl
import subprocess
import sys
import tempfile
import time

BODY_BYTES = 20_000_000
PIECE_BYTES = 100_000
PAUSE_SECONDS = 4
TIMEOUT_SECONDS = 60
HERE = pathlib.Path(__file__).resolve().parent


def pieces(kind):
    yield b"x" * PIECE_BYTES
    if kind == "stalled":
        time.sleep(PAUSE_SECONDS)
    for _ in range(BODY_BYTES // PIECE_BYTES - 1):
        yield b"x" * PIECE_BYTES


def body(kind):
    return b"x" * BODY_BYTES if kind == "sized" else pieces(kind)


def http_client(url, kind, headers):
    scheme, _, place = url.partition("://")
    host, _, path = place.partition("/")
    if scheme == "https":
        context = ssl._create_unverified_context()
        connection = http.client.HTTPSConnection(host, timeout=TIMEOUT_SECONDS, context=context)
    else:
        connection = http.client.HTTPConnection(host, timeout=TIMEOUT_SECONDS)
    with contextlib.closing(connection):
        chunked = kind != "sized"
        connection.request("POST", "/" + path, body(kind), encode_chunked=chunked,
                           headers={**headers, **({"Transfer-Encoding": "chunked"} if chunked else {})})
        response = connection.getresponse()
        response.read()
        return response.status


def requests_client(url, kind, headers):
    import requests
    import urllib3

    urllib3.disable_warnings()
    return requests.post(url, data=body(kind), timeout=TIMEOUT_SECONDS, verify=False, headers=headers).status_code


def httpx_client(url, kind, headers):
    import httpx

    return httpx.post(url, content=body(kind), timeout=TIMEOUT_SECONDS, verify=False, headers=headers).status_code


def curl(url, kind, headers):
    with tempfile.NamedTemporaryFile() as file:
        source = "-"  # standard input: a body of unknown size
        if kind == "sized":
            source = file.name
            file.write(body(kind))
            file.flush()
        fields = [flag for name, value in headers.items() for flag in ("-H", f"{name}: {value}")]
        command = ["curl", "-sk", "-m", str(TIMEOUT_SECONDS), "-o", "/dev/null", "-w", "%{http_code} %{exitcode}",
                   "-H", "Expect:", *fields, "-T", source, "-X", "POST", url]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        with contextlib.suppress(BrokenPipeError):  # curl has its response
            for piece in pieces(kind) if source == "-" else ():
                process.stdin.write(piece)
            process.stdin.flush()
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        out = process.stdout.read().decode()
        process.wait(TIMEOUT_SECONDS)
    return int(out.split()[0]) if out.endswith(" 0") else f"curl: {out}"


def each(client):
    def all_tries(url, tries, kind, header_bytes):
        headers = {"X-Large": "x" * header_bytes} if header_bytes else {}
        got = []
        for _ in range(tries):
            try:
                got.append(client(url, kind, headers))
            except Exception as error:  # counted: the report names all tries
                got.append(repr(error)[:200])
        return got

    return all_tries


def of_process(*command, environment=None):
    """A program that makes all tries, because it takes long to start, and prints a line for each."""
    def all_tries(url, tries, kind, header_bytes):
        out = subprocess.run([*map(str, command), url, str(tries), kind, str(header_bytes)], capture_output=True,
                             text=True, timeout=TIMEOUT_SECONDS * tries, env={**os.environ, **(environment or {})})
        got = [int(line) if line.isdigit() else line for line in out.stdout.splitlines()]
        return got if got else [out.stderr[-300:]]

    return all_tries


def node_modules():
    """Debian's node modules lie where only Debian's node looks."""
    return {"NODE_TLS_REJECT_UNAUTHORIZED": "0", "NODE_NO_WARNINGS": "1",
            "NODE_PATH": os.pathsep.join(filter(None, [os.environ.get("NODE_PATH"), "/usr/share/nodejs"]))}


def has_axios():
    return subprocess.run(["node", "-e", "require('axios')"], capture_output=True, check=False,
                          env={**os.environ, **node_modules()}).returncode == 0


def clients(folder):
    """The installed clients, (name, client); programs are compiled into `folder`. Prints which are not installed."""
    found = [("http.client", each(http_client))]
    missing = []

    def offer(name, exists, make):
        if exists:
            found.append((name, make()))
        else:
            missing.append(name)

    for module, client in (("requests", requests_client), ("httpx", httpx_client)):
        offer(module, importlib.util.find_spec(module), lambda client=client: each(client))
    offer("curl", shutil.which("curl"), lambda: each(curl))
    node = shutil.which("node")
    script = HERE / "uploading_clients" / "upload.js"
    offer("fetch", node, lambda: of_process("node", script, "fetch", environment=node_modules()))
    offer("axios", node and has_axios(), lambda: of_process("node", script, "axios", environment=node_modules()))
    offer("Go", shutil.which("go"), lambda: of_process(build_go(folder)))
    offer("Java", shutil.which("javac"), lambda: of_process(*build_java(folder)))
    if missing:
        print(f"not installed, and left out: {', '.join(missing)}", flush=True)
    return found


def build_go(folder):
    program = pathlib.Path(folder, "upload")
    subprocess.run(["go", "build", "-o", program, HERE / "uploading_clients" / "upload.go"], check=True,
                   env={**os.environ, "GO111MODULE": "off", "GOCACHE": str(pathlib.Path(folder, "cache"))})
    return program


def build_java(folder):
    subprocess.run(["javac", "-d", folder, HERE / "uploading_clients" / "Upload.java"], check=True)
    return "java", "-Djdk.internal.httpclient.disableHostnameVerification=true", "-cp", folder, "Upload"


if __name__ == "__main__":
    sys.exit("uploading_clients is a module of refusal_test.py")
