#!/usr/bin/env bash
# What a port to Windows finds: the C of the library outside of src/os, its headers with it, is read by mingw-w64's compiler without an
# error. Nothing is linked or run: src/os has no windows/ yet (src/os/README.md). Vectors are left out, and what is for one instruction set.
set -u
cd "$(dirname "$0")/../.." || exit 1
compiler=x86_64-w64-mingw32-gcc
command -v $compiler >/dev/null || { echo "SKIP windows: no $compiler (Debian: gcc-mingw-w64-x86-64-posix)"; exit 0; }
count=0 failed=0
while read -r file; do
    count=$((count + 1))
    said=$($compiler -std=gnu11 -fsyntax-only -DSITU_BUILD -Iinclude -Isrc -I. -Wa,-Isrc "$file" 2>&1) && continue
    failed=$((failed + 1))
    echo "FAIL windows: $file: $(grep -m 1 'error:' <<<"$said")"
done < <(find src -name '*.c' -not -path 'src/os/*' -not -name '*_kernels.c' -not -name '*_avx2.c' -not -name '*_avx512.c' -not -name '*_amx.c' | sort)
[ $failed -gt 0 ] || [ $count -eq 0 ] || echo "PASS windows: $count files"
