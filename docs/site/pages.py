# SPDX-License-Identifier: MIT
"""The Markdown pages as HTML, with the sections that the search index and the contents list need."""

import dataclasses
import html
import os
import posixpath
import re

from markdown_it import MarkdownIt
from markdown_it.token import Token

import tree
from highlight import block_html

EXTERNAL = re.compile(r"^[a-z][a-z0-9+.-]*:")


@dataclasses.dataclass
class Section:
    title: str
    anchor: str
    level: int
    text: str = ""
    code: str = ""


@dataclasses.dataclass
class Page:
    path: str  # in the repository
    url: str  # in the site
    title: str = ""
    body: str = ""
    sections: list = dataclasses.field(default_factory=list)
    links: list = dataclasses.field(default_factory=list)  # files of the repository
    blocks: list = dataclasses.field(default_factory=list)  # (anchor of the section, C++ code)


def url_of_page(path):
    if path == "docs/README.md":
        return "index.html"
    return path.removesuffix(".md") + ".html"


def relative_root(url):
    return "../" * url.count("/")


def slug(title, used):
    """GitHub's anchor for a heading, on which the links of the pages rely."""
    base = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
    count = used.get(base, 0)
    used[base] = count + 1
    return f"{base}-{count}" if count else base


def text_of(inline):
    return "".join(child.content if child.type in ("text", "code_inline") else " " if child.type == "softbreak" else ""
                   for child in inline.children)


def raw(text):
    token = Token("html_inline", "", 0)
    token.content = text
    return token


class Converter:
    """Makes pages of Markdown. `names` may be None: then code has no links. `url_of_file` makes a file of the tree a
    part of the site."""

    def __init__(self, names, url_of_file, errors):
        self.names, self.url_of_file, self.errors = names, url_of_file, errors
        self.markdown = MarkdownIt("commonmark").enable("table")

    def page(self, path):
        page = Page(path, url_of_page(path))
        root = relative_root(page.url)
        tokens = self.markdown.parse((tree.ROOT / path).read_text())
        used = {}
        for at, token in enumerate(tokens):
            if token.type == "heading_open":
                title = text_of(tokens[at + 1])
                section = Section(title, slug(title, used), int(token.tag[1]))
                token.attrSet("id", section.anchor)
                page.sections.append(section)
                tokens[at + 1].children.append(raw(f'<a class="anchor" href="#{section.anchor}" aria-label="Link to '
                                                   f'this section">#</a>'))
            elif token.type == "fence":
                self.fence(page, token, root)
            elif token.type == "inline":
                if page.sections and tokens[at - 1].type != "heading_open":
                    page.sections[-1].text += text_of(token) + "\n"
                self.inline(page, token, root)
        page.title = page.sections[0].title if page.sections else path
        rendered = self.markdown.renderer.render(tokens, self.markdown.options, {})
        page.body = rendered.replace("<table>", '<div class="table"><table>').replace("</table>", "</table></div>")
        return page

    def fence(self, page, token, root):
        language = token.info.strip().split(" ")[0]
        if page.sections:
            page.sections[-1].code += token.content
            if language in ("cpp", "c++"):
                page.blocks.append((page.sections[-1].anchor, token.content))
        token.type, token.tag = "html_block", ""
        token.content = block_html(token.content.rstrip("\n"), language, self.names, root)

    def inline(self, page, token, root):
        children, inside_link = [], False
        for child in token.children:
            if child.type == "link_open":
                inside_link = True
                child.attrSet("href", self.link(page, child.attrGet("href"), root))
            elif child.type == "link_close":
                inside_link = False
            elif child.type == "image":
                child.attrSet("src", self.link(page, child.attrGet("src"), root))
                child.attrSet("loading", "lazy")
            elif child.type == "code_inline" and not inside_link and self.names:
                url = self.names.code(child.content)
                if self.names.is_missing(child.content) and page.path != "CHANGELOG.md":
                    self.errors.append(f"{page.path}: there is no public symbol `{child.content}`")
                if url:
                    child = raw(f'<a href="{root}{html.escape(url)}"><code>{html.escape(child.content)}</code></a>')
            children.append(child)
        token.children = children

    def link(self, page, target, root):
        if EXTERNAL.match(target) or target.startswith("#"):
            return target
        file, _, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page.path), file))
        if not os.path.exists(tree.ROOT / path):
            self.errors.append(f"{page.path}: the link to {target} leads nowhere")
            return target
        page.links.append(path)
        url = url_of_page(path) if path.endswith(".md") else self.url_of_file(path)
        return root + url + (f"#{anchor}" if anchor else "")
