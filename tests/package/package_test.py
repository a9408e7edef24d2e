#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The packages as their users have them: the .deb files, unpacked elsewhere, programs built against libvolt-dev by CMake and
pkg-config, the programs of volt, and a project of volt-new, which is built, tested and run.

Usage: package_test.py BUILD_FOLDER CXX
"""

import json
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
BUILD_SECONDS_MAX = 180  # on a busy machine
NOT_NAMES = ("my shop", "-shop", "1shop", "shop-", "../shop", "shop;ls", "shöp", "shop\n", "test", "volt")
sys.path[:0] = [str(HERE.parent / "e2e"), str(HERE.parent / "support")]
from command import check, run  # pylint: disable=wrong-import-position
from ports import free_port  # pylint: disable=wrong-import-position
from restart_test import eventually  # pylint: disable=wrong-import-position
from server_process import Server  # pylint: disable=wrong-import-position


def serves(program):
    with Server(program) as server:
        with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/Volt", timeout=30) as answer:
            check(json.load(answer) == {"text": "Hello, Volt!"}, "it answers")


def test_with_cmake(usr, folder, compiler):
    # A Debug build, because the stack of its transfers is the larger one.
    run("cmake", "-S", HERE, "-B", folder, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=Debug",
        f"-DCMAKE_PREFIX_PATH={usr}")
    run("cmake", "--build", folder)
    serves(folder / "consumer")
    run(folder / "transfers")


def test_with_pkg_config(usr, folder, compiler):
    found = next(usr.rglob("volt.pc")).parent
    packages = ["volt", "volt-sqlite", "volt-sessions", "volt-stores", "volt-topics"]
    flags = run("pkg-config", "--cflags", "--libs", *packages, PKG_CONFIG_PATH=str(found)).split()
    run(compiler, "-O0", HERE / "main.cpp", "-o", folder / "consumer", *flags)
    serves(folder / "consumer")
    run(compiler, "-O0", HERE / "transfers.cpp", "-o", folder / "transfers", *flags)
    run(folder / "transfers")


def get(port, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as response:
        return response.read().decode()


def refuses(volt_new, folder, *arguments, says):
    done = subprocess.run([volt_new, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    check(done.returncode == 1 and says in done.stderr, f"volt-new {arguments}: {done.returncode}, {done.stderr}")


def test_new_project(usr, folder, compiler):
    volt_new, project = usr / "bin/volt-new", folder / "My-shop_1"
    for name in NOT_NAMES:
        refuses(volt_new, folder, name, says=f'"{name}" cannot be the name of a project')
    refuses(volt_new, folder, "", says="volt-new NAME [FOLDER]")
    refuses(volt_new, folder, "s" * 61, says="at most 60")
    check(not list(folder.iterdir()), "a wrong name makes a folder")
    says = run("sh", "-c", f"cd '{folder}' && '{volt_new}' {project.name}")
    check(f"cd {project}\n" in says, says)
    refuses(volt_new, folder, "shop", project, says="exists already")

    build = project / "build/debug"
    run("cmake", "-S", project, "--preset", "debug", f"-DCMAKE_CXX_COMPILER={compiler}")
    run("cmake", "--build", build)
    run("ctest", "--test-dir", build, "--output-on-failure", "--no-tests=error")
    with Server(build / project.name, "--ops", "127.0.0.1:0", environment={"APP_GREETING": "Welcome"}) as server:
        check(json.loads(get(server.port, "/hello/ann")) == {"text": "Welcome, ann!"}, "it responds")
        check(project.name in get(server.port, "/openapi.json"), "its document names it")
        ops_port = int(re.search(r"ops endpoint available at \S*:(\d+)", server.log)[1])
        check(get(ops_port, "/healthz") == "ok\n", "it is healthy")
        health = [build / project.name, "--check-health", "--ops", f"127.0.0.1:{ops_port}"]
        check(subprocess.run(health, timeout=30, check=False).returncode == 0, "the health check of its image says so")
    watch_new_project(usr, project)


def page_of(port):
    """What a browser is shown."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}/hello/ann", headers={"Accept": "text/html"})
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.read().decode()
    except urllib.error.HTTPError as error:
        return error.read().decode()


# watch_test.py has all other kinds of changes.
def watch_new_project(usr, project):
    source, port = project / "app.cpp", free_port()
    program = source.read_text()
    command = [usr / "bin/volt-watch", "--", "--listen", f"127.0.0.1:{port}", "--log.level", "warning"]
    with subprocess.Popen(command, cwd=project) as watch:
        try:
            eventually(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0, lambda: "it does not serve",
                       BUILD_SECONDS_MAX)
            source.write_text(program.replace('+ "!"}; }', '+ "!"} }'))
            eventually(lambda: re.search(r"<b>.*app\.cpp:\d+:\d+: error: expected &#39;;&#39;", page_of(port)),
                       lambda: page_of(port), BUILD_SECONDS_MAX)
            check(json.loads(get(port, "/hello/ann")) == {"text": "Hello, ann!"}, "the program before the change responds")
            source.write_text(program.replace('+ "!"}; }', '+ "?"}; }'))
            eventually(lambda: page_of(port) == '{"text":"Hello, ann?"}', lambda: page_of(port), BUILD_SECONDS_MAX)
        finally:
            watch.terminate()
    check(watch.returncode == 0 and socket.socket().connect_ex(("127.0.0.1", port)) != 0, "the program has not ended")


