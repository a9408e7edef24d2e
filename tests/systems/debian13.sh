# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # $root is of dev
# A Debian 13 in a folder, for tests on other systems, above all on Debian 12, which has no g++ that Volt supports.
# `dev` sources this file, which uses its functions.
#
# mmdebstrap makes build/debian13/system from this system's own Debian mirrors, as `dev` does for llhttp, with the
# signatures checked. It stays there until other packages are needed. Commands run in it by chroot, in a mount namespace
# (enter.sh): the tree is /volt there, and build/debian13/build is /volt/build. So the presets, their folders and `dev`
# itself are the same in both systems, and the outputs do not mix. The kernel is this system's, with both engines.

debian13=build/debian13

is_debian13() { (. /etc/os-release && [ "$ID" = debian ] && [ "${VERSION_ID:-13}" -ge 13 ]); }

may_mount() { as_root unshare --mount true 2>/dev/null; }
no_mounts="mounting file systems is not permitted here (in a container, use --privileged)"

# bootstrap SUITE SYSTEM FOLDER OPTION...: makes a Debian of this suite in SYSTEM, from the apt sources in FOLDER/sources.
bootstrap() {
  made=$2 folder=$3 of=$1
  shift 3
  apt-config dump | grep -E '^Acquire::(http|https|Retries|Check-Valid-Until)\b' >"$folder/apt.conf" || true
  as_root mmdebstrap --mode=root "$@" --aptopt="$folder/apt.conf" --dpkgopt=force-unsafe-io "$of" "$made" \
    "$folder/sources"/* >"$folder/log" 2>&1 || { cat "$folder/log" >&2; die "mmdebstrap failed"; }
}

# make_debian13 PACKAGE...: makes the system with these packages, unless it exists already.
make_debian13() {
  may_mount || die "this needs a Debian 13 under $debian13, and $no_mounts"
  mkdir -p $debian13/build
  . ./cmake/unpack.sh
  rm -rf $debian13/sources
  mkdir -p $debian13/sources
  debian_sources $debian13/sources trixie
  [ -n "$(ls $debian13/sources)" ] || die "found no Debian main archive among the apt sources"
  { echo "$@"; cat $debian13/sources/*; } >$debian13/wanted
  ! cmp -s $debian13/wanted $debian13/made || return 0
  say "making a Debian 13 under $debian13/system; this takes some minutes"
  as_root rm -rf --one-file-system $debian13/system $debian13/system.part
  bootstrap trixie $debian13/system.part $debian13 --variant=apt --include="$*" \
    --aptopt='APT::Install-Recommends "false"'
  as_root mv $debian13/system.part $debian13/system
  mv $debian13/wanted $debian13/made
}

# enter SYSTEM TREE OUTPUTS UID:GID COMMAND...: runs a command in a system (enter.sh), with the variables of `dev`.
enter() {
  system=$1 tree=$2 outputs=$3 user=$4
  shift 4
  as_root unshare --mount tests/systems/enter.sh "$system" "$tree" "$outputs" "$user" TERM="${TERM:-dumb}" \
    ${VOLT_JOBS:+"VOLT_JOBS=$VOLT_JOBS"} ${VOLT_STRESS_FACTOR:+"VOLT_STRESS_FACTOR=$VOLT_STRESS_FACTOR"} \
    ${VOLT_TEST_ALL:+"VOLT_TEST_ALL=$VOLT_TEST_ALL"} \
    ${VOLT_TEST_TIMEOUT_FACTOR:+"VOLT_TEST_TIMEOUT_FACTOR=$VOLT_TEST_TIMEOUT_FACTOR"} "$@"
}

# in_debian13 COMMAND...: runs `dev` with this command in the system, as the calling user.
in_debian13() {
  say "dev $* on Debian 13"
  enter "$root/$debian13/system" "$root" "$root/$debian13/build" "$(id -u):$(id -g)" ./dev "$@" ||
    die "dev $* failed on Debian 13; its outputs are in $debian13/build"
}
