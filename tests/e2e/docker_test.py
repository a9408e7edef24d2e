#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The image of the Dockerfile, in a real Docker: every program in it, under the restrictions that operators put on it.

Usage: docker_test.py [FOLDER_OF_PROGRAMS], which it does not need: the image has its own. It builds the image, unless
VOLT_DOCKER_IMAGE names one. Leaves with 77, which CTest takes for skipped, where there is no Docker daemon.
"""

import contextlib
import http.client
import itertools
import json
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile

from container import PORT, Container, docker, eventually, why_no_docker
from websocket_peer import WebSocketPeer

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from private_postgres import PrivatePostgres, installed  # pylint: disable=wrong-import-position

SKIPPED = 77
STARTS_SECONDS_MAX = 1.0 * float(os.environ.get("VOLT_TEST_TIMEOUT_FACTOR", "10"))  # machines of CI are busy
IMAGE_BYTES_MAX = 40_000_000
PROFILE = ROOT / "config/deploy/seccomp.json"
QUICK_TO_TELL = ["--health-interval", "1s", "--health-retries", "1"]
HARDENED = ["--read-only", "--cap-drop=ALL", "--security-opt", "no-new-privileges"]
DENIED = "io_uring is not available here, using epoll"


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def seccomp(profile):
    return ["--security-opt", f"seccomp={profile}"]


def build():
    if image := os.environ.get("VOLT_DOCKER_IMAGE"):
        return image
    print("building the image", flush=True)
    subprocess.run(["docker", "build", "--quiet", "--tag", "volt-test", ROOT], check=True, timeout=3000)
    return "volt-test"


def strict(folder, uring=True):
    """Hardened, under our profile, and killed for a call that it does not list: so nothing needed is missing."""
    profile = json.loads(PROFILE.read_text())
    groups = [group for group in profile["syscalls"] if uring or "io_uring_setup" not in group["names"]]
    denied = ["clone3"] if uring else ["clone3", "io_uring_setup"]  # are tried first, and done without
    groups.append({"names": denied, "action": "SCMP_ACT_ERRNO", "errnoRet": profile.pop("defaultErrnoRet")})
    path = pathlib.Path(folder) / f"strict_{'uring' if uring else 'epoll'}.json"
    path.write_text(json.dumps({**profile, "defaultAction": "SCMP_ACT_KILL_PROCESS", "syscalls": groups}))
    return seccomp(path) + HARDENED


def engine_of(container):
    return re.search(r" io=(\S+)", container.log)[1]


def unconfined_engine(image):
    """io_uring, where this machine has it at all."""
    with Container(image, options=seccomp("unconfined")) as container:
        container.first_answer()
        return engine_of(container)


def default_engine(image):
    """Docker's profile denies io_uring since version 25."""
    version = docker("version", "--format", "{{.Server.Version}}")
    return "epoll" if int(version.split(".")[0]) >= 25 else unconfined_engine(image)


def test_the_image(image):
    size = json.loads(docker("image", "inspect", "--format", "{{json .Size}}", image))
    config = json.loads(docker("image", "inspect", "--format", "{{json .Config}}", image))
    print(f"the image has {size / 1e6:.1f} MB")
    check(size < IMAGE_BYTES_MAX, f"{size} bytes")
    check(config["User"] == "65532:65532" and config["StopSignal"] == "SIGTERM", config)
    check(list(config["ExposedPorts"]) == [f"{PORT}/tcp"], config)
    # The rest is for a process that got in: nothing to run, nothing to write to.
    with Container(image) as container:
        listing = subprocess.run(["docker", "export", container.name], stdout=subprocess.PIPE, check=True).stdout
        listed = subprocess.run(["tar", "--list", "--verbose"], input=listing, capture_output=True, check=True).stdout
        programs = set(re.findall(r" bin/(\S+)\n", listed.decode()))
        apps = {path.parent.name for path in ROOT.glob("apps/*/main.cpp")}
        check(programs == apps, f"programs {programs}, apps {apps}")
        check(" etc/ssl/certs/ca-certificates.crt\n" in listed.decode(), "authorities, for what is asked by https")


