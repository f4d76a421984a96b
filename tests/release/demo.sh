#!/usr/bin/env bash
# scripts/demo in a clone, without a compiler cache: it builds kernels of this processor's instruction set alone, trains
# to the weights of the library with all sets, and says how long it took (a minute is aimed at on two idle cores).
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$(realpath "${SITU_BUILD_DIR:-build}") place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
[ -x "$build/situ" ] || { echo "FAIL demo: $build/situ is not built"; exit 1; }
git clone -q . "$place/clone" || { echo "FAIL demo: no clone"; exit 1; }
started=$(date +%s)
if (cd "$place/clone" && CCACHE_DISABLE=1 scripts/demo --quiet) >"$place/said" 2>&1 && [ -s "$place/clone/build/demo/digits.svg" ]; then
    echo "PASS demo: builds and trains in $(($(date +%s) - started)) s"
else
    echo "FAIL demo: $(tail -n 5 "$place/said")"
    exit 1
fi
status=0
hash_of() { "$1" train --quiet --epochs 3 --deterministic --hash 2>&1 | grep '^sha256'; }
here=$(SITU_ISA=baseline hash_of "$build/situ") there=$(hash_of "$place/clone/build/demo/situ")
if [ -n "$here" ] && [ "$here" = "$there" ]; then echo "PASS demo: it has the weights of the library with all sets"; else
    echo "FAIL demo: it gives $there, the library with all sets $here"
    status=1
fi
if cmake -S . -B "$place/none" -DSITU_SETS=some >"$place/said" 2>&1 || ! grep -q 'write all or native' "$place/said"; then
    echo "FAIL demo: -DSITU_SETS=some is not refused with what it may be"
    status=1
fi
exit $status
