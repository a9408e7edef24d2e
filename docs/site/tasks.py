# SPDX-License-Identifier: MIT
"""The list "I want to" of docs/README.md: the site's navigation, and the phrases by which the search finds sections."""

import html
import re
import typing

from pages import url_of_page

ROW = re.compile(r"^\| (.+?) \| (.+) \|$", re.M)
LINK = re.compile(r"\[[^\]]*\]\(([^)]*)\)")


class Task(typing.NamedTuple):
    phrase: str
    urls: list  # from the root of the site, the main one first


def tasks_of(markdown):
    section = re.search(r"^## I want to\n(.*?)(?=^## |\Z)", markdown, re.M | re.S)[1]
    rows = ROW.findall(section)[1:]  # below the heads of the columns
    return [Task(phrase, urls) for phrase, cell in rows if (urls := [url_of(target) for target in LINK.findall(cell)])]


def url_of(target):
    """The URL of a link in docs/README.md."""
    file, _, anchor = target.partition("#")
    path = file[3:] if file.startswith("../") else f"docs/{file}"
    return url_of_page(path) + (f"#{anchor}" if anchor else "")


def navigation(tasks, pages, libraries, root, current):
    """The HTML of the navigation: tasks, pages, headers."""
    def link(url, text):
        mark = ' aria-current="page"' if url == current else ""
        return f'<li><a href="{root}{url}"{mark}>{text}</a></li>'

    groups = [("Pages", "", [link(page.url, html.escape(page.title)) for page in pages]),
              ("Reference", "", [link(f"reference/index.html#{library}", library) for library in libraries]),
              ("I want to", " open", [link(task.urls[0], html.escape(task.phrase.replace("`", ""))) for task in tasks])]
    return "".join(f"<details{state}><summary>{title}</summary><ul>{''.join(rows)}</ul></details>\n"
                   for title, state, rows in groups if rows)
