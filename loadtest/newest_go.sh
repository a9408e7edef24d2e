#!/bin/sh
# SPDX-License-Identifier: MIT
# Unpacks the newest Go of Debian unstable under build/packages/go and prints the folder of its programs. Installs
# nothing. Go of a Debian release is years old, and its scheduler has changed since.
#
#   PATH=$(loadtest/newest_go.sh):$PATH loadtest/heavy.py
set -eu
cd "$(dirname "$0")/.."
root=$PWD
say() { echo "$@" >&2; }
die() { say "newest_go.sh: $*"; exit 1; }
. cmake/unpack.sh

go=$root/build/packages/go
if [ ! -d "$go" ]; then
  is_debian || die "not Debian: put a newer go in the PATH yourself"
  private=$root/build/packages/apt-go
  private_apt "$private" sid "$(dpkg --print-architecture)" "put a newer go in the PATH yourself"
  version=$(apt-cache -c "$private/apt.conf" search --names-only '^golang-[0-9.]*-go$' |
    sed 's/^golang-\([0-9.]*\)-go .*/\1/' | sort -V | tail -n 1)
  (cd "$private" && apt-get -c "$private/apt.conf" -qq download "golang-$version-go" "golang-$version-src")
  rm -rf "$go.part"
  for package in "$private"/golang-*.deb; do
    dpkg-deb -x "$package" "$go.part"
  done
  mv "$go.part" "$go"
  rm -rf "$private"
fi
echo "$go"/usr/lib/go-*/bin
