#!/usr/bin/env bash
# tests/job counts, repeats and judges as it says: each way in which a job may end, tried on small commands.
set -u
cd "$(dirname "$0")/../.." || exit 1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf 'export SITU_PYTHON= SITU_NVRTC=\n' >"$folder/found.sh" # nothing is looked for
bad=0

# try WHAT STATUS COUNTS PATTERN SCRIPT: COUNTS are passed, failed, skipped, flaky; PATTERN stands in what the job says.
try() {
    local said status counts
    rm -f "$folder/seen"
    said=$(unset SITU_JOB_SEED; seen="$folder/seen" tests/job "$folder" try/it 1 bash -c "$5" 2>&1)
    status=$?
    counts=$(cut -d' ' -f1-4 "$folder/jobs/try/it.count")
    if [ "$status" = "$2" ] && [ "$counts" = "$3" ] && grep -qE -- "$4" <<<"$said"; then return; fi
    echo "FAIL job: $1: status $status, counts $counts: $(tr '\n' '|' <<<"$said")"
    bad=1
}

once='echo x >>"$seen"; [ $(wc -l <"$seen") = 1 ]' # true the first time
try "lines count" 0 "2 0 1 0" "^PASS b" 'echo PASS a; echo PASS b; echo SKIP c: why'
try "a summary counts instead of them" 0 "7 0 2 0" "7 passed" 'echo PASS a; echo "7 passed, 0 failed, 2 skipped"'
try "all skipped" 77 "0 0 1 0" "SKIP" 'echo SKIP it: not here'
try "nothing said" 1 "0 1 0 0" "ended with status 0" ':'
try "a status without a word" 1 "1 1 0 0" "ended with status 3" 'echo PASS a; exit 3'
try "a failure is repeated with its seed" 1 "1 1 0 0" "seed [0-9]+: failed twice" 'echo PASS a; echo FAIL b; echo x >>"$seen"'
[ "$(wc -l <"$folder/seen")" = 2 ] || { echo "FAIL job: a failure ran $(wc -l <"$folder/seen") times, not twice"; bad=1; }
try "one that then passes is flaky, and fails" 1 "1 1 0 1" "FLAKY try/it: b" "if $once; then echo FAIL b; else echo PASS b; fi"
try "a crash is not repeated" 1 "0 1 0 0" "ended with status 139" "if $once; then kill -SEGV \$\$; else echo PASS b; fi"
try "a sanitizer's report is not repeated" 1 "0 1 0 0" "FAIL" "if $once; then echo 'SUMMARY: AddressSanitizer: leak'; exit 1; else echo PASS b; fi"
try "a test that crashed is not repeated" 1 "0 1 0 0" "crashed: " "if $once; then echo FAIL a; echo '  crashed: Segmentation fault'; else echo PASS b; fi"
try "too long" 1 "1 1 0 0" "ran longer than 1 s" 'echo PASS a; sleep 5'
[ $bad -ne 0 ] || echo "PASS job: eleven ways to end"
exit $bad
