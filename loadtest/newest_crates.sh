#!/bin/sh
# SPDX-License-Identifier: MIT
# Unpacks the newest Tokio and rayon of Debian unstable, with all that they need, under build/packages/crates, and prints
# the folder of the crates. Installs nothing. The crates of a Debian release are years old; those of unstable need a
# newer compiler as well (rustc 1.85 or later).
#
#   VOLT_CRATES=$(loadtest/newest_crates.sh) loadtest/micro/run.sh
set -eu
cd "$(dirname "$0")/.."
root=$PWD
say() { echo "$@" >&2; }
die() { say "newest_crates.sh: $*"; exit 1; }
. cmake/unpack.sh

crates=$root/build/packages/crates
if [ ! -d "$crates" ]; then
  is_debian || die "not Debian: set VOLT_CRATES to a folder of crates, as cargo vendor --versioned-dirs makes one"
  private=$root/build/packages/apt-crates
  private_apt "$private" sid "$(dpkg --print-architecture)" "set VOLT_CRATES to a folder of crates"
  apt-get -c "$private/apt.conf" -qq --yes --download-only --no-install-recommends install librust-tokio-dev \
    librust-rayon-dev >&2
  rm -rf "$crates.part"
  for package in "$private"/archives/librust-*.deb; do
    dpkg-deb -x "$package" "$crates.part"
  done
  mv "$crates.part" "$crates"
  rm -rf "$private"
fi
echo "$crates/usr/share/cargo/registry"
