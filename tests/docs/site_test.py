#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The site of the documentation: its links lead somewhere, mistakes are found, and the search answers the questions of
questions.json within its first three results.

Usage: site_test.py FOLDER     where to make the site, which site_browser_test.py then opens

Without doxygen the reference is left out, without node the questions. Leaves with 77, which CTest takes for skipped,
where Debian's python3-markdown-it or python3-pygments is missing.
"""

import importlib.util
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SITE = ROOT / "docs/site"
SKIPPED = 77
MISSING = [name for name in ("markdown_it", "pygments") if importlib.util.find_spec(name) is None]
if MISSING:
    print(f"skipped: no {' and '.join(MISSING)} here; apt-get install python3-markdown-it python3-pygments")
    sys.exit(SKIPPED)

sys.path.insert(0, str(SITE))
import comments  # pylint: disable=wrong-import-position
import declarations  # pylint: disable=wrong-import-position
import links  # pylint: disable=wrong-import-position
import names  # pylint: disable=wrong-import-position
import pages  # pylint: disable=wrong-import-position
import prose  # pylint: disable=wrong-import-position
import search_index  # pylint: disable=wrong-import-position
import symbols  # pylint: disable=wrong-import-position

RESULTS_MAX = 3
ASK = """
const [search, index, asked] = process.argv.slice(2);
const { rank } = require(search);
require(index);
const questions = JSON.parse(require("fs").readFileSync(asked));
const urls = ([question]) => rank(globalThis.voltSearchIndex, question, 10).map(({ url }) => url);
console.log(JSON.stringify(questions.map(urls)));
"""


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def check_equal(found, wanted):
    check(found == wanted, f"\n{found!r}\nis not\n{wanted!r}")


HEADER = """// SPDX-License-Identifier: MIT

// About the file.
#pragma once

// Above an empty line: about both.

// Returns it. @ and < mean themselves.
[[nodiscard]] int first(int a,
                        int b = 2) noexcept;
