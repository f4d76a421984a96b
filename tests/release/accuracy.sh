#!/usr/bin/env bash
# Every f32 function against MPFR: a million stratified points of each operation, then all 2^32 patterns of those with one
# operand, as many at a time as there are cores (one to four minutes each). `accuracy.sh NAME ...` for some of them,
# `--write` to renew docs/accuracy.md.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/lib.sh
write=""
[ "${1:-}" = --write ] && { write=1; shift; }
library=${SITU_BUILD_DIR:-build}/libsitu.a
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if ! ${CC:-cc} -std=gnu11 -O2 -ffp-contract=off -fno-math-errno -Iinclude -Isrc -Itests tests/accuracy/accuracy.c "$library" \
    -lmpfr -lgmp -lm -lpthread -ldl -o "$scratch/accuracy" 2>"$scratch/log"; then
    grep -q 'mpfr.h' "$scratch/log" && { echo "SKIP accuracy: mpfr.h is missing (libmpfr-dev)"; exit 0; }
    head -5 "$scratch/log"
    echo "FAIL accuracy: it does not build"
    exit 1
fi
status=0
"$scratch/accuracy" "$@" >"$scratch/points" || status=1
mapfile -t names < <(sed -n 's/^| \([a-z0-9_]*\) | [0-9].*/\1/p' "$scratch/points")
# an operation of two operands has no such row
printf '%s\n' "${names[@]}" | xargs -P "$(cores)" -I{} sh -c '"$0" --all {} >"$1/{}.all" || touch "$1/broken"' "$scratch/accuracy" "$scratch"
[ ! -e "$scratch/broken" ] || status=1
{
    cat "$scratch/points"
    sed '/^|---/q' "$scratch/${names[0]}.all"
    for name in "${names[@]}"; do grep "^| $name | [0-9]" "$scratch/$name.all" || true; done
} >"$scratch/table"
[ -z "$write" ] || cp "$scratch/table" docs/accuracy.md
if [ "$status" -eq 0 ]; then
    echo "PASS accuracy: $(grep -c '^| .* | 4294967296 |' "$scratch/table") operations over every pattern, ${#names[@]} over their points"
else
    cat "$scratch/table"
    echo "FAIL accuracy: a bound is broken"
fi
exit "$status"
