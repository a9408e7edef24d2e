#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""TLS as clients and operators see it: versions, several certificates, client certificates, reloading under load.

Usage: tls_test.py FOLDER_OF_PROGRAMS [--reloads N]; VOLT_TEST_IO chooses the reactor. Certificates are made by
openssl(1).
"""

import argparse
import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

from server_process import Server

IO = os.environ.get("VOLT_TEST_IO", "auto")
parser = argparse.ArgumentParser()
parser.add_argument("programs", type=pathlib.Path)
parser.add_argument("--reloads", type=int, default=3)
arguments = parser.parse_args()
HELLO = arguments.programs / "hello"
WAIT_SECONDS_MAX = 20
GET = b"GET /plaintext HTTP/1.1\r\nHost: localhost\r\n\r\n"


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def eventually(condition, what):
    until = time.monotonic() + WAIT_SECONDS_MAX
    while not condition():
        check(time.monotonic() < until, what())
        time.sleep(0.02)


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


def expired_dates():
    """Options of `openssl x509` for an expired certificate. Since OpenSSL 3.4 it takes dates, but no negative days."""
    options = subprocess.run(["openssl", "x509", "-help"], check=True, capture_output=True).stderr
    if b"-not_after" in options:
        return ["-not_before", "20200101000000Z", "-not_after", "20200102000000Z"]
    return ["-days", "-1"]


def make_certificate(folder, name, issuer=None):
    """NAME.pem and NAME.key, self-signed or by ISSUER; replaces them one after the other, as tools do."""
    certificate, key = f"{folder}/{name}.pem", f"{folder}/{name}.key"
    by = ["-CA", f"{folder}/{issuer}.pem", "-CAkey", f"{folder}/{issuer}.key"] if issuer else []
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", *by,
            "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}", "-keyout", f"{key}.new",
            "-out", f"{certificate}.new")
    os.replace(f"{certificate}.new", certificate)
    os.replace(f"{key}.new", key)
    return certificate, key


def serve(*flags):
    return Server(HELLO, "--tls.listen", "127.0.0.1:0", *flags, io=IO, listen=None)


def client_context():
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def connect(port, name="localhost", context=None):
    return shake_hands(socket.create_connection(("127.0.0.1", port), timeout=WAIT_SECONDS_MAX), name, context)


def shake_hands(plain, name="localhost", context=None):
    try:
        return (context or client_context()).wrap_socket(plain, server_hostname=name)
    except (ssl.SSLError, OSError):
        plain.close()
        raise


def ask(stream, request=GET):
    stream.sendall(request)
    answer = b""
    while not answer.endswith(b"Hello, World!"):
        part = stream.recv(65536)
        if not part:
            raise ConnectionError(f"the connection ended after {answer!r}")
        answer += part
    return answer


def served_certificate(port, name="localhost"):
    with connect(port, name) as stream:
        return stream.getpeercert(binary_form=True)


def der_of(path):
    return ssl.PEM_cert_to_DER_cert(pathlib.Path(path).read_text())


def test_a_certificate_to_develop_with_takes_one_flag():
    with serve("--tls-dev") as server, connect(server.port) as stream:
        check(ask(stream).startswith(b"HTTP/1.1 200 OK\r\n"), "an answer")
        check(stream.version() == "TLSv1.3", stream.version())
        stream.sendall(GET * 50)  # pipelined, in one record
        answer = b""
        while answer.count(b"Hello, World!") < 50:
            answer += stream.recv(65536)
        stream.unwrap()  # close_notify is answered


def test_the_presets_say_which_versions():
    for preset, version, served in (("intermediate", ssl.TLSVersion.TLSv1_2, True),
                                    ("modern", ssl.TLSVersion.TLSv1_2, False),
                                    ("modern", ssl.TLSVersion.TLSv1_3, True)):
        context = client_context()
        context.minimum_version = context.maximum_version = version
        with serve("--tls-dev", "--tls.preset", preset) as server:
            try:
                with connect(server.port, context=context) as stream:
                    check(served and b"200 OK" in ask(stream), f"{preset} serves {version!r}")
            except ssl.SSLError as error:
                check(not served, f"{preset}, {version!r}: {error}")


def test_plain_http_is_told_to_speak_tls():
    with serve("--tls-dev") as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_SECONDS_MAX) as plain:
            plain.sendall(GET)
            answer = b""
            while part := plain.recv(65536):
                answer += part
        check(answer.startswith(b"HTTP/1.1 400 Bad Request\r\n") and b"HTTPS" in answer, answer)
        eventually(lambda: "rejected plain HTTP on a TLS listener" in server.log, lambda: server.log)


def test_the_named_host_chooses_the_certificate():
    with tempfile.TemporaryDirectory() as folder:
        first, second = make_certificate(folder, "one.example"), make_certificate(folder, "two.example")
        with serve("--tls.certificate", first[0], "--tls.key", first[1],
                   "--tls.more-certificates", f"{second[0]}:{second[1]}") as server:
            check(served_certificate(server.port, "two.example") == der_of(second[0]), "by name")
            check(served_certificate(server.port, "three.example") == der_of(first[0]), "else the first")


def test_a_client_certificate_may_be_required():
    with tempfile.TemporaryDirectory() as folder:
        own = make_certificate(folder, "localhost")
        authority, _ = make_certificate(folder, "authority")
        with serve("--tls.certificate", own[0], "--tls.key", own[1], "--tls.client-certificates", "required",
                   "--tls.client-ca", authority) as server:
            with contextlib.suppress(ssl.SSLError, ConnectionError):  # TLS 1.3 tells after the client's handshake
                with connect(server.port) as stream:
                    check(b"200 OK" not in ask(stream), "no client without one gets a response")
            context = client_context()
            context.load_cert_chain(f"{folder}/authority.pem", f"{folder}/authority.key")
            with connect(server.port, context=context) as stream:
                check(b"200 OK" in ask(stream), "who has one is")


def test_certificates_that_cannot_be_had_keep_it_from_starting():
    with tempfile.TemporaryDirectory() as folder:
        certificate, key = make_certificate(folder, "one.example")
        _, other_key = make_certificate(folder, "two.example")
        for files, said in (((f"{folder}/none.pem", key), "none.pem"), ((certificate, other_key), "two.example.key")):
            ended = subprocess.run([HELLO, "--tls.listen", "127.0.0.1:0", "--tls.certificate", files[0], "--tls.key",
                                    files[1]], capture_output=True, text=True, timeout=WAIT_SECONDS_MAX)
            check(ended.returncode != 0 and said in ended.stderr, ended.stderr)


class Load:
    """Clients that ask all the time, some on new connections; each request that gets no answer is told."""

    def __init__(self, port):
        self.stop, self.lost, self.answered = threading.Event(), [], 0
        self.threads = [threading.Thread(target=self._ask, args=(port, again)) for again in (True, True, False)]

    def _ask(self, port, again):
        stream = None
        try:
            while not self.stop.is_set():
                stream = stream or connect(port)
                check(b"200 OK" in ask(stream), "an answer")
                self.answered += 1
                if again:
                    stream.close()
                    stream = None
        except (OSError, AssertionError) as error:
            self.lost.append(repr(error))
        if stream:
            stream.close()

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        for thread in self.threads:
            thread.join()


def test_certificates_are_reloaded_under_load():
    with tempfile.TemporaryDirectory() as folder:
        certificate, key = make_certificate(folder, "localhost")
        with serve("--tls.certificate", certificate, "--tls.key", key) as server, Load(server.port) as load:
            kept = connect(server.port)
            for number in range(arguments.reloads):
                by_signal = number % 3 != 0
                make_certificate(folder, "localhost")
                if by_signal:
                    server.process.send_signal(signal.SIGHUP)
                new = der_of(certificate)
                eventually(lambda: served_certificate(server.port) == new, lambda: f"not reloaded:\n{server.log}")
                check(b"200 OK" in ask(kept), "a connection goes on through it all")
            pathlib.Path(certificate).write_text("nonsense")
            server.process.send_signal(signal.SIGHUP)
            eventually(lambda: "reload failed" in server.log and certificate in server.log, lambda: server.log)
            check(served_certificate(server.port) == new, "what was there stays")
            check(b"200 OK" in ask(kept), "a connection goes on through it all")
            kept.close()
        print(f"{arguments.reloads} reloads, {load.answered} answered, {len(load.lost)} lost")
        check(not load.lost and load.answered > 10, f"{load.answered} answered, lost: {load.lost}")


def test_who_has_connected_before_a_drain_is_answered():
    with serve("--tls-dev", "--server.drain-idle-timeout", f"{WAIT_SECONDS_MAX}s") as server:
        waiting = [socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_SECONDS_MAX) for _ in range(5)]
        server.terminate()
        eventually(lambda: "draining" in server.log, lambda: server.log)
        for plain in waiting:
            with shake_hands(plain) as stream:
                check(b"200 OK" in ask(stream), "its handshake has begun too late, and is done all the same")
        check(server.wait() == 0, server.log)


def logged(server, pattern):
    eventually(lambda: re.search(pattern, server.log), lambda: f"{pattern} in\n{server.log}")
    return re.search(pattern, server.log)[1]


def open_files(process, name):
    """Those of that name, of another process, which opens and closes files meanwhile."""
    found = []
    for entry in pathlib.Path(f"/proc/{process}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found += [link for link in [os.readlink(entry)] if name in link]
    return found


def test_sessions_resume_with_a_successor():
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        context = client_context()
        context.minimum_version = context.maximum_version = version
        with tempfile.TemporaryDirectory() as folder:
            certificate, key = make_certificate(folder, "localhost")
            with serve("--tls.certificate", certificate, "--tls.key", key) as server:
                with connect(server.port, context=context) as stream:
                    ask(stream)
                    session = stream.session
                server.process.send_signal(signal.SIGUSR2)
                replacement = int(logged(server, r"the replacement process is ready pid=(\d+)"))
                check(server.process.wait(WAIT_SECONDS_MAX) == 0, "the first drains")
                for name, resumes in (("other.example", False), ("localhost", True)):
                    plain = socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_SECONDS_MAX)
                    with context.wrap_socket(plain, server_hostname=name, session=session) as stream:
                        check(b"200 OK" in ask(stream), "the replacement answers")
                        check(stream.session_reused == resumes, f"{version!r}, {name}: {stream.session_reused}")
                environment = pathlib.Path(f"/proc/{replacement}/environ").read_bytes()
                check(b"VOLT_HANDOFF_FD=" in environment, "it went as a descriptor")
                eventually(lambda: not open_files(replacement, "volt-handoff"), lambda: "which is closed")
                os.kill(replacement, signal.SIGTERM)
                eventually(lambda: not server.reader.is_alive(), lambda: server.log)


def test_a_key_that_only_root_can_read_makes_a_successor_fail():
    if os.geteuid() != 0:
        print("cannot become another user: skipped")
        return
    with tempfile.TemporaryDirectory() as folder:  # not that of the build, which may be closed to others
        os.chmod(folder, 0o755)
        shutil.copy(HELLO, f"{folder}/hello")
        certificate, key = make_certificate(folder, "localhost")
        os.chmod(key, 0o600)
        with Server(f"{folder}/hello", "--tls.listen", "127.0.0.1:0", "--tls.certificate", certificate, "--tls.key", key,
                    "--process.user", "nobody", io=IO, listen=None) as server:
            with connect(server.port) as stream:
                check(b"200 OK" in ask(stream), "who was root when it started serves")
            server.process.send_signal(signal.SIGUSR2)
            failure = logged(server, r"the replacement process failed, this process continues (.*)")
            check("exit status 2" in failure, server.log)
            check(f"key {key}: Permission denied" in server.log, server.log)
            with connect(server.port) as stream:
                check(b"200 OK" in ask(stream), "the old one goes on")


def check_config(*flags):
    ended = subprocess.run([HELLO, "--check-config", *flags], capture_output=True, text=True, timeout=WAIT_SECONDS_MAX)
    return ended.returncode, ended.stdout + ended.stderr


def test_check_config_looks_into_certificates_and_keys():
    with tempfile.TemporaryDirectory() as folder:
        certificate, key = make_certificate(folder, "one.example")
        _, other_key = make_certificate(folder, "two.example")
        locked, password = f"{folder}/locked.key", f"{folder}/password"
        openssl("pkcs8", "-topk8", "-in", key, "-out", locked, "-passout", "pass:open sesame")
        pathlib.Path(password).write_text("open sesame\n")
        expired = f"{folder}/expired.pem"
        openssl("x509", "-in", certificate, "-signkey", key, *expired_dates(), "-out", expired)
        valid = "the configuration is valid\n"
        for files, status, said in (
                ((certificate, key), 0, valid),
                ((certificate, other_key), 2, f"tls: key {other_key}: is not the key of certificate {certificate}\n"),
                ((f"{folder}/none", key), 2, f"tls: certificate {folder}/none: No such file or directory\n"),
                ((key, key), 2, f"tls: certificate {key}: contains no PEM certificate\n"),
                ((certificate, certificate), 2, f"tls: key {certificate}: contains no PEM private key\n"),
                ((certificate, locked), 2, f"tls: key {locked}: is encrypted, but key_password_file is not set\n"),
                ((certificate, locked, "--tls.key-password-file", password), 0, valid),
                ((expired, key), 0, f"certificate {expired}: has expired\n{valid}")):
            flags = ["--tls.listen", "127.0.0.1:0", "--tls.certificate", files[0], "--tls.key", *files[1:]]
            check(check_config(*flags) == (status, said), f"{flags}: {check_config(*flags)}")
        check("tls.listen is empty" in check_config("--tls.certificate", certificate, "--tls.key", key)[1], "a warning")
        with serve("--tls.certificate", certificate, "--tls.key", locked, "--tls.key-password-file", password) as server:
            check(served_certificate(server.port) == der_of(certificate), "it serves with the key that it opened")


if shutil.which("openssl") is None:
    print("skipped: no openssl(1)")
    sys.exit(77)
for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print("passed:", name)
