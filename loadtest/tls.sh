#!/bin/sh
# TLS handshakes by us and by nginx, in turns, and resumed ones.
#
#   loadtest/tls.sh [--rounds N] [--seconds N] [--io auto|uring|epoll] [--keys ecdsa,rsa] [--scenarios full,resumed]
exec "$(dirname "$0")/rounds.sh" tls_rounds.py "$@"
