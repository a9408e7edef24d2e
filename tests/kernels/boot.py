#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Boots other kernels under QEMU, runs tests of the release build in them, and prints a table of the results.

Usage: boot.py BUILD KERNELS VERSION...: the programs are BUILD/bin and BUILD/tests, the kernels KERNELS/VERSION/vmlinuz.

QEMU emulates the processor (TCG), so the machine needs no KVM, and no figure says how fast anything is. A guest has no
disk, no modules and no network but the loopback device: its initramfs holds busybox, the programs and their libraries,
and init.sh runs the jobs. The console of each guest is kept in BUILD/kernels/VERSION.log.

VOLT_TEST_TIMEOUT_FACTOR=4 gives each job four times as long, for a machine that has other work.
"""

import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = ("bin/hello", "tests/kernel_tests", "tests/runtime_tests", "tests/stress_tests", "tests/http_tests")
TIMEOUT_FACTOR = float(os.environ.get("VOLT_TEST_TIMEOUT_FACTOR", "1"))
SUITE_SECONDS_MAX = int(1500 * TIMEOUT_FACTOR)
SMOKE_SECONDS_MAX = int(120 * TIMEOUT_FACTOR)
OUTPUT_SECONDS_MAX = 7200 * TIMEOUT_FACTOR  # of one guest
BOOTS_MAX = 3


@dataclasses.dataclass(frozen=True)
class Kernel:
    engines: tuple[str, ...] = ("uring", "epoll")
    # Without la57=off, old kernels do not start on an emulated processor with five levels of page tables.
    processor: str = "max,la57=off"
    threads: str = "multi"
    may_be_missing: bool = False


KERNELS = {
    # Debian 11's archive moves from mirror to mirror, now that its support has ended.
    "5.10": Kernel(engines=("epoll",), may_be_missing=True),
    "6.1": Kernel(),
    # QEMU 7.2 (Debian 12's) emulates two things wrongly that this kernel uses: cmpxchg16b spoils the flags, and code
    # that is patched while another processor runs it ends in an int3.
    "6.12": Kernel(processor="max,la57=off,cx16=off", threads="single"),
}

PAUSES = "measures turns by the clock, which goes on while the host runs something else"
LATE_SIGNAL = ("a thread may begin to sleep between the look at its state and the signal, which takes an emulated "
               "processor long enough for it to happen")

# Test cases that cannot hold in an emulated machine, with the reasons. A `*` stands for any text; a name with a comma is
# written with `*` in its place.
EXCLUDED = {
    "http_tests": {
        "stalls of short computations are charged to their route*": PAUSES,
        "handlers that only await* or compute for a moment* are never blamed for another handler": PAUSES,
        "of pipelined requests the one that computes is blamed": PAUSES,
        "a handler that blocks in the kernel is logged as blocked*": LATE_SIGNAL,
    },
    "runtime_tests": {
        "heavy tasks get at least 90 % of the processor time that light ones leave*": PAUSES,
        "light tasks that want all processors get most of them*": PAUSES,
        "however long a heavy turn was* light tasks run for about a second*": PAUSES,
        "a task that awaits is never reported": PAUSES,
        "few system calls of tasks that block fail with EINTR*": LATE_SIGNAL,
    },
}


def command(suite):
    excluded = ",".join(EXCLUDED.get(suite, {}))
    return f"{suite} --no-colors --duration=true" + (f" '--test-case-exclude={excluded}'" if excluded else "")


def jobs(kernel):
    """The lines of /jobs.sh: name, engine, limit in seconds, command."""
    lines = []
    if "uring" in kernel.engines:
        lines.append(f"job smoke uring {SMOKE_SECONDS_MAX} smoke.sh auto io_uring")
        lines.append(f"job smoke epoll {SMOKE_SECONDS_MAX} smoke.sh epoll epoll")
    else:
        lines.append(f"job smoke uring {SMOKE_SECONDS_MAX} smoke.sh uring refused")
        lines.append(f"job smoke epoll {SMOKE_SECONDS_MAX} smoke.sh auto epoll")
    for engine in kernel.engines:
        for suite in ("kernel_tests", "stress_tests", "runtime_tests", "http_tests"):
            lines.append(f"job {suite} {engine} {SUITE_SECONDS_MAX} {command(suite)}")
    if "uring" in kernel.engines:  # on this kernel, with completion queues that overflow
        lines.append(f"job runtime_tests_overflow uring {SUITE_SECONDS_MAX} env VOLT_TEST_RING=cq=16 "
                     f"{command('runtime_tests')} '--test-suite=runtime/io/*,runtime/sched/*'")
    return "\n".join(["export VOLT_STRESS_FACTOR=0.02", *lines, ""])


def copy_with_libraries(program, folder, copy):
    shutil.copy(program, copy)
    libraries = subprocess.run(["ldd", program], check=False, capture_output=True, text=True).stdout
    for library in re.findall(r"(/\S+) \(0x", libraries):  # none if the program is static
        target = folder / library.lstrip("/")
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(library, target)


def make_root(build, folder, kernel):
    """Fills `folder` with the guest's files."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "bin").mkdir(parents=True)
    (folder / "tests").mkdir()
    copy_with_libraries(pathlib.Path(shutil.which("busybox")), folder, folder / "bin/busybox")
    shutil.copy(HERE / "init.sh", folder / "init")
    shutil.copy(HERE / "smoke.sh", folder / "tests/smoke.sh")
    (folder / "jobs.sh").write_text(jobs(kernel))
    for program in PROGRAMS:
        copy = folder / "tests" / pathlib.Path(program).name
        copy_with_libraries(build / program, folder, copy)
        subprocess.run(["llvm-strip-19", "--strip-debug", copy], check=True)  # tests read the names of functions


