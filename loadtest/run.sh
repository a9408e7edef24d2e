#!/bin/sh
# Ours and its peers, in turns, through all scenarios; what comes out is in loadtest/results/DATE. --help lists more.
#
#   loadtest/run.sh [--scenarios LIST] [--peers LIST] [--rounds N] [--seconds N]
exec "$(dirname "$0")/rounds.sh" all_rounds.py "$@"
