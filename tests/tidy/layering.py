#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks which folder includes which, and that certain packages and words are named in one place only.

A module is a folder: its public headers and their bodies lie in the folder itself, and what only the module may include
lies in `internal/` below it. Four rules follow:

  layers      A module includes only the modules of its row in MODULES. The rows have no cycle.
  visibility  Only the module itself includes a header of its `internal/`. Programs include only the headers that users
              have: cmake/public_headers.cmake, and the headers in the folders that it does not list.
  installed   No public header includes, directly or not, what NOT_INSTALLED matches; and all public headers together
              include at most PRIVATE_HEADERS_MAX private ones, which are installed with them.
  purity      A module of PURE does no input or output and awaits nothing, and includes only modules that are pure.

Tests and benchmarks may include everything.
"""

import re

from source_tree import Sample, is_cpp, main, split

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')

# Module: the modules that it may include. From the bottom to the top.
MODULES = {
    "runtime/base": "",
    "runtime/coro": "runtime/base",
    "runtime/io": "runtime/base",
    "runtime/sched": "runtime/base runtime/coro runtime/io",
    "runtime/fs": "runtime/base runtime/io runtime/sched",
    "runtime/net": "runtime/base runtime/io runtime/sched",
    "runtime/sync": "runtime/base runtime/sched",
    "runtime": "runtime/base runtime/coro runtime/fs runtime/io runtime/net runtime/sched runtime/sync",
    "reflect": "",
    "crypto": "runtime/base",
    "tracing": "crypto runtime runtime/base runtime/sched",
    "http/message": "crypto runtime/base",
    "http/http1": "http/message runtime/base",
    "http/route": "http/message runtime/base",
    "http/validation": "http/message reflect runtime/base",
    "http/json": "http/message http/validation reflect runtime/base",
    "http/coding": "http/message runtime/base",
    "http/cookies": "crypto http/message runtime runtime/base",
    "http/auth": "crypto http/json http/message runtime/base",
    "http/websocket/protocol": "crypto http/coding http/message runtime/base",
    "http/files": "crypto http/message runtime",
    "http/transport": "http/message runtime runtime/base",
    "http/metrics": "http/message runtime runtime/base",
    "http/web": "http/coding http/cookies http/files http/json http/message http/route http/transport"
    " http/validation http/websocket/protocol reflect runtime tracing",
    "http/multipart": "http/message http/web runtime",
    "http/client": "crypto http/http1 http/message http/transport runtime runtime/base tracing",
    "http/websocket": "http/client http/message http/web http/websocket/protocol runtime runtime/base",
    "http/topics": "crypto http/json http/message http/web http/websocket http/websocket/protocol runtime",
    "http/openapi": "crypto http/route http/web",
    "http/middleware": "crypto http/auth http/coding http/cookies http/files http/json http/message http/transport"
    " http/web http/websocket/protocol runtime runtime/base",
    "http/html": "http/json http/message http/middleware http/validation http/web reflect",
    "http/server": "crypto http/http1 http/message http/metrics http/openapi http/route http/transport http/web runtime"
    " runtime/base",
    "http/jwks": "http/auth http/client http/message http/middleware http/web runtime",
    "http/oidc": "crypto http/auth http/client http/cookies http/json http/jwks http/message http/middleware http/web"
    " runtime",
    "http/tracing": "crypto http/client http/json http/message http/middleware http/web runtime runtime/base tracing",
    "http/ops": "http/json http/message http/metrics http/middleware http/route http/server http/web runtime"
    " runtime/base tracing",
    "http/testing": "http/client http/http1 http/json http/message http/server http/web http/websocket/protocol"
    " runtime",
    "http": "http/message http/middleware http/multipart http/server http/web http/websocket runtime",
    "tls": "runtime runtime/base",
    "migrations": "crypto",
    "database": "crypto migrations reflect runtime runtime/base tracing",
    "pg": "database migrations reflect runtime runtime/base tracing",
    "sqlite": "database migrations reflect runtime runtime/base tracing",
    "redis": "crypto database runtime runtime/base tls tracing",
    "sessions": "http/cookies pg redis runtime sqlite",
    "stores": "crypto http/middleware redis runtime runtime/base",
    "topics": "crypto http/topics http/websocket/protocol pg redis runtime",
    "config/options": "http/ops http/server runtime tls",
    "config/development": "http/html http/message http/web runtime",
    "config/read": "config/options crypto http/message http/validation reflect runtime tls",
    "config/process": "config/options http/ops http/server http/transport runtime",
    "config/tls": "http/transport http/web runtime runtime/base tls",
    "config": "config/development config/options config/process config/read config/tls http/ops http/server http/transport http/validation"
    " reflect runtime runtime/base tls",
}

# The scheduler, the reactors and the router: programs compile without them.
NOT_INSTALLED = re.compile(
    r"runtime/sched/(scheduler|worker|clock|timers|timer_wheel|watchdog|blocking_pool|inbox|idle_state|\w+_queue)\.h"
    r"|runtime/io/\w*reactor\.h|http/route/(route_tree|internal/\w+)\.h"
)
PRIVATE_HEADERS_MAX = 94

# No task, no system call: what they do can be tested and fuzzed with bytes alone.
PURE = "reflect http/message http/http1 http/route http/validation http/json http/coding http/auth http/websocket/protocol".split()
ALSO_PURE = {"runtime/base", "crypto"}  # what pure modules may include besides each other
SYSTEM_IO = re.compile(
    r"^(sys/(socket|epoll|uio|eventfd|sendfile)\.h|(unistd|poll|fcntl)\.h|coroutine|thread|fstream)$"
)

# (what, pattern of an include, where it may stand)
ONE_HOME = [
    ("liburing", r"liburing\.h|liburing/.*|linux/io_uring\.h", ("runtime/io/",)),
    ("c-ares", r"ares\.h|ares_.*", ("runtime/internal/",)),
    ("epoll", r"sys/epoll\.h", ("runtime/io/", "loadtest/heavy_driver.cpp", "loadtest/topics_driver.cpp")),
    ("Argon2", r"argon2\.h", ("crypto/",)),
    ("llhttp", r"llhttp\.h", ("http/http1/",)),
    ("OpenSSL", r"openssl/.*", ("tls/internal/", "crypto/")),
    ("simdjson", r"simdjson\.h", ("http/json/",)),
    ("a compressor", r"zlib\.h|zstd.*\.h|brotli/.*", ("http/coding/",)),
    ("libpq", r"libpq-fe\.h|postgres_ext\.h|postgresql/.*", ("pg/internal/", "loadtest/peers/volt/heavy.cpp")),
    ("hiredis", r"hiredis/.*", ("redis/internal/",)),
    ("SQLite", r"sqlite3\.h", ("sqlite/internal/",)),
    ("CLI11", r"CLI/.*", ("config/",)),
    ("toml++", r"toml\+\+/.*", ("config/",)),
    ("doctest", r"doctest/.*", ("tests/", "cmake/package/template/")),
    ("Google Benchmark", r"benchmark/.*", ("loadtest/",)),
]

# (word, where it may stand, where to go instead), in code
ONE_WORD = [
    (r"\bthread_local\b", "runtime/sched/current.cpp", "ask runtime/sched/current.h"),
    (r"\batomic_thread_fence\b", "runtime/base/atomic.h", "use full_fence, which thread sanitizers can follow"),
    (r"#\s*include\s*<atomic>", "runtime/base/atomic.h", "include runtime/base/atomic.h"),
]

LIBRARY = ("runtime/", "crypto/", "tracing/", "reflect/", "http/", "tls/", "migrations/", "database/", "pg/",
           "sqlite/", "redis/", "sessions/", "stores/", "topics/", "config/")
LISTED = ("http/", "config/")  # their public headers are listed in PUBLIC_HEADERS
PUBLIC_HEADERS = "cmake/public_headers.cmake"
# Each header in the folder itself is public.
OPEN_FOLDERS = ("runtime", "crypto", "tracing", "tls", "migrations", "database", "pg", "sqlite", "redis",
                "sessions", "stores", "topics")


def includes_of(text):
    """[(line number, name, in quotes)]"""
    found = []
    for number, line in enumerate(split(text)[0], 1):
        if match := INCLUDE.match(line):
            found.append((number, match[2], match[1] == '"'))
    return found


def module_of(path):
    folder = path.rpartition("/")[0]
    return folder.removesuffix("/internal")


def is_internal(path):
    return path.rpartition("/")[0].endswith("/internal")


def check_table():
    """The rows name modules that have a row, and there is no cycle: each module is above all that it includes."""
    messages, above = [], set()
    for module, row in MODULES.items():
        for below in row.split():
            if below not in above:
                messages.append(f"MODULES: {module} includes {below}, whose row must stand above its own")
            if module in PURE and below not in ALSO_PURE and below not in PURE:
                messages.append(f"MODULES: {module} is pure and may not include {below}")
        above.add(module)
    return messages


def check_module(path, includes, files):
    messages, module = [], module_of(path)
    if module not in MODULES:
        return [f"{path}: {module} has no row in MODULES of tests/tidy/layering.py"]
    for number, name, quoted in includes[path]:
        where = f"{path}:{number}"
        if module in PURE and SYSTEM_IO.match(name):
            messages.append(f"{where}: {module} does no I/O and awaits nothing, but includes <{name}>")
        if not name.startswith(LIBRARY):
            continue
        other = module_of(name)
        if quoted and name not in files:
            messages.append(f"{where}: {name} does not exist")
        elif other != module and is_internal(name):
            messages.append(f"{where}: {name} is internal to {other}")
        elif other != module and other not in MODULES[module].split():
            messages.append(f"{where}: {module} may not include {other} ({name})")
    return messages


def listed_headers(files):
    return set(re.findall(r"[\w/]+\.h", files.get(PUBLIC_HEADERS, "")))


def check_installed(includes, files):
    """The public headers, and the private ones that they include."""
    open_headers = {path for path in files if path.endswith(".h") and path.rpartition("/")[0] in OPEN_FOLDERS}
    installed = sorted((listed_headers(files) | open_headers) & includes.keys())
    public, messages = set(installed), []
    for header in installed:  # grows in the loop
        for number, name, quoted in includes[header]:
            if not quoted or name in installed or name not in includes:
                continue
            if NOT_INSTALLED.fullmatch(name):
                messages.append(f"{header}:{number}: users' programs do not include {name}, but {header} is installed")
            else:
                installed.append(name)
    private = len(installed) - len(public)
    if private > PRIVATE_HEADERS_MAX:
        messages.append(f"the public headers include {private} private ones, more than {PRIVATE_HEADERS_MAX}")
    return messages


def check_program(path, includes, files):
    """A program sees what users see, and no other program."""
    messages = []
    public = listed_headers(files)
    for number, name, _ in includes[path]:
        where = f"{path}:{number}"
        if name.startswith("apps/") and name.split("/")[1] != path.split("/")[1]:
            messages.append(f"{where}: a program includes no other program ({name})")
        if name.startswith(LIBRARY):
            visible = name in public if name.startswith(LISTED) else name.rpartition("/")[0] in OPEN_FOLDERS
            if not visible:
                messages.append(f"{where}: {name} is not a public header")
    return messages


def check(files):
    messages = check_table()
    includes = {path: includes_of(text) for path, text in files.items() if is_cpp(path)}
    messages += check_installed(includes, files)
    for path in includes:
        if path.startswith(LIBRARY):
            messages += check_module(path, includes, files)
        elif path.startswith("apps/"):
            messages += check_program(path, includes, files)
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
        PUBLIC_HEADERS: "set(volt_http_public_headers http/http.h http/server/app.h)\n",
        "runtime/base/check.h": "",
        "runtime/coro/promise.h": '#include "runtime/base/check.h"\n',
        "runtime/io/reactor.h": '#include <liburing.h>\n#include "runtime/base/check.h"\n',
        "runtime/sched/worker.h": '#include "runtime/io/reactor.h"\n#include "runtime/coro/promise.h"\n',
        "runtime/task.h": '#include "runtime/coro/promise.h"\n',
        "http/message/head.h": '#include "runtime/base/check.h"\n',
        "http/http1/internal/parser.cpp": '#include <llhttp.h>\n#include "http/message/head.h"\n',
        "http/http1/internal/parser.h": "",
        "http/server/app.h": '#include "runtime/task.h"\n#include "http/message/head.h"\n',
        "http/http.h": '#include "http/server/app.h"\n',
        "apps/hello/main.cpp": "#include <http/http.h>\n#include <runtime/task.h>\n",
        "tests/http/http1/internal/parser_test.cpp": '#include "http/http1/internal/parser.h"\n',
    }
    for name, text in extra.items():
        files[re.sub(r"_(h|cpp)$", r".\1", name.replace("__", "/"))] = text
    return files


SAMPLES = [
    Sample("the small tree is good", tree(), ""),
    Sample("a comment is no include", tree(http__http_h='// #include "runtime/sched/worker.h"\n'), ""),
    Sample("a module includes its own internal headers",
           tree(http__http1__decoder_h='#include "http/http1/internal/parser.h"\n'), ""),
    Sample("nor do others", tree(http__server__a_cpp='#include "http/http1/internal/parser.h"\n'), "internal to http/http1"),
    Sample("the scheduler is not for http", tree(http__server__a_cpp='#include "runtime/sched/worker.h"\n'), "may not include"),
    Sample("the scheduler is not installed",
           tree(runtime__task_h='#include "runtime/sched/worker.h"\n'), "but runtime/task.h is installed"),
    Sample("nor through a private header",
           tree(runtime__task_h='#include "runtime/sched/join.h"\n',
                runtime__sched__join_h='#include "runtime/sched/worker.h"\n'), "but runtime/sched/join.h is installed"),
    Sample("few private headers are installed",
           tree(**{f"runtime__base__header{i}_h": f'#include "runtime/base/header{i + 1}.h"\n' for i in range(94)},
                runtime__base__header94_h="", runtime__task_h='#include "runtime/base/header0.h"\n'),
           "more than 94"),
    Sample("a program takes public headers", tree(apps__a__main_cpp="#include <http/message/head.h>\n"), "not a public"),
    Sample("also of the runtime", tree(apps__a__main_cpp="#include <runtime/base/check.h>\n"), "not a public header"),
    Sample("upwards", tree(runtime__scope_h='#include "http/http.h"\n'), "runtime may not include http"),
    Sample("tls knows no http", tree(tls__tls_h='#include "http/http.h"\n'), "tls may not include http"),
    Sample("io knows no scheduler", tree(runtime__io__op_h='#include "runtime/sched/worker.h"\n'), "may not include"),
    Sample("nor a public header of the runtime", tree(runtime__io__op_h='#include "runtime/task.h"\n'), "may not include"),
    Sample("base knows std only", tree(runtime__base__list_h='#include "runtime/coro/promise.h"\n'), "may not include"),
    Sample("http1 knows no task", tree(http__http1__a_cpp='#include "runtime/task.h"\n'), "may not include runtime"),
    Sample("http1 reads no socket", tree(http__http1__a_cpp="#include <sys/socket.h>\n"), "does no I/O"),
    Sample("an include of nothing", tree(http__http_h='#include "http/server/gone.h"\n'), "does not exist"),
    Sample("a folder without a row", tree(http__odds__a_cpp=""), "has no row"),
    Sample("a program in a program",
           tree(apps__a__main_cpp='#include "apps/b/b.h"\n', apps__b__b_h=""), "no other program"),
    Sample("liburing abroad", tree(runtime__sched__a_cpp="#include <liburing.h>\n"), "liburing is named only"),
    Sample("epoll abroad", tree(runtime__net__a_cpp="#include <sys/epoll.h>\n"), "epoll is named only"),
    Sample("llhttp abroad", tree(http__server__a_cpp="#include <llhttp.h>\n"), "llhttp is named only"),
    Sample("libpq abroad", tree(pg__pool_cpp="#include <libpq-fe.h>\n"), "libpq is named only"),
    Sample("c-ares abroad", tree(runtime__net__a_cpp="#include <ares.h>\n"), "c-ares is named only"),
    Sample("hiredis abroad", tree(redis__pool_cpp="#include <hiredis/read.h>\n"), "hiredis is named only"),
    Sample("pg knows no http", tree(pg__pool_h='#include "http/http.h"\n'), "pg may not include http"),
    Sample("OpenSSL abroad", tree(tls__a_cpp="#include <openssl/ssl.h>\n"), "OpenSSL is named only"),
    Sample("CLI11 abroad", tree(apps__a__main_cpp="#include <CLI/CLI.hpp>\n"), "CLI11 is named only"),
    Sample("a second thread_local", tree(runtime__sched__a_cpp="thread_local int x;\n"), "thread_local stands only"),
    Sample("a fence", tree(runtime__sched__a_cpp="std::atomic_thread_fence(x);\n"), "atomic_thread_fence stands"),
    Sample("<atomic> itself", tree(runtime__sched__a_h="#include <atomic>\n"), "runtime/base/atomic.h"),
]

if __name__ == "__main__":
    main(check, SAMPLES)
