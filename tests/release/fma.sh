#!/usr/bin/env bash
# The fused multiply-add of our own against MPFR on 10^9 operands near ties, among subnormals and elsewhere: about ten minutes of a core.
# SITU_FMA_COUNT: another number.
set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/lib.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if ! ${CC:-cc} -std=gnu11 -O2 -ffp-contract=off -Isrc -Itests tests/accuracy/fma.c -lmpfr -lgmp -lm -o "$scratch/fma" 2>"$scratch/log"; then
    grep -q 'mpfr.h' "$scratch/log" && { echo "SKIP fma: mpfr.h is missing (libmpfr-dev)"; exit 0; }
    echo "FAIL fma: it does not build: $(grep -m 3 error "$scratch/log")"
    exit 1
fi
workers=$(cores) seed=${SITU_JOB_SEED:-$(date +%s)} count=${SITU_FMA_COUNT:-1000000000}
share=$((count / 2 / workers)) # of each of the two formats
for ((i = 0; i < workers; i++)); do "$scratch/fma" "$share" "$((seed + i))" >"$scratch/said.$i" || touch "$scratch/broken" & done
wait
said=$(cat "$scratch"/said.*)
if [ ! -e "$scratch/broken" ]; then echo "PASS fma: seeds $seed to $((seed + workers - 1)): $said"; else echo "FAIL fma: seeds from $seed: $said"; exit 1; fi
