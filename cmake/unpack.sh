# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # ./dev has assigned its variables
# Part of ./dev: packages that are unpacked under build/packages, not installed. apt downloads them with a configuration
# and state of its own: the machine's own Debian sources, perhaps with another suite or architecture, so that mirrors,
# proxies and, above all, the signature check stay in force.

# private_apt FOLDER SUITE ARCHITECTURE REMEDY: makes such a configuration, FOLDER/apt.conf, and fetches its package
# lists. If that is impossible, ends with REMEDY.
private_apt() {
  rm -rf "$1"
  mkdir -p "$1/lists/partial" "$1/archives/partial" "$1/sources"
  : >"$1/status"
  debian_sources "$1/sources" "$2"
  [ -n "$(ls "$1/sources")" ] || die "found no Debian main archive among the apt sources; $4"
  cat >"$1/apt.conf" <<END
Dir::State "$1";
Dir::State::status "$1/status";
Dir::State::lists "$1/lists";
Dir::Cache "$1";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$1/sources";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
APT::Architecture "$3";
APT::Architectures { "$3"; };
APT::Sandbox::User "root";
Acquire::Languages "none";
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
END
  apt-get -c "$1/apt.conf" -qq update
}

is_debian() { (. /etc/os-release && [ "$ID" = debian ]); }
debian_suite() { (. /etc/os-release && echo "${VERSION_CODENAME:-}"); }

