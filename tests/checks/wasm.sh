#!/usr/bin/env bash
# WebAssembly: core, net and train by clang and wasi-libc; a training under wasmtime has the hash that it has here, also in two pieces with a
# checkpoint between them. WASM_VECTORS=OFF: without vectors (tests/release/wasm.sh).
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$(realpath "${SITU_BUILD_DIR:-build}") vectors=${WASM_VECTORS:-ON} place=$(mktemp -d)
wasm="$(dirname "$build")/build-wasm-${vectors,,}"
trap 'rm -rf "$place"' EXIT
# shellcheck source=scripts/lib.sh
. scripts/lib.sh
case "$build" in *san*) echo "SKIP wasm: built once"; exit 0 ;; esac
python=$(find_wasmtime)
for need in clang wasm-ld llvm-ar; do command -v $need >/dev/null || python=""; done
[ -e /usr/include/wasm32-wasi ] && [ -e "$(wasm_runtime)" ] || python=""
if [ -z "$python" ]; then
    echo "SKIP wasm: no clang with lld for WebAssembly, no wasi-libc, or no wasmtime here; scripts/test --prepare installs them"
    exit 0
fi
report() { if [ "$1" -eq 0 ]; then echo "PASS wasm: $2"; else echo "FAIL wasm: $2: ${*:3}" | head -n 20; fi; }

{ configure "$wasm" -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/wasi.cmake" -DSITU_PARTS=core,net,train -DSITU_WASM_SIMD="$vectors" &&
    cmake --build "$wasm" -j "$(cores)" && cmake --install "$wasm" --prefix "$place/installed" &&
    clang --target=wasm32-wasi -std=gnu11 -O2 -Wall -Wextra -Werror -I"$place/installed/include" -Isrc tests/parts/train.c \
        "$place/installed/lib/libsitu.a" -Wl,-z,stack-size=4194304,--stack-first -o "$place/train.wasm"; } >"$place/log" 2>&1
code=$?
report $code "the library and a program are built" "$(grep -m 5 -E 'error|Error' "$place/log")"
[ $code -eq 0 ] || exit 1

here=$("$build/situ" train --quiet --epochs 3 --deterministic --hash | sed -n 's/^sha256 of the weights: //p')
run() { (cd "$place" && "$python" "$OLDPWD/tests/support/wasm.py" train.wasm "$@" 2>&1); }
there=$(run)
[ -n "$here" ] && [ "$here" = "$there" ]
report $? "a training has the hash that it has here" "$there, here $here"
there=$(run folder)
[ -n "$here" ] && [ "$here" = "$there" ] && [ -n "$(ls "$place/folder")" ]
report $? "a training that is interrupted and continued has it, too" "$there, here $here"
