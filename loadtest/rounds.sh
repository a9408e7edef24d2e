#!/bin/sh
# What http.sh, static.sh and tls.sh have in common: rounds.sh TARGET SCRIPT OPTION... builds the target, unless --build
# says where one is, then runs the script.
set -eu
cd "$(dirname "$0")/.."
target=$1
script=$2
shift 2
for program in wrk nginx openssl python3; do
  PATH=$PATH:/usr/sbin command -v $program >/dev/null || { echo "$script: apt-get install $program" >&2; exit 1; }
done
case " $* " in
  *" --build "* | *" --build="* | *" --help "*) ;;
  *)
    mkdir -p build
    cmake --preset release >build/release.log
    ninja -C build/release "$target" >build/release.log || { cat build/release.log >&2; exit 1; }
    ;;
esac
exec python3 "loadtest/$script" "$@"
