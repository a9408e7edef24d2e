#!/usr/bin/env python3
"""What TLS costs us and nginx, in turns: http_rounds.py says how it is measured.

  full      each connection: a handshake, one request, the end
  resumed   the same, with a ticket of the connection before
  open      requests on connections that stay open

Both have the same certificate, take the same cipher and key exchange, and give two tickets in each handshake.
"""

import functools
import pathlib
import subprocess
import sys
import tempfile

import http_rounds
import peers

HERE = pathlib.Path(__file__).resolve().parent
KEYS = {"ecdsa": ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"], "rsa": ["rsa:2048"]}


def handshakes(resume, tls, url, scenario, seconds):
    return [sys.executable, str(HERE / "tls_client.py"), url, str(seconds), str(scenario.connections), tls, resume]


def scenarios(tls):
    return {
        "full": http_rounds.Scenario(4, 1, scheme="https", client=functools.partial(handshakes, "full", tls)),
        "resumed": http_rounds.Scenario(4, 1, scheme="https", client=functools.partial(handshakes, "resumed", tls)),
        "open": http_rounds.Scenario(64, 1, scheme="https"),
    }


def make_certificate(folder, kind):
    certificate, key = f"{folder}/{kind}.pem", f"{folder}/{kind}.key"
    command = ["openssl", "req", "-x509", "-newkey", *KEYS[kind], "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    subprocess.run([*command, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    return certificate, key


def main():
    parser = http_rounds.arguments(__doc__, peers.TLS_PEERS)
    known = scenarios("1.3")
    parser.add_argument("--scenarios", default=",".join(known), help="of: " + ", ".join(known))
    parser.add_argument("--keys", default=",".join(KEYS), help="of: " + ", ".join(KEYS))
    parser.add_argument("--tls", default="1.3", choices=("1.2", "1.3"), help="of the handshakes")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="volt-tls-") as folder:
        for kind in options.keys.split(","):
            options.certificate, options.key = make_certificate(folder, kind)
            chosen = {name: scenarios(options.tls)[name] for name in options.scenarios.split(",")}
            http_rounds.run({f"{kind}, {name}": scenario for name, scenario in chosen.items()}, options)


if __name__ == "__main__":
    main()