struct Options {
  int size = 1;  // in bytes
  std::string url = "http://a";
};
enum class Kind {
  one,  // the first
};
template <class T>
class Box final : public Options {
 public:
  explicit Box(T value) : value_(value) {}
"""


def test_comments_become_doxygens_in_as_many_lines():
    marked = comments.marked(HEADER)
    check_equal(marked.count("\n"), HEADER.count("\n"))
    lines = marked.split("\n")
    check_equal(comments.file_comment(HEADER), "About the file.")
    check_equal(lines[2], "// About the file.")
    check_equal(lines[5], "// Above an empty line: about both.")
    check_equal(lines[7], "/*! \\verbatim Returns it. @ and < mean themselves. \\endverbatim */")
    check_equal(lines[11], "  int size = 1; /*!< \\verbatim in bytes \\endverbatim */")
    check_equal(lines[12], '  std::string url = "http://a";')


def test_declarations_are_those_of_the_header():
    lines = HEADER.split("\n")
    for line, kind, wanted in ((9, "function", "int first(int a,\n                        int b = 2) noexcept;"),
                               (11, "struct", "struct Options"),
                               (12, "variable", "int size = 1;"),
                               (13, "variable", 'std::string url = "http://a";'),
                               (15, "enum", "enum class Kind {\n  one,  // the first\n};"),
                               (19, "class", "template <class T>\nclass Box final : public Options"),
                               (21, "function", "explicit Box(T value);")):
        check_equal(declarations.declaration_at(lines, line, kind), wanted)


def test_a_comment_is_text_code_and_aspects():
    known = names.Names([], None, lambda path: f"source/{path}.html")
    text = "Box<T>: a box.\n\n  Box box(1);\n\nThreads: one at a time. Lifetime: its own (RFC 9110)."
    found = prose.comment_html(text, known, "../")
    check("<p>Box&lt;T&gt;: a box.</p>" in found, found)
    check("<dt>Threads</dt><dd>one at a time.</dd><dt>Lifetime</dt>" in found, found)
    check('href="https://www.rfc-editor.org/rfc/rfc9110"' in found, found)
    check_equal(prose.example_in(text), "Box box(1);")


def symbol(name, **fields):
    return symbols.Symbol(name, "class", "a.h", 1, "", "", "a.h", **fields)


def test_a_name_leads_to_its_symbol():
    box = symbol("volt::http::Box", members=[symbol("volt::http::Box::size")])
    known = names.Names([box, symbol("volt::pg::Error"), symbol("volt::tls::Error")], lambda each: each.name, None)
    for text, url in (("Box", "volt::http::Box"), ("http::Box<T>", "volt::http::Box"), ("std::vector", None),
                      ("Box::size()", "volt::http::Box::size"), ("size", None), ("Error", None),
                      ("pg::Error", "volt::pg::Error")):
        check_equal((text, known.code(text)), (text, url))
    for text, missing in (("http::Bux", True), ("http::Box", False), ("http", False), ("volt::http", False), ("box()", False)):
        check_equal((text, known.is_missing(text)), (text, missing))


def test_a_file_leads_to_its_source():
    known = names.Names([], None, lambda path: path)
    for text, url in (("runtime/task.h", "runtime/task.h"), ("apps/hello", "apps/hello/main.cpp"), ("runtime", None),
                      ("runtime/none.h", None), ("build/release/bin/hello", None)):
        check_equal((text, known.code(text)), (text, url))


def test_anchors_are_githubs():
    used = {}
    for title, anchor in (("Callbacks from other threads", "callbacks-from-other-threads"), ("Run it, in C++!", "run-it-in-c"),
                          ("Errors", "errors"), ("Errors", "errors-1")):
        check_equal(pages.slug(title, used), anchor)


def test_words_of_names_are_found_by_their_parts():
    check_equal(list(search_index.words_of("JsonError, set_cookie x")),
                ["jsonerror", "json", "error", "set_cookie", "set", "cookie", "x"])


def test_broken_links_are_found():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "b.html").write_text('<h1 id="there">b</h1>')
        for content, fault in (('<a href="b.html#there">', None), ('<a href="#nowhere">', "no section #nowhere"),
                               ('<a href="c.html">', "there is no c.html"), ('<a href="b.html#no">', "no section #no"),
                               ('<a href="https://example.com">', None), ('<img src="no.png">', "there is no no.png"),
                               ('<script src="https://example.com/x.js">', "from another host")):
            (folder / "a.html").write_text(content)
            faults = links.broken_links(folder)
            check(not faults if fault is None else len(faults) == 1 and fault in faults[0], f"{content}: {faults}")


def test_mistakes_of_pages_are_found():
    errors = []
    converter = pages.Converter(names.Names([symbol("volt::http::Box")], lambda each: each.name, None), None, errors)
    with tempfile.TemporaryDirectory(dir=ROOT / "build" if (ROOT / "build").exists() else None) as name:
        path = pathlib.Path(name, "page.md")
        path.write_text("# Title\n\nSee `http::Bux`, `http::Box`, [gone](gone.md) and [here](#title).\n")
        converter.page(str(path))
    check(len(errors) == 2 and "`http::Bux`" in errors[0] and "gone.md" in errors[1], errors)


def build_site(folder):
    command = [SITE / "build.py", folder]
    if shutil.which("doxygen") is None:
        print("the reference is left out: no doxygen here")
        command.append("--without-reference")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    print(done.stdout, end="")
    check(done.returncode == 0, done.stderr)


def check_reference(folder):
    if shutil.which("doxygen") is None:
        return
    page = (folder / "reference/http/web/response.h.html").read_text()
    for part in ('id="Response.header"', 'id="Response.text"',
                 "replaces existing fields with this name", 'href="../../../source/http/web/response.h.html#L'):
        check(part in page, f"the page of Response has no {part}")
    page = (folder / "reference/http/middleware/limits.h.html").read_text()
    entry = re.search(r'id="RateLimitOptions".*?<p class="uses">(.*?)</p>', page, re.S)
    check(entry and "middleware.html#rate-and-concurrency-limits" in entry[1] and "rate_limit" in entry[1],
          f"the options of rate_limit() do not lead to an example of it: {entry and entry[1]}")
    page = (folder / "reference/crypto/password_hash.h.html").read_text()
    entry = re.search(r'id="hash_password".*?<p class="uses">.*?</p>\n<div class="code">(.*?)</div>', page, re.S)
    check(entry and "verify_password" in entry[1], f"hash_password() does not show the lines of its test: {entry and entry[1]}")


def check_questions(folder):
    """A table of the ranks, and a failure if an answer is not among the first results."""
    if shutil.which("node") is None:
        print("the questions are skipped: no node here")
        return
    with tempfile.NamedTemporaryFile("w", suffix=".js") as script:
        script.write(ASK)
        script.flush()
        done = subprocess.run(["node", script.name, SITE / "search.js", folder / "search-index.js",
                               ROOT / "tests/docs/questions.json"], capture_output=True, text=True, check=True)
    late = []
    for (question, wanted), urls in zip(json.loads((ROOT / "tests/docs/questions.json").read_text()), json.loads(done.stdout)):
        rank = rank_of(wanted, urls)
        print(f"{rank or '-':>2}  {question:<52} {urls[rank - 1] if rank else wanted}")
        if not rank or rank > RESULTS_MAX:
            late.append(question)
    check(not late, f"not among the first {RESULTS_MAX} results: {late}")


def rank_of(wanted, urls):
    """The place of the first wanted page or section, from 1; a page stands for all its sections. 0: it is not there."""
    return next((place for place, url in enumerate(urls, 1)
                 if url in wanted or ("#" in url and url.split("#")[0] in wanted)), 0)


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
    build_site(folder)
    check_reference(folder)
    check_questions(folder)


if __name__ == "__main__":
    main()
