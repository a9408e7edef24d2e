#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What scanners of TLS say of hello, with each preset: sslscan sees nothing weak, testssl.sh finds nothing of MEDIUM or
worse.

Usage: tls_scan_test.py FOLDER_OF_PROGRAMS; VOLT_TEST_IO chooses the reactor. testssl.sh takes a minute or two, and has
nothing to do with reactors: it is run with all but epoll.
"""

import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from server_process import Server

IO = os.environ.get("VOLT_TEST_IO", "auto")
HELLO = pathlib.Path(sys.argv[1]) / "hello"
PRESETS = {"intermediate": {"1.2", "1.3"}, "modern": {"1.3"}}
KEYS = {"ecdsa": ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"], "rsa": ["rsa:2048"]}
SCAN_SECONDS_MAX = 270
HARMLESS = {"OK", "INFO", "LOW"}
UNDONE = {"WARN"}  # what a scanner could not look at


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def make_certificate(folder, kind):
    """As an authority would issue one: scanners look at its dates, and where it could be revoked."""
    made = {}
    for name, days, extensions, by in (
            ("authority", "90", ["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign,cRLSign"], None),
            (kind, "80", ["basicConstraints=critical,CA:FALSE", "subjectAltName=DNS:localhost",
                          "extendedKeyUsage=serverAuth", "crlDistributionPoints=URI:http://localhost/authority.crl"],
             "authority")):
        made[name] = (f"{folder}/{name}.pem", f"{folder}/{name}.key")
        issuer = ["-CA", made[by][0], "-CAkey", made[by][1]] if by else []
        added = [argument for extension in extensions for argument in ("-addext", extension)]
        subject = "localhost" if by else "authority"
        subprocess.run(["openssl", "req", "-x509", "-newkey", *KEYS[kind], "-nodes", "-days", days, *issuer, "-subj",
                        f"/CN={subject}", *added, "-keyout", made[name][1], "-out", made[name][0]],
                       check=True, capture_output=True)
    return made[kind]


def serve(preset, certificate):
    return Server(HELLO, "--tls.listen", "127.0.0.1:0", "--tls.preset", preset, "--tls.certificate", certificate[0],
                  "--tls.key", certificate[1], io=IO, listen=None)


def sslscan_is_content(preset, certificate):
    with serve(preset, certificate) as server:
        scanned = subprocess.run(["sslscan", "--xml=-", f"localhost:{server.port}"], check=True, capture_output=True,
                                 text=True, timeout=SCAN_SECONDS_MAX).stdout
    found = xml.etree.ElementTree.fromstring(scanned).find("ssltest")
    enabled = {(each.get("type"), each.get("version")) for each in found.iter("protocol") if each.get("enabled") == "1"}
    check(enabled == {("tls", version) for version in PRESETS[preset]}, f"{preset}: {enabled}\n{scanned}")
    ciphers = list(found.iter("cipher"))
    check(ciphers, scanned)
    for cipher in ciphers:
        check(cipher.get("strength") in {"strong", "acceptable"} and int(cipher.get("bits")) >= 128, cipher.attrib)
        check(not cipher.get("sslversion").endswith("1.2") or cipher.get("cipher").startswith("ECDHE-"), cipher.attrib)
    for flaw, attribute in (("renegotiation", "supported"), ("compression", "supported"), ("heartbleed", "vulnerable")):
        check(all(each.get(attribute) == "0" for each in found.iter(flaw)), f"{preset}: {flaw}\n{scanned}")


def testssl_is_content(preset, certificate, folder):
    report = pathlib.Path(folder) / f"{preset}.json"
    with serve(preset, certificate) as server:
        subprocess.run(["testssl", "--quiet", "--warnings", "batch", "--nodns", "none", "--ip", "127.0.0.1",
                        "--add-ca", f"{folder}/authority.pem", "--jsonfile", report, "-p", "-S", "-s", "-f", "-U",
                        f"localhost:{server.port}"], capture_output=True, timeout=SCAN_SECONDS_MAX)
    findings = json.loads(report.read_text())
    bad = [finding for finding in findings if finding["severity"] not in HARMLESS | UNDONE]
    check(not bad, f"{preset}: {bad}")
    good = sum(finding["severity"] == "OK" for finding in findings)
    check(good > 20, f"{preset}: the scan has not got far: {findings}")


def main():
    if not all(map(shutil.which, ("openssl", "sslscan"))):
        print("skipped: no sslscan, or no openssl")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        for kind in KEYS:
            certificate = make_certificate(folder, kind)
            for preset in PRESETS:
                sslscan_is_content(preset, certificate)
                print(f"passed: sslscan, {preset}, {kind}", flush=True)
        if IO == "epoll" or shutil.which("testssl") is None:
            print("no testssl.sh with epoll, or where there is none")
            return 0
        with concurrent.futures.ThreadPoolExecutor() as pool:
            scans = [pool.submit(testssl_is_content, preset, certificate, folder) for preset in PRESETS]
            for scan in scans:
                scan.result()
        print("passed: testssl.sh, every preset")
    return 0


if __name__ == "__main__":
    sys.exit(main())