def test_answers_under_each_restriction(image):
    uring, default = unconfined_engine(image), default_engine(image)
    with tempfile.TemporaryDirectory() as folder:
        ours, unconfined = seccomp(PROFILE), seccomp("unconfined")
        bounds = [  # why, options, pattern of the log
            ("", [], None),
            (", hardened", HARDENED, None),
            (", 64 MiB of memory", ["--memory", "64m"], None),
            (", half a processor", ["--cpus", "0.5"], "workers=1 "),
            (", 64 descriptors", ["--ulimit", "nofile=64:64"], None),
        ]
        cases = [("Docker's profile" + why, options, default, pattern) for why, options, pattern in bounds]
        cases += [("our profile" + why, ours + options, uring, pattern) for why, options, pattern in bounds]
        cases += [
            ("unconfined", unconfined, uring, None),
            ("killed for what our profile does not list", strict(folder), uring, None),
            ("the same where there is no io_uring", strict(folder, uring=False), "epoll", None),
            ("no locked memory at all", unconfined + ["--ulimit", "memlock=0:0"], "epoll", "raise memlock"),
            ("too little for each worker", unconfined + ["--ulimit", "memlock=16384:16384"], "epoll", "raise memlock"),
            ("somebody else", ours + HARDENED + ["--user", "12345:54321"], uring, None),
            ("an init", strict(folder) + ["--init"], uring, None),
        ]
        for why, options, engine, pattern in cases:
            with Container(image, options=QUICK_TO_TELL + options) as container:
                status, took = container.first_answer()
                log = container.log
                check(status == 200 and took < STARTS_SECONDS_MAX, f"{why}: status {status} after {took:.2f} s")
                check(engine_of(container) == engine, f"{why}: {log}")
                check(log.count(DENIED) == (engine == "epoll"), f"{why}: one line says so: {log}")
                check(pattern is None or re.search(pattern, log), f"{why}: no {pattern} in {log}")
                container.becomes("healthy")
                stopped = container.stop()  # its status is looked at below
                print(f"{why}: {engine}, answers after {took:.3f} s, healthy, ends in {stopped:.3f} s", flush=True)


def test_uring_that_is_denied_is_told(image):
    if default_engine(image) != "epoll":
        print("Docker's own profile permits io_uring here: skipped")
        return
    with Container(image, "hello", "--io", "uring", status=1) as container:
        check(container.wait() == 1, container.log)
        container.logged("io_uring is not available. ")


@contextlib.contextmanager
def network():
    """One where containers find each other by name."""
    made = docker("network", "create", f"volt-test-{os.getpid()}").strip()
    try:
        yield made
    finally:
        docker("network", "rm", made)


def load(container, seconds):
    """As much as one machine can ask, beside clients that send much and read nothing."""
    if wrk := shutil.which("wrk"):
        place = f"http://127.0.0.1:{container.port}/json"
        done = subprocess.run([wrk, "-t2", "-c256", f"-d{seconds}s", place], capture_output=True, text=True, timeout=60)
        check("Requests/sec" in done.stdout and "Non-2xx" not in done.stdout, done.stdout + done.stderr)
        print(re.search(r"Requests/sec:\s*\S+", done.stdout)[0])
    request = b"POST /json HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n" + b"x" * 65536
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(socket.create_connection(("127.0.0.1", container.port))) for _ in range(200)]
        for client in clients:
            client.setblocking(False)
            with contextlib.suppress(OSError):
                client.send(request)
        check(container.ask("GET", "/")[0] == 200, "it answers beside them")


