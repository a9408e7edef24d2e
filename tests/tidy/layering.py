#!/usr/bin/env python3
"""Which folder may include which, and which words belong to one place only.

One slash is public (runtime/task.h), two are private (runtime/sched/worker.h). Two rules follow:

  visibility  A file may name private headers of its own top folder only (tests may name any).
  layers      What a file reaches, through all the headers it includes, lies in its layer or below. A public header
              belongs to no layer: runtime/task.h may include runtime/coro/promise.h, as templates need, and whoever
              includes task.h then reaches the layer coro.
"""

import re

from source_tree import Sample, is_cpp, main, split

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')

TOP_MAY_INCLUDE = {
    "runtime": {"runtime"},
    "crypto": {"crypto", "runtime"},
    "http": {"http", "crypto", "runtime"},
    "tls": {"tls", "runtime"},
    "pg": {"pg", "runtime"},
    "config": {"config", "http", "tls", "crypto", "runtime"},
    "apps": {"apps", "config", "http", "tls", "pg", "crypto", "runtime"},
}

# The words of every layer above: a check and the atomics seam are no way into the runtime.
VOCABULARY = {"runtime/base/check.h", "runtime/base/atomic.h", "runtime/base/cache_line.h"}

# Layer -> layers that its files may reach. A folder that is not listed has the rule of its top folder only.
BELOW = {
    "runtime/base": set(),
    "runtime/coro": {"runtime/base"},
    "runtime/io": {"runtime/base"},
    "runtime/log": {"runtime/base"},
    "runtime/sched": {"runtime/io", "runtime/coro", "runtime/base"},
    "http/message": {"runtime/base"},
    "http/codec": {"http/message", "runtime/base"},
    "http/route": {"http/message", "runtime/base"},
    "http/reflect": {"runtime/base"},
    "http/json": {"http/message", "http/reflect", "runtime/base"},
    "http/files": {"http/codec", "http/message", "runtime/base"},
    "http/coding": {"http/message", "runtime/base"},
    "http/websocket": {"http/message", "http/coding", "runtime/base"},
}
for waits in ("net", "sync", "fs"):
    BELOW[f"runtime/{waits}"] = {"runtime/net", "runtime/sync", "runtime/fs", "runtime/sched"} | BELOW["runtime/sched"]

# In http, these do no I/O: they reach no layer of the runtime that waits (BELOW says so), nor the system's calls.
PURE = tuple(f"http/{folder}/" for folder in "message codec route reflect json coding websocket".split())
SYSTEM_IO = re.compile(
    r"^(sys/(socket|epoll|uio|eventfd|sendfile)\.h|(unistd|poll|fcntl)\.h|coroutine|thread|fstream)$"
)

# (what, pattern of an include, where it may stand)
ONE_HOME = [
    ("liburing", r"liburing\.h|liburing/.*|linux/io_uring\.h", ("runtime/io/",)),
    ("epoll", r"sys/epoll\.h", ("runtime/io/",)),
    ("llhttp", r"llhttp\.h", ("http/codec/",)),
    ("OpenSSL", r"openssl/.*", ("tls/engine/", "crypto/")),
    ("simdjson", r"simdjson\.h", ("http/json/",)),
    ("a compressor", r"zlib\.h|zstd.*\.h|brotli/.*", ("http/coding/",)),
    ("libpq", r"libpq-fe\.h|postgres_ext\.h|postgresql/.*", ("pg/client/",)),
    ("SQLite", r"sqlite3\.h", ("apps/",)),
    ("CLI11", r"CLI/.*", ("config/",)),
    ("toml++", r"toml\+\+/.*", ("config/",)),
    ("doctest", r"doctest/.*", ("tests/",)),
    ("Google Benchmark", r"benchmark/.*", ("loadtest/",)),
]

# (word, where it may stand, where to go instead), in code
ONE_WORD = [
    (r"\bthread_local\b", "runtime/sched/current.cpp", "ask runtime/sched/current.h"),
    (r"\batomic_thread_fence\b", "runtime/base/atomic.h", "use full_fence, which thread sanitizers can follow"),
    (r"#\s*include\s*<atomic>", "runtime/base/atomic.h", "include runtime/base/atomic.h"),
]

LIBRARY = ("runtime/", "crypto/", "http/", "tls/", "pg/", "config/")

