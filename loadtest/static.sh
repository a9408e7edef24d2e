#!/bin/sh
# Files served by us and by nginx under wrk, in turns: loadtest/static_rounds.py, which takes the options.
#
#   loadtest/static.sh [--rounds N] [--seconds N] [--io auto|uring|epoll] [--sizes 1k,64k,10m] [--servers volt,nginx]
set -eu
cd "$(dirname "$0")/.."
for program in wrk nginx python3; do
  PATH=$PATH:/usr/sbin command -v $program >/dev/null || { echo "static.sh: apt-get install $program" >&2; exit 1; }
done
case " $* " in
  *" --build "* | *" --build="* | *" --help "*) ;;
  *)
    mkdir -p build
    cmake --preset release >build/release.log
    ninja -C build/release conformance_target >build/release.log || { cat build/release.log >&2; exit 1; }
    ;;
esac
exec python3 loadtest/static_rounds.py "$@"
