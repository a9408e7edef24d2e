#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names in the unnamed namespaces of a library's source files are unique in that library.

A fast build (VOLT_FAST_BUILD) compiles several source files as one, where two such names clash.
"""

import re

from source_tree import Sample, main, split

NOT_LIBRARIES = ("apps/", "tests/", "loadtest/", "docs/", "cmake/")
NAMESPACE = re.compile(r"namespace ([\w:]+) \{")
TYPE = re.compile(r"(?:struct|class|union|enum(?: class)?)\s+(\w+)\s*(?:final\s*)?(?::[^(;]*)?(?:\{.*)?$")
OBJECT = re.compile(r"(?!using|template)\w[^=({;]*?[ &*>](\w+)\s*(?:=|\{|\[|;)")
FUNCTION = re.compile(r"(?!return|using|static_assert|template|requires)[\w:].*?(\w+\(.*)")
ATTRIBUTES = re.compile(r"(?:\[\[[^\]]*\]\]\s*)+")


def local_names(text):
    """(namespace and name, line number); of functions the parameters as well, as they may be overloaded."""
    namespace, unnamed, function = "", False, ""
    for number, line in enumerate(split(text)[0], 1):
        line = ATTRIBUTES.sub("", line) if line.startswith("[[") else line
        if named := NAMESPACE.match(line):
            namespace = named[1]
        if line.startswith(("namespace {", "}  ")):  # the blanks stand for the comment after the brace of a namespace
            unnamed = line.startswith("n")
        if not unnamed or not line:
            continue
        if function:
            function += " " + line.strip()
        elif found := TYPE.match(line) or OBJECT.match(line):
            yield f"{namespace}::{found[1]}", number
        elif found := FUNCTION.match(line):
            function = found[1]
        if function and function.rstrip().endswith(("{", "}", ";")):
            yield f"{namespace}::{re.split(r'[)] *(?:const|noexcept|->|[{;])', function)[0]})", number
            function = ""


def check(files):
    first, messages = {}, []
    for path, text in files.items():
        if not path.endswith(".cpp") or path.startswith(NOT_LIBRARIES):
            continue
        for name, number in dict(local_names(text)).items():
            place = first.setdefault((path.split("/")[0], name), path)
            if place != path:
                messages.append(f"{path}:{number}: {name} is also a name of {place}; a fast build compiles them as one")
    return messages


def source(namespace, *lines):
    return "\n".join((f"namespace {namespace} {{", "namespace {", *lines, "}  // namespace", f"}}  // namespace {namespace}"))


SAMPLES = [
    Sample("a name in two libraries", {"http/a.cpp": source("volt", "constexpr int kMax = 1;"),
                                       "tls/b.cpp": source("volt", "constexpr int kMax = 2;")}, ""),
    Sample("a name in two namespaces", {"http/a.cpp": source("volt", "struct Row {", "};"),
                                        "http/b.cpp": source("volt::json", "struct Row {", "};")}, ""),
    Sample("overloads", {"http/a.cpp": source("volt", "bool is_due(int at) {", "}"),
                         "http/b.cpp": source("volt", "bool is_due(Row row) {", "}")}, ""),
    Sample("a constant", {"http/a.cpp": source("volt", "constexpr auto kMax = seconds(1);"),
                          "http/b.cpp": source("volt", "constexpr std::uint64_t kMax{2};")}, "volt::kMax is also"),
    Sample("a type", {"http/a.cpp": source("volt", "struct Row {", "};"),
                      "http/b.cpp": source("volt", "class Row final : public Base {", "};")}, "volt::Row is also"),
    Sample("a type on one line", {"http/a.cpp": source("volt", "enum class Kind { plain, coded };"),
                                  "http/b.cpp": source("volt", "struct Kind {};")}, "volt::Kind is also"),
    Sample("a variable", {"http/a.cpp": source("volt", "Table table = {};"),
                          "http/b.cpp": source("volt", "std::vector<int> table;")}, "volt::table is also"),
    Sample("a function with an attribute", {"http/a.cpp": source("volt", "[[noreturn]] void fail(int at) {", "}"),
                                            "http/b.cpp": source("volt", "void fail(int at) {", "}")}, "volt::fail(int at"),
    Sample("a function", {"http/a.cpp": source("volt", "bool is_due(int at) noexcept {", "}"),
                          "http/b.cpp": source("volt", "std::string is_due(int at) {", "}")}, "volt::is_due(int at) is"),
]

if __name__ == "__main__":
    main(check, SAMPLES)
