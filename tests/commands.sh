# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # $root, and the lists of packages, are of dev
# What `./dev test` does, by its options. `dev` sources this file, which uses its functions.

# suite PRESET [STRESS [NEXT [SECONDS]]]: builds and tests. STRESS scales the rounds of the stress tests (default 1);
# VOLT_STRESS_FACTOR overrides it. Builds the preset NEXT beside the tests, or goes on with it if its build has begun.
# If fewer than SECONDS are left (VOLT_TEST_ENDS_BY), leaves out the tests that start servers.
suite() {
  say "$1: build"
  [ -n "$ahead" ] && [ "$ahead" = "${3:-}" ] || end_building_ahead
  build "$1"
  say "$1: test"
  VOLT_STRESS_FACTOR=${VOLT_STRESS_FACTOR:-${2:-1}}
  export VOLT_STRESS_FACTOR
  [ -z "${3:-}" ] || build_ahead "$3"
  tests="ctest --test-dir build/$1 --output-on-failure --no-tests=error"
  if is_late "${4:-0}"; then
    say "$1: NOT TESTED with servers (e2e, promises, conformance, misuse_serve): the other tests would not end in time"
    tests="$tests --exclude-regex ^(e2e|promises|conformance|misuse_serve)_"
  fi
  log=build/$1/tests.log
  # Most tests wait most of the time, so two share a processor; those that compute count as two (PROCESSORS).
  { $tests --parallel "$((${VOLT_JOBS:-$(nproc)} * 2))" && : >"build/$1/passed" || rm -f "build/$1/passed"; } | tee "$log"
  [ ! -e "build/$1/passed" ] || return 0
  missed_time_only "$1" "$log" || return 1
  end_building_ahead
  say "$1: what failed, once more and with nothing beside it"
  $tests --rerun-failed || return 1
  say "$1: these tests FAILED ONCE, which is a defect of the test or of the code:"
  cat "build/$1/failed_once"
}

# is_late SECONDS: whether fewer than SECONDS are left until VOLT_TEST_ENDS_BY, if that is set: a CI server ends a run that
# takes too long, and then its other results are lost.
is_late() {
  [ -n "${VOLT_TEST_ENDS_BY:-}" ] && [ "$((VOLT_TEST_ENDS_BY - $(date +%s)))" -lt "$1" ]
}

# Begins to build PRESET, unless that has begun, while the tests of another one run, which wait most of the time. The
# build gets only processor time that nothing else wants (give_way of dev), and ends with this script.
building_ahead=
ahead=
build_ahead() {
  [ "$ahead" != "$1" ] || return 0
  ahead=$1
  VOLT_BUILD_AHEAD=1 setsid ./dev build "$1" >"build/$1.ahead.log" 2>&1 &
  building_ahead=$!
  trap stop_building_ahead EXIT
  trap 'exit 1' INT TERM
}

# Does not fail, because its status would become that of the script. The process has no group of its own until setsid runs.
stop_building_ahead() {
  [ -z "$building_ahead" ] || kill -- "-$building_ahead" 2>/dev/null || kill "$building_ahead" 2>/dev/null || :
}

# If that build has failed, the same build says why when it is made again.
end_building_ahead() {
  [ -z "$building_ahead" ] || wait "$building_ahead" || :
  building_ahead=
  ahead=
}

# missed_time_only PRESET LOG: whether what failed may have missed a bound of time because another test ran beside it.
# A crash, a test that does not end, what a sanitizer reports, and more than three failures have other causes.
missed_time_only() {
  failed=build/$1/Testing/Temporary/LastTestsFailed.log
  [ -s "$failed" ] && [ "$(wc -l <"$failed")" -le 3 ] || return 1
  cp "$failed" "build/$1/failed_once"
  ! grep -qE 'Exception: |\*\*\*(Timeout|Not Run)|Sanitizer: |: runtime error: |volt: SIG|SIG[A-Z]+ - |CHECK\(.*\) failed' "$2"
}

# Makes sure that this system is a Debian 13, or that there is one under build/debian13 (tests/systems/debian13.sh).
prepare_debian13() {
  . tests/systems/debian13.sh
  # shellcheck disable=SC2086 # lists of words
  if is_debian13; then
    need $to_test_gcc
  else
    need mmdebstrap
    make_debian13 $to_test_gcc libllhttp-dev
  fi
}

run_tests() {
  case ${1:-} in
    --kernels | --long | --fresh | --busy) ;;
    *) [ $# -le 1 ] || die "test takes one option" ;;
  esac
  # shellcheck disable=SC2086
  case ${1:-} in
    '') need $to_test $to_docs; test_all ;;
    --quick) need $to_test $to_docs; quick_if_first; suite release ;;
    --gcc) test_gcc ;;
    --debian13) prepare_debian13; test_debian13 ;;
    --fresh) shift; test_fresh "$@" ;;
    --model) test_models ;;
    --long) shift; test_long "$@" ;;
    --busy) shift; test_busy "${1:-10}" ;;
    --arm64) test_cross ;;
    --kernels) shift; test_kernels "$@" ;;
    *) die "test takes --quick, --gcc, --debian13, --fresh, --model, --long, --busy, --arm64, --kernels or no argument" ;;
  esac
}

