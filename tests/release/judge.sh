#!/usr/bin/env bash
# Random programs in many ways beside an interpreter (tests/judge): SITU_JUDGE_SECONDS (default 600) seconds of them, from a
# new seed each time (SITU_JUDGE_SEED=N: that one), and some with each instruction set and number of threads, which have to
# give the same digests.
set -u
cd "$(dirname "$0")/../.." || exit 1
build="${SITU_BUILD_DIR:-$PWD/build}"
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
export SITU_BLAS=own
seed="${SITU_JUDGE_SEED:-$(date +%s)000}" seconds="${SITU_JUDGE_SECONDS:-600}"
# shellcheck disable=SC2086
"${CC:-cc}" -std=gnu11 -O2 -g -ffp-contract=off ${SITU_JUDGE_FLAGS:-} -Iinclude -o "$place/judge" tests/judge/*.c -L"$build" -lsitu -lm \
    -Wl,-rpath,"$build" >"$place/log" 2>&1 || { echo "FAIL judge: does not build: $(grep -m1 error "$place/log")"; exit 1; }

status=0
if "$place/judge" --seed "$seed" --seconds "$seconds" >"$place/log" 2>&1; then
    echo "PASS judge: $(tail -n 1 "$place/log")"
else
    cat "$place/log"
    echo "FAIL judge: $(grep -m1 '^seed' "$place/log" || tail -n 1 "$place/log")"
    status=1
fi

count=$((20 * seconds))
# digests NAME ENVIRONMENT...: the same programs in a process of its own
digests() {
    local name="$1"
    shift
    env "$@" "$place/judge" --seed "$seed" --count "$count" --digest --stop 0 >"$place/$name" 2>/dev/null
}
digests first
for other in "baseline SITU_ISA=baseline" "avx2 SITU_ISA=avx2" "one_thread SITU_THREADS=1" "three_threads SITU_THREADS=3"; do
    read -r name setting <<<"$other"
    digests "$name" "$setting"
    different=$(comm -3 <(grep -E '^[0-9]+ [0-9a-f]+$' "$place/first") <(grep -E '^[0-9]+ [0-9a-f]+$' "$place/$name") | tr -d '\t' | cut -d' ' -f1 | sort -un)
    if [ -z "$different" ] && [ -s "$place/$name" ]; then
        echo "PASS judge: $count programs with $setting give the same bits"
    else
        echo "FAIL judge: with $setting other bits: seeds $(echo "$different" | head -n 5 | tr '\n' ' ')"
        status=1
    fi
done
exit $status
