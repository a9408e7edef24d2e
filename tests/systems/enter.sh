#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs a command in the system in the folder SYSTEM, with the folder TREE as /volt and OUTPUTS as /volt/build. Must run
# as root in a mount namespace of its own, whose mounts end with it.
#
# Usage: enter.sh SYSTEM TREE OUTPUTS UID:GID [NAME=VALUE...] COMMAND...
set -eu
system=$1 tree=$2 outputs=$3 user=$4
shift 4

for folder in dev proc sys; do
  mount --rbind "/$folder" "$system/$folder"
done
mkdir -p "$system/volt"
mount --bind "$tree" "$system/volt"
mount --bind "$outputs" "$system/volt/build"
cp -L /etc/hosts /etc/resolv.conf "$system/etc/"
# PostgreSQL's server refuses to run as a user without a name.
grep -q "^[^:]*:[^:]*:${user%:*}:" "$system/etc/passwd" ||
  echo "tester:x:$user::/tmp:/bin/sh" >>"$system/etc/passwd"

exec chroot --userspec="$user" "$system" /usr/bin/env --ignore-environment --chdir=/volt \
  PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LANG=C.UTF-8 \
  PYTHONDONTWRITEBYTECODE=1 "$@"