def test_holds_in_64_megabytes(image):
    with Container(image, options=seccomp(PROFILE) + ["--memory", "64m", "--memory-swap", "64m"]) as container:
        container.first_answer()
        load(container, 5)
        check(container.inspect("State.Running") and not container.inspect("State.OOMKilled"), container.log)
        used = docker("stats", "--no-stream", "--format", "{{.MemUsage}}", container.name).strip()
        print(f"after the load it uses {used}")


def test_lives_with_64_descriptors(image):
    for options in ([], seccomp(PROFILE)):
        with Container(image, options=options + ["--ulimit", "nofile=64:64"]) as container:
            container.first_answer()
            with contextlib.closing(http.client.HTTPConnection("127.0.0.1", container.port, timeout=30)) as kept:
                kept.request("GET", "/")
                kept.getresponse().read()
                with contextlib.ExitStack() as stack:
                    for _ in range(100):
                        stack.enter_context(socket.create_connection(("127.0.0.1", container.port)))
                    kept.request("GET", "/plaintext")
                    check(kept.getresponse().read() == b"Hello, World!", "who was there before is served")
                check(container.first_answer()[0] == 200, "and who comes when they have gone")


def test_ends_as_its_first_process_should(image):
    with Container(image, "hello", "--drain.delay", "5m", status=1) as container:
        container.first_answer()
        container.signal("HUP")
        container.logged("reloaded")
        container.signal("USR2")
        container.logged("process 1 cannot be replaced")
        check(container.ask("GET", "/")[0] == 200, "it serves on")
        container.signal("TERM")
        container.logged("draining")
        check(container.ask("GET", "/")[1]["Connection"] == "close", "it drains")
        container.signal("TERM")
        check(container.wait() == 1, "a second signal ends it at once")


def test_knows_that_it_is_ill(image):
    with Container(image, "echo", f"0.0.0.0:{PORT}", options=QUICK_TO_TELL) as container:  # has nothing to ask
        container.becomes("unhealthy")


def test_tls(image):
    flags = ["--tls.dev", "true", "--tls.listen", f"0.0.0.0:{PORT}"]
    with tempfile.TemporaryDirectory() as folder:
        with Container(image, "hello", *flags, options=strict(folder)) as container:
            container.logged("listening")
            anybody = ssl._create_unverified_context()
            with socket.create_connection(("127.0.0.1", container.port), timeout=30) as plain:
                with anybody.wrap_socket(plain, server_hostname="localhost") as client:
                    client.sendall(b"GET /plaintext HTTP/1.0\r\n\r\n")
                    check(b"200 OK" in client.recv(4096), "it answers")


def use_echo(container):
    def echoed():
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", container.port), timeout=5) as client:
            client.sendall(b"hello")
            return client.recv(5) == b"hello"
    eventually(echoed, lambda: container.log)


def use_crud(container):
    token = {"Authorization": "Bearer t", "Content-Type": "application/json"}
    container.first_answer()
    made = container.ask("POST", "/api/v1/items", json.dumps({"name": "pen", "price": 3}), token)
    check(made[0] == 201, made)
    container.stop()
    container.start()
    container.first_answer()
    kept = container.ask("GET", made[1]["Location"], headers=token)
    check(kept[0] == 200 and json.loads(kept[2])["name"] == "pen", f"not there after a restart: {kept}")


def use_chat(container):
    container.first_answer()
    with WebSocketPeer(container.port, "/chat/lobby?name=ann") as ann:
        check(json.loads(ann.receive_text())["text"] == "has come", "ann hears that she has come")
        ann.send_text("hello")
        check(json.loads(ann.receive_text()) == {"name": "ann", "text": "hello"}, "and herself")


def use_files(container):
    container.first_answer()
    status, fields, body = container.ask("GET", "/style.css")
    check((status, body) == (200, (ROOT / "apps/files/public/style.css").read_bytes()), (status, body))
    form = '--b\r\nContent-Disposition: form-data; name="file"; filename="note"\r\n\r\nhello\r\n--b--\r\n'
    status, _, body = container.ask("POST", "/upload", form, {"Content-Type": "multipart/form-data; boundary=b"})
    check(status == 200, body)
    check(container.ask("GET", "/uploads/note")[2] == b"hello", "what was put there is there")


