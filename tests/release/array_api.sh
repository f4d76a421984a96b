#!/usr/bin/env bash
# usage: tests/release/array_api.sh FOLDER [PYTHON [SEEDS]]
# Runs data-apis/array-api-tests (a checkout with its submodule in FOLDER) on the installed package situ with
# --max-examples=20 and prints the counts for each random seed. PYTHON (default python3) has situ, pytest, hypothesis,
# pytest-json-report and ndindex. Without a folder (argument or SITU_ARRAY_API_TESTS) it is skipped: the suite is in no
# package index.
set -u
suite="${1:-${SITU_ARRAY_API_TESTS:-}}" python="${2:-python3}" seeds="${3:-1 2 3}"
[ -d "$suite/array_api_tests" ] || { echo "SKIP array API: give a checkout of data-apis/array-api-tests"; exit 0; }
"$python" -c 'import situ, pytest, hypothesis, ndindex' 2>/dev/null || { echo "SKIP array API: $python lacks situ, pytest, hypothesis or ndindex"; exit 0; }
cd "$suite" || exit 1
least=1360
for seed in $seeds; do
    log=$(mktemp)
    start=$SECONDS
    ARRAY_API_TESTS_MODULE=situ "$python" -m pytest array_api_tests --max-examples=20 --hypothesis-seed="$seed" -q --no-header --tb=no -p no:cacheprovider >"$log" 2>&1
    counts=$(tail -n 1 "$log")
    passed=$(grep -oE '[0-9]+ passed' "$log" | tail -n 1 | cut -d' ' -f1)
    grep '^FAILED' "$log" | cut -c1-160
    if [ "${passed:-0}" -ge "$least" ]; then echo "PASS array API, seed $seed: $counts ($((SECONDS - start)) s)"; else echo "FAIL array API, seed $seed: $counts"; fi
    rm -f "$log"
done
