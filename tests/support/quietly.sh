#!/bin/sh
# SPDX-License-Identifier: MIT
# quietly.sh PROGRAM [ARGUMENT...]: runs a test, and shows its log only when it fails: after what the test says itself,
# and without what a server logs of the errors that tests provoke. A test that does not end gets SIGABRT before ctest ends
# it, and so says which of its cases it was in.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
timeout --signal=ABRT --kill-after=5 "${VOLT_TEST_SECONDS_MAX:-285}" "$@" 2>"$log" && exit
status=$?
grep -v '^volt: .*\(handler\|the answer of\)' "$log" | tail -n 400 >&2
exit "$status"
