#!/usr/bin/env bash
# usage: tests/release/judge_mutations.sh [NAME ...]
# The judge is judged: each patch of tests/judge/mutations puts one fault into a copy of the library, and the judge has to find
# it within SITU_JUDGE_SECONDS (60) seconds, from a seed at which the unchanged library shows no difference in twice that time.
set -u
cd "$(dirname "$0")/../.." || exit 1
root=$PWD copy=$(mktemp -d) status=0 total=0
trap 'rm -rf "$copy"' EXIT
seconds="${SITU_JUDGE_SECONDS:-60}" seed="${SITU_JUDGE_SEED:-$(date +%s)0000}"
export SITU_BLAS=own
git ls-files -z | xargs -0 cp --parents -t "$copy" || exit 1
cd "$copy" || exit 1
library() { cmake --build build --target situ_shared -j 2 >log 2>&1; }
cmake -S . -B build -DCMAKE_C_COMPILER_LAUNCHER="${SITU_COMPILER_LAUNCHER:-}" >log 2>&1 && library && mkdir judge &&
    bash tests/judge/build.sh "$copy/judge" "$copy/build" >log 2>&1 || { echo "FAIL judge_mutations: $(tail -n 1 log)"; exit 1; }
[ $# -gt 0 ] || set -- "$root"/tests/judge/mutations/*.patch
if judge/judge --seed "$seed" --seconds $((2 * seconds)) >log 2>&1; then
    echo "PASS judge_mutations: the unchanged library: $(tail -n 1 log)"
else
    echo "FAIL judge_mutations: the unchanged library: $(grep -m1 '^seed' log)"
    exit 1
fi
for patch in "$@"; do
    name=$(basename "$patch" .patch)
    patch -s -p1 <"$root/tests/judge/mutations/$name.patch" || { echo "FAIL judge_mutations: $name does not apply"; status=1; continue; }
    start=$SECONDS
    if ! library; then
        echo "FAIL judge_mutations: $name does not build"
        status=1
    else
        start=$SECONDS
        if judge/judge --seed "$seed" --seconds "$seconds" >log 2>&1; then
            echo "FAIL judge_mutations: $name is not found in $((SECONDS - start)) s"
            status=1
        else
            echo "PASS judge_mutations: $name is found after $((SECONDS - start)) s: $(grep -m1 '^seed' log | cut -c1-100)"
        fi
    fi
    total=$((total + SECONDS - start))
    patch -s -R -p1 <"$root/tests/judge/mutations/$name.patch"
done
if [ "$total" -le 300 ]; then echo "PASS judge_mutations: $# in $total s"; else echo "FAIL judge_mutations: $# in $total s"; status=1; fi
exit $status
