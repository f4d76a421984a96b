#!/usr/bin/env bash
# The C that is written by hand stands as .clang-format says, and no line of it is longer than that file's width.
set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/lib.sh
differ=$(scripts/format --check)
case $? in
0) echo "PASS format: what scripts/format writes is current" ;;
77) echo "SKIP format: $differ" ;;
*) printf '%s\n' "$differ" | sed 's/^/FAIL format: run scripts\/format: /' ;;
esac
width=$(sed -n 's/^ColumnLimit: //p' .clang-format)
long=$(c_by_hand | xargs awk -v width="$width" 'length > width { print FILENAME ":" FNR " has " length " columns, more than " width }')
[ -z "$long" ] && echo "PASS format: no line over $width columns" || printf '%s\n' "$long" | sed 's/^/FAIL format: /'
