#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs in a real browser: what their pages show, and what it gets as it asks by itself.

Usage: browser_test.py FOLDER_OF_PROGRAMS; VOLT_TEST_IO chooses the reactor. VOLT_SCREENSHOTS names a folder for pictures.
Leaves with 77, which CTest takes for skipped, where no Chromium is installed.
"""

import json
import os
import pathlib
import sys
import tempfile

from browser import run_tests
from server_process import Server

IO = os.environ.get("VOLT_TEST_IO", "auto")
PROGRAMS = pathlib.Path(sys.argv[1])


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def picture(page, name):
    if folder := os.environ.get("VOLT_SCREENSHOTS"):
        page.screenshot(pathlib.Path(folder, f"{name}_{IO}.png"))


VISIBLE = "[...document.querySelectorAll('form')].filter(form => form.checkVisibility()).map(form => form.id)"
LINES = "[...document.querySelectorAll('#lines li')].map(line => line.textContent)"


def enter(browser, server, name):
    page = browser.open(f"http://127.0.0.1:{server.port}/")
    check(page.evaluate("document.title") == "Chat", "the page's title")
    check(page.evaluate(VISIBLE) == ["enter"], "first the name")
    page.type_into("#enter [name=name]", name)
    page.press_enter()
    page.wait_for("document.querySelector('#state').textContent", lambda text: text == f"In lobby, as {name}")
    check(page.evaluate(VISIBLE) == ["say"], "then what to say")
    return page


def say(page, text):
    page.type_into("#say [name=text]", text)
    page.press_enter()


def test_two_pages_chat(browser):
    with Server(PROGRAMS / "chat", io=IO) as server:
        ann = enter(browser, server, "ann")
        bob = enter(browser, server, "bob")
        ann.wait_for(LINES, lambda lines: lines == ["ann has come", "bob has come"])
        say(ann, "hello, bob")
        bob.wait_for(LINES, lambda lines: lines == ["bob has come", "ann hello, bob"])
        say(bob, "<img src=x onerror=\"document.title='broken'\"> Grüße")
        said = "bob <img src=x onerror=\"document.title='broken'\"> Grüße"
        for page in (ann, bob):
            page.wait_for(LINES, lambda lines: lines[-1] == said)
            check(page.evaluate("document.querySelectorAll('#lines img').length") == 0, "text is not HTML")
            check(page.evaluate("document.title") == "Chat", "nor script")
        picture(ann, "chat_ann")
        picture(bob, "chat_bob")
        bob.close()
        ann.wait_for(LINES, lambda lines: lines[-1] == "bob has left")
        server.terminate()
        ann.wait_for("document.querySelector('#state').textContent", lambda text: text.startswith("Not connected"))
        check(ann.evaluate(VISIBLE) == ["enter"], "it may be entered again")
        check(server.wait() == 0, "it drains while a page is open")
        ann.close()


def test_pages_show_events(browser):
    with Server(PROGRAMS / "sse", io=IO) as server:
        pages = [browser.open(f"http://127.0.0.1:{server.port}/") for _ in range(2)]
        count = "Number(document.querySelector('#count').textContent)"
        for page in pages:
            first = page.wait_for(count, lambda value: value >= 1)
            second = page.wait_for(count, lambda value: value > first)
            page.wait_for(count, lambda value: value > second)
        pages[0].type_into("#say [name=text]", "hello, <b>everybody</b>")
        pages[0].press_enter()
        for page in pages:
            page.wait_for("[...document.querySelectorAll('#said li')].map(line => line.textContent)",
                          lambda lines: lines == ["hello, <b>everybody</b>"])
        picture(pages[1], "sse")
        for page in pages:
            page.close()


def test_a_page_comes_back_and_goes_on_counting(browser):
    with Server(PROGRAMS / "sse", io=IO) as server:
        page = browser.open(f"http://127.0.0.1:{server.port}/")
        count = "Number(document.querySelector('#count').textContent)"
        page.wait_for(count, lambda value: value >= 2)
    page.wait_for("document.querySelector('#state').textContent", lambda text: text == "connecting")
    seen = page.evaluate(count)
    page.evaluate("window.shown = []; source.addEventListener('count', event => shown.push(Number(event.data)))")
    with Server(PROGRAMS / "sse", io=IO, listen=f"127.0.0.1:{server.port}"):
        shown = page.wait_for("shown", lambda counts: len(counts) >= 2)
        check(shown[:2] == [seen + 1, seen + 2], f"after {seen} it showed {shown}")
        page.close()


NAMES = "[...document.querySelectorAll('#items td:first-child')].map(cell => cell.textContent)"
MESSAGE = "document.querySelector('#message').textContent"
ERRORS = "[...document.querySelectorAll('.error')].map(place => place.textContent).filter(text => text)"


def fill(page, form, name, price):
    page.type_into(f"{form} [name=name]", name)
    page.evaluate(f"document.querySelector('{form} [name=price]').value = ''")
    page.type_into(f"{form} [name=price]", price)
    page.press_enter()


def press(page, label):
    page.evaluate(f"document.querySelector('[aria-label={json.dumps(label)}]').click()")


def test_a_page_that_changes_items(browser):
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CRUD_DB"] = f"{folder}/items.db"
        with Server(PROGRAMS / "crud", io=IO) as server:
            page = browser.open(f"http://127.0.0.1:{server.port}/")
            page.wait_for("document.querySelector('#none').checkVisibility()", bool)
            fill(page, "#add", "pen", "300")
            page.wait_for(NAMES, lambda names: names == ["pen"])
            fill(page, "#add", "<b>ink</b> & Füller", "1250")
            page.wait_for(NAMES, lambda names: names == ["pen", "<b>ink</b> & Füller"])
            check(page.evaluate("document.querySelectorAll('#items b').length") == 0, "text is not HTML")

            fill(page, "#add", "", "-1")
            page.wait_for(ERRORS, lambda errors: errors == ["Name must not be empty",
                                                            "Price, in cents must be from 0 to 100000000"])
            check(page.evaluate("document.activeElement.getAttribute('aria-invalid')") == "true", "and is shown where")
            picture(page, "crud_errors")
            fill(page, "#add", "pen", "1")
            page.wait_for(ERRORS, lambda errors: errors == ["Name is taken"])

            press(page, "Change pen")
            page.wait_for("document.querySelector('#change').open", bool)
            fill(page, "#change", "pencil", "250")
            page.wait_for(NAMES, lambda names: names == ["pencil", "<b>ink</b> & Füller"])

            other = browser.open(f"http://127.0.0.1:{server.port}/")  # sees the list as it is now
            other.wait_for(NAMES, lambda names: len(names) == 2)
            press(page, "Delete pencil")
            page.wait_for(NAMES, lambda names: names == ["<b>ink</b> & Füller"])
            check(page.evaluate(MESSAGE) == "pencil was deleted.", "the page says so")
            press(other, "Delete pencil")
            other.wait_for(MESSAGE, lambda text: text == "no such item")
            other.close()
            page.call("Page.reload")
            page.wait_until_loaded()
            page.wait_for(NAMES, lambda names: names == ["<b>ink</b> & Füller"])

            for i in range(12):
                fill(page, "#add", f"paper {i:02}", str(1000 - i))
                page.wait_for(MESSAGE, lambda text, i=i: text == f"paper {i:02} was added.")
            page.evaluate("look.name.value = 'PAPER'; look.sort.value = 'price'; look.oninput()")
            page.wait_for(NAMES, lambda names: names == [f"paper {i:02}" for i in range(11, 1, -1)])
            page.evaluate("next.click()")
            page.wait_for(NAMES, lambda names: names == ["paper 01", "paper 00"])
            page.evaluate("first.click()")
            page.wait_for(NAMES, lambda names: len(names) == 10)
            picture(page, "crud")

            page.type_into("#access [name=token]", "wrong")
            page.press_enter()
            page.wait_for("document.querySelector('#message.bad') !== null", bool)
            page.close()


def test_a_page_with_its_files_and_an_upload(browser):
    with tempfile.TemporaryDirectory() as folder:
        os.environ["FILES_FOLDER"] = str(pathlib.Path(__file__).parents[2] / "apps/files/public")
        os.environ["FILES_UPLOADS"] = folder
        with Server(PROGRAMS / "files", io=IO) as server:
            page = browser.open(f"http://127.0.0.1:{server.port}/")
            style = page.evaluate("getComputedStyle(document.querySelector('form')).display")
            check(style == "flex", "its style sheet is applied")
            answer = page.evaluate("""(() => {
                const form = new FormData();
                form.append("file", new File(["x".repeat(100000)], "Grüße.txt"));
                return fetch("/upload", {method: "POST", body: form}).then(answer => answer.json());
            })()""")
            check(answer == [{"name": answer[0]["name"], "bytes": 100000}], f"saved: {answer}")
            check([path.read_text() for path in pathlib.Path(folder).iterdir()] == ["x" * 100000], "it is on the disk")
            picture(page, "files")
            page.close()


def test_a_page_that_shows_visits_and_notes_live(browser):
    root = pathlib.Path(__file__).parents[2]
    with tempfile.TemporaryDirectory() as folder:
        environment = {"LINKS_FOLDER": folder, "LINKS_ASSETS": str(root / "apps/links/public")}
        with Server(PROGRAMS / "links", io=IO, environment=environment) as server:
            page = browser.open(f"http://127.0.0.1:{server.port}/")  # leads to the login
            page.type_into("[name=name]", "ann")
            page.type_into("[name=password]", "correct horse")
            page.evaluate("document.querySelector('[formaction]').click()")
            page.wait_for("document.querySelector('#notes') !== null", bool)
            page.type_into("[name=name]", "volt")
            page.type_into("[name=url]", "https://volt.example/")
            page.press_enter()
            page.wait_for("document.querySelector('[data-link=volt]')?.dataset.safety", lambda safety: safety == "safe")
            other = browser.open(f"http://127.0.0.1:{server.port}/")
            other.wait_for("document.querySelector('[data-link=volt] [data-visits]').textContent", lambda text: text == "0")
            picture(page, "links")
            page.evaluate("fetch('/l/volt', {redirect: 'manual'}).then(() => true)")
            for each in (page, other):
                each.wait_for("document.querySelector('[data-visits]').textContent", lambda text: text == "1")
            page.evaluate("clipboard.elements.text.value = '<b>'; clipboard.requestSubmit()")
            other.wait_for("document.querySelector('#notes').textContent", lambda text: text.endswith(": <b>"))
            other.close()
            page.close()


def test_errors_of_a_build_are_shown_until_they_are_mended(browser):
    with tempfile.TemporaryDirectory() as folder:
        errors = pathlib.Path(folder, "build_errors")
        with Server(PROGRAMS / "hello", io=IO, environment={"VOLT_DEVELOPMENT_BUILD_ERRORS": str(errors)}) as server:
            errors.write_text("app.cpp:3:7: error: no template named 'vectr'\n    3 | vectr<int> sizes;\n")
            page = browser.open(f"http://127.0.0.1:{server.port}/plaintext")
            check(page.evaluate("document.title").startswith("app.cpp:3:7: error"), "the title is the first error")
            check("vectr<int> sizes;" in page.evaluate("document.querySelector('pre').textContent"), "the code is shown")
            picture(page, "build_errors")
            errors.write_text("app.cpp:9:1: error: expected '}'\n")
            page.wait_for("document.title", lambda title: title.startswith("app.cpp:9:1: error"))
            errors.unlink()
            page.wait_for("document.body.textContent", lambda text: text == "Hello, World!")
            page.close()


if __name__ == "__main__":
    run_tests(globals())
