#!/usr/bin/env bash
# Each exported function has a row in the judge's table, or a reason in tests/judge/omitted.txt why it has none.
set -u
cd "$(dirname "$0")/../.." || exit 1
omitted=$(grep -v '^#' tests/judge/omitted.txt | cut -d' ' -f1 | paste -sd'|')
rows=$(grep -ohE '^(ELEMENT|OPERATION|CHECKED|REDUCTION)\([a-z_0-9]+' tests/judge/*.def | sed 's/.*(/situ_/')
left=$(grep -oE '^situ_[a-z0-9_]+' scripts/exports.txt | grep -vxE "$omitted" | grep -vxF "$rows")
if [ -z "$left" ]; then
    echo "PASS judge_table: $(echo "$rows" | wc -l) rows; each exported function has one or a reason"
else
    echo "FAIL judge_table: neither a row nor a reason: $(echo "$left" | tr '\n' ' ')"
    exit 1
fi