# Templates over std alone, which others than their folder's may name: a row becomes a struct as a JSON object does.
SHARED = {"http/reflect/aggregate.h": {"pg"}}


def includes_of(text):
    """[(line number, name, in quotes)]"""
    found = []
    for number, line in enumerate(split(text)[0], 1):
        if match := INCLUDE.match(line):
            found.append((number, match[2], match[1] == '"'))
    return found


def layer_of(path):
    parts = path.split("/")
    return "/".join(parts[:2]) if len(parts) > 2 else None  # None: a public header, or a source beside it


def reached(path, files, includes):
    """Every file of ours that `path` includes, at any depth, with the chain that leads there."""
    chains, queue = {}, [(path, [path])]
    while queue:
        here, chain = queue.pop(0)
        for _, name, _ in includes.get(here, ()):
            if name in files and name not in chains:
                chains[name] = chain + [name]
                queue.append((name, chains[name]))
    return chains


def check_visibility(path, includes, files):
    messages, top = [], path.split("/")[0]
    for number, name, quoted in includes[path]:
        parts = name.split("/")
        where = f"{path}:{number}"
        if quoted and name not in files and len(parts) > 1 and parts[0] in TOP_MAY_INCLUDE:
            messages.append(f"{where}: {name} does not exist")
        if parts[0] not in TOP_MAY_INCLUDE or len(parts) < 2 or name in VOCABULARY and path.startswith(LIBRARY):
            continue
        if top in SHARED.get(name, ()):
            continue
        if parts[0] not in TOP_MAY_INCLUDE[top]:
            messages.append(f"{where}: {top} may not include {parts[0]} ({name})")
        elif len(parts) > 2 and parts[0] != top:
            messages.append(f"{where}: {name} is private to {parts[0]} (two slashes)")
        elif top == "apps" and parts[0] == "apps" and parts[1] != path.split("/")[1]:
            messages.append(f"{where}: a program includes no other program ({name})")
    return messages


def check_layer(path, includes, files):
    messages, layer = [], layer_of(path)
    chains = reached(path, files, includes)
    if layer in BELOW:
        allowed = BELOW[layer] | {layer}
        for name, chain in chains.items():
            reached_layer = layer_of(name)
            too_high = reached_layer is not None and reached_layer not in allowed
            if layer == "runtime/base" and reached_layer is None:
                too_high = True  # base knows std only
            culprit = chain[1:-1] and any(layer_of(step) == layer for step in chain[1:-1])
            if too_high and not culprit:  # else the file of our layer on the way is told
                messages.append(f"{path}: {layer} may not reach {name}, by " + " -> ".join(chain))
                break
    if path.startswith(PURE):
        for here in [path] + [name for name in chains if not name.startswith("runtime/")]:
            for number, name, _ in includes.get(here, ()):
                if SYSTEM_IO.match(name) and (here == path or not here.startswith(PURE)):
                    messages.append(f"{here}:{number}: {layer} does no I/O and awaits nothing, but reaches <{name}>")
    return messages


def check(files):
    messages = []
    includes = {path: includes_of(text) for path, text in files.items() if is_cpp(path)}
    for path in includes:
        if path.split("/")[0] in TOP_MAY_INCLUDE:
            messages += check_visibility(path, includes, files)
            messages += check_layer(path, includes, files)
        for number, name, _ in includes[path]:
            for what, pattern, homes in ONE_HOME:
                if re.fullmatch(pattern, name) and not path.startswith(homes) and not path.startswith("tests/"):
                    messages.append(f"{path}:{number}: {what} is named only in {', '.join(homes)}")
        for number, line in enumerate(split(files[path])[0], 1):
            for word, home, instead in ONE_WORD:
                if path.startswith(LIBRARY) and path != home and (found := re.search(word, line)):
                    messages.append(f"{path}:{number}: {found.group()} stands only in {home}; {instead}")
    return messages