def use_sse(container):
    container.first_answer()
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", container.port, timeout=30)) as client:
        client.request("GET", "/events")
        answer = client.getresponse()
        check(answer.headers["Content-Type"] == "text/event-stream", answer.headers)
        check(b"event: count" in b"".join(answer.readline() for _ in range(3)), "it counts")


def use_proxy(container):
    container.logged("listening")
    check(container.ask("GET", "/")[0] == 502, "it asks in vain")


def use_arena(container):
    container.first_answer()
    check(container.ask("GET", "/baseline11?a=13&b=42")[2] == b"55", "it adds")


def use_ops_demo(container):
    container.first_answer()
    check(container.ask("GET", "/primes?below=10")[2] == b'{"below":10,"count":4}', "it computes")


def use_hello(container):
    container.first_answer()
    check(json.loads(container.ask("GET", "/json")[2]) == {"message": "Hello, World!"}, "it greets")


def test_every_program_works_in_it(image):
    """Whatever the filter; without a root that it can write to. Those that keep something have a volume for it."""
    with tempfile.TemporaryDirectory() as folder:
        for restricted in (HARDENED, strict(folder), strict(folder, uring=False)):
            for path in sorted(ROOT.glob("apps/*/main.cpp")):
                app = path.parent.name
                command = [app, f"0.0.0.0:{PORT}"] if app == "echo" else [app]
                nobody = ["--env", "PROXY_UPSTREAMS=http://127.0.0.1:1"]  # it does not start without any
                options = restricted + (nobody if app == "proxy" else [])
                with Container(image, *command, options=options) as container:
                    globals().get(f"use_{app.replace('-', '_')}", Container.first_answer)(container)


def test_finds_others_by_name(image):
    with tempfile.TemporaryDirectory() as folder, network() as own:
        for restricted in (strict(folder), strict(folder, uring=False)):
            options = restricted + ["--network", own]
            with Container(image, options=options + ["--network-alias", "origin"]) as origin:
                origin.first_answer()
                upstream = ["--env", f"PROXY_UPSTREAMS=http://origin:{PORT}"]
                with Container(image, "proxy", options=options + upstream) as proxy:
                    proxy.first_answer()
                    check(proxy.ask("GET", "/plaintext")[2] == b"Hello, World!", "it asks the other")


def test_asks_a_database(image):
    """PostgreSQL on this machine, whose network the programs then have: plain by address, encrypted by name."""
    if not installed():
        print("PostgreSQL is not installed: skipped")
        return
    with PrivatePostgres() as database, tempfile.TemporaryDirectory() as folder:
        database.load((ROOT / "apps/techempower/schema.sql").read_text())
        urls = (database.tcp_url, database.tls_url.replace("127.0.0.1", "localhost"))
        programs = (("techempower", "/fortunes"), ("crud", "/api/v1/items"))
        profiles = (strict(folder), strict(folder, uring=False))
        for restricted, url, (app, path) in itertools.product(profiles, urls, programs):
            options = restricted + ["--network", "host", "--env", "VOLT_OPS_LISTEN=", "--env", f"DATABASE_URL={url}"]
            with Container(image, app, "--listen", "127.0.0.1:0", options=options) as container:
                container.port = int(container.logged(r"listening on \S+:(\d+)")[1])
                answer = container.ask("GET", path, headers={"Authorization": "Bearer t"})
                check(answer[0] == 200, f"{app} over {url}: {answer}")


if __name__ == "__main__":
    if reason := why_no_docker():
        print(f"{reason}: skipped")
        sys.exit(SKIPPED)
    image = build()
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test(image)
            print(f"{name}: ok", flush=True)
