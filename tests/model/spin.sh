#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks all states of the Spin models in this folder, and liveness under weak fairness; then checks that each fault is
# found.
#   tests/model/spin.sh       (requires Debian's packages spin and gcc)
# Exits with code 77 if spin or gcc is missing.
set -eu
cd "$(dirname "$0")"
command -v spin >/dev/null && command -v gcc >/dev/null || { echo "skipped: spin or gcc is not installed"; exit 77; }
models=$PWD
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# verify MODEL [FAULT]: checks the model and writes Spin's report to the file `report`
verify() {
  rm -f pan.* pan ./*.trail
  cp "$models/$1.pml" .
  spin -a ${2:+-D"$2"} "$1.pml" >generated 2>&1 || { cat generated; exit 1; }
  gcc -O2 -w -DNFAIR=3 -o pan pan.c
  ./pan -a -f -m1000000 >report 2>&1
  grep -q '^State-vector' report || { cat report; exit 1; }
}

errors() { sed -n 's/.*errors: \([0-9]*\).*/\1/p' report; }
figure() { sed -n "s/^ *\([0-9.e+]*\) *$1.*/\1/p" report | head -n 1; }

for model in park_wake rescue spare; do
  verify $model
  if [ "$(errors)" != 0 ]; then
    cat report
    spin -t -p "$model.pml" | tail -n 60
    exit 1
  fi
  if grep -q 'max search depth too small' report; then
    cat report
    exit 1
  fi
  echo "$model: no errors, $(figure 'states, stored') states, $(figure transitions) transitions"
  for fault in $(sed -n 's/.*Faults, to be found://p' "$models/$model.pml" | sed 's/-D//g'); do
    verify $model "$fault"
    [ "$(errors)" != 0 ] || { echo "$model: $fault was not found"; exit 1; }
    echo "$model: $fault found"
  done
done
