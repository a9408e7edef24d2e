#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds loadtest_server with profile-guided optimization: a first build counts what it runs while it serves requests
# for some seconds, and so makes the profile with which the second build is optimized. Prints the path of the second
# program. Needs clang 19, Debian's llvm-19, libclang-rt-19-dev and wrk. The builds are in build/profiling and
# build/profiled. docs/tuning.md says how to build a service of one's own in this way.
#
#   program=$(loadtest/profile_guided.sh)
#   loadtest/run.sh --peers volt --scenarios paced-4000 \
#     --peer volt-profiled="sh -c 'exec $program --listen 127.0.0.1:\$PORT --workers \$WORKERS'"
set -eu
cd "$(dirname "$0")/.."
root=$PWD
profile=$root/build/profiling/profile
port=$((20000 + $$ % 10000))

build() { # FOLDER FLAGS
  cmake --preset release -B "$1" -DCMAKE_CXX_FLAGS="$2" >&2
  cmake --build "$1" --clean-first --target loadtest_server >&2
}

serve() { # ENGINE
  build/profiling/bin/loadtest_server --listen "127.0.0.1:$port" --workers 2 --io "$1" >&2 &
  server=$!
  trap 'kill "$server" 2>/dev/null || true' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  sleep 2
  kill -0 "$server"  # else the port is taken
  for path in plaintext json shop/kind347/tools/items/42; do
    wrk -t1 -c64 -d3s "http://127.0.0.1:$port/$path" >&2
  done
  wrk -t1 -c64 -d3s -s loadtest/requests.lua "http://127.0.0.1:$port/plaintext" -- 16 0 0 >&2
  wrk -t1 -c64 -d3s -s loadtest/requests.lua "http://127.0.0.1:$port/plaintext" -- 1 0 1 >&2
  kill "$server"
  wait "$server"  # it writes the profile when it exits
  trap - EXIT
}

rm -rf "$profile"
build build/profiling "-fprofile-generate=$profile"
serve epoll
serve auto
llvm-profdata-19 merge -o "$profile/merged" "$profile"/*.profraw
build build/profiled "-fprofile-use=$profile/merged -Wno-backend-plugin"
echo "$root/build/profiled/bin/loadtest_server"
