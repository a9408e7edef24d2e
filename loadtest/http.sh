#!/bin/sh
# Our hello and nginx under wrk, in turns.
#
#   loadtest/http.sh [--rounds N] [--seconds N] [--io auto|uring|epoll] [--scenarios 64,512,64x16] [--servers volt,nginx]
exec "$(dirname "$0")/rounds.sh" hello http_rounds.py "$@"
