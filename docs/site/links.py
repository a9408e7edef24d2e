# SPDX-License-Identifier: MIT
"""Checks the finished site: each link leads to a file and an anchor that exist, and no page loads anything from another
host."""

import html.parser
import posixpath
import re
import urllib.parse

EXTERNAL = re.compile(r"^[a-z][a-z0-9+.-]*:|^//")
LOADS = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("form", "action")}


class Scan(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.anchors, self.links = set(), []  # (line, tag, attribute, target)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                self.anchors.add(value)
            elif name in ("href", "src", "action"):
                self.links.append((self.getpos()[0], tag, name, value))


def broken_links(folder):
    """One line for each fault of the pages below `folder`."""
    scans = {}
    for path in sorted(folder.rglob("*.html")):
        scan = Scan()
        scan.feed(path.read_text())
        scans[path.relative_to(folder).as_posix()] = scan
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    faults = []
    for page, scan in scans.items():
        for line, tag, attribute, target in scan.links:
            if EXTERNAL.match(target):
                if (tag, attribute) in LOADS:
                    faults.append(f"{page}:{line}: loads {target} from another host")
                continue
            file, _, anchor = target.partition("#")
            path = posixpath.normpath(posixpath.join(posixpath.dirname(page), urllib.parse.unquote(file))) if file else page
            if path not in files:
                faults.append(f"{page}:{line}: {target}: there is no {path}")
            elif anchor and path in scans and urllib.parse.unquote(anchor) not in scans[path].anchors:
                faults.append(f"{page}:{line}: {target}: {path} has no section #{anchor}")
    return faults
