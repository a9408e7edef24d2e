# SPDX-License-Identifier: MIT
# The parts of `./dev fuzz`, which sources this file. tests/fuzz/README.md describes the folders.

fuzz_corpora=${VOLT_FUZZ_CORPUS:-build/fuzz/corpus}
fuzz_spent=build/fuzz/spent          # a file for each target: the seconds that schedules have run it
fuzz_slice=${VOLT_FUZZ_SLICE:-600}   # seconds of a target's turn in a schedule

fuzz_targets() { (cd tests/fuzz && printf '%s\n' *_fuzz.cpp | sed 's/_fuzz\.cpp$//'); }

# Builds the programs of the targets.
fuzz_build() {
  programs=
  for target; do
    [ -e "tests/fuzz/${target}_fuzz.cpp" ] || die "there is no tests/fuzz/${target}_fuzz.cpp"
    programs="$programs ${target}_fuzz"
  done
  say "building$programs"
  # shellcheck disable=SC2086
  build fuzz $programs
}

# fuzz_run TARGET ARGUMENT...: runs the program of the target, with its log in build/fuzz/TARGET.log.
fuzz_run() {
  target=$1
  shift
  log=build/fuzz/$target.log
  ASAN_SYMBOLIZER_PATH=$(command -v llvm-symbolizer-19) "build/fuzz/bin/${target}_fuzz" -timeout=10 -rss_limit_mb=4096 \
    "$@" >"$log" 2>&1
}

# fuzz_one SECONDS TARGET: prints the last lines of libFuzzer's log; if it has a finding, prints more and ends with an
# error.
fuzz_one() {
  corpus=$fuzz_corpora/$2
  findings=build/fuzz/findings/$2
  mkdir -p "$corpus" "$findings"
  seeds=
  [ ! -d "tests/corpus/$2" ] || seeds=tests/corpus/$2
  say "$2: $1 seconds"
  # shellcheck disable=SC2086 # nothing, or one word
  if fuzz_run "$2" -max_total_time="$1" -print_final_stats=1 -artifact_prefix="$findings/" "$corpus" $seeds; then
    grep -E '^(Done|stat::(average_exec|peak_rss))' "$log"
    return
  fi
  tail -n 60 "$log" >&2
  found=$(sed -n 's/^.*Test unit written to //p' "$log" | tail -n 1)
  die "$2 has a finding; log: $log${found:+; reproduce it with: build/fuzz/bin/$2_fuzz $found}"
}

# fuzz_minimize TARGET: keeps the smallest inputs that reach the code which the corpus reaches. The old corpus is replaced
# only when the new one is complete.
fuzz_minimize() {
  corpus=$fuzz_corpora/$1
  rm -rf "$corpus.new"
  mkdir -p "$corpus.new"
  fuzz_run "$1" -merge=1 "$corpus.new" "$corpus" || die "minimizing $corpus failed; log: $log"
  before=$(find "$corpus" -type f | wc -l)
  rm -rf "$corpus"
  mv "$corpus.new" "$corpus"
  say "$1: $before inputs minimized to $(find "$corpus" -type f | wc -l)"
}

# fuzz_each [SECONDS] [TARGET...]
fuzz_each() {
  seconds=600
  case ${1:-} in
    '' | *[!0-9]*) ;;
    *) seconds=$1; shift ;;
  esac
  # shellcheck disable=SC2046 # a list of words
  [ $# -gt 0 ] || set -- $(fuzz_targets)
  for target; do
    set -- "$@" "${target%_fuzz}"
    shift
  done
  fuzz_build "$@"
  for target; do
    fuzz_one "$seconds" "$target"
  done
  say "no findings"
}

fuzz_seconds_of() { cat "$fuzz_spent/$1" 2>/dev/null || echo 0; }

# Prints the target that schedules have run least.
fuzz_next() {
  for target in $(fuzz_targets); do
    echo "$(fuzz_seconds_of "$target") $target"
  done | sort -n -k 1,1 -s | sed -n '1s/^[0-9]* //p'
}

# fuzz_schedule [HOURS]
fuzz_schedule() {
  hours=${1:-8}
  case $hours in
    '' | *[!0-9]*) die "fuzz --schedule takes a number of hours" ;;
  esac
  # shellcheck disable=SC2046 # a list of words
  fuzz_build $(fuzz_targets)
  mkdir -p "$fuzz_spent"
  turns=$((hours * 3600 / fuzz_slice))
  while [ "$turns" -gt 0 ]; do
    turns=$((turns - 1))
    next=$(fuzz_next)
    fuzz_one "$fuzz_slice" "$next"
    # After the run, so that an interrupted turn is repeated.
    spent=$(($(fuzz_seconds_of "$next") + fuzz_slice))
    echo "$spent" >"$fuzz_spent/$next"
    fuzz_minimize "$next"
  done
  say "no findings; seconds of each target so far:"
  for target in $(fuzz_targets); do
    printf '%8s %s\n' "$(fuzz_seconds_of "$target")" "$target"
  done
}
