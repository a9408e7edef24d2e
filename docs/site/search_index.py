# SPDX-License-Identifier: MIT
"""The search index: an inverted index of sections, written as a script, because file:// allows no other way to load it.

  sections  [[title, where, url, excerpt, kind], ...]     kind: an index of KINDS
  lengths   [number of words, ...]
  words     {word: [section, weight, section, weight, ...]}

A word's weight in a section is the sum of the weights of its places there: a word of a title counts more than one of
the text. search.js has the rest of the ranking; it alone stems words, so that there are no two copies of that rule.
"""

import collections
import json
import re

WORD = re.compile(r"[a-z0-9_]+")
WEIGHTS = {"task": 9, "title": 8, "further_task": 4, "page": 4, "text": 1, "code": 0.25}
KINDS = ("guide", "reference", "project")  # see search.js
EXCERPT_MAX = 160
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def words_of(text):
    """Words in lower case. Names are found as a whole and by their parts: JsonError, json, error."""
    for match in re.finditer(r"\w+", text):
        name = match[0]
        parts = [part for piece in name.split("_") for part in CAMEL.split(piece) if part]
        yield name.lower()
        if len(parts) > 1:
            yield from (part.lower() for part in parts)


class Index:
    def __init__(self):
        self.sections, self.lengths = [], []
        self.words = collections.defaultdict(dict)

    def add(self, title, where, url, kind, **places):
        """Adds a section. `places` are texts by the names of WEIGHTS, besides the title."""
        number = len(self.sections)
        excerpt = " ".join(places.get("text", "").split())
        if len(excerpt) > EXCERPT_MAX:
            excerpt = excerpt[:EXCERPT_MAX].rsplit(" ", 1)[0] + " .."
        self.sections.append([title, where, url, excerpt, KINDS.index(kind)])
        length = 0
        for place, text in {"title": title, **places}.items():
            for word in words_of(text):
                weights = self.words[word]
                weights[number] = weights.get(number, 0) + WEIGHTS[place]
                length += place == "text"
        self.lengths.append(length)

    def script(self):
        words = {word: [figure for section, weight in found.items() for figure in (section, round(weight, 2))]
                 for word, found in sorted(self.words.items())}
        text = json.dumps({"sections": self.sections, "lengths": self.lengths, "words": words}, ensure_ascii=False,
                          separators=(",", ":"))
        return f"globalThis.voltSearchIndex = {text};\n"
