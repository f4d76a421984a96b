#!/usr/bin/env bash
# The programs in README.md compile without a warning and run.
set -u
cd "$(dirname "$0")/../.." || exit 1
build="${SITU_BUILD_DIR:-build}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

awk -v folder="$folder" '/^```c$/ { n++; inside = 1; next } /^```/ { inside = 0 } inside { print > (folder "/program" n ".c") }' README.md
found=0
for source in "$folder"/*.c; do
    [ -f "$source" ] || continue
    found=1
    name="README: $(basename "$source" .c)"
    if ! ${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Werror -Iinclude "$source" -o "$folder/program" \
        -L"$build" -lsitu -Wl,-rpath,"$(cd "$build" && pwd)" >"$folder/log" 2>&1; then
        echo "FAIL $name does not compile: $(grep -m 1 -E 'error|warning' "$folder/log")"
    elif (cd "$folder" && ./program >log 2>&1); then
        echo "PASS $name"
    else
        echo "FAIL $name: $(tail -n 1 "$folder/log")"
    fi
done
[ "$found" -eq 1 ] || echo "FAIL README has no program"
