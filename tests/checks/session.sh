#!/usr/bin/env bash
# What a run of a session costs besides arithmetic: nothing (session_test.c).
set -u
cd "$(dirname "$0")/../.." || exit 1
build="${SITU_BUILD_DIR:-build}"
[ -f "$build/libsitu.a" ] || { echo "FAIL session: $build/libsitu.a is not built"; exit 1; }
grep -q '^SITU_SANITIZE:STRING=$' "$build/CMakeCache.txt" || { echo "SKIP session: $build has a sanitizer"; exit 0; }
echo 'extern void *__libc_malloc(unsigned long); int main(void) { return !__libc_malloc(1); }' | "${CC:-cc}" -x c - -o /dev/null 2>/dev/null ||
    { echo "SKIP session: this C library's malloc cannot be replaced by one that counts"; exit 0; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"${CC:-cc}" -std=gnu11 -O1 -Iinclude tests/checks/session_test.c "$build/libsitu.a" -o "$scratch/session" -lm -ldl -lpthread 2>"$scratch/said" ||
    { echo "FAIL session: it does not compile: $(head -n 3 "$scratch/said")"; exit 1; }
"$scratch/session"