# test_gcc [NEXT]: builds the preset NEXT beside the tests.
test_gcc() {
  end_building_ahead
  prepare_debian13
  if is_debian13; then
    suite gcc 0.1 "$@"
  else
    [ $# = 0 ] || build_ahead "$1"
    in_debian13 test --gcc
  fi
}

test_debian13() {
  if is_debian13; then
    suite release 0.3 gcc
    suite gcc 0.1
  else
    in_debian13 test --debian13
  fi
}

test_fresh() {
  need mmdebstrap git
  . tests/systems/debian13.sh
  . tests/systems/fresh.sh
  suites="bookworm trixie"
  if [ $# != 0 ]; then
    suites=$1
    shift
  fi
  for suite in $suites; do
    make_fresh "$suite"
    say "dev run hello on Debian $suite"
    in_fresh "$suite" tests/systems/first_run.sh || die "dev run hello failed on Debian $suite"
    [ $# = 0 ] || in_fresh "$suite" ./dev "$@" || die "dev $* failed on Debian $suite"
  done
}

test_all() {
  check_format
  . tests/systems/debian13.sh
  no_gcc=
  is_debian13 || may_mount || no_gcc="it needs a Debian 13 under build/debian13, and $no_mounts"
  quick_if_first
  if [ -z "$no_gcc" ]; then
    is_debian13 || need mmdebstrap
    build_ahead gcc  # now, because the download of Debian 13 takes some minutes
    suite release 0.15 gcc
  else
    suite release 0.15 asan
  fi
  say "release: each public header compiles alone"
  build release all_verify_interface_header_sets
  [ -n "$no_gcc" ] || test_gcc asan
  suite asan 0.15 tsan 1400
  test_tsan
  [ -z "$no_gcc" ] || say "NOT TESTED with g++ 14: $no_gcc"
}

# Looks at the time again after the build, the rest of which may take long.
test_tsan() {
  not_tested="NOT TESTED with the thread sanitizer: its tests would not end in time"
  if is_late 600; then
    say "$not_tested"
    return
  fi
  end_building_ahead
  say "tsan: build"
  build tsan
  if is_late 420; then
    say "$not_tested"
    return
  fi
  suite tsan 0.15
}

test_models() {
  # shellcheck disable=SC2086
  need $to_model
  say "Spin: all states of the protocols"
  tests/model/spin.sh
  say "thread sanitizer: the model bodies on real threads"
  build tsan model_stress_tests
  build/tsan/tests/model/model_stress_tests
  say "explorer: every schedule within the full bounds; this takes some minutes"
  quick_if_first
  build release model_tests
  VOLT_MODEL=full build/release/tests/model/model_tests --success
}

test_long() {
  # shellcheck disable=SC2086
  need $to_long
  quick_if_first
  say "release: build"
  build release
  tests/promises/run.py build/release "$@"
}

# test_busy RUNS: as often, and without repeating what fails, on processors of which the tests get a fifth or so.
test_busy() {
  # shellcheck disable=SC2086
  need $to_test $to_docs
  quick_if_first
  build release
  busy=
  trap 'kill $busy 2>/dev/null || :' EXIT  # keeps the status of the script
  trap 'exit 1' INT TERM
  for _ in $(seq "$((4 * $(nproc)))"); do
    sh -c 'while :; do :; done' &
    busy="$busy $!"
  done
  failed=0
  for run in $(seq "$1"); do
    log=build/release/busy.$run.log
    VOLT_STRESS_FACTOR=${VOLT_STRESS_FACTOR:-0.15} ctest --test-dir build/release --output-on-failure --no-tests=error \
      --parallel "$((${VOLT_JOBS:-$(nproc)} * 2))" >"$log" 2>&1 || failed=$((failed + 1))
    say "run $run of $1: $(grep -E '^[0-9]+% tests passed|^Total Test' "$log" | paste -s -d ' ')"
    sed -n '/^The following tests FAILED/,$p' "$log"
  done
  [ "$failed" = 0 ] || die "$failed of $1 runs failed: build/release/busy.*.log"
}

# Only what tests/CMakeLists.txt registers in a cross build.
test_cross() {
  need_cross
  say "arm64: build"
  build arm64 hello runtime_tests http_tests stress_tests
  say "arm64: test, under QEMU"
  VOLT_STRESS_FACTOR=${VOLT_STRESS_FACTOR:-0.1} \
    ctest --test-dir build/arm64 --parallel "${VOLT_JOBS:-$(nproc)}" --output-on-failure --no-tests=error
}

test_kernels() {
  [ "$(dpkg --print-architecture 2>/dev/null)" != arm64 ] || die "the kernels are those of amd64, and this system is ARM64"
  # shellcheck disable=SC2086
  need $to_boot
  . ./cmake/unpack.sh
  [ $# -gt 0 ] || set -- 6.1 6.12 5.10
  for version; do
    unpack_kernel "$version" || true  # boot.py reports it
  done
  say "release: build"
  quick_if_first
  build release hello kernel_tests runtime_tests stress_tests http_tests
  tests/kernels/boot.py build/release "$kernels" "$@"
}
