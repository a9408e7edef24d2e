#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The OpenAPI page of bin/crud in a real browser: it shows the document as text, and sends requests of it.

Usage: openapi_page_test.py FOLDER_OF_PROGRAMS; VOLT_TEST_IO chooses the reactor.
VOLT_SCREENSHOTS names a folder for screenshots.
Exits with 77, which CTest reports as skipped, if Chromium is not installed.
"""

import json
import os
import pathlib
import sys

from browser import run_tests
from server_process import Server

IO = os.environ.get("VOLT_TEST_IO", "auto")
PROGRAMS = pathlib.Path(sys.argv[1])
READY = "document.querySelector('#state').hidden"

# Markup in every text, references in circles and into nowhere, and names that objects inherit.
MARKUP = "<img src=x onerror=\"document.title='broken'\"><script>document.title='broken'</script>"
SCHEMA = {"$ref": "#/components/schemas/Tree"}
HOSTILE = {
    "openapi": "3.1.0", "info": {"title": MARKUP, "version": MARKUP, "summary": MARKUP, "description": MARKUP},
    "tags": [{"name": MARKUP, "description": MARKUP}],
    "paths": {"/" + MARKUP: {"post": {
        "tags": [MARKUP], "summary": MARKUP, "description": MARKUP, "operationId": MARKUP,
        "parameters": [{"name": MARKUP, "in": "query", "description": MARKUP, "example": MARKUP,
                        "schema": {"type": "string", "enum": [MARKUP], "default": MARKUP, "pattern": MARKUP}},
                       {"$ref": "#/components/parameters/missing"}, {"$ref": "https://example.com/a"}],
        "requestBody": {"description": MARKUP, "content": {"application/json": {"schema": SCHEMA}}},
        "responses": {"200": {"description": MARKUP, "headers": {MARKUP: {"description": MARKUP, "schema": {}}},
                              "content": {MARKUP: {"schema": SCHEMA, "example": MARKUP}}}},
        "security": [{"constructor": []}, {MARKUP: [MARKUP]}]}}},
    "components": {"schemas": {
        "Tree": {"type": "object", "description": MARKUP, "properties": {
            "parent": SCHEMA, "all": {"type": "array", "items": SCHEMA}, "loop": {"$ref": "#/components/schemas/Loop"},
            "proto": {"$ref": "#/__proto__/constructor"}, "count": {"type": "integer", "minimum": 1, "maximum": 9}}},
        "Loop": {"$ref": "#/components/schemas/Loop"}},
        "securitySchemes": {MARKUP: {"type": "apiKey", "in": "header", "name": MARKUP, "description": MARKUP}}},
}


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def serve():
    return Server(PROGRAMS / "crud", io=IO, environment={"CRUD_TOKEN": "t", "CRUD_DB": ":memory:"})


def open_page(browser, server):
    page = browser.open(f"http://127.0.0.1:{server.port}/docs")
    page.wait_for(READY, bool)
    page.evaluate("""(() => {
        window.refused = [];
        document.addEventListener("securitypolicyviolation", event => refused.push(event.effectiveDirective));
    })()""")
    return page


def press(page, key, code, text=""):
    for kind in ("keyDown", "keyUp"):
        page.call("Input.dispatchKeyEvent", type=kind, key=key, code=code, text=text if kind == "keyDown" else "")


def open_all(page):
    """Opens all disclosures, also those that appear thereby."""
    page.wait_for("""(() => {
        const closed = document.querySelectorAll("details:not([open])");
        closed.forEach(one => { one.open = true; });
        return closed.length;
    })()""", lambda count: count == 0)


def picture(page, name, scheme, width=1180, height=1600):
    page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
    page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    if folder := os.environ.get("VOLT_SCREENSHOTS"):
        page.evaluate("new Promise(drawn => setTimeout(drawn, 200))")
        page.screenshot(pathlib.Path(folder, f"{name}_{scheme}_{width}_{IO}.png"))


def test_the_page_shows_the_document(browser):
    with serve() as server:
        page = open_page(browser, server)
        check(page.evaluate("document.title") == "Items", "the title")
        head = page.evaluate("document.querySelector('header').innerText + document.querySelector('main').innerText")
        check("Version 1.0.0" in head and "A small shop's list of items." in head, f"the head: {head}")
        names = page.evaluate("[...document.querySelectorAll('#operations h3')].map(name => name.textContent)")
        check(names == ["GET /api/v1/items", "POST /api/v1/items", "GET /api/v1/items/{id}", "PUT /api/v1/items/{id}",
                        "DELETE /api/v1/items/{id}", "GET /api/v1/me"], f"the operations: {names}")
        groups = page.evaluate("[...document.querySelectorAll('#operations h2')].map(name => name.textContent)")
        check(groups == ["items", "users"], f"the tags: {groups}")
        open_all(page)
        text = page.evaluate("document.querySelector('#operations').innerText")
        for part in ["one of \"id\", \"name\", \"price\"", "default 20", "integer (int32)", "array of Item",
                     "Another item has that name", "The item's version, for If-Match", "Requires a token (bearer).",
                     "application/problem+json"]:
            check(part in text, f"{part} is missing in {text}")
        parameters = page.evaluate("[...document.querySelectorAll('#operation-list_items > .body > .wide th code')]"
                                   ".map(name => name.textContent)")
        check(parameters == ["limit", "sort", "order", "name", "price_max", "after"], f"the parameters: {parameters}")
        check(page.evaluate("refused") == [], "the policy refused something of the page")
        page.close()


def send(page, operation, **fields):
    """Fills in the form of an operation and sends it: the status and the body of the response."""
    page.evaluate(f"document.querySelector('#operation-{operation}').open = true")
    form = f"document.querySelector('#operation-{operation} form')"
    page.wait_for(f"{form} !== null", bool)
    page.evaluate(f"{form}.querySelector('.result').replaceChildren()")
    for name, value in fields.items():
        label = "Body (application/json)" if name == "body" else name.replace("_", "-")
        page.evaluate(f"[...{form}.querySelectorAll('label')].find(label => (label.querySelector('code') ?? label)"
                      f".textContent === {json.dumps(label)}).control.value = {json.dumps(value)}")
    page.evaluate(f"{form}.requestSubmit()")
    status = page.wait_for(f"{form}.querySelector('.status')?.textContent ?? ''",
                           lambda text: "bytes" in text or "Not sent" in text or "Failed" in text)
    return status, page.evaluate(f"{form}.querySelector('.result > pre')?.textContent ?? ''")


def test_requests_are_sent(browser):
    with serve() as server:
        page = open_page(browser, server)
        status, body = send(page, "list_items")
        check(status.startswith("401 ") and "ms" in status, f"without the token: {status}")
        page.evaluate("document.querySelector('#credentials input').value = 't'")
        status, body = send(page, "add_item", body='{"name": "a/b?\\u00e9", "price": 3}')
        check(status.startswith("201 "), f"an item is added: {status} {body}")
        item = json.loads(body)
        check(item["name"] == "a/b?\u00e9" and body.startswith('{\n  "id": '), f"the body is indented: {body}")
        fields = page.evaluate("document.querySelector('#operation-add_item .result table').innerText")
        check("location" in fields and "etag" in fields, f"the header fields: {fields}")
        page.evaluate("document.querySelector('#operation-add_item .result details').open = true")
        shown = "document.querySelector('#operation-add_item .result details pre')?.textContent ?? ''"
        command = page.wait_for(shown, bool)
        check("Authorization: ..." in command and "-X POST" in command, f"the command hides the token: {command}")
        status, body = send(page, "list_items", limit="1", sort="price", name="a/b?\u00e9")
        check(status.startswith("200 ") and json.loads(body) == [item], f"query fields: {status} {body}")
        status, body = send(page, "list_items", limit="x")
        check(status.startswith("400 "), f"values are not corrected by the page: {status}")
        status, body = send(page, "erase_item", id="")
        check("the path needs a value for id" in status, f"a path without its value: {status}")
        status, body = send(page, "erase_item", id="..")
        check("Not sent" in status, f"a path that would lead elsewhere: {status}")
        status, body = send(page, "erase_item", id=str(item["id"]), if_match='"1"')
        check(status.startswith("204 ") and body == "", f"path and header fields: {status}")
        check(page.evaluate("refused") == [], "the policy refused a request")
        page.close()


def test_search_keys_and_links(browser):
    with serve() as server:
        page = open_page(browser, server)
        page.evaluate("history.replaceState(null, '', '#operation-me')")
        page.call("Page.reload")
        page.wait_for("document.querySelector('#operation-me')?.open ?? false", bool)  # a link opens its operation
        check(page.evaluate("document.activeElement.parentElement.id") == "operation-me", "a link moves the focus")
        press(page, "/", "Slash", "/")
        check(page.evaluate("document.activeElement.id") == "search", "/ goes to the search")
        page.call("Input.insertText", text="delete item")
        found = page.wait_for("document.querySelector('#found').textContent", bool)
        check(found == "1 of 6 operations", f"the search: {found}")
        shown = page.evaluate("[...document.querySelectorAll('.operation')].filter(one => one.offsetHeight)"
                              ".map(one => one.id)")
        check(shown == ["operation-erase_item"], f"the search shows {shown}")
        page.press_enter()
        page.wait_for("location.hash", lambda hash: hash == "#operation-erase_item")
        page.evaluate("location.hash = '#operation-list_items'")
        page.wait_for("document.querySelector('#operation-list_items').open", bool)
        search = page.evaluate("document.querySelector('#search').value")
        check(search == "", "a link to a hidden operation ends the search")
        page.evaluate("location.hash = '#%'")
        page.close()


def test_a_document_is_text_only(browser):
    with serve() as server:
        page = open_page(browser, server)
        page.evaluate(f"operations.length = 0; api = {json.dumps(HOSTILE)};"
                      "for (const id of ['operations', 'contents', 'credentials', 'description'])"
                      "  find(id).replaceChildren();"
                      "draw()")
        open_all(page)
        check(page.evaluate("document.querySelectorAll('img, script:not(body > script:last-of-type)').length") == 0,
              "a text became markup")
        check(page.evaluate("document.title") == MARKUP, "the title is not the text of the document")
        text = page.evaluate("document.querySelector('#operations').innerText")
        check("recursive: see above" in text and "1 to 9" in text, f"the schema: {text}")
        check(text.count(MARKUP) >= 12, f"texts are missing: {text}")
        check(page.evaluate("refused") == [], "the policy had to refuse something")
        page.close()


def test_the_policy_blocks_scripts_and_markup(browser):
    with serve() as server:
        page = open_page(browser, server)
        page.evaluate("""(() => {
            const script = document.createElement("script");
            const tries = [() => { script.textContent = "document.title = 'broken'"; document.body.append(script); },
                           () => { document.body.innerHTML = "broken"; }];
            for (const one of tries) try { one(); } catch { /* refused */ }
            fetch("http://127.0.0.1:9/").catch(() => {});
        })()""")
        refused = page.wait_for("refused", lambda names: "connect-src" in names)
        check("require-trusted-types-for" in refused, f"the policy refused: {refused}")
        check(page.evaluate("document.title") == "Items", "an inline script ran")
        page.close()


CONTRASTS = """(() => {
  const style = getComputedStyle(document.documentElement);
  const light = name => {
    const parts = style.getPropertyValue(name).trim().slice(1).match(/../g).map(part => parseInt(part, 16) / 255);
    const [red, green, blue] = parts.map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  return ["--text", "--quiet", "--accent", "--good", "--bad", "--waiting"].map(name =>
    Math.min(ratio(light(name), light("--ground")), ratio(light(name), light("--card"))));
})()"""


def test_the_page_is_accessible_and_fits_a_phone(browser):
    with serve() as server:
        page = open_page(browser, server)
        for scheme in ("light", "dark"):
            picture(page, "docs", scheme)
            contrasts = page.evaluate(CONTRASTS)
            check(all(contrast >= 4.5 for contrast in contrasts), f"{scheme}: contrasts {contrasts} (WCAG AA: 4.5)")
        open_all(page)
        picture(page, "docs_open", "light")
        nameless = page.evaluate("[...document.querySelectorAll('input, select, textarea')].filter(control =>"
                                 " !control.labels?.length && !control.getAttribute('aria-label'))"
                                 ".map(one => one.outerHTML)")
        check(nameless == [], f"controls without a label: {nameless}")
        levels = page.evaluate("[...document.querySelectorAll('h1, h2, h3, h4')].filter(one => one.offsetHeight)"
                               ".map(one => Number(one.tagName[1]))")
        check(all(after <= before + 1 for before, after in zip(levels, levels[1:])) and levels.count(1) == 1,
              f"headings skip a level: {levels}")
        ids = page.evaluate("[...document.querySelectorAll('[id]')].map(one => one.id)")
        check(len(ids) == len(set(ids)), "an id is used twice")
        picture(page, "docs", "dark", width=360, height=740)
        width = page.evaluate("document.documentElement.scrollWidth")
        check(width <= 360, f"the page is {width} wide on a phone")
        page.close()


if __name__ == "__main__":
    run_tests(globals())
