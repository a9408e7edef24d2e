#!/bin/sh
# SPDX-License-Identifier: MIT
# Measures the scheduler rows of Volt, Tokio, Go, rayon and oneTBB in one session, alternately, each row in a process of
# its own, and prints a table.
#
#   loadtest/micro/run.sh [--rounds N] [--workers N] [--io auto|uring|epoll] [--only ROW] [--peer NAME=PROGRAM]..
#
# Tokio and rayon need cargo and Debian's librust-tokio-dev and librust-rayon-dev, Go needs golang-go, oneTBB
# libtbb-dev; runtimes that are not installed are left out. rayon and oneTBB have only the fork-join rows, Tokio and Go
# most of the others. --only takes a list as well: --only 'mutex_8 notify'. --peer adds a program of your own, such as
# --peer tokio-1.53=PATH: it is run as PROGRAM --workers N --only ROW and prints lines "name<tab>value", or nothing if it
# has no such row.
# VOLT_CRATES=DIR names a folder of crates, such as the newest of Debian unstable (loadtest/newest_crates.sh).
# VOLT_BUILD=DIR names another build of Volt than build/release. The output of each process is kept in
# build/loadtest/rows.
set -eu
cd "$(dirname "$0")/../.."

rounds=3
workers=2
io=auto
only=
others=  # lines NAME=PROGRAM
failed=0
while [ $# -gt 0 ]; do
  [ $# -gt 1 ] || { sed -n '3,15s/^# \{0,1\}//p' loadtest/micro/run.sh; exit 2; }
  case $1 in
    --rounds) rounds=$2 ;;
    --workers) workers=$2 ;;
    --io) io=$2 ;;
    --only) only=$2 ;;
    --peer) others="$others$2
" ;;
    *) sed -n '3,15s/^# \{0,1\}//p' loadtest/micro/run.sh; exit 2 ;;
  esac
  shift 2
done

say() { printf '== %s\n' "$*" >&2; }

# Refuses a peer that cannot be run, or whose name is taken.
printf %s "$others" | {
  taken=' volt tokio rayon go onetbb '
  while IFS='=' read -r name program; do
    case $name in
      '' | *[!A-Za-z0-9._-]*) say "--peer $name: a name may contain letters, digits, '.', '_' and '-'"; exit 2 ;;
    esac
    case $taken in
      *" $name "*) say "--peer $name: the name is taken"; exit 2 ;;
    esac
    command -v "$program" >/dev/null || { say "--peer $name: no program '$program'"; exit 2; }
    taken="$taken$name "
  done
} || exit 2

volt=${VOLT_BUILD:-build/release}
if [ -z "${VOLT_BUILD:-}" ]; then
  mkdir -p build
  cmake --preset release >build/release.log
  ninja -C build/release scheduler_rows >build/release.log || { cat build/release.log >&2; exit 1; }
fi

results=build/loadtest/rows
peers=build/loadtest/peers
rm -rf $results
mkdir -p $results $peers
runtimes=volt
# Builds from a copy, because cargo and go write beside their sources.
installed=/usr/share/cargo/registry
crates=${VOLT_CRATES-$installed}
case $crates in
  /*) ;;
  *) say "VOLT_CRATES must be an absolute path"; exit 2 ;;
esac
for crate in tokio rayon; do
  if command -v cargo >/dev/null && ls -d "$crates/$crate"-1* >/dev/null 2>&1; then
    rm -rf $peers/$crate/src $peers/$crate/.cargo
    cp -r loadtest/micro/peers/$crate $peers/
    sed -i "s|$installed|$crates|" $peers/$crate/.cargo/config.toml
    (cd $peers/$crate && rm -f Cargo.lock && cargo build --release --offline --quiet)
    runtimes="$runtimes $crate"
  else
    say "no $crate: apt-get install cargo librust-$crate-dev"
  fi
done
if command -v go >/dev/null; then
  rm -rf $peers/go
  cp -r loadtest/micro/peers/go $peers/
  (cd $peers/go && go build -o go_rows .)
  runtimes="$runtimes go"
else
  say "no Go: apt-get install golang-go"
fi
if [ -e /usr/include/tbb/parallel_invoke.h ]; then
  ${CXX:-c++} -std=c++20 -O3 -o $peers/onetbb_rows loadtest/micro/peers/onetbb/main.cpp -ltbb
  runtimes="$runtimes onetbb"
else
  say "no oneTBB: apt-get install libtbb-dev"
fi

runtimes="$runtimes $(printf %s "$others" | sed 's/=.*//' | tr '\n' ' ')"

# measure RUNTIME ROW prints nothing if the runtime has no such row.
measure() {
  case $1 in
    volt) "$volt/bin/scheduler_rows" --plain --repeat 1 --workers "$workers" --io "$io" --only "$2" ;;
    tokio | rayon) $peers/$1/target/release/$1_rows --workers "$workers" --only "$2" ;;
    go) $peers/go/go_rows --workers "$workers" --only "$2" ;;
    onetbb) $peers/onetbb_rows --workers "$workers" --only "$2" ;;
    *) "$(printf %s "$others" | awk -F= -v name="$1" '$1 "" == name { print substr($0, length(name) + 2); exit }')" \
      --workers "$workers" --only "$2" ;;
  esac
}

rows=${only:-$("$volt/bin/scheduler_rows" --list)}
round=0
while [ $round -lt "$rounds" ]; do
  round=$((round + 1))
  say "round $round of $rounds"
  for runtime in $runtimes; do : >"$results/$runtime.$round"; done
  for row in $rows; do
    for runtime in $runtimes; do
      if measure "$runtime" "$row" >$results.row; then
        cat $results.row >>"$results/$runtime.$round"
      else
        say "$runtime failed in $row"
        failed=1
      fi
    done
  done
done
python3 loadtest/micro/compare.py $results
exit $failed
