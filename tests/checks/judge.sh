#!/usr/bin/env bash
# Random programs in many ways beside an interpreter (tests/judge), from a new seed in each run, for SITU_JUDGE_SECONDS (60)
# seconds. A fifth of the time goes to programs with each instruction set and number of threads, which have to give the same bits.
# SITU_JUDGE_SEED=N: from that one. SITU_JUDGE_ONLY=N: that program alone, in every way.
set -u
cd "$(dirname "$0")/../.." || exit 1
build="${SITU_BUILD_DIR:-$PWD/build}" place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
export SITU_BLAS=own
seed="${SITU_JUDGE_SEED:-${SITU_JOB_SEED:-$(date +%s)}0000}" seconds="${SITU_JUDGE_SECONDS:-60}" status=0
bash tests/judge/build.sh "$place" "$build" >"$place/log" 2>&1 || { echo "FAIL judge: does not build: $(grep -m1 error "$place/log")"; exit 1; }

if [ -n "${SITU_JUDGE_ONLY:-}" ]; then
    "$place/judge" --only "$SITU_JUDGE_ONLY"
    exit
fi
if "$place/judge" --seed "$seed" --seconds $((seconds * 4 / 5)) >"$place/log" 2>&1; then
    echo "PASS judge: $(tail -n 1 "$place/log")"
else
    cat "$place/log"
    failed=$(sed -n 's/^seed \([0-9]*\).*/\1/p' "$place/log" | head -n 1)
    echo "FAIL judge: $(grep -m1 '^seed' "$place/log" || tail -n 1 "$place/log")"
    echo "     again: SITU_JUDGE_ONLY=$failed tests/checks/judge.sh; if it needs what ran before: SITU_JUDGE_SEED=$seed tests/checks/judge.sh"
    status=1
fi

if "$place/judge" --samples --seed "$seed" --stop 0 >"$place/log" 2>&1; then
    echo "PASS judge: samples: $(tail -n 1 "$place/log")"
else
    cat "$place/log"
    echo "FAIL judge: samples: again: judge --samples --seed $seed"
    status=1
fi

# digests NAME ENVIRONMENT...: the same programs in a process of its own
digests() {
    local name="$1"
    shift
    env "$@" "$place/judge" --seed "$((seed + 5000000))" --count "$count" --digest >"$place/$name" 2>/dev/null
}
count=$((seconds * 30))
digests first SITU_THREADS=2
for setting in SITU_ISA=baseline SITU_ISA=avx2 SITU_THREADS=1 SITU_THREADS=3; do
    digests other $setting
    different=$(comm -3 "$place/first" "$place/other" | tr -d '\t' | cut -d' ' -f1 | sort -un)
    if [ -z "$different" ] && [ "$(wc -l <"$place/other")" = "$count" ]; then
        echo "PASS judge: $count programs with $setting give the same bits"
    else
        echo "FAIL judge: with $setting other bits, or an end: seeds $(echo "$different" | head -n 5 | tr '\n' ' ')"
        status=1
    fi
done
exit $status
