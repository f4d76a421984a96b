#!/usr/bin/env bash
# Each fault that tests/release/gate_mutations.sh plants still fits, and the jobs that find it are there.
set -u
cd "$(dirname "$0")/../.." || exit 1
if stale=$(python3 tests/release/gate_mutations.py --list); then
    echo "PASS faults: $(wc -l <<<"$stale") fit"
else
    grep 'has to be renewed' <<<"$stale" | sed 's/^/FAIL faults: tests\/release\/gate_mutations.txt: /'
fi
