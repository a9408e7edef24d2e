#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes the site of the documentation: static pages from docs/, the project's own pages, and the public headers.

Usage: build.py FOLDER [--without-reference]

Needs Debian's doxygen, python3-markdown-it and python3-pygments; therefore it runs with Debian's own Python. Without
doxygen, --without-reference leaves the reference out. Replaces FOLDER. Ends with status 1, and one line for each
mistake, if a link leads nowhere, or if a page names a symbol that no public header has.
"""

import html
import pathlib
import shutil
import string
import sys
import tempfile

import highlight
import links
import reference
import search_index
import symbols
import tasks
import tree
from comments import file_comment
from names import Names
from pages import Converter, relative_root, url_of_page
from uses import Uses

HERE = pathlib.Path(__file__).resolve().parent
COPIED = ("site.css", "site.js", "search.js", "theme.js", "icon.svg")
MARK = "search.js"  # a folder with this file may be replaced
IMAGES = (".svg", ".png")
GUIDES = ("docs/", "README.md")  # other pages are about the project itself


class Site:
    def __init__(self, folder, with_reference):
        self.folder, self.with_reference = folder, with_reference
        self.version = tree.version()
        self.headers = tree.public_headers()
        self.template = string.Template((HERE / "page.html").read_text())
        self.errors, self.index = [], search_index.Index()
        self.sources, self.images = set(), set()  # files of the tree that pages link to
        self.tasks = tasks.tasks_of((tree.ROOT / "docs/README.md").read_text())
        self.names, self.symbols = None, []

    def url_of_file(self, path):
        """The URL of a file of the tree, which becomes a part of the site."""
        if path.endswith(".md"):
            return url_of_page(path) if path in self.page_paths else self.url_of_source(path)
        if path.endswith(IMAGES):
            self.images.add(path)
            return f"files/{path}"
        if self.with_reference and path in self.all_headers:
            return reference.url_of_header(path)
        return self.url_of_source(path)

    def url_of_source(self, path):
        self.sources.add(path)
        return reference.url_of_source(path)

    # --- pages ---------------------------------------------------------------------------------------------------------

    def convert_pages(self):
        """All pages: the first ones, and the Markdown files that they link to."""
        self.page_paths = set(tree.first_pages())
        waiting, pages = tree.first_pages(), []
        converter = Converter(self.names, self.url_of_file, self.errors)
        while waiting:
            page = converter.page(waiting.pop(0))
            pages.append(page)
            for path in page.links:
                if path.endswith(".md") and path not in self.page_paths:
                    self.page_paths.add(path)
                    waiting.append(path)
        return pages

    def index_page(self, page):
        kind = "guide" if page.path.startswith(GUIDES) else "project"
        if page.path == "docs/README.md":
            return  # the list of tasks itself: each of them is a phrase of its section
        for section in page.sections:
            url = f"{page.url}#{section.anchor}" if section.level > 1 else page.url
            self.index.add(section.title, page.title if section.level > 1 else "", url, kind,
                           task=" ".join(task.phrase for task in self.tasks if task.urls[0] == url),
                           further_task=" ".join(task.phrase for task in self.tasks if url in task.urls[1:]),
                           page=page.title if section.level > 1 else "", text=section.text, code=section.code)

    def index_symbols(self):
        for headers in self.headers.values():
            for header in headers:
                about = file_comment((tree.ROOT / header).read_text())
                self.index.add(header, "header", reference.url_of_header(header), "reference", text=about)
        for each in reference.first_of_each_name(self.symbols):
            self.index.add(each.short, each.page, reference.url_of_symbol(each), "reference", text=each.comment)
            for member in reference.first_of_each_name(each.members):
                if member.last == each.last:  # a constructor
                    continue
                self.index.add(member.short, each.page, reference.url_of_symbol(member), "reference", text=member.comment)

    # --- writing -------------------------------------------------------------------------------------------------------

    def write(self, url, title, body, contents=""):
        root = relative_root(url)
        file = self.folder / url
        file.parent.mkdir(parents=True, exist_ok=True)
        libraries = self.headers if self.with_reference else ()
        navigation = tasks.navigation(self.tasks, self.pages, libraries, root, url)
        file.write_text(self.template.substitute(
            root=root, title=html.escape(title), version=self.version, body=body, contents=contents,
            navigation=navigation, footer=f"Volt {self.version}. MIT licensed."))

    def write_page(self, page):
        rows = [f'<li class="level-{section.level}"><a href="#{section.anchor}">{html.escape(section.title)}</a></li>'
                for section in page.sections if section.level in (2, 3)]
        contents = f"<strong>On this page</strong><ul>{''.join(rows)}</ul>" if rows else ""
        self.write(page.url, f"{page.title} - Volt", page.body, contents)

    def write_reference(self, pages):
        made = reference.Reference(tree.ROOT, self.headers, self.symbols, self.names, Uses(tree.ROOT, pages, self.url_of_source))
        self.write("reference/index.html", f"Reference - Volt {self.version}", made.index_page(self.version))
        for headers in self.headers.values():
            for header in headers:
                rows = [f'<li><a href="#{each.anchor}">{html.escape(each.short)}</a></li>'
                        for each in reference.first_of_each_name(made.by_header.get(header, []))]
                contents = f"<strong>In this header</strong><ul>{''.join(rows)}</ul>" if rows else ""
                self.write(reference.url_of_header(header), f"{header} - Volt", made.header_page(header), contents)
        self.sources.update(self.all_headers, (each.header for each in self.symbols))
        return made

    def write_source(self, path):
        language = {".h": "cpp", ".cpp": "cpp", ".py": "python", ".toml": "toml", ".json": "json"}.get(
            pathlib.Path(path).suffix, "text")
        code = highlight.code_html((tree.ROOT / path).read_text().rstrip("\n"), language)
        lines = "\n".join(f'<span class="l" id="L{number}">{line}</span>'
                          for number, line in enumerate(code.split("\n"), 1))
        self.write(reference.url_of_source(path), f"{path} - Volt",
                   f'<h1><code>{path}</code></h1>\n<div class="code source declaration"><pre tabindex="0"><code>{lines}'
                   "</code></pre></div>\n")

    def build(self):
        for name in COPIED:  # first, so that the folder of a build that fails has its mark
            shutil.copyfile(HERE / name, self.folder / name)
        self.all_headers = {header for headers in self.headers.values() for header in headers}
        if self.with_reference:
            with tempfile.TemporaryDirectory() as folder:
                self.symbols = symbols.public_symbols(tree.ROOT, sorted(self.all_headers), self.headers, folder)
            self.names = Names(self.symbols, reference.url_of_symbol, self.url_of_file)
        self.page_paths = set(tree.first_pages())
        pages = self.convert_pages()
        self.pages = [page for page in pages if page.path.startswith(GUIDES) or page.path in tree.FIRST_PAGES]
        for page in pages:
            self.write_page(page)
            self.index_page(page)
        made = None
        if self.with_reference:
            made = self.write_reference(pages)
            self.index_symbols()
        for path in sorted(self.sources):
            self.write_source(path)
        for path in sorted(self.images):
            target = self.folder / "files" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(tree.ROOT / path, target)
        (self.folder / "search-index.js").write_text(self.index.script())
        self.errors += links.broken_links(self.folder)
        return made


def main():
    arguments = sys.argv[1:]
    with_reference = "--without-reference" not in arguments
    folder = pathlib.Path(next(each for each in arguments if not each.startswith("--"))).resolve()
    if folder.exists() and not (folder / MARK).exists() and any(folder.iterdir()):
        sys.exit(f"{folder} is not empty, and it is not a site that this program has made")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    site = Site(folder, with_reference)
    made = site.build()
    for error in site.errors:
        print(error)
    if site.errors:
        sys.exit(f"{len(site.errors)} broken links or names")
    print(f"{folder}/index.html: {len(site.pages)} pages, {len(site.symbols)} symbols of {len(site.all_headers)} headers,"
          f" {len(site.index.sections)} sections in the search index")
    if made and made.without_example:
        names = ", ".join(each.name for each in made.without_example)
        print(f"{len(made.without_example)} symbols without an example: {names}")


if __name__ == "__main__":
    main()
