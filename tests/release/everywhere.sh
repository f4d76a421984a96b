#!/usr/bin/env bash
# Three trainings on each platform for which scripts/everywhere finds a compiler and an emulator: one hash a column, that of docs/everywhere.md.
set -u
cd "$(dirname "$0")/../.." || exit 1
said=$(SITU_BUILD_DIR="${SITU_BUILD_DIR:-build}" scripts/everywhere 2>&1)
code=$?
grep ': left out: ' <<<"$said" | sed 's/^/SKIP everywhere: /'
rows=$(grep -cE '^\| [a-z0-9_]+-linux-' <<<"$said")
hashes=$(grep -oE '([0-9a-f]{8} \| ){2}[0-9a-f]{8} \|$' <<<"$said" | sort -u)
if [ $code -ne 0 ] || [ "$rows" -eq 0 ]; then
    sed 's/^/FAIL everywhere: /' <<<"$said"
elif [ "$(grep -cF "$hashes" docs/everywhere.md)" -eq 0 ]; then
    echo "FAIL everywhere: docs/everywhere.md has other hashes than $hashes; scripts/everywhere --write renews its table"
else
    echo "PASS everywhere: $rows rows, one hash a column: $hashes"
fi
