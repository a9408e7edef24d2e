#!/bin/sh
# SPDX-License-Identifier: MIT
# Measures full and resumed TLS handshakes of Volt and nginx, alternately.
#
#   loadtest/tls.sh [--rounds N] [--seconds N] [--io auto|uring|epoll] [--keys ecdsa,rsa] [--scenarios full,resumed]
exec "$(dirname "$0")/rounds.sh" tls_rounds.py "$@"
