#!/bin/sh
# TLS by us and by nginx, in turns: handshakes, resumed ones, and requests on connections that stay open.
#
#   loadtest/tls.sh [--rounds N] [--seconds N] [--io auto|uring|epoll] [--keys ecdsa,rsa] [--scenarios full,resumed,open]
exec "$(dirname "$0")/rounds.sh" hello tls_rounds.py "$@"
