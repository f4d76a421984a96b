#!/usr/bin/env bash
# The shared library exports what the public headers declare, and nothing else. scripts/exports.txt has what the last release exported,
# which has to stay (docs/abi.md); --release rewrites it.
set -u
cd "$(dirname "$0")/../.." || exit 1
library="${SITU_BUILD_DIR:-build}/libsitu.so"
list=scripts/exports.txt
command -v nm >/dev/null || { echo "SKIP exports: no nm"; exit 0; }
[ -f "$library" ] || { echo "FAIL exports: $library is not built"; exit 1; }

exported=$(nm -D --defined-only "$library" | awk '{print $NF}' | LC_ALL=C sort -u)
if [ "${1:-}" = --release ]; then
    printf '%s\n' "$exported" >"$list"
    echo "$list: $(wc -l <"$list") symbols"
    exit 0
fi
. scripts/lib.sh
declared=$(public_functions)
status=0
report() { # report WHAT NAMES...
    [ -z "$2" ] || { echo "FAIL exports: $1: ${2//$'\n'/ }"; status=1; }
}
report "exported, but declared in no public header" "$(comm -13 <(echo "$declared") <(echo "$exported"))"
report "declared, but not exported" "$(comm -23 <(echo "$declared") <(echo "$exported"))"
report "gone since the last release" "$(comm -23 "$list" <(echo "$exported"))"
[ $status -ne 0 ] || echo "PASS exports: $(echo "$exported" | wc -l) symbols, as declared"
exit $status
