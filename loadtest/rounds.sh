#!/bin/sh
# SPDX-License-Identifier: MIT
# The common part of run.sh and tls.sh: rounds.sh SCRIPT OPTION... builds loadtest_server and heavy_driver, unless --build names
# another build folder, and runs the script.
set -eu
cd "$(dirname "$0")/.."
script=$1
shift
for program in wrk openssl python3; do
  command -v $program >/dev/null || { echo "$script: apt-get install $program" >&2; exit 1; }
done
case " $* " in
  *" --build "* | *" --build="* | *" --help "*) ;;
  *)
    mkdir -p build
    cmake --preset release -DVOLT_FAST_BUILD=OFF >build/release.log
    ninja -C build/release loadtest_server heavy_driver >build/release.log || { cat build/release.log >&2; exit 1; }
    ;;
esac
exec python3 "loadtest/$script" "$@"
