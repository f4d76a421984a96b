#!/usr/bin/env bash
# usage: tests/build.sh asan|tsan|clang FOLDER
# A build of another kind for the jobs of that kind: the address and undefined-behaviour sanitizers, the thread sanitizer (the unit
# tests alone), or clang as it is (everything). Which compiler has which sanitizer changes with each commit, so that both see all.
# SITU_SANITIZER_COMPILER=gcc or clang takes that one for both.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. scripts/lib.sh
kind=$1 folder=$2
parity=$((${SITU_TURN:-$(commits)} % 2))
case "$kind$parity" in asan1 | tsan0 | clang*) compiler=clang ;; *) compiler=gcc ;; esac
why="commit $parity of 2"
[ "$(git rev-parse --is-shallow-repository 2>/dev/null)" != true ] || why="a shallow clone, taken as commit $parity of 2"
[ "$kind" = clang ] || [ -z "${SITU_SANITIZER_COMPILER:-}" ] || { compiler=$SITU_SANITIZER_COMPILER why=SITU_SANITIZER_COMPILER; }
[ "$kind" != clang ] || why="plain"
if ! command -v "$compiler" >/dev/null; then
    [ "$kind" != clang ] || { echo "SKIP build $kind: no clang"; exit 0; }
    compiler=cc why="no $compiler here"
elif [ "$kind" != clang ] && [ "$compiler" = clang ] && ! clang_runtime_is_there; then
    compiler=gcc why="clang has no sanitizers here (libclang-rt-dev)"
fi
options=("-DCMAKE_C_COMPILER=$compiler" -DSITU_UNITY=ON) target=(--target situ_tests)
case "$kind" in
asan) options+=("-DSITU_SANITIZE=address,undefined") ;;
tsan) options+=(-DSITU_SANITIZE=thread) ;;
clang) target=() ;;
esac
echo "compiler: $compiler ($why); again with SITU_SANITIZER_COMPILER=$compiler"
mkdir -p "$folder"
# CMake cannot change the compiler of a folder: it starts anew there.
grep -qs "^CMAKE_C_COMPILER:[A-Z]*=.*$compiler\$" "$folder/CMakeCache.txt" || rm -f "$folder/CMakeCache.txt"
if configure "$folder" "${options[@]}" >"$folder/build.log" 2>&1 && cmake --build "$folder" -j "${SITU_BUILD_JOBS:-1}" "${target[@]}" >>"$folder/build.log" 2>&1; then
    echo "PASS build $kind by $compiler"
else
    grep -vE '^\[ *[0-9]+%\]|^\[[0-9]+/[0-9]+\]' "$folder/build.log" | tail -n 60
    echo "FAIL build $kind by $compiler"
fi
