#!/bin/sh
# SPDX-License-Identifier: MIT
# Measures Volt and other servers alternately in all scenarios. Results are written to loadtest/results/DATE. --help
# lists all options.
#
#   loadtest/run.sh [--scenarios LIST] [--peers LIST] [--rounds N] [--seconds N]
exec "$(dirname "$0")/rounds.sh" all_rounds.py "$@"
