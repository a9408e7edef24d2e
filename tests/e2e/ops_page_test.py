#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The ops page of bin/hello in a real browser: the page draws the server's activity, and loads and runs nothing else.

Usage: ops_page_test.py FOLDER_OF_PROGRAMS; VOLT_TEST_IO chooses the reactor.
VOLT_SCREENSHOTS names a folder for screenshots.
Exits with 77, which CTest reports as skipped, if Chromium is not installed.
"""

import contextlib
import http.client
import os
import pathlib
import re
import sys
import threading
import time

from browser import run_tests
from server_process import Server

IO = os.environ.get("VOLT_TEST_IO", "auto")
PROGRAMS = pathlib.Path(sys.argv[1])
STATE = "document.querySelector('#state')?.textContent ?? ''"
LIST = "[...document.querySelectorAll('#{} tbody tr')].map(row => [...row.children].map(cell => cell.textContent))"
ROUTES = "[...document.querySelectorAll('#routes tr')].map(row => [...row.children].map(cell => cell.textContent))"


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def serve():
    return Server(PROGRAMS / "hello", "--ops", "127.0.0.1:0", io=IO)


def ops_url(server):
    port = re.search(r"ops endpoint available at \S*:(\d+)", server.log)[1]
    return f"http://127.0.0.1:{port}/"


@contextlib.contextmanager
def some_load(server):
    """Runs a few clients that request a mix of routes."""
    done = threading.Event()

    def request_routes():
        client = http.client.HTTPConnection("127.0.0.1", server.port)
        paths = ["/", "/json", "/plaintext", "/work?us=2000", "/work?us=20000", "/none?secret=42"]
        for turn in range(1 << 30):
            if done.is_set():
                break
            client.request("GET", paths[turn % len(paths)])
            client.getresponse().read()
            time.sleep(0.003)
        client.close()

    clients = [threading.Thread(target=request_routes) for _ in range(4)]
    for client in clients:
        client.start()
    try:
        yield
    finally:
        done.set()
        for client in clients:
            client.join()


def picture(page, name, scheme):
    if folder := os.environ.get("VOLT_SCREENSHOTS"):
        page.call("Emulation.setDeviceMetricsOverride", width=1180, height=1600, deviceScaleFactor=1, mobile=False)
        page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        page.evaluate("new Promise(drawn => setTimeout(drawn, 200))")
        page.screenshot(pathlib.Path(folder, f"{name}_{scheme}_{IO}.png"))


def test_the_page_draws_the_servers_activity(browser):
    with serve() as server:
        page = browser.open(ops_url(server))
        page.wait_for(STATE, lambda text: text.startswith("ready, up "))
        check(page.evaluate("document.querySelector('#service').textContent") == "hello", "the page must name the service")
        identity = page.evaluate("document.querySelector('#identity').textContent")
        check(f"process {server.process.pid} on " in identity, f"the page must name the process: {identity}")
        check(page.evaluate(ROUTES) == [["none yet"]], "the table of routes must be empty before the first request")
        with some_load(server):
            rows = page.wait_for(ROUTES, lambda rows: len(rows) == 5)
            check([row[0] for row in rows] == ["GET /", "GET /plaintext", "GET /json", "GET /work", "no route"],
                  f"routes must be listed by their patterns: {rows}")
            time.sleep(float(os.environ.get("VOLT_SCREENSHOT_SECONDS", "0")))
            check(all(len(row) == 12 for row in rows), f"each row must have the phases: {rows}")
            page.wait_for(ROUTES, lambda rows: all(cell for row in rows for cell in row))
            slow = page.wait_for(LIST.format("slow"), lambda rows: len(rows) == 10)
            check(all(row[1] == "GET /work" for row in slow), f"the slowest requests: {slow}")
            pools = page.evaluate(LIST.format("pools"))
            check(pools[0][:2] == ["blocking", "threads"], f"the pools: {pools}")
            check(page.evaluate("document.querySelector('#errors').hidden"), "there is no error")
            page.wait_for("document.querySelectorAll('#latency .cell').length", lambda cells: cells > 0)
            page.wait_for("document.querySelector('#rate polyline').points.length", lambda points: points > 2)
            axis = page.evaluate("[...document.querySelectorAll('#rate text')].map(text => text.textContent)")
            check(len(axis) == 3 and axis[0] == "0", f"the axis of the rate must have numbers: {axis}")
            page.wait_for("document.querySelectorAll('#history polyline').length", lambda charts: charts == 6)
            workers = page.evaluate("[...document.querySelectorAll('#workers svg')]"
                                    ".map(drawing => drawing.getAttribute('aria-label'))")
            check(len(workers) == 2 and workers[0].startswith("Worker 0 "),
                  f"each worker's drawing must have a label: {workers}")
            page.evaluate("document.querySelectorAll('details').forEach(list => { list.open = true; })")
            page.wait_for("document.querySelectorAll('#connections tbody tr').length", lambda rows: rows == 4)
            page.wait_for("document.querySelectorAll('#tasks tbody tr').length", lambda rows: rows == 6)
            text = page.evaluate("document.documentElement.textContent")
            check("secret" not in text, "the page shows a query")
            picture(page, "ops", "light")
            picture(page, "ops", "dark")
        page.close()


def test_the_page_names_what_is_wrong(browser):
    findings = "[...document.querySelectorAll('#findings li')].map(item => item.className + ': ' + item.textContent)"
    with serve() as server:
        page = browser.open(ops_url(server))
        found = page.wait_for(findings, lambda items: items and "connecting" not in items[0])
        check(found == ["good: Nothing is wrong as far as these figures show."], f"an idle server is well: {found}")
        client = http.client.HTTPConnection("127.0.0.1", server.port)
        client.request("GET", "/work?us=300000")
        client.getresponse().read()
        client.close()
        found = page.wait_for(findings, lambda items: any(item.startswith("warning: Handlers block") for item in items))
        check(any("GET /work" in item for item in found), f"the route must be named: {found}")
        picture(page, "ops_finding", "light")
        page.close()


def test_drawings_have_labels(browser):
    with serve() as server:
        page = browser.open(ops_url(server))
        page.wait_for("document.querySelectorAll('#workers svg').length", lambda drawings: drawings == 2)
        nameless = page.evaluate("[...document.querySelectorAll('svg')].filter(drawing => !drawing.parentElement.hidden"
                                 " && !drawing.getAttribute('aria-label')).length")
        check(nameless == 0, f"{nameless} drawings have no aria-label")
        page.close()


def test_the_policy_blocks_inline_scripts_and_foreign_images(browser):
    with serve() as server:
        page = browser.open(ops_url(server))
        page.wait_for(STATE, lambda text: text.startswith("ready"))
        page.evaluate("""(() => {
            window.refused = [];
            document.addEventListener("securitypolicyviolation", event => refused.push(event.effectiveDirective));
            const script = document.createElement("script");
            script.textContent = "document.title = 'broken'";
            document.body.append(script);
            const image = document.createElement("img");
            image.src = "http://127.0.0.1:9/x.png";
            document.body.append(image);
        })()""")
        refused = page.wait_for("refused", lambda names: len(names) >= 2)
        check(sorted(refused) == ["img-src", "script-src-elem"], f"the policy refused: {refused}")
        check(page.evaluate("document.title") == "hello: operations", "an inline script ran")
        page.close()


def test_the_page_reports_a_lost_connection(browser):
    with serve() as server:
        page = browser.open(ops_url(server))
        page.wait_for(STATE, lambda text: text.startswith("ready"))
    page.wait_for(STATE, lambda text: text == "no connection to the server")
    page.close()


if __name__ == "__main__":
    run_tests(globals())
