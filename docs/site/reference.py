# SPDX-License-Identifier: MIT
"""The reference: a page for each public header, and a list of all symbols.

An entry is one or more declarations in adjacent lines under one comment, as in the header. Each class and function has
an example: the code of its own comment, that of its header's comment, the programs that use it (uses.py), or else the
lines of a test."""

import collections
import html
import re
import typing

import prose
from comments import file_comment
from highlight import code_html
from uses import USES_MAX, WORD

KINDS = {"class": "Class", "struct": "Struct", "union": "Union", "concept": "Concept", "function": "Function",
         "variable": "Constant", "enum": "Enumeration", "typedef": "Type"}


def url_of_header(header):
    return f"reference/{header}.html"


def url_of_symbol(symbol):
    return f"{url_of_header(symbol.page)}#{symbol.anchor}"


def url_of_source(path):
    return f"source/{path}.html"


def entries_of(symbols, sources):
    """Symbols by entry: one without a comment joins the entry in the line above, if that is about its name too."""
    entries = []
    for each in symbols:
        above = entries[-1][-1] if entries else None
        joins = above and not each.comment and each.kind in ("function", "variable", "typedef") and \
            above.kind == each.kind and not each.members and \
            is_about(entries[-1], each.last) and above.header == each.header and "" not in map(str.strip, sources[each.header][above.line:each.line - 1])
        if joins:
            entries[-1].append(each)
        else:
            entries.append([each])
    return entries


class Link(typing.NamedTuple):
    root: str  # of the site, from the page

    def to(self, title, url):
        return f'<a href="{self.root}{url}">{html.escape(title)}</a>'

    def to_all(self, uses):
        return [self.to(use.title, use.url) for use in uses]


