#!/usr/bin/env bash
# Proofs of four trainings that this machine wrote are verified on 64-bit ARM under qemu.
set -u
cd "$(dirname "$0")/../.." || exit 1
arm=build-aarch64 place=$(mktemp -d) compiler=aarch64-linux-gnu-gcc
trap 'rm -rf "$place"' EXIT
# shellcheck source=scripts/lib.sh
. scripts/lib.sh
qemu=$(command -v qemu-aarch64 || command -v qemu-aarch64-static)
if [ -z "$qemu" ] || ! command -v "$compiler" >/dev/null 2>&1; then
    echo "SKIP proof on aarch64: no $compiler or no qemu-aarch64 here; scripts/test --prepare installs them"
    exit 0
fi
if ! { configure "$arm" -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/aarch64.cmake" && cmake --build "$arm" -j "$(cores)" --target situ_shared &&
    "$compiler" -std=gnu11 -O1 -Iinclude tests/checks/proof_programs.c -o "$place/program" -L"$arm" -lsitu -lm; } >"$place/log" 2>&1; then
    echo "FAIL proof on aarch64: the program is not built: $(grep -m 3 -E 'error|Error' "$place/log")"
    exit 1
fi
export SITU_BLAS=own
for set in neon baseline; do
    python3 tests/checks/proof_loops.py "$qemu" -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH="$arm" -E SITU_ISA="$set" "$place/program" >"$place/log" 2>&1
    code=$?
    grep -v '^PASS\|^SKIP' "$place/log"
    if [ $code -eq 0 ]; then echo "PASS proof on aarch64: $set: four programs"; else echo "FAIL proof on aarch64: $set"; fi
done
