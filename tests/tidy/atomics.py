#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that each memory ordering of an atomic operation names its edge, or its excuse.

A file with atomics lists its edges at the top:

    // Edges
    //   D1  push's release of bottom_  ->  steal's acquire of bottom_ : a slot is written before it is offered

and each operation says, beside it or above its statement, which edges it is an end of (`// D1`), or why it is none
(`// relaxed: owner is the only writer`; for relaxed alone). An edge has two ends or more in its file, a header and its
.cpp counting as one; an acq_rel operation is both. An edge with an end elsewhere says where:
`(other end: runtime/io/source.h)`, `(other end: the kernel)`, or begins with the file that owns it: `L1  spin_lock.h :
...`; that file must list the edge too.

It covers the whole tree but tests/: the atomics of a test only coordinate that test, and the models (tests/model/)
choose orderings on purpose, to see what breaks.
"""

import re

from source_tree import Sample, is_cpp, main, split

EXEMPT = "runtime/base/atomic.h"
NOT_COVERED = "tests/"
ORDER = re.compile(
    r"(?<=[(,?:])\s*(?:std::memory_order_|std::memory_order::|(?:volt::)?base::)?"
    r"(relaxed|acquire|release|acq_rel|seq_cst)\s*(?=[),:])"
)
BUILT_IN = re.compile(r"\b__ATOMIC_(RELAXED|ACQUIRE|RELEASE|ACQ_REL|SEQ_CST)\b|\bio_uring_smp_\w+_(acquire|release)\b")
FENCE = re.compile(r"\b(?:\w+::|\.)full_fence\s*\(")
IMPLICIT = re.compile(
    r"(?:\.|->)(load\(\s*\)|(?:store|exchange|fetch_(?:add|sub|or|and|xor)|compare_exchange_(?:weak|strong))\s*\()"
)
EDGE_LINE = re.compile(r"^//\s+([A-Z]{1,3}\d{1,2})\s+(\S.*)$")
EDGE_NAME = re.compile(r"\b[A-Z]{1,3}\d{1,2}\b")
EXCUSE = re.compile(r"\brelaxed: *\w")
OTHER_END = re.compile(r"\(other end: ([^)]*)\)|^([\w/]+\.(?:h|cpp))\s*:")


def edges_of(text):
    """({edge: (line number, its text)}, numbers of the lines of the block)"""
    edges, block, name = {}, set(), None
    inside = False
    for number, line in enumerate(text.split("\n"), 1):
        if re.match(r"^// Edges\b", line):
            inside = True
        elif inside and (match := EDGE_LINE.match(line)):
            name = match[1]
            edges[name] = (number, match[2])
        elif inside and name and re.match(r"^//\s+\S", line) and not re.match(r"^// \S", line):
            edges[name] = (edges[name][0], edges[name][1] + " " + line.lstrip("/ "))
        else:
            inside = False
        if inside:
            block.add(number)
    return edges, block


def arguments(code, start):
    """The text from the bracket at or before `start` to its end."""
    depth, at = 0, start
    while at < len(code):
        depth += {"(": 1, ")": -1}.get(code[at], 0)
        at += 1
        if depth == 0:
            break
    return code[start:at]


def operations(code_lines):
    """[(first line, last line, orders)]; one entry per line that names an order or calls the fence."""
    code = "\n".join(code_lines)
    found = {}

    def line_at(offset):
        return code.count("\n", 0, offset) + 1

    for match in ORDER.finditer(code):
        found.setdefault(line_at(match.start(1)), set()).add(match[1])
    for match in BUILT_IN.finditer(code):
        found.setdefault(line_at(match.end()), set()).add((match[1] or match[2]).lower())
    for match in FENCE.finditer(code):
        found.setdefault(line_at(match.end()), set()).add("seq_cst")
    implicit = []
    for match in IMPLICIT.finditer(code):
        bracket = code.index("(", match.start(1))
        if not re.search(r"relaxed|acquire|release|acq_rel|seq_cst|order", arguments(code, bracket)):
            implicit.append(line_at(bracket))
    return found, implicit


def comments_near(number, code_lines, comment_lines):
    """The comment of the line; without one, those of its statement and of the comment lines right above that."""
    own = comment_lines[number - 1].strip()
    if own:
        return own

    def ends(line):
        return line.rstrip().endswith((";", "{", "}")) or not line.strip()

    first = last = number - 1
    while first > 0 and not ends(code_lines[first - 1]):
        first -= 1
    while last + 1 < len(code_lines) and not ends(code_lines[last]):
        last += 1
    near = comment_lines[first : last + 1]
    while first > 0 and not code_lines[first - 1].strip() and comment_lines[first - 1].strip():
        first -= 1
        near.insert(0, comment_lines[first])
    return "\n".join(near)


def unit_of(path):
    return re.sub(r"\.(h|cpp)$", "", path)


def check(files):
    messages = []
    files = {path: text for path, text in files.items() if is_cpp(path) and not path.startswith(NOT_COVERED)}
    edges = {path: edges_of(text) for path, text in files.items()}
    for unit in sorted({unit_of(path) for path in files if path != EXEMPT}):
        parts = [path for path in (unit + ".h", unit + ".cpp") if path in files]
        known = {name for path in parts for name in edges[path][0]}
        cited = {}  # edge -> {(path, line)}
        for path in parts:
            messages += check_file(path, files[path], edges[path][1], known, cited)
        for path in parts:
            for name, (number, meaning) in edges[path][0].items():
                messages += check_edge(f"{path}:{number}", name, meaning, cited.get(name, set()), files, edges)
    return messages


def check_file(path, text, block, known, cited):
    messages = []
    code_lines, comment_lines = split(text)
    for number, comment in enumerate(comment_lines, 1):
        if number not in block:
            for name in EDGE_NAME.findall(comment):
                cited.setdefault(name, set()).add((path, number))
    found, implicit = operations(code_lines)
    for number in implicit:
        messages.append(f"{path}:{number}: an atomic operation without its order")
    for number, orders in sorted(found.items()):
        comment = comments_near(number, code_lines, comment_lines)
        named = EDGE_NAME.findall(comment)
        what = ", ".join(sorted(orders))
        if orders & {"acq_rel", "seq_cst"}:  # pairs with itself in another thread, as a dropped reference does
            for name in named:
                cited.setdefault(name, set()).add((path, number, "both ends"))
        unknown = [name for name in named if name not in known]
        if unknown:
            messages.append(f"{path}:{number}: {what} names {unknown[0]}, which no Edges block of the file lists")
        elif not named and not (orders == {"relaxed"} and EXCUSE.search(comment)):
            excuse = " or `// relaxed: why`" if orders == {"relaxed"} else ""
            messages.append(f"{path}:{number}: {what} names no edge; say `// D1`{excuse}")
    return messages


def check_edge(where, name, meaning, citations, files, edges):
    match = OTHER_END.search(meaning)
    elsewhere = (match[1] or match[2]).strip() if match else None
    if elsewhere and elsewhere != "the kernel":
        owners = [path for path in files if path == elsewhere or path.endswith("/" + elsewhere)]
        if not owners:
            return [f"{where}: {name} has its other end in {elsewhere}, which does not exist"]
        units = {unit_of(path) for path in owners}
        if not any(name in edges[path][0] for path in files if unit_of(path) in units):
            return [f"{where}: {name} has its other end in {elsewhere}, which lists no {name}"]
    wanted = 1 if elsewhere else 2
    if len(citations) < wanted:
        return [f"{where}: edge {name} is cited {len(citations)} time(s), at least {wanted} wanted (other end: where?)"]
    return []


GOOD = """// Edges
//   D1  push's release of bottom_  ->  steal's acquire of bottom_ :
//       a slot is written before it is offered
#pragma once
bool push(Job job) {
  const auto bottom = bottom_.load(relaxed);  // relaxed: owner is the only writer
  bottom_.store(bottom + 1, release);  // D1
}
Job steal() {
  // D1: what was offered is written.
  const auto bottom = bottom_.load(
      acquire);
  return names(thief.release(), acquire_slot(bottom));
}
"""


def deque(old="", new="", **others):
    assert old in GOOD
    return {"runtime/sched/deque.h": GOOD.replace(old, new) if old else GOOD} | {
        "runtime/sched/" + name + ".h": text for name, text in others.items()
    }


FOREIGN = "// Edges\n//   D1  deque.h : as there\n#pragma once\nx.load(relaxed);  // relaxed: ordered by D1\n"
EDGE_A1 = "// Edges\n//   A1  x -> y\n"
KERNEL = EDGE_A1.replace("y", "y (other end: the kernel)")
LOAD_A1 = "x.load(acquire);  // A1\n"
STORE_A1 = "x.store(1, release);  // A1\n"
EXCUSED = "relaxed: owner is the only writer"
SAMPLES = [
    Sample("each operation has its edge or excuse", deque(), ""),
    Sample("tests are not covered", {"tests/http/a_test.cpp": "x.load(acquire);\n"}, ""),
    Sample("std::exchange is no atomic operation", {"http/a.cpp": "y = std::exchange(x, 1);\n"}, ""),
    Sample("an edge of another file", deque(owner=FOREIGN), ""),
    Sample("a header and its source are one", {"runtime/a.h": EDGE_A1 + LOAD_A1, "runtime/a.cpp": STORE_A1}, ""),
    Sample("a dropped reference is both ends", {"runtime/a.h": EDGE_A1 + "x.fetch_sub(1, acq_rel);  // A1\n"}, ""),
    Sample("the kernel is an end", {"runtime/a.h": KERNEL + LOAD_A1}, ""),
    Sample("every folder is covered", {"http/a.cpp": "x.load(acquire);\n"}, "acquire names no edge"),
    Sample("also programs", {"apps/hello/main.cpp": "x.store(1, relaxed);\n"}, "relaxed names no edge"),
    Sample("an order without a comment", deque("// " + EXCUSED, ""), "relaxed names no edge"),
    Sample("a comment without an edge", deque(EXCUSED, "ours"), "relaxed names no edge"),
    Sample("an excuse without a reason", deque(EXCUSED, "relaxed:"), "relaxed names no edge"),
    Sample("an excuse for more than relaxed", deque("load(relaxed)", "load(acquire)"), "acquire names no edge"),
    Sample("an edge nobody lists", deque("release);  // D1", "release);  // D1, D7"), "names D7"),
    Sample("an edge nobody lists, at relaxed", deque("relaxed: owner", "D2"), "names D2"),
    Sample("an edge nobody cites", deque("#pragma", "//   D2  a -> b\n#pragma"), "D2 is cited 0"),
    Sample("an edge cited once", {"runtime/a.h": EDGE_A1 + LOAD_A1}, "A1 is cited 1"),
    Sample("an end in no file", deque(owner=FOREIGN.replace("deque", "gone")), "does not exist"),
    Sample("an end in a file without that edge", deque(owner=FOREIGN.replace("D1", "D3")), "lists no D3"),
    Sample("an order left to default", deque("load(relaxed)", "load()"), "without its order"),
    Sample("a read-modify-write left to default", {"runtime/a.h": "x.fetch_add(g(1));\n"}, "without its order"),
    Sample("a store left to default", {"pg/a.h": "x.store(1);\n"}, "without its order"),
    Sample("an exchange left to default", {"tls/a.h": "if (x.exchange(g(1))) f();\n"}, "without its order"),
    Sample("a built-in without an edge", {"runtime/a.cpp": "f(p, __ATOMIC_ACQUIRE);\n"}, "acquire names no edge"),
    Sample("a fence without an edge", {"runtime/a.h": "Atomics::full_fence(word);\n"}, "seq_cst names no edge"),
]

if __name__ == "__main__":
    main(check, SAMPLES)
