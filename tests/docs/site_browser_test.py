#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The site of the documentation in a real browser, opened from the file system: the questions of questions.json typed
into the search, keys, both themes, a phone; no error in the console, nothing loaded from elsewhere.

Usage: site_browser_test.py FOLDER     where site_test.py has made the site; VOLT_SCREENSHOTS names a folder for pictures.
Leaves with 77, which CTest takes for skipped, where no Chromium is installed or no site was made.
"""

import json
import os
import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "e2e"), str(TESTS / "support")]
from browser import SKIPPED, run_tests  # pylint: disable=wrong-import-position

SITE = pathlib.Path(sys.argv[1]).resolve()
RESULTS_MAX = 3
CONTRAST_MIN = 4.5  # WCAG 2.2, success criterion 1.4.3
PHONE = 390
PAGES = ("index.html", "docs/tasks.html", "docs/metrics.html", "README.html", "CHANGELOG.html", "reference/index.html",
         "reference/http/web/response.h.html", "source/http/web/response.h.html")
FOUND = "[...document.querySelectorAll('#results a')].map(link => link.href)"
ACTIVE = "document.querySelector('#query').getAttribute('aria-activedescendant')"

# The texts with too little contrast to what is behind them.
FAINT = """(() => {
  const channels = color => color.match(/[\\d.]+/g).map(Number);
  const light = color => channels(color).slice(0, 3).map(value => value / 255)
      .map(value => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
      .reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = element => {
    for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if ((channels(color)[3] ?? 1) > 0) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const found = new Map();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !element.checkVisibility({opacityProperty: true})) continue;
    const [a, b] = [light(getComputedStyle(element).color), light(behind(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < MIN) found.set(`${element.tagName}.${element.className} ${ratio.toFixed(2)}`, texts.currentNode.data.trim());
  }
  return [...found].slice(0, 5);
})()""".replace("MIN", str(CONTRAST_MIN))


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def open_page(browser, url, width=1300, theme="light"):
    page = browser.open((SITE / url.split("#")[0]).as_uri())
    page.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width == PHONE)
    page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
    return page


def picture(page, name):
    if folder := os.environ.get("VOLT_SCREENSHOTS"):
        page.screenshot(pathlib.Path(folder, f"site_{name}.png"))


def is_quiet(page):
    """Fails if the page has written an error, or has loaded anything but files of the site."""
    for domain in ("Log", "Runtime"):
        page.call(f"{domain}.enable")
    page.evaluate("0")
    errors = [event for event in page.events if event["method"] in ("Log.entryAdded", "Runtime.exceptionThrown",
                                                                   "Runtime.consoleAPICalled")]
    check(not errors, f"{page.evaluate('location.href')}: {errors}")
    loaded = page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
    foreign = [url for url in loaded if not url.startswith(SITE.as_uri())]
    check(not foreign, f"loaded from elsewhere: {foreign}")


def ask(page, question):
    page.evaluate("document.querySelector('#results').replaceChildren()")
    page.type_into("#query", question)
    urls = page.wait_for(FOUND, bool)
    return [url.removeprefix(SITE.as_uri() + "/") for url in urls]


def rank_of(wanted, urls):
    return next((place for place, url in enumerate(urls, 1)
                 if url in wanted or ("#" in url and url.split("#")[0] in wanted)), 0)


def test_the_questions_find_their_answers(browser):
    page = open_page(browser, "docs/tasks.html")
    late = []
    for question, wanted in json.loads((TESTS / "docs/questions.json").read_text()):
        rank = rank_of(wanted, ask(page, question))
        print(f"{rank or '-':>2}  {question}")
        if not 1 <= rank <= RESULTS_MAX:
            late.append(question)
    picture(page, "search")
    check(not late, f"not among the first {RESULTS_MAX} results: {late}")
    is_quiet(page)
    page.close()


def test_keys_suffice(browser):
    page = open_page(browser, "index.html")
    page.press("Tab", 9)
    check(page.evaluate("document.activeElement.className") == "skip", "the first stop leads to the content")
    page.press("/", 191, "/")
    check(page.evaluate("document.activeElement.id") == "query", "/ leads to the search")
    found = ask(page, "set a cookie")
    page.wait_for(ACTIVE, lambda value: value == "result-0")
    page.press("ArrowDown", 40)
    check(page.evaluate(ACTIVE) == "result-1", "down chooses the next result")
    page.press("ArrowUp", 38)
    page.press("Escape", 27)
    check(page.evaluate("document.querySelector('#results').hidden"), "Escape closes the results")
    ask(page, "set a cookie")
    page.press_enter()
    page.wait_for("location.href", lambda url: url == f"{SITE.as_uri()}/{found[0]}")
    page.wait_until_loaded()
    is_quiet(page)
    page.close()


def test_nothing_is_found_for_nonsense(browser):
    page = open_page(browser, "index.html")
    page.type_into("#query", "qqqzzz <wwwzzz>")
    page.wait_for("document.querySelector('#results .none')?.textContent", lambda text: text and "<wwwzzz>" in text)
    page.close()


def test_pages_can_be_read_in_both_themes_and_on_a_phone(browser):
    for url in PAGES:
        if not (SITE / url).exists():
            continue  # made without the reference
        for theme in ("light", "dark"):
            page = open_page(browser, url, theme=theme)
            faint = page.evaluate(FAINT)
            check(not faint, f"{url}, {theme}: too little contrast: {faint}")
            picture(page, f"{url.replace('/', '_')}_{theme}")
            is_quiet(page)
            page.close()
        page = open_page(browser, url, width=PHONE, theme="dark")
        wide = page.evaluate("document.documentElement.scrollWidth")
        picture(page, f"{url.replace('/', '_')}_phone")
        check(wide <= PHONE, f"{url} is {wide} pixels wide on a phone")
        page.close()


def test_the_switch_of_the_theme_is_kept(browser):
    page = open_page(browser, "index.html")
    page.evaluate("document.getElementById('theme').click()")
    page.call("Page.reload")
    page.wait_until_loaded()
    check(page.evaluate("document.documentElement.dataset.theme") == "dark", "the next page has the same theme")
    page.evaluate("localStorage.clear()")
    page.close()


def test_the_menu_of_a_phone_opens(browser):
    page = open_page(browser, "docs/tasks.html", width=PHONE)
    check(not page.evaluate("document.querySelector('nav').checkVisibility()"), "it is closed at first")
    page.evaluate("document.getElementById('menu').click()")
    check(page.evaluate("document.querySelector('nav').checkVisibility()"), "and open after a click")
    page.close()


if __name__ == "__main__":
    if not (SITE / "index.html").exists():
        print(f"skipped: no site in {SITE}; docs_site was skipped")
        sys.exit(SKIPPED)
    run_tests(globals())
