#!/usr/bin/env bash
# usage: tests/release/judge_mutations.sh [NAME ...]
# The judge is judged: each patch of tests/judge/mutations puts one fault into a copy of the library, and the judge has to find
# all of them within SITU_JUDGE_SECONDS (300) seconds of its time together, from a seed at which the unchanged library shows no
# difference in a third of that. A line for each says which program found it, and when.
set -u
cd "$(dirname "$0")/../.." || exit 1
root=$PWD copy=$(mktemp -d) status=0 total=0 found=0
trap 'rm -rf "$copy"' EXIT
seconds="${SITU_JUDGE_SECONDS:-300}" seed="${SITU_JUDGE_SEED:-$(date +%s)0000}"
export SITU_BLAS=own
git ls-files -z | xargs -0 cp --parents -t "$copy" || exit 1
cd "$copy" || exit 1
library() { cmake --build build --target situ_shared -j 2 >log 2>&1; }
now() { date +%s.%N; }
plus() { awk -v a="$1" -v b="$2" -v c="${3:-0}" 'BEGIN { printf "%.1f", a + b - c }'; }
cmake -S . -B build -DCMAKE_C_COMPILER_LAUNCHER="${SITU_COMPILER_LAUNCHER:-}" >log 2>&1 && library && mkdir judge &&
    bash tests/judge/build.sh "$copy/judge" "$copy/build" >log 2>&1 || { echo "FAIL judge_mutations: $(tail -n 1 log)"; exit 1; }
[ $# -gt 0 ] || set -- "$root"/tests/judge/mutations/*.patch
if judge/judge --seed "$seed" --seconds $((seconds / 3)) >log 2>&1; then
    echo "PASS judge_mutations: the unchanged library: $(tail -n 1 log)"
else
    echo "FAIL judge_mutations: the unchanged library: $(grep -m1 '^seed' log)"
    exit 1
fi
for patch in "$@"; do
    name=$(basename "$patch" .patch)
    patch -s -p1 <"$root/tests/judge/mutations/$name.patch" || { echo "FAIL judge_mutations: $name does not apply"; status=1; continue; }
    if ! library; then
        echo "FAIL judge_mutations: $name does not build"
        status=1
    else
        start=$(now)
        if judge/judge --seed "$seed" --seconds "$seconds" --whole >log 2>&1; then verdict="FAIL judge_mutations: $name is not found" status=1
        else verdict="PASS judge_mutations: $name is found" found=$((found + 1)); fi
        spent=$(plus "$(now)" 0 "$start")
        total=$(plus "$total" "$spent")
        programs=$(sed -n 's/^\([0-9]*\) programs.*/\1/p' log)
        where=$(sed -n 's/^seed \([0-9]*\).*/\1/p' log | head -n 1)
        [ -n "$programs" ] || programs=$((${where:-$seed} - seed + 1)) # it ended the process
        echo "$verdict: $spent s, $programs programs, seed ${where:-none}: $(grep -m1 '^seed' log | cut -d, -f2- | cut -c1-100)"
    fi
    patch -s -R -p1 <"$root/tests/judge/mutations/$name.patch"
done
[ "${total%.*}" -lt "$seconds" ] || status=1
[ $status = 0 ] && verdict=PASS || verdict=FAIL
echo "$verdict judge_mutations: $found of $# found in $total s from seed $seed"
exit $status
