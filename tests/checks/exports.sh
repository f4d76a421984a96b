#!/usr/bin/env bash
# The shared library exports situ_* and nothing else, and exactly what scripts/exports.txt says. --update rewrites that.
set -u
cd "$(dirname "$0")/../.." || exit 1
library="${SITU_BUILD_DIR:-build}/libsitu.so"
list=scripts/exports.txt
command -v nm >/dev/null || { echo "SKIP exports: no nm"; exit 0; }
[ -f "$library" ] || { echo "FAIL exports: $library is not built"; exit 1; }

exported=$(nm -D --defined-only "$library" | awk '{print $NF}' | LC_ALL=C sort -u)
if [ "${1:-}" = --update ]; then
    printf '%s\n' "$exported" >"$list"
    echo "$list: $(wc -l <"$list") symbols"
    exit 0
fi
status=0
strangers=$(printf '%s\n' "$exported" | grep -v '^situ_')
if [ -n "$strangers" ]; then
    echo "FAIL exports: names that do not begin with situ_: ${strangers//$'\n'/ }"
    status=1
fi
change=$(diff <(LC_ALL=C sort -u "$list" 2>/dev/null) <(printf '%s\n' "$exported") | grep '^[<>]')
if [ -n "$change" ]; then
    gone=$(printf '%s\n' "$change" | sed -n 's/^< //p') new=$(printf '%s\n' "$change" | sed -n 's/^> //p')
    echo "FAIL exports: gone: ${gone//$'\n'/ }; new: ${new//$'\n'/ }; if that is meant: bash $0 --update"
    status=1
fi
[ $status -ne 0 ] || echo "PASS exports: $(printf '%s\n' "$exported" | wc -l) symbols, as listed"
exit $status
