#!/bin/sh
# Our hello and nginx under wrk, in turns: builds hello, then loadtest/http_rounds.py, which takes the options.
#
#   loadtest/http.sh [--rounds N] [--seconds N] [--io auto|uring|epoll] [--scenarios 64,512,64x16] [--servers volt,nginx]
set -eu
cd "$(dirname "$0")/.."
for program in wrk nginx python3; do
  PATH=$PATH:/usr/sbin command -v $program >/dev/null || { echo "http.sh: apt-get install $program" >&2; exit 1; }
done
case " $* " in
  *" --build "* | *" --build="* | *" --help "*) ;;
  *)
    mkdir -p build
    cmake --preset release >build/release.log
    ninja -C build/release hello >build/release.log || { cat build/release.log >&2; exit 1; }
    ;;
esac
exec python3 loadtest/http_rounds.py "$@"
