# SPDX-License-Identifier: MIT
"""The public symbols of the headers, by Doxygen: it parses C++ and attaches comments; this file reads its XML.

Doxygen's own HTML is not used: it cannot link from symbols to the pages of docs/ and back, its search ranks by name
only, and its Markdown differs from that of the pages.
"""

import collections
import dataclasses
import pathlib
import re
import subprocess
import xml.etree.ElementTree as ElementTree

import comments
import declarations
from surface import Surface

DOXYFILE = """
INPUT = {folder}
RECURSIVE = YES
FILE_PATTERNS = *.h
STRIP_FROM_PATH = {folder}
OUTPUT_DIRECTORY = {folder}
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
EXTRACT_ALL = YES
MARKDOWN_SUPPORT = NO
AUTOLINK_SUPPORT = NO
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
SEARCH_INCLUDES = NO
PREDEFINED = VOLT_COROUTINE_RESULT=
QUIET = YES
WARNINGS = NO
"""
CLASSES = ("class", "struct", "union", "concept")
PUBLIC_NAMESPACES = ("volt::literals", "volt::rules")  # and volt, and those named as a library (STYLE: "Names")
# Members that need no entry: what every class has, and what the compiler calls in an await expression.
UNLISTED = re.compile(r"~|operator=$|await_(ready|suspend|resume)$|promise_type$|Shareable$|.*_$|operator co_await$")


@dataclasses.dataclass
class Symbol:
    name: str  # qualified: volt::http::Response::header
    kind: str  # class, struct, concept, function, variable, enum, typedef
    header: str  # the file that declares it
    line: int
    declaration: str  # as in the header, without its body
    comment: str
    page: str  # the public header by which users get it
    members: list = dataclasses.field(default_factory=list)
    anchor: str = ""

    @property
    def short(self):
        """Without its namespaces: Response::header."""
        return re.sub(r"^(?:[a-z_]\w*::)+(?=.)", "", self.name) or self.name

    @property
    def last(self):
        return self.name.rpartition("::")[2]


def run_doxygen(root, headers, folder):
    for header in headers:
        copy = folder / header
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(comments.marked((root / header).read_text()))
    (folder / "Doxyfile").write_text(DOXYFILE.format(folder=folder))
    subprocess.run(["doxygen", "Doxyfile"], cwd=folder, check=True, capture_output=True)
    return folder / "xml"


def parse(path):
    # Doxygen 1.9 writes the quotes of a specialization, such as Path<T, "">, into its identifiers.
    return ElementTree.fromstring(re.sub(r'(?<=\w)""(?=\w)', "", path.read_text(errors="replace"))).find("compounddef")


def comment_of(definition):
    texts = [text for element in ("briefdescription", "detaileddescription")
             for text in definition.find(element).itertext() if text.strip()]
    return "\n".join(text.strip("\n ") for text in texts)


class Reader:
    """Makes Symbols of the XML. `sources` has the lines of each header."""

    def __init__(self, root, surface, libraries):
        self.surface = surface
        self.namespaces = {"volt", *PUBLIC_NAMESPACES, *(f"volt::{name}" for name in libraries)}
        self.sources = {header: (root / header).read_text().split("\n") for header in surface.headers()}
        self.classes = {}  # by their qualified names
        self.others = []

    def symbol(self, definition, name, kind):
        place = definition.find("location")
        header, line = place.get("declfile", place.get("file")), int(place.get("declline", place.get("line")))
        if header not in self.sources:
            return None
        return Symbol(name, kind, header, line, declarations.declaration_at(self.sources[header], line, kind),
                      comment_of(definition), self.surface.page_of.get(header, header))

    def member(self, definition, scope):
        name = definition.findtext("name")
        if definition.get("kind") in ("friend", "define"):
            return None
        if UNLISTED.match(name) or "<" in name.replace("operator<", ""):
            return None
        return self.symbol(definition, f"{scope}::{name}", definition.get("kind"))

    def public_member(self, definition, scope):
        return self.member(definition, scope) if definition.get("prot", "public") == "public" else None

    def read(self, compound):
        kind, name = compound.get("kind"), compound.findtext("compoundname")
        if "<" in name or not name:  # a specialization
            return
        if kind == "namespace" and name.startswith("volt"):
            # Whatever their `prot` says: Doxygen 1.9.8 continues that of the class before a function.
            self.others += filter(None, (self.member(each, name) for each in compound.iter("memberdef")))
        elif kind in CLASSES and compound.get("prot", "public") == "public":
            found = self.symbol(compound, name, kind)
            if found:
                found.members = list(filter(None, (self.public_member(each, name) for each in compound.iter("memberdef"))))
                constructor = name.rpartition("::")[2]
                found.members = [each for each in found.members if each.last != constructor or each.comment or "(" in
                                 each.declaration and f"{constructor}&" not in each.declaration.replace(" ", "")]
                self.classes[name] = found

    def top_level(self):
        """The public symbols that are not members, by header and line. A nested class becomes a member of its class."""
        found = list(self.others)
        for name, each in self.classes.items():
            scope = name.rpartition("::")[0]
            if scope not in self.classes:
                found.append(each)
            elif not UNLISTED.match(each.last):
                self.classes[scope].members.append(each)
        for each in found:
            if alias := self.surface.aliases.get(each.name):
                rename(each, each.name, alias[0])
        public = [each for each in found if each.name.rpartition("::")[0] in self.namespaces]
        # A header that only declares names of an inner namespace is public for their sake.
        pages = {each.page for each in public}
        public += [each for each in found if each.header in self.surface.public and each.page not in pages]
        unique = {(each.header, each.line, each.name): each for each in public}
        return sorted(unique.values(), key=lambda each: (each.page, each.header != each.page, each.line))


def rename(symbol, before, after):
    """Gives a symbol and its members the name that a `using` gives it."""
    symbol.name = after + symbol.name.removeprefix(before)
    for member in symbol.members:
        rename(member, before, after)


def give_anchors(symbols):
    """An anchor for each symbol, unique in its header's page; overloads are numbered."""
    used = collections.Counter()

    def give(each):
        name = re.sub(r"[^\w~]+", ".", each.short).strip(".") or each.short
        used[each.page, name] += 1
        count = used[each.page, name]
        each.anchor = name if count == 1 else f"{name}-{count}"
        each.members.sort(key=lambda member: member.line)
        for member in each.members:
            give(member)

    for each in symbols:
        give(each)


def public_symbols(root, headers, libraries, folder):
    """The public symbols of the headers. Doxygen works in `folder`."""
    surface = Surface(root, headers)
    xml = run_doxygen(root, surface.headers(), pathlib.Path(folder))
    reader = Reader(root, surface, libraries)
    for path in sorted(xml.glob("*.xml")):
        if path.name not in ("index.xml", "Doxyfile.xml") and (compound := parse(path)) is not None:
            reader.read(compound)
    symbols = reader.top_level()
    give_anchors(symbols)
    return symbols
