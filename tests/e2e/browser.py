# SPDX-License-Identifier: MIT
"""A headless Chromium, driven through its DevTools protocol over a WebSocket, in the standard library.

    with Browser() as browser:
        page = browser.open("http://127.0.0.1:8080/")
        page.wait_for("document.title", lambda title: title == "Chat")
"""

import base64
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from websocket_peer import WebSocketPeer

START_SECONDS_MAX = 60  # a browser on a busy machine
WAIT_SECONDS_MAX = 120  # as above
SKIPPED = 77  # SKIP_RETURN_CODE in CMakeLists.txt


def find_chromium():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    return None


def run_tests(names):
    """Calls each function test_*(browser) of `names`, which are globals(). Ends the script as skipped without Chromium."""
    chromium = find_chromium()
    if chromium is None:
        print("skipped: Chromium is not installed; apt-get install chromium")
        sys.exit(SKIPPED)
    with Browser(chromium) as browser:
        for name, test in list(names.items()):
            if name.startswith("test_"):
                test(browser)
                print(f"{name}: ok", flush=True)


class Browser:
    """Chromium with a profile of its own, gone with it."""

    def __init__(self, program):
        self.program = program

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.process = subprocess.Popen(
            [self.program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-background-networking", "--disable-component-update",
             "--window-size=800,600", "--remote-debugging-port=0", f"--user-data-dir={self.profile.name}",
             "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
        self.port = None
        ready = threading.Event()
        threading.Thread(target=self._read, args=(ready,), daemon=True).start()
        if not ready.wait(START_SECONDS_MAX) or self.port is None:
            self.__exit__(None, None, None)
            raise AssertionError("the browser does not start")
        return self

    def _read(self, ready):
        for line in self.process.stderr:
            if match := re.search(r"DevTools listening on ws://[^:]+:(\d+)/", line):
                self.port = int(match[1])
                ready.set()
        ready.set()  # it ended

    def open(self, url):
        """A page, once it has loaded."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/json/new?{url}", method="PUT")
        with urllib.request.urlopen(request, timeout=WAIT_SECONDS_MAX) as answer:
            target = json.load(answer)
        page = Page(self.port, f"/devtools/page/{target['id']}")
        page.wait_until_loaded()
        return page

    def __exit__(self, kind, error, trace):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.profile.cleanup()


class DevToolsError(AssertionError):
    """The browser refuses a call."""


class Page:
    def __init__(self, port, path):
        self.peer = WebSocketPeer(port, path, timeout=WAIT_SECONDS_MAX)
        self.asked = 0
        self.events = []  # of the domains that were enabled

    def call(self, method, **params):
        self.asked += 1
        self.peer.send_text(json.dumps({"id": self.asked, "method": method, "params": params}))
        while (reply := json.loads(self.peer.receive_text())).get("id") != self.asked:
            self.events.append(reply)
        if "error" in reply:
            raise DevToolsError(f"{method}: {reply['error']}")
        return reply["result"]

    def evaluate(self, script):
        """The value of a JavaScript expression; promises are awaited."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise AssertionError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait_for(self, script, wanted):
        """Evaluates until wanted(value): that value."""
        until = time.monotonic() + WAIT_SECONDS_MAX
        while True:
            try:
                if wanted(value := self.evaluate(script)):
                    return value
            except DevToolsError as error:  # between two documents there is none to ask
                value = error
            if time.monotonic() > until:
                raise AssertionError(f"{script} is {value!r}")
            time.sleep(0.05)

    def wait_until_loaded(self):
        return self.wait_for("location.protocol != 'about:' && document.readyState", lambda state: state == "complete")

    def type_into(self, selector, text):
        """As a person would: focus, then keys."""
        self.evaluate(f"document.querySelector({json.dumps(selector)}).select()")
        self.call("Input.insertText", text=text)

    def press_enter(self):
        self.press("Enter", 13, "\r")

    def press(self, key, code, text=""):
        """A key, by its name and its Windows virtual key code."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, text=text, windowsVirtualKeyCode=code)

    def screenshot(self, path):
        image = self.call("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(image))

    def close(self):
        self.call("Page.close")
        self.peer.socket.close()
