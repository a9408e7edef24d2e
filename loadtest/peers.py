# SPDX-License-Identifier: MIT
"""The servers: their packages, abilities and command lines. loadtest/peers/README.md describes them.

To add a server, add a folder under loadtest/peers and an entry in PEERS. Its process must stay in the foreground, have
options.workers threads or child processes, and write no log.
"""

import argparse
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import typing

import database

ROOT = pathlib.Path(__file__).resolve().parents[1]
SOURCES = pathlib.Path("loadtest/peers")
BUILT = pathlib.Path("build/loadtest/peers")
GO_SOURCES = pathlib.Path("/usr/share/gocode/src/github.com")
CRATES = pathlib.Path("/usr/share/cargo/registry")
NODE_MODULES = pathlib.Path("/usr/share/nodejs")
# The first entry of the server's list that the client supports is chosen, so all servers have the same list.
CIPHERS = "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256"
SUITES = "TLS_AES_128_GCM_SHA256"


def program(name):
    return shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin") or name


class Peer(typing.NamedTuple):
    can: tuple  # abilities, as in Scenario.can
    command: typing.Callable  # (port, tls, private folder, options) -> command line
    version: typing.Callable  # returns the version
    needs: dict = {}  # {Debian package: a program or path of it}
    more: dict = {}  # {further ability: (Debian package, a path of it)}
    build: typing.Callable = lambda: None
    built: str = ""  # path of the program that build() makes

    def missing(self):
        """Returns the packages to install."""
        return [package for package, what in self.needs.items() if not present(what)]

    def versions(self):
        """Returns the peer's version, and those of the installed packages of `more`."""
        more = [f"{package} {package_version(package)()}" for package, path in self.more.values() if present(path)]
        return ", ".join([self.version(), *more])

    def abilities(self):
        return (*self.can, *(ability for ability, (_, path) in self.more.items() if present(path)))


def present(what):
    if isinstance(what, str):
        return pathlib.Path(program(what)).is_absolute()
    return any(what.parent.glob(what.name))


def says(*command, pattern=r"\d+(\.\d+)+"):
    """Returns a function that returns the version in the output of the command."""

    def version():
        ended = subprocess.run([program(command[0]), *command[1:]], capture_output=True, text=True, check=False)
        found = re.search(pattern, ended.stdout + ended.stderr)
        return found[0] if found else "unknown"

    return version


def crate_versions(*patterns):
    return lambda: ", ".join(path.name for pattern in patterns for path in sorted(CRATES.glob(pattern)))


def package_version(name):
    return says("dpkg-query", "-W", "-f", "${Version}", name, pattern=r"[^:\s]+$")


def commit():
    return "commit " + says("git", "describe", "--always", "--dirty", "--abbrev=12", pattern=r"\S+")()


def configured(name, file, port, tls, folder, options, ssl=""):
    """Fills in the configuration NAME/FILE. Returns the path of the result."""
    values = vars(options) | {"port": port, "folder": folder, "ssl": ssl if tls else ""}
    values |= {"ciphers": CIPHERS, "suites": SUITES, "tickets": getattr(options, "tickets", 2)}
    text = re.sub("@([A-Z]+)@", lambda match: str(values[match[1].lower()]), (ROOT / SOURCES / name / file).read_text())
    path = os.path.join(folder, file)
    pathlib.Path(path).write_text(text)
    return path


def environment_of(options):
    """Returns the environment of the programs of this project, with the settings of the scenario."""
    values = {"FILES": options.files}
    if options.database:
        values |= {"DATABASE_URL": options.database.url, "DATABASE_MAX_CONN": database.CONNECTIONS}
    return values


def with_environment(values, *command):
    return ["env", *(f"{name}={value}" for name, value in values.items()), *command]


def volt(port, tls, folder, options):
    del folder
    command = with_environment(environment_of(options), f"{options.build}/bin/loadtest_server")
    if tls:
        command += ["--tls.listen", f"127.0.0.1:{port}"]
        command += ["--tls.certificate", options.certificate, "--tls.key", options.key]
    else:
        command += ["--listen", f"127.0.0.1:{port}"]
    return [*command, "--workers", str(options.workers), "--io", options.io]


def nginx(port, tls, folder, options):
    file = configured("nginx", "nginx.conf", port, tls, folder, options, ssl="ssl")
    return [program("nginx"), "-p", folder, "-c", file, "-e", "stderr"]


def haproxy(port, tls, folder, options):
    pem = pathlib.Path(folder, "both.pem")
    pem.write_text(pathlib.Path(options.certificate).read_text() + pathlib.Path(options.key).read_text())
    file = configured("haproxy", "haproxy.cfg", port, tls, folder, options, ssl=f"ssl crt {pem}")
    return [program("haproxy"), "-db", "-q", "-f", file]


def h2o(port, tls, folder, options):
    return [program("h2o"), "-c", configured("h2o", "h2o.conf", port, tls, folder, options)]


