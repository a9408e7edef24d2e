#!/bin/sh
# SPDX-License-Identifier: MIT
# quietly.sh PROGRAM [ARGUMENT...]: runs a test, and shows its log only when it fails: after what the test says itself,
# and without what a server logs of the errors that tests provoke. For a test that does not end, it shows where its
# threads are, and ends it before ctest does, with SIGABRT, so that it says which of its cases it was in.
log=$(mktemp)
stacks=$(mktemp)
trap 'rm -f "$log" "$stacks"' EXIT
"$@" 2>"$log" &
test=$!

end_after() {
  sleep "$1" &
  sleeping=$!
  trap 'kill "$sleeping"; exit' TERM
  wait "$sleeping"
  gdb -p "$test" -batch -ex 'thread apply all backtrace 30' >"$stacks" 2>/dev/null
  kill -ABRT "$test"
  sleep 5
  kill -KILL "$test"
}
end_after "${VOLT_TEST_SECONDS_MAX:-585}" 2>/dev/null &
guard=$!
wait "$test"
status=$?
kill "$guard" 2>/dev/null
[ "$status" = 0 ] && exit
grep -v '^volt: .*\(handler\|the answer of\)' "$log" | tail -n 400 >&2
grep -E '^(Thread|#)' "$stacks" | tail -n 300 >&2
exit "$status"
