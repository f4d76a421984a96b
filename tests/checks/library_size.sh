#!/usr/bin/env bash
# The stripped library stays under 4.2 MB. DESIGN.md says what it is spent on.
set -u
cd "$(dirname "$0")/../.." || exit 1
build="${SITU_BUILD_DIR:-build}"
command -v strip >/dev/null || { echo "SKIP library_size: no strip"; exit 0; }
[ -f "$build/libsitu.so" ] || { echo "FAIL library_size: $build/libsitu.so is not built"; exit 1; }
grep -q '^CMAKE_BUILD_TYPE:STRING=Release$' "$build/CMakeCache.txt" || { echo "SKIP library_size: $build is no release build"; exit 0; }

stripped=$(mktemp)
trap 'rm -f "$stripped"' EXIT
strip -o "$stripped" "$build/libsitu.so" || { echo "FAIL library_size: strip"; exit 1; }
bytes=$(wc -c <"$stripped")
if [ "$bytes" -ge 4200000 ]; then
    echo "FAIL library_size: $bytes bytes stripped, 4,200,000 or more; the largest parts:"
    find "$build/CMakeFiles/situ_objects.dir" -name '*.o' -exec size {} + | sort -n | awk '$1 > 50000 && $6 ~ /\.o$/ {print $1, $6}' | tail -n 8
    exit 1
fi
echo "PASS library_size: $bytes bytes stripped"