def own(*command, threads="WORKERS", **environment):
    """Returns the command of a program of this project, which takes its settings from the environment; `threads` names
    the variable with the number of workers."""

    def run(port, tls, folder, options):
        del folder
        values = {"PORT": port, threads: options.workers} | environment_of(options) | environment
        if tls:
            values |= {"TLS": 1, "CERTIFICATE": options.certificate, "KEY": options.key, "SUITES": SUITES}
        return with_environment(values, *command)

    return run


def from_elsewhere(text):
    """Returns the name and the Peer of NAME=COMMAND or NAME:ABILITY,..=COMMAND."""
    name, _, command = text.partition("=")
    name, _, abilities = name.partition(":")
    words = shlex.split(command)
    if not name or not words:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME[:ABILITIES]=COMMAND")
    can = ("plaintext", *filter(None, abilities.split(",")))
    if unknown := set(can) - set(PEERS["volt"].can):
        raise argparse.ArgumentTypeError(f"{text!r}: no scenario needs {', '.join(sorted(unknown))}")
    return name, Peer(can=can, command=own(*words), version=lambda: f"from {words[0]}")


def build_copy(folders, *command, **environment):
    """Returns a function that builds in a copy of `folders`, named like the first, because cargo and go write beside
    their sources. Neither uses the network."""

    def build():
        copy = BUILT / folders[0]
        for folder in folders:
            shutil.copytree(ROOT / SOURCES / folder, copy, dirs_exist_ok=True)
        subprocess.run(command, cwd=copy, env=os.environ | environment, check=True)

    return build


def build_go(name, more):
    """Returns a function that builds a Go program, with a tag for each ability of `more` that is installed."""
    tags = ",".join(ability for ability, (_, path) in more.items() if present(path))
    environment = {"GO111MODULE": "off", "GOPATH": "/usr/share/gocode"}
    return build_copy([name, "go_database"], "go", "build", "-o", "server", "-tags", tags, **environment)


PGX = {"db": ("golang-github-jackc-pgx-v4-dev", GO_SOURCES / "jackc/pgx/v4")}
LIBPQ = {"libpq": ("libpq-dev", pathlib.Path("/usr/include/postgresql/libpq-fe.h"))}
GORILLA = {"websocket": ("golang-github-gorilla-websocket-dev", GO_SOURCES / "gorilla/websocket")}
PEERS = {
    "volt": Peer(
        can=("plaintext", "json", "routes", "work", "tls", "static", "upload", "websocket", "db"), command=volt,
        version=commit,
    ),
    "nginx": Peer(
        can=("plaintext", "tls", "static"), command=nginx, version=says("nginx", "-v"), needs={"nginx": "nginx"}
    ),
    "haproxy": Peer(
        can=("plaintext", "tls"), command=haproxy, version=says("haproxy", "-v"), needs={"haproxy": "haproxy"}
    ),
    "h2o": Peer(can=("static",), command=h2o, version=says("h2o", "--version"), needs={"h2o": "h2o"}),
    "hyper": Peer(
        can=("plaintext", "json", "work", "upload", "db"),
        command=own(f"{BUILT}/hyper/target/release/hyper_peer"),
        version=crate_versions("hyper-0.*", "tokio-1*", "tokio-postgres-0.*"),
        needs={
            "cargo": "cargo", "librust-hyper-dev": CRATES / "hyper-0.14*", "librust-tokio-dev": CRATES / "tokio-1*",
            "librust-serde-json-dev": CRATES / "serde_json-1*", "librust-serde-derive-dev": CRATES / "serde_derive-1*",
            "librust-tokio-postgres-dev": CRATES / "tokio-postgres-0.7*",
        },
        build=build_copy(["hyper"], "cargo", "build", "--release", "--offline", "--quiet"),
        built=f"{BUILT}/hyper/target/release/hyper_peer",
    ),
    "go": Peer(
        can=("plaintext", "json", "work", "tls", "static", "upload"),
        command=own(f"{BUILT}/go/server", threads="GOMAXPROCS"),
        version=says("go", "version"),
        needs={"golang-go": "go"},
        more=GORILLA | PGX | LIBPQ,
        build=build_go("go", GORILLA | PGX | LIBPQ),
        built=f"{BUILT}/go/server",
    ),
    "fasthttp": Peer(
        can=("plaintext", "json", "work", "tls", "static", "upload"),
        command=own(f"{BUILT}/fasthttp/server", threads="GOMAXPROCS"),
        version=package_version("golang-github-valyala-fasthttp-dev"),
        needs={"golang-go": "go", "golang-github-valyala-fasthttp-dev": GO_SOURCES / "valyala/fasthttp"},
        more=PGX,
        build=build_go("fasthttp", PGX),
        built=f"{BUILT}/fasthttp/server",
    ),
    "node": Peer(
        can=("plaintext", "json", "work", "tls", "upload"),
        command=own("node", f"{SOURCES}/node/server.js", NODE_PATH=NODE_MODULES),
        version=says("node", "--version"),
        needs={"nodejs": "node"},
        more={"websocket": ("node-ws", NODE_MODULES / "ws"), "db": ("node-pg", NODE_MODULES / "pg")},
    ),
}
