#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that programs do not compile, with the right message; beside each is a similar program that compiles."""

import re
import sys
import tempfile
import typing

from compiler import Compiler

HEADER = '#include "http/http.h"\n#include "runtime/parallel.h"\n#include <string>\nusing namespace volt;\nusing namespace volt::http;\n'


class Pair(typing.NamedTuple):
    why: str
    bad: str
    good: str
    says: str  # pattern of the compiler's message for the bad program


def program(statement):
    return (
        "struct Shared { int value = 0; };\n"
        "struct Unreadable { void* pointer; };\n"
        "struct Readable { int number; };\n"
        "void build(App& app, const char* text) {\n"
        f"  (void)text;\n  {statement}\n"
        "}\n"
    )


PAIRS = [
    Pair(
        "a handler takes more of the path than the pattern has",
        'app.get("/{a}", [](Path<int>, Path<int>) { return ""; });',
        'app.get("/{a}", [](Path<int>) { return ""; });',
        "the_handler_takes_more_path_parameters_than_the_pattern_has",
    ),
    Pair(
        "a handler takes less of the path than the pattern has",
        'app.get("/{a}/{b}", [](Path<int>) { return ""; });',
        'app.get("/{a}/{b}", [] { return ""; });',
        "the_handler_takes_fewer_path_parameters_than_the_pattern_has",
    ),
    Pair(
        "a pattern is malformed",
        'app.get("/{a", [] { return ""; });',
        'app.get("/a", [] { return ""; });',
        "the_pattern_is_malformed",
    ),
    Pair(
        "a pattern composed at run time is passed without runtime_pattern",
        'app.get(text, [] { return ""; });',
        'app.get(runtime_pattern(text), [] { return ""; });',
        "constant expression",
    ),
    Pair(
        "a parameter cannot be extracted from a request",
        'app.get("/", [](int) { return ""; });',
        'app.get("/", [](Request&) { return ""; });',
        r"a handler's parameter is Request&, an extractor \(Path, Query, Json, State, \.\.\.\)",
    ),
    Pair(
        "a result cannot become a response",
        'app.get("/", []() -> void* { return nullptr; });',
        'app.get("/", []() -> Readable { return {}; });',
        "a handler returns text, a Response, a type that JSON can represent",
    ),
    Pair(
        "the result of a task cannot become a response",
        'app.get("/", []() -> Task<void*> { co_return nullptr; });',
        'app.get("/", []() -> Task<Readable> { co_return Readable(); });',
        "a handler returns text, a Response, a type that JSON can represent",
    ),
    Pair(
        "a query's member cannot be read from text",
        'app.get("/", [](Query<Unreadable>) { return ""; });',
        'app.get("/", [](Query<Readable>) { return ""; });',
        "this type cannot be read from text",
    ),
    Pair(
        "state that is not shareable is modified",
        'app.get("/", [](State<Shared> shared) { shared->value = 1; });',
        'app.get("/", [](State<Shared> shared) { return shared->value; });',
        "const|read-only",
    ),
    Pair(
        "a text of unknown lifetime is kept without a copy",
        "auto response = Response::fixed(text);",
        'auto response = Response::fixed("text");',
        "constant expression",
    ),
    Pair(
        "a stream is not a coroutine",
        'auto response = stream("text/plain", [](BodyWriter&) {});',
        'auto response = stream("text/plain", [](BodyWriter&) -> Task<> { co_return; });',
        r"http::stream takes a coroutine Task<> \(BodyWriter& out, args\.\.\.\)",
    ),
    Pair(
        "a size in bytes overflows",
        "auto size = 17179869184_GiB;",
        "auto size = 17179869183_GiB;",
        "constant expression",
    ),
    Pair(
        "a response is copied",
        "Response one; Response two = one;",
        "Response one; Response two = std::move(one);",
        "deleted",
    ),
    Pair(
        "a fork calls a coroutine",
        "fork([] {}, []() -> Task<> { co_return; });",
        "fork([] {}, [] {});",
        "fork calls plain functions",
    ),
    Pair(
        "a loop calls a coroutine",
        "parallel_for(0, 9, [](int) -> Task<> { co_return; });",
        "parallel_for(0, 9, [](int) {});",
        "parallel_for calls a plain function",
    ),
]


def judge(compiler, pair):
    messages = []
    compiles, said = compiler.check(program(pair.good))
    if not compiles:
        messages.append(f"{pair.why}: does not compile, but should: {pair.good}\n{said}")
    compiles, said = compiler.check(program(pair.bad))
    if compiles:
        messages.append(f"{pair.why}: compiles, but should not: {pair.bad}")
    elif not re.search(pair.says, said):
        messages.append(f"{pair.why}: the compiler's message does not match '{pair.says}':\n{said}")
    return messages


def main(root):
    with tempfile.TemporaryDirectory() as folder:
        compiler = Compiler(root, folder)
        compiler.precompile(HEADER)
        messages = [message for pair in PAIRS for message in judge(compiler, pair)]
    print("\n".join(messages) or f"{compiler.name}: {len(PAIRS)} programs are rejected with the right message")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
