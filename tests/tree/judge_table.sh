#!/usr/bin/env bash
# Each exported function is called by the judge, in a row of its table or in a sample, or has a reason in tests/judge/omitted.txt why not.
# Each of the public headers of operations has a sample (but two of bytes, which are the CPU's alone): diff --operations and the tests of gradients, dtypes and devices have it then.
set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/lib.sh
headers="create elementwise move reduce index function network linalg fft random"
omitted=$(grep -v '^#' tests/judge/omitted.txt | cut -d' ' -f1 | paste -sd'|')
rows=$(grep -ohE '^(ELEMENT|OPERATION|CHECKED|REDUCTION)\([a-z_0-9]+' tests/judge/*.def | sed 's/.*(/situ_/')
samples=$(grep -ohE '^(SAMPLE\([a-z]+, |COMPOSED\([a-z]+, |LOSS\(|EL[123]\()[a-z_0-9]+' cli/samples.def src/op/elementwise.def | sed -E 's/.*[(, ]/situ_/')
recorded=$(for header in $headers; do grep -ohE '^SITU_API situ_tensor \*situ_[a-z0-9_]+\(.*' "include/situ/$header.h"; done | grep -oE 'situ_[a-z0-9_]+\(' | tr -d '(' | sort -u)
status=0
report() { # report WHAT NAMES
    if [ -z "$2" ]; then echo "PASS judge_table: $1"; else echo "FAIL judge_table: not $1: $(echo "$2" | tr '\n' ' ')"; status=1; fi
}
report "each exported function is a row of the judge, a sample, or has a reason" \
    "$(public_functions | grep -vxE "$omitted" | grep -vxF "$rows"$'\n'"$samples")"
report "each recorded operation has a sample or a reason" "$(echo "$recorded" | grep -vxF "$samples" | grep -vxE "situ_quantise|situ_quantised_linear")"
count=$(echo "$rows" | wc -l)
report "as many rows of the judge as there were, 236" "$([ "$count" -ge 236 ] || echo "$count")"
exit $status
