#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bin/accounts against the npm package oidc-provider. By hand, because CI must not depend on npm:

  mkdir /tmp/provider && cd /tmp/provider && npm install oidc-provider@8
  tests/oidc/real_provider.py BUILD_FOLDER /tmp/provider

Ends with status 77 where node or the package is missing.
"""

import http.cookiejar
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from ports import free_port  # pylint: disable=wrong-import-position


def wait_for(url):
    for _ in range(200):
        try:
            return urllib.request.urlopen(url, timeout=5).read()
        except OSError:
            time.sleep(0.05)
    raise SystemExit(f"{url} does not respond")


def log_in(browser, service):
    """Logs in as the user ann; returns the URL where the browser arrives."""
    response = browser.open(f"{service}/login/oidc?return_to=/account/sessions")
    for _ in range(4):  # the pages for the login and for the consent
        if response.url.startswith(service):
            break
        page = response.read().decode()
        action = urllib.parse.urljoin(response.url, re.search(r'action="([^"]+)"', page)[1])
        prompt = re.search(r'name="prompt" value="(\w+)"', page)[1]
        fields = urllib.parse.urlencode({"prompt": prompt, "login": "ann", "password": "x"}).encode()
        response = browser.open(action, fields)
    return response.url


def main():
    build, folder = map(pathlib.Path, sys.argv[1:])
    if not shutil.which("node") or not (folder / "node_modules/oidc-provider").exists():
        print("skipped: node, or its package oidc-provider, is missing")
        sys.exit(77)
    provider_port, port = free_port(), free_port()
    issuer, service = f"http://127.0.0.1:{provider_port}", f"http://127.0.0.1:{port}"
    script = pathlib.Path(__file__).resolve().with_name("provider.mjs")
    environment = {**os.environ, "ACCOUNTS_PLAIN_HTTP": "true", "ACCOUNTS_OIDC_ISSUER": issuer, "ACCOUNTS_URL": service,
                   "ACCOUNTS_OIDC_CLIENT_ID": "shop", "ACCOUNTS_OIDC_CLIENT_SECRET": "s:e cret"}
    started = [subprocess.Popen(["node", script, str(provider_port), f"{service}/login/callback"], cwd=folder),
               subprocess.Popen([build.resolve() / "bin/accounts", "--listen", f"127.0.0.1:{port}"], env=environment)]
    try:
        wait_for(f"{issuer}/.well-known/openid-configuration")
        wait_for(f"{service}/login")
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
        arrived = log_in(browser, service)
        assert arrived == f"{service}/account/sessions", arrived
        user = json.load(browser.open(f"{service}/api/v1/me"))
        assert user["role"] == "member", user
        print(f"logged in as {user['name']}")
    finally:
        for process in started:
            process.terminate()
            process.wait()


if __name__ == "__main__":
    main()