def tree(**extra):
    """A small good tree, then `extra`, whose names have __ for / and end in _h or _cpp."""
    files = {
        "runtime/base/check.h": "",
        "runtime/coro/promise.h": '#include "runtime/base/check.h"\n',
        "runtime/io/reactor.h": '#include <liburing.h>\n#include "runtime/base/check.h"\n',
        "runtime/sched/worker.h": '#include "runtime/io/reactor.h"\n#include "runtime/coro/promise.h"\n',
        "runtime/task.h": '#include "runtime/coro/promise.h"\n',
        "runtime/result.h": "",
        "runtime/tcp.h": '#include "runtime/sched/worker.h"\n',
        "http/message/head.h": '#include "runtime/result.h"\n',
        "http/codec/parser.cpp": '#include <llhttp.h>\n#include "http/message/head.h"\n',
        "http/http.h": '#include "runtime/task.h"\n#include "http/message/head.h"\n',
        "apps/hello/main.cpp": "#include <http/http.h>\n",
        "tests/runtime/sched/worker_test.cpp": '#include "runtime/sched/worker.h"\n',
    }
    for name, text in extra.items():
        files[re.sub(r"_(h|cpp)$", r".\1", name.replace("__", "/"))] = text
    return files


SAMPLES = [
    Sample("the small tree is good", tree(), ""),
    Sample("a comment is no include", tree(http__app_h='// #include "runtime/sched/worker.h"\n'), ""),
    Sample("a check is a word of all", tree(http__codec__a_cpp='#include "runtime/base/check.h"\n'), ""),
    Sample("private from abroad", tree(http__app_h='#include "runtime/sched/worker.h"\n'), "private to runtime"),
    Sample("private from a program", tree(apps__a__main_cpp="#include <http/message/head.h>\n"), "private to http"),
    Sample("the wrong direction", tree(runtime__scope_h='#include "http/http.h"\n'), "may not include http"),
    Sample("tls knows no http", tree(tls__tls_h='#include "http/http.h"\n'), "tls may not include http"),
    Sample("io knows no scheduler", tree(runtime__io__op_h='#include "runtime/sched/worker.h"\n'), "may not reach"),
    Sample("nor by a public header", tree(runtime__io__op_h='#include "runtime/tcp.h"\n'), "op.h -> runtime/tcp.h"),
    Sample("base knows std only", tree(runtime__base__list_h='#include "runtime/result.h"\n'), "may not reach"),
    Sample("the codec knows no task", tree(http__codec__a_cpp='#include "runtime/task.h"\n'), "may not reach"),
    Sample("the codec knows no router",
           tree(http__route__tree_h="", http__codec__a_cpp='#include "http/route/tree.h"\n'), "may not reach"),
    Sample("the codec reads no socket", tree(http__codec__a_cpp="#include <sys/socket.h>\n"), "does no I/O"),
    Sample("an include of nothing", tree(http__app_h='#include "http/gone.h"\n'), "does not exist"),
    Sample("a program in a program",
           tree(apps__a__main_cpp='#include "apps/b/b.h"\n', apps__b__b_h=""), "no other program"),
    Sample("liburing abroad", tree(runtime__sched__a_cpp="#include <liburing.h>\n"), "liburing is named only"),
    Sample("epoll abroad", tree(runtime__net__a_cpp="#include <sys/epoll.h>\n"), "epoll is named only"),
    Sample("llhttp abroad", tree(http__serve__a_cpp="#include <llhttp.h>\n"), "llhttp is named only"),
    Sample("libpq abroad", tree(pg__pool_cpp="#include <libpq-fe.h>\n"), "libpq is named only"),
    Sample("pg knows no http", tree(pg__pool_h='#include "http/http.h"\n'), "pg may not include http"),
    Sample("but structs", tree(pg__rows_h='#include "http/reflect/aggregate.h"\n', http__reflect__aggregate_h=""), ""),
    Sample("OpenSSL abroad", tree(tls__a_cpp="#include <openssl/ssl.h>\n"), "OpenSSL is named only"),
    Sample("CLI11 abroad", tree(apps__a__main_cpp="#include <CLI/CLI.hpp>\n"), "CLI11 is named only"),
    Sample("a second thread_local", tree(runtime__sched__a_cpp="thread_local int x;\n"), "thread_local stands only"),
    Sample("a fence", tree(runtime__sched__a_cpp="std::atomic_thread_fence(x);\n"), "atomic_thread_fence stands"),
    Sample("<atomic> itself", tree(runtime__sched__a_h="#include <atomic>\n"), "runtime/base/atomic.h"),
]

if __name__ == "__main__":
    main(check, SAMPLES)