# debian_sources FOLDER SUITE: writes this system's apt sources for its Debian release into FOLDER, with the suite
# changed to SUITE. An entry signed with another key than Debian's archive key belongs to a third party and is left out;
# an entry without a key gets the archive key. Restrictions to an architecture are dropped: private_apt has its own.
debian_sources() {
  codename=$(debian_suite)
  keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  # One-line style: deb [options] uri suite components
  cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
    awk -v from="$codename" -v to="$2" -v keyring="$keyring" '
    $1 == "deb" {
      options = ""; field = 2
      if ($2 ~ /^\[/) {
        do { options = options " " $field } while ($(field++) !~ /\]$/)
        gsub(/[][]/, "", options)
        gsub(/arch=[^ ]*/, "", options)
      }
      if ($(field + 1) != from || $(field + 2) != "main") next
      if (options ~ /signed-by=/) { if (options !~ /debian-archive/) next }
      else options = options " signed-by=" keyring
      print "deb [" options " ] " $field " " to " main"
    }' >"$1/debian.list"
  # deb822 style: stanzas of Field: value
  for file in /etc/apt/sources.list.d/*.sources; do
    [ -e "$file" ] && { cat "$file"; echo; }
  done | grep -v '^#' | awk -v from="$codename" -v to="$2" -v keyring="$keyring" '
    function value(line) { sub(/^[^:]*:[ \t]*/, "", line); return line }
    BEGIN { RS = ""; FS = "\n" }
    {
      stanza = ""; wanted = 0; key = 0; theirs = 0; off = 0
      for (i = 1; i <= NF; i++) {
        name = tolower($i); sub(/:.*/, "", name)
        if ($i ~ /^[ \t]/) name = "continued"
        if (name == "suites") { if ((" " value($i) " ") ~ (" " from " ")) wanted = 1; $i = "Suites: " to }
        if (name == "components") { if ((" " value($i) " ") !~ / main /) off = 1; $i = "Components: main" }
        if (name == "types") { if ((" " value($i) " ") !~ / deb /) off = 1; $i = "Types: deb" }
        if (name == "enabled" && tolower(value($i)) ~ /^(no|false|0)/) off = 1
        if (name == "signed-by") { key = 1; if (value($i) ~ /^\// && value($i) !~ /debian-archive/) theirs = 1 }
        if (name != "architectures") stanza = stanza $i "\n"
      }
      if (!key) stanza = stanza "Signed-By: " keyring "\n"
      if (wanted && !off && !theirs) print stanza
    }' >"$1/debian.sources"
  for file in "$1"/debian.*; do
    [ -s "$file" ] || rm "$file"
  done
}

# llhttp: Volt needs 9.2, because earlier versions accept requests that a server must refuse. Debian 13 has it. On Debian
# 12, the package of Debian 13 is unpacked: its static library and header need only libc.

llhttp_suite=trixie

# download_llhttp FOLDER ARCHITECTURE: downloads the package of Debian 13 into FOLDER.
download_llhttp() {
  is_debian || die "not Debian: install llhttp >= 9.2 (header and libllhttp.a) yourself"
  private_apt "$1" "$llhttp_suite" "$2" "install llhttp >= 9.2 yourself"
  (cd "$1" && apt-get -c "$1/apt.conf" -qq download libllhttp-dev)
}

unpack_llhttp() {
  say "unpacking llhttp of Debian $llhttp_suite under $llhttp_unpacked"
  private=$root/build/packages/apt
  rm -rf "$llhttp_unpacked" "$llhttp_unpacked.part"
  download_llhttp "$private" "$(dpkg --print-architecture)"
  dpkg-deb -x "$private"/libllhttp-dev_*.deb "$llhttp_unpacked.part"
  mv "$llhttp_unpacked.part" "$llhttp_unpacked"
  rm -rf "$private/lists" "$private"/*.bin
}

# The sysroot: ARM64's libraries of this Debian release, with all that they depend on, for cross builds. Rejected: a
# second architecture in the system's own dpkg, which changes the whole system and refuses some pairs of packages.

sysroot=build/packages/arm64

unpack_sysroot() {
  # shellcheck disable=SC2086 # a list of words
  libraries=$(printf '%s\n' $to_build | grep -e '-dev$' | tr '\n' ' ')
  made_of="$(debian_suite): $libraries"
  [ "$(cat $sysroot/made_of 2>/dev/null)" != "$made_of" ] || return 0
  is_debian || die "not Debian: set CMAKE_SYSROOT to a folder with ARM64's libraries and use cmake yourself"
  say "unpacking ARM64's libraries of Debian $(debian_suite) under $sysroot"
  private=$root/build/packages/apt-arm64
  private_apt "$private" "$(debian_suite)" arm64 "set CMAKE_SYSROOT and use cmake yourself"
  newest_gcc=$(apt-cache -c "$private/apt.conf" search --names-only '^libstdc\+\+-[0-9]+-dev$' |
    sed 's/^libstdc++-\([0-9]*\).*/\1/' | sort -n | tail -n 1)
  if system_offers_llhttp; then
    libraries="$libraries libllhttp-dev"
  fi
  # shellcheck disable=SC2086 # a list of words
  apt-get -c "$private/apt.conf" -qq --yes --no-install-recommends --download-only install \
    "libstdc++-$newest_gcc-dev" $libraries >"$private/log" 2>&1 || { cat "$private/log" >&2; die "download failed"; }
  if ! system_offers_llhttp; then
    download_llhttp "$private/llhttp" arm64
  fi
  rm -rf "$sysroot" "$sysroot.part"
  for folder in bin lib sbin; do  # packages of Debian 12 have files in both
    mkdir -p "$sysroot.part/usr/$folder"
    ln -s "usr/$folder" "$sysroot.part/$folder"
  done
  for package in "$private"/archives/*.deb "$private"/llhttp/*.deb; do
    [ ! -e "$package" ] || dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$sysroot.part"
  done
  find "$sysroot.part" -type l -lname '/*' | while read -r link; do
    ln -srf "$sysroot.part$(readlink "$link")" "$link"
  done
  echo "$made_of" >"$sysroot.part/made_of"
  mv "$sysroot.part" "$sysroot"
  rm -rf "$private"
}

# Kernels of other Debian releases, for tests/kernels: the cloud variant, which starts without modules in a virtual
# machine.

kernels=build/packages/kernels

# unpack_kernel VERSION: unpacks Debian's kernel of that version as $kernels/VERSION/vmlinuz. If it cannot be downloaded,
# returns an error.
unpack_kernel() {
  case $1 in
    5.10) suite=bullseye ;;
    6.1) suite=bookworm ;;
    6.12) suite=trixie ;;
    *) die "no such kernel: $1; there are: 5.10 6.1 6.12" ;;
  esac
  [ ! -e "$kernels/$1/vmlinuz" ] || return 0
  is_debian || die "not Debian: put the kernel's image at $kernels/$1/vmlinuz yourself"
  say "unpacking Linux $1 of Debian $suite under $kernels"
  private=$root/build/packages/apt-kernel
  private_apt "$private" "$suite" amd64 "put the kernel's image at $kernels/$1/vmlinuz yourself"
  package=$(apt-cache -c "$private/apt.conf" depends linux-image-cloud-amd64 |
    sed -n 's/^ *Depends: \(linux-image-[0-9][^ ]*\)$/\1/p')
  mkdir -p "$kernels/$1"
  if [ -n "$package" ] && (cd "$private" && apt-get -c "$private/apt.conf" -qq download "$package"); then
    dpkg-deb --fsys-tarfile "$private/$package"_*.deb | tar -x --to-stdout "./boot/vmlinuz-${package#linux-image-}" \
      >"$kernels/$1/vmlinuz.part" && mv "$kernels/$1/vmlinuz.part" "$kernels/$1/vmlinuz"
  fi
  rm -rf "$private"
  [ -e "$kernels/$1/vmlinuz" ] || { say "Linux $1 of Debian $suite could not be downloaded"; return 1; }
}
