# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # $root is of dev
# A Debian with nothing installed in a folder, and a clone of this tree in it: what a newcomer begins with. `dev` sources
# this file, which uses its functions.
#
# mmdebstrap makes build/fresh/SUITE/system from this system's own Debian mirrors: the packages that Debian calls
# essential, and apt. build/fresh/SUITE/tree is a clone of what is committed here. Each call deletes both and makes them again.

# make_fresh SUITE: makes the system of this suite (bookworm, trixie), and the clone.
make_fresh() {
  may_mount || die "this needs a Debian under build/fresh, and $no_mounts"
  fresh=build/fresh/$1
  . ./cmake/unpack.sh
  as_root rm -rf --one-file-system "$fresh"
  mkdir -p "$fresh/sources"
  debian_sources "$fresh/sources" "$1"
  [ -n "$(ls "$fresh/sources")" ] || die "found no Debian main archive among the apt sources"
  say "making a Debian $1 with nothing installed under $fresh/system"
  apt-config dump | grep -E '^Acquire::(http|https|Retries|Check-Valid-Until)\b' >"$fresh/apt.conf" || true
  as_root mmdebstrap --mode=root --variant=minbase --aptopt="$fresh/apt.conf" --dpkgopt=force-unsafe-io "$1" \
    "$fresh/system" "$fresh/sources"/* >"$fresh/log" 2>&1 || { cat "$fresh/log" >&2; die "mmdebstrap failed"; }
  git clone --quiet . "$fresh/tree" || die "the clone of this tree failed"
  mkdir "$fresh/tree/build"
}

# in_fresh SUITE COMMAND...: runs a command in the clone there, as root.
in_fresh() {
  folder=$root/build/fresh/$1
  shift
  as_root unshare --mount tests/systems/enter.sh "$folder/system" "$folder/tree" "$folder/tree/build" 0:0 \
    TERM="${TERM:-dumb}" ${VOLT_JOBS:+"VOLT_JOBS=$VOLT_JOBS"} \
    ${VOLT_STRESS_FACTOR:+"VOLT_STRESS_FACTOR=$VOLT_STRESS_FACTOR"} \
    ${VOLT_TEST_TIMEOUT_FACTOR:+"VOLT_TEST_TIMEOUT_FACTOR=$VOLT_TEST_TIMEOUT_FACTOR"} "$@"
}
