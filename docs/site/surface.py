# SPDX-License-Identifier: MIT
"""Which names belong to the public interface, beyond those that a public header declares itself:

  #include "runtime/net/address.h"  // IWYU pragma: export      a header that another one stands for
  using auth::JwtClaims;                                        a name of an inner namespace, under a shorter name
"""

import re

INCLUDE = re.compile(r'^#include "([^"]+)"(.*)$', re.M)
NAMESPACE = re.compile(r"^namespace ([\w:]+) \{$")
USING = re.compile(r"^using ((?:\w+::)+)(\w+);")


class Surface:
    def __init__(self, root, headers):
        self.public = set(headers)
        self.page_of = {}  # header -> the public header whose page has its symbols
        self.aliases = {}  # volt::http::auth::JwtClaims -> (volt::http::JwtClaims, the header that says so)
        for header in headers:
            text = (root / header).read_text()
            aliases = dict(self.aliases_in(text, header))
            self.aliases.update(aliases)
            for included, comment in INCLUDE.findall(text):
                if included not in self.public and ("export" in comment or aliases):
                    self.page_of.setdefault(included, header)

    @staticmethod
    def aliases_in(text, header):
        namespace = ""
        for line in text.split("\n"):
            if match := NAMESPACE.match(line):
                namespace = match[1]
            elif match := USING.match(line):
                yield f"{namespace}::{match[1]}{match[2]}", (f"{namespace}::{match[2]}", header)

    def headers(self):
        """All headers that may declare public names."""
        return sorted(self.public | set(self.page_of))