# The package and Volt's own tree refuse g++ 12 when CMake configures. It need not be installed: CMake is told what it
# would find out about the compiler.
def test_refusal(usr, folder, compiler):
    found = {"COMPILER": compiler, "COMPILER_ID": "GNU", "COMPILER_VERSION": "12.2.0", "COMPILER_ID_RUN": 1,
             "COMPILER_FORCED": 1}
    for source in (HERE, HERE.parents[1]):
        done = subprocess.run(["cmake", "-S", source, "-B", folder / source.name, "-G", "Ninja",
                               f"-DCMAKE_PREFIX_PATH={usr}", *(f"-DCMAKE_CXX_{name}={value}" for name, value in found.items())],
                              capture_output=True, text=True, check=False)
        says = " ".join(done.stderr.split())
        check(done.returncode != 0 and "Volt does not support g++ 12.2.0: it destroys temporaries" in says
              and "clang++-19" in says, f"{source}: {done.returncode}, {done.stderr}")
    print("test_refusal: ok", flush=True)


# Users choose the options of their programs: what Volt is compiled with does not reach them (cmake/shipped.cmake).
def check_options_are_private(usr):
    files = [*usr.rglob("*.cmake"), *usr.rglob("*.pc")]
    check(files, "there are no files for build systems")
    for file in files:
        for option in ("-fstack-protector", "_FORTIFY_SOURCE", "_GLIBCXX_ASSERTIONS", "-fcf-protection", "-Wl,-z"):
            check(option not in file.read_text(), f"{file.name} has {option}")


def fields_of(package):
    return dict(re.findall(r"^([\w-]+): (.*)$", run("dpkg-deb", "--field", package), re.MULTILINE))


def check_libvolt_dev(package, usr):
    depends = fields_of(package)["Depends"]
    for name in ("libpq-dev", "libsqlite3-dev", "libhiredis-dev", "libssl-dev", "liburing-dev", "libzstd-dev"):
        check(re.search(rf"(^|, ){name} \(>= \d", depends), f"libvolt-dev does not depend on {name} of a version: {depends}")
    check(not (usr / "bin/volt-hello").exists(), "it has programs")
    for name in ("volt-new", "volt-watch"):
        manual = run("gzip", "-dc", usr / f"share/man/man1/{name}.1.gz")
        check("@" not in manual and name in manual and f"{name} " in run(usr / "bin" / name, "--help"), manual)


def check_units(system):
    for unit in (system / "usr/lib/systemd/system").glob("*.service"):
        text = unit.read_text()
        program, *flags = re.search(r"^ExecStart=(.*)$", text, re.MULTILINE)[1].split()
        flags = [str(system) + flag if flag.startswith("/etc/") else flag for flag in flags]
        says = run(system / program.lstrip("/"), *flags, "--check-config")
        check("valid" in says, says)
        check(f"Requires={unit.stem}.socket" in text and unit.with_suffix(".socket").exists(), f"{unit.name}: no socket")
        yield unit.stem


# volt: what is for the machines where programs run, with none of what they are built with.
def test_volt(package, folder):
    system, control = folder / "system", folder / "control"
    run("dpkg-deb", "-x", package, system)
    run("dpkg-deb", "-e", package, control)
    depends = fields_of(package)["Depends"]
    check("libc6" in depends and "libssl3" in depends and "-dev" not in depends, f"volt depends on {depends}")
    names = set(check_units(system))
    check(names == {"volt-hello", "volt-proxy"}, f"its services are {names}")
    conffiles = (control / "conffiles").read_text().split()
    check({system / path.lstrip("/") for path in conffiles} == set(system.glob("etc/*/*")), f"conffiles: {conffiles}")
    for script in ("postinst", "prerm", "postrm"):
        run("sh", "-n", control / script)
        check(all(f"{name}.service" in (control / script).read_text() for name in names), f"{script} leaves out a service")
    for name in names:
        manual = run("gzip", "-dc", system / f"usr/share/man/man1/{name}.1.gz")
        check("@" not in manual and name in manual, manual)
    changelog = run("gzip", "-dc", system / "usr/share/doc/volt/changelog.gz")
    check(changelog.startswith(f"volt ({fields_of(package)['Version']}) "), f"the changelog is of {changelog[:20]}")
    check(not list(system.rglob("*.[ah]")) and not list(system.rglob("*.cmake")), "it has files for development")
    check((system / "usr/share/volt/default.toml").exists(), "it has no settings")
    with Server(system / "usr/bin/volt-hello") as server:
        check(get(server.port, "/plaintext") == "Hello, World!", "volt-hello does not answer")
    print("test_volt: ok", flush=True)


def main():
    build, compiler = pathlib.Path(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run("cpack", "--config", build / "CPackConfig.cmake", "-B", folder)
        development, programs = (next(folder.glob(f"{name}_*.deb")) for name in ("libvolt-dev", "volt"))
        run("dpkg-deb", "-x", development, folder / "root")
        check_libvolt_dev(development, folder / "root/usr")
        test_volt(programs, folder)
        check_options_are_private(folder / "root/usr")
        for test in (test_with_cmake, test_with_pkg_config, test_new_project):
            place = folder / test.__name__
            place.mkdir()
            test(folder / "root/usr", place, compiler)
            print(f"{test.__name__}: ok", flush=True)
        test_refusal(folder / "root/usr", folder / "refusal", compiler)


if __name__ == "__main__":
    main()
