#!/usr/bin/env bash
# Memory of each thread that the library takes from the loader's small reserve: programs load it late, beside other libraries.
set -u
cd "$(dirname "$0")/../.." || exit 1
library="${SITU_BUILD_DIR:-$PWD/build}/libsitu.so"
if ! command -v readelf >/dev/null || [ ! -f "$library" ]; then
    echo "SKIP thread_memory: no readelf, or no library"
    exit 0
fi
size=$(readelf -lW "$library" | awk '$1 == "TLS" {print $6}')
size=$((${size:-0}))
if [ "$size" -le 448 ]; then echo "PASS thread_memory: $size bytes"; else echo "FAIL thread_memory: $size bytes, not 448 at most"; fi
