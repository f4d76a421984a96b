#!/usr/bin/env bash
# usage: tests/release/judge_mutations.sh [NAME ...]
# The judge is judged: each patch of tests/judge/mutations puts one fault into a copy of the library, and the judge has to find
# it within SITU_JUDGE_SECONDS (default 300) seconds.
set -u
cd "$(dirname "$0")/../.." || exit 1
root=$PWD copy=$(mktemp -d) status=0
trap 'rm -rf "$copy"' EXIT
seconds="${SITU_JUDGE_SECONDS:-300}"
git ls-files -z | xargs -0 cp --parents -t "$copy" || exit 1
cd "$copy" || exit 1
cmake -S . -B build -DCMAKE_C_COMPILER_LAUNCHER="${SITU_COMPILER_LAUNCHER:-}" >log 2>&1 || { echo "FAIL judge_mutations: $(tail -n 1 log)"; exit 1; }
[ $# -gt 0 ] || set -- "$root"/tests/judge/mutations/*.patch
# A difference that the unchanged library shows too finds no fault.
if ! cmake --build build --target situ_shared -j 2 >log 2>&1 ||
    ! SITU_BUILD_DIR=$copy/build SITU_JUDGE_SEED=1 SITU_JUDGE_SECONDS=$seconds bash tests/release/judge.sh >log 2>&1; then
    echo "FAIL judge_mutations: the unchanged library: $(grep -m1 -E 'FAIL|error' log)"
    exit 1
fi
for patch in "$@"; do
    name=$(basename "$patch" .patch)
    patch -s -p1 <"$root/tests/judge/mutations/$name.patch" || { echo "FAIL judge_mutations: $name does not apply"; status=1; continue; }
    if ! cmake --build build --target situ_shared -j 2 >log 2>&1; then
        echo "FAIL judge_mutations: $name does not build"
        status=1
    else
        start=$SECONDS
        if SITU_BUILD_DIR=$copy/build SITU_JUDGE_SEED=1 SITU_JUDGE_SECONDS=$seconds SITU_JUDGE_QUIET=1 bash tests/release/judge.sh >log 2>&1; then
            echo "FAIL judge_mutations: $name is not found in $((SECONDS - start)) s"
            status=1
        else
            echo "PASS judge_mutations: $name is found after $((SECONDS - start)) s: $(grep -m1 -oE 'way [a-z-]+: .*' log | cut -c1-100)"
        fi
    fi
    patch -s -R -p1 <"$root/tests/judge/mutations/$name.patch"
done
exit $status
