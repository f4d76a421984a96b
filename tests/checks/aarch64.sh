#!/usr/bin/env bash
# The library for 64-bit ARM by a cross compiler; under qemu its kernels of NEON and those in plain C train to the weights of this machine's,
# and random programs have this machine's bits.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$(realpath "${SITU_BUILD_DIR:-build}") arm=build-aarch64 place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
# shellcheck source=scripts/lib.sh
. scripts/lib.sh
case "$build" in *san*) echo "SKIP aarch64: built once"; exit 0 ;; esac
compiler=aarch64-linux-gnu-gcc
qemu=$(command -v qemu-aarch64 || command -v qemu-aarch64-static)
if [ -z "$qemu" ] || ! command -v "$compiler" >/dev/null 2>&1; then
    echo "SKIP aarch64: no $compiler or no qemu-aarch64 here; scripts/test --prepare installs them"
    exit 0
fi
export SITU_BLAS=own
on_arm() { "$qemu" -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH="$arm" "$@"; }
report() { if [ "$1" -eq 0 ]; then echo "PASS aarch64: $2"; else echo "FAIL aarch64: $2: ${*:3}" | head -n 20; fi; }

{ configure "$arm" -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/aarch64.cmake" && cmake --build "$arm" -j "$(cores)" --target situ_command situ_shared; } >"$place/log" 2>&1
code=$?
report $code "the library and the command are built" "$(grep -m 5 -E 'error|Error' "$place/log")"
[ $code -eq 0 ] || exit 1

sets=(neon baseline)
trained() { "$@" train --quiet --epochs 3 --deterministic --hash 2>&1 | grep '^sha256'; }
here=$(trained "$build/situ")
for set in "${sets[@]}"; do
    there=$(SITU_ISA=$set trained on_arm "$arm/situ")
    [ -n "$here" ] && [ "$here" = "$there" ]
    report $? "$set: a training has the hash that it has here" "$there, here $here"
done

mkdir "$place/here" "$place/there"
bash tests/judge/build.sh "$place/here" "$build" >"$place/log" 2>&1 && CC=$compiler bash tests/judge/build.sh "$place/there" "$arm" >>"$place/log" 2>&1
code=$?
report $code "random programs are built" "$(grep -m 5 -E 'error' "$place/log")"
[ $code -eq 0 ] || exit 1
seed="${SITU_JOB_SEED:-$(date +%s)}0000"
"$place/here/judge" --seed "$seed" --count 1000 --digest >"$place/x" 2>/dev/null
for set in "${sets[@]}"; do
    SITU_ISA=$set on_arm "$place/there/judge" --seed "$seed" --count 1000 --digest >"$place/y" 2>/dev/null
    [ "$(wc -l <"$place/x")" -eq 1000 ] && cmp -s "$place/x" "$place/y"
    report $? "$set: 1000 programs from seed $seed have the bits that they have here" "$(diff "$place/x" "$place/y" | grep -m 5 '^<')"
done