def pack(folder, archive):
    names = "\n".join(str(path.relative_to(folder)) for path in sorted(folder.rglob("*")))
    with open(archive, "wb") as output:
        subprocess.run(["cpio", "--create", "--format=newc", "--quiet"], cwd=folder, input=names.encode(), stdout=output,
                       check=True)


def boot(kernel, image, archive, log):
    """Runs a guest to its end; its console goes to the file `log`."""
    command = ["qemu-system-x86_64", "-accel", f"tcg,thread={kernel.threads}", "-cpu", kernel.processor, "-smp", "2",
               "-m", "3G", "-nographic", "-no-reboot", "-net", "none", "-kernel", image, "-initrd", archive,
               "-append", "console=ttyS0 quiet loglevel=3 panic=-1 random.trust_cpu=on"]
    with open(log, "wb") as output:
        try:
            subprocess.run(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, check=False,
                           timeout=OUTPUT_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            output.write(b"\nthe guest did not end in time\n")


@dataclasses.dataclass
class Result:
    job: str
    engine: str
    passed: bool
    counts: str
    seconds: str
    output: str


def results_of(console):
    results = []
    for block in re.split(r"^@begin ", console, flags=re.MULTILINE)[1:]:
        job, engine = block.split("\n", 1)[0].split()
        end = re.search(r"^@end \S+ \S+ (\d+) (\d+)$", block, re.MULTILINE)
        output = block.split("\n", 1)[1][:end.start() - len(block) if end else None]
        counted = re.search(r"test cases: +\d+ \| +(\d+) passed \| +(\d+) failed(?: \| +(\d+) skipped)?", block)
        counts = "{} passed, {} failed, {} skipped".format(*counted.groups("0")) if counted else ""
        if end is None:
            results.append(Result(job, engine, False, "did not end", "", output))
        else:
            status, seconds = end.groups()
            ended = {"0": "", "124": "out of time", "143": "out of time"}.get(status, f"status {status}")
            results.append(Result(job, engine, status == "0", ", ".join(filter(None, (counts, ended))) or "passed",
                                  f"{seconds} s", output))
    return results


def excerpt(output):
    """What doctest printed of the test cases that failed, and of the last one that began."""
    printed, _, errors = output.partition("@errors\n")
    blocks = re.split(r"^={20,}$", printed, flags=re.MULTILINE)
    failed = [block for block in blocks[:-2] if re.search(r"\b(ERROR|FATAL ERROR): ", block)]
    return "\n".join([*failed, *blocks[-2:], errors])


def run_kernel(build, images, version):
    """Returns the rows of the table, and whether all is well."""
    kernel = KERNELS[version]
    image = images / version / "vmlinuz"
    if not image.exists():
        return [f"{version:<6} not tested: Debian's kernel could not be downloaded"], kernel.may_be_missing
    work = build / "kernels"
    work.mkdir(exist_ok=True)
    root = work / version
    archive = work / f"{version}.cpio"
    log = work / f"{version}.log"
    make_root(build, root, kernel)
    pack(root, archive)
    shutil.rmtree(root)
    for attempt in range(BOOTS_MAX):
        print(f"== Linux {version}: console in {log}", flush=True)
        boot(kernel, image, archive, log)
        console = log.read_bytes().decode(errors="replace").replace("\r", "")
        if "@guest" in console:
            break  # else the emulated machine has not started, which happens now and then
    archive.unlink()
    rows = []
    results = results_of(console)
    for each in results:
        if not each.passed:
            print(f"== Linux {version}, {each.job} on {each.engine}: {each.counts}\n{excerpt(each.output)}")
        rows.append(f"{version:<6} {each.engine:<5} {each.job:<22} {each.counts:<44} {each.seconds}".rstrip())
        rows += [f"{'':12} {line}" for line in each.output.split("\n") if line.startswith("figures: ")]
    done = re.search(r"^@done$", console, re.MULTILINE) is not None
    if not done:
        rows.append(f"{version:<6} the guest did not finish its jobs: {log}")
    return rows, done and all(each.passed for each in results)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    images = pathlib.Path(sys.argv[2]).resolve()
    table = []
    well = True
    for version in sys.argv[3:]:
        rows, passed = run_kernel(build, images, version)
        table += rows
        well = well and passed
    print("\n".join(table))
    sys.exit(0 if well else 1)


if __name__ == "__main__":
    main()
