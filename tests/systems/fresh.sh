# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # $root is of dev
# A Debian with nothing installed in a folder, and a clone of this tree in it: what a newcomer begins with. `dev` sources
# this file, which uses its functions.
#
# mmdebstrap makes build/fresh/SUITE/system from this system's own Debian mirrors: the packages that Debian calls
# essential, and apt. build/fresh/SUITE/tree is a clone of what is committed here. Each call replaces both.

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
  bootstrap "$1" "$fresh/system" "$fresh" --variant=minbase
  git clone --quiet . "$fresh/tree" || die "the clone of this tree failed"
  mkdir "$fresh/tree/build"
}

# in_fresh SUITE COMMAND...: runs a command in the clone there, as root.
in_fresh() {
  fresh=$root/build/fresh/$1
  shift
  enter "$fresh/system" "$fresh/tree" "$fresh/tree/build" 0:0 "$@"
}
