#!/bin/sh
# SPDX-License-Identifier: MIT
# quietly.sh PROGRAM [ARGUMENT...]: runs a test, and shows its log only when it fails: after what the test says itself,
# and without what a server logs of the errors that tests provoke.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$@" 2>"$log" && exit
status=$?
grep -v '^volt: .*\(handler\|the answer of\)' "$log" | tail -n 400 >&2
exit "$status"
