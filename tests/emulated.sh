#!/usr/bin/env bash
# usage: tests/emulated.sh build FOLDER
#        tests/emulated.sh PROGRAM ARGUMENT...
# The unit tests for 64-bit ARM: builds them by a cross compiler (the folder is that of tests/checks/aarch64.sh), or runs a program by
# SITU_TEST_EMULATOR (tests/environment.sh). SKIP where a compiler or an emulator is not there.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. scripts/lib.sh
if ! command -v aarch64-linux-gnu-gcc >/dev/null || ! { command -v qemu-aarch64 || command -v qemu-aarch64-static; } >/dev/null; then
    echo "SKIP $1: no cross compiler or no emulator here; scripts/test --prepare installs them"
elif [ "$1" != build ]; then
    # shellcheck disable=SC2086
    exec $SITU_TEST_EMULATOR "$@"
elif mkdir -p "$2" && { configure "$2" "-DCMAKE_TOOLCHAIN_FILE=$PWD/cmake/aarch64.cmake" && cmake --build "$2" -j "${SITU_BUILD_JOBS:-1}" --target situ_tests; } >"$2/build.log" 2>&1; then
    echo "PASS build aarch64"
else
    grep -vE '^\[ *[0-9]+%\]|^\[[0-9]+/[0-9]+\]' "$2/build.log" | tail -n 60
    echo "FAIL build aarch64"
fi
