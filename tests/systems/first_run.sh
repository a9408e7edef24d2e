#!/bin/bash
# SPDX-License-Identifier: MIT
# The first command of the README, on a system that has nothing installed: `./dev run hello` installs, builds and
# serves. Prints what it says, each line with the seconds since the start, up to the first response. Needs nothing but
# bash, and runs in the root of the repository.
set -euo pipefail

say() { printf '%5d s  %s\n' "$SECONDS" "$*"; }

exec {output}< <(exec ./dev run hello --listen 127.0.0.1:0 2>&1)
server=$!
port=
while [ -z "$port" ] && IFS= read -r line <&"$output"; do
  say "$line"
  [[ ! $line =~ "listening on "[^\ ]*:([0-9]+) ]] || port=${BASH_REMATCH[1]}
done
[ -n "$port" ] || { say "it does not listen"; exit 1; }

exec {connection}<>"/dev/tcp/127.0.0.1/$port"
printf 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n' >&"$connection"
response=$(tr -d '\r' <&"$connection")
say "${response%%$'\n'*}, ${response##*$'\n'}"
[[ $response == "HTTP/1.1 200 OK"*"Hello, World!" ]]

kill -TERM "$server"
wait "$server"
say "ended"
