#!/usr/bin/env bash
# situ_shutdown() ends things in the order in which they use each other, whatever was used first.
set -u
cd "$(dirname "$0")/../.." || exit 1
build="${SITU_BUILD_DIR:-build}"
program="$build/shutdown_check"
if ! "${CC:-cc}" -O1 -Wall -Wextra -Iinclude tests/checks/shutdown_test.c -o "$program" -L"$build" -lsitu \
    -Wl,-rpath,"$(cd "$build" && pwd)" >"$build/shutdown_check.log" 2>&1; then
    echo "FAIL shutdown: the program does not compile"
    head -n 5 "$build/shutdown_check.log" | sed 's/^/     /'
    exit 0
fi
bad=""
for ((order = 0; order < 3125; order += 4)); do
    SITU_SIM_GPUS=1 timeout 30 "$program" $order >/dev/null 2>&1 || bad="$bad $order"
done 2>/dev/null
if [ -z "$bad" ]; then echo "PASS shutdown: 782 orders of first uses"; else echo "FAIL shutdown: orders$bad" | cut -c1-200; fi
rm -f "$program" "$build/shutdown_check.log"
