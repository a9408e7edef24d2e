#!/bin/busybox sh
# SPDX-License-Identifier: MIT
# /init of the guest that boot.py starts: prepares the system, runs the jobs of /jobs.sh, and switches off. For each job
# it prints a line "@begin JOB ENGINE", the job's output, "@errors" and the end of its standard error if it failed, and
# "@end JOB ENGINE STATUS SECONDS".
/bin/busybox mkdir -p /usr/bin /usr/sbin /sbin /proc /sys /dev /etc /tmp /root
/bin/busybox --install -s
export PATH=/tests:/usr/bin:/bin:/usr/sbin:/sbin HOME=/root
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/shm
mount -t tmpfs shm /dev/shm
mount -t tmpfs tmp /tmp
ln -s /proc/self/fd /dev/fd
ip link set lo up
echo 'root:x:0:0:root:/root:/bin/sh' >/etc/passwd
echo 'root:x:0:' >/etc/group
echo '127.0.0.1 localhost' >/etc/hosts
# shellcheck disable=SC3045 # busybox has this option
ulimit -n 65536
cd /tmp || exit

seconds() { cut -d. -f1 /proc/uptime; }

# job NAME ENGINE LIMIT_SECONDS COMMAND...
job() {
  name=$1
  engine=$2
  limit=$3
  shift 3
  echo "@begin $name $engine"
  began=$(seconds)
  VOLT_TEST_IO=$engine timeout -k 10 "$limit" "$@" >/tmp/out 2>/tmp/err
  status=$?
  cat /tmp/out
  [ "$status" = 0 ] || { echo "@errors"; tail -n 100 /tmp/err; }
  echo "@end $name $engine $status $(($(seconds) - began))"
}

echo "@guest $(uname -r)"
# shellcheck disable=SC1091 # boot.py writes it
. /jobs.sh
echo "@done"
poweroff -f
