#!/bin/sh
# Files served by us and by nginx under wrk, in turns.
#
#   loadtest/static.sh [--rounds N] [--seconds N] [--io auto|uring|epoll] [--sizes 1k,64k,10m] [--servers volt,nginx]
exec "$(dirname "$0")/rounds.sh" conformance_target static_rounds.py "$@"
