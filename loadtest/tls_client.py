# SPDX-License-Identifier: MIT
"""Makes TLS connections with openssl(1), one after the other in each of several processes: tls_client.py URL SECONDS
PROCESSES 1.2|1.3 full|resumed. Each connection sends one request. Prints figures in the format of requests.lua, without
latencies. A connection that unexpectedly resumed a session, or unexpectedly did not, counts as an error."""

import re
import subprocess
import sys
import time
import urllib.parse

CIPHERS = {"1.2": ["-cipher", "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256", "-tls1_2"],
           "1.3": ["-ciphersuites", "TLS_AES_128_GCM_SHA256", "-tls1_3"]}


def main():
    url, seconds, processes, version, kind = sys.argv[1:]
    address = urllib.parse.urlsplit(url)
    command = ["openssl", "s_time", "-connect", address.netloc, "-www", address.path, "-time", seconds]
    command += [*CIPHERS[version], "-reuse" if kind == "resumed" else "-new"]
    began = time.monotonic()
    clients = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(int(processes))]
    connections, errors = 0, 0
    for client in clients:
        said, _ = client.communicate()
        made, _ = re.findall(r"(\d+) connections in (\d+) real seconds", said)[-1]
        resumed = max(map(len, re.findall(r"^r+$", said, re.M)), default=0)  # one letter per connection
        connections += int(made)
        errors += abs(int(made) - resumed) if kind == "resumed" else resumed
        errors += client.returncode != 0
    elapsed_us = int((time.monotonic() - began) * 1e6)
    print(f"figures requests={connections} us={elapsed_us} errors={errors} p50_us=0 p99_us=0")


if __name__ == "__main__":
    main()