class Reference:
    def __init__(self, root_folder, headers_by_library, symbols, names, uses):
        self.root_folder, self.libraries, self.names, self.uses = root_folder, headers_by_library, names, uses
        self.by_header = {}
        for each in symbols:
            self.by_header.setdefault(each.page, []).append(each)
        self.without_example, self.sources = [], {}
        self.declared = {}  # word -> [(symbol, itself or a member whose declaration has the word)]

    def header_page(self, header):
        """The HTML of the page of a header."""
        source = (self.root_folder / header).read_text()
        lines, root = source.split("\n"), "../" * (header.count("/") + 1)
        about = file_comment(source)
        parts = [f'<h1><code>{header}</code></h1>\n<p class="include"><code>#include &lt;{header}&gt;</code> '
                 f'<a href="{root}{url_of_source(header)}">source</a></p>\n',
                 prose.comment_html(about, self.names, root)]
        symbols = self.by_header.get(header, [])
        if not symbols:
            parts.append(self.included_headers(lines, root))
        for each in symbols:
            if each.header not in self.sources:
                self.sources[each.header] = (self.root_folder / each.header).read_text().split("\n")
        for entry in entries_of(symbols, self.sources):
            parts.append(self.entry(entry, root, about))
        return "".join(parts)

    def included_headers(self, lines, root):
        """For umbrella headers, which declare nothing themselves."""
        rows = [f'<li><a href="{root}{self.names.file(match[1])}"><code>{match[1]}</code></a></li>'
                for line in lines if (match := re.match(r'#include "(.*)"', line)) and self.names.file(match[1])]
        return f"<ul>{''.join(rows)}</ul>\n" if rows else ""

    def entry(self, entry, root, about, level=2):
        first = entry[0]
        names = [each.last if level > 2 else each.short for each in entry]
        title = ", ".join(f"<code>{html.escape(name)}</code>" for name in dict.fromkeys(names))
        anchors = "".join(f'<span id="{each.anchor}"></span>' for each in entry[1:])
        declarations = "\n".join(each.declaration for each in entry)
        plain = {each.short for each in entry} | {each.last for each in entry}
        parts = [f'<section class="symbol {first.kind}"><h{level} id="{first.anchor}">{anchors}{title} '
                 f'<small>{KINDS.get(first.kind, "") if level == 2 else ""}</small>'
                 f'<a class="anchor" href="#{first.anchor}" aria-label="Link to this entry">#</a>'
                 f'<a class="line" href="{root}{url_of_source(first.header)}#L{first.line}">'
                 f'line {first.line}</a></h{level}>\n'
                 f'<div class="code declaration"><pre tabindex="0"><code>'
                 f'{code_html(declarations, "cpp", self.names, root, plain)}</code></pre></div>\n',
                 prose.comment_html(first.comment, self.names, root)]
        if level == 2:
            parts.append(self.examples(first, root, about))
            parts += [self.entry(inner, root, about, 3) for inner in entries_of(first.members, self.sources)]
        return "".join(parts) + "</section>\n"

    def examples(self, symbol, root, about):
        own, link = prose.example_in(symbol.comment), Link(root)
        above = prose.example_in(about) and '<a href="#content">above</a>'
        found = link.to_all(self.uses.in_pages(symbol) or self.uses.in_folder(symbol, "apps"))
        if not own and re.search(rf"\b{re.escape(symbol.last)}\b", prose.example_in(about)):
            found.insert(0, above)
        code = ""
        if not found and not own:
            found = self.with_others(symbol, link)
            if not found:
                shown = self.uses.in_folder(symbol, "tests") or ([] if above else self.uses.in_folder(symbol, "own"))
                code = "".join(self.code_of(use, symbol, root) for use in shown)
                found = link.to_all(shown) or ([above] if above else []) or \
                    [f"{link.to(each.short, url_of_symbol(each))}, which has it"
                     for each, _ in self.declared_with(symbol)[:1]]
        if not found and not own:
            self.without_example.append(symbol)
        return f'<p class="uses">Examples: {", ".join(found)}</p>\n{code}' if found else ""

    def code_of(self, use, symbol, root):
        return f'<div class="code"><pre tabindex="0"><code>' \
               f'{code_html(use.code, "cpp", self.names, root, {symbol.short, symbol.last})}</code></pre></div>\n'

    def with_others(self, symbol, link):
        """Programs of the pages for a type that users hardly ever spell out, such as the options of a function."""
        found = {use.url: (each, use) for each, part in self.declared_with(symbol) for use in self.uses.in_pages(each, part)}
        return [f"{link.to(use.title, use.url)} (<code>{html.escape(each.short)}</code>)"
                for each, use in list(found.values())[:USES_MAX]]

    def declared_with(self, symbol):
        """The symbols of this library, each with itself or the member of it, whose declarations name this one. Names that
        many headers declare, such as to_string(), are left out."""
        if not self.declared:
            all_symbols = [each for symbols in self.by_header.values() for each in symbols]
            headers = collections.defaultdict(set)
            for each in all_symbols:
                headers[each.last].add(each.header)
            for each in all_symbols:
                for part in (each, *each.members) if len(headers[each.last]) <= 3 else ():
                    for word in set(WORD.findall(part.declaration)):
                        self.declared.setdefault(word, []).append((each, part))
        library = symbol.page.partition("/")[0]
        return [(each, part) for each, part in self.declared.get(symbol.last, ())
                if each.name != symbol.name and each.page.partition("/")[0] == library]

    def index_page(self, version):
        """All libraries, headers and their symbols."""
        parts = [f"<h1>Reference of Volt {version}</h1>\n<p>The public headers, by library. Each begins with its purpose, "
                 f"the threads that may call it, the lifetime of its values, and its errors.</p>\n"]
        for library, headers in self.libraries.items():
            parts.append(f'<h2 id="{library}">{library}</h2>\n<dl class="headers">\n')
            for header in headers:
                about = prose.summary_of(file_comment((self.root_folder / header).read_text()))
                symbols = ", ".join(
                    f'<a href="{url_of_symbol(each)[len("reference/"):]}"><code>{html.escape(each.short)}</code></a>'
                    for each in first_of_each_name(self.by_header.get(header, [])))
                parts.append(f'<dt><a href="{header}.html"><code>{header}</code></a></dt>'
                             f"<dd>{html.escape(about)}{'<br>' if symbols else ''}{symbols}</dd>\n")
            parts.append("</dl>\n")
        return "".join(parts)


def is_about(entry, name):
    return not entry[0].comment or name in (each.last for each in entry) or re.search(rf"\b{re.escape(name)}\b", entry[0].comment)


def first_of_each_name(symbols):
    found = {}
    for each in symbols:
        found.setdefault(each.short, each)
    return list(found.values())
