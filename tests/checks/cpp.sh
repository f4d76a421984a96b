#!/usr/bin/env bash
# situ.hpp: compiles without a warning as C++17 and C++20, runs, and refuses with exceptions.
set -u
cd "$(dirname "$0")/../.." || exit 1
build="${SITU_BUILD_DIR:-build}"
found=""
for compiler in g++ clang++; do
    command -v "$compiler" >/dev/null || continue
    # clang without its own C++ library
    echo '#include <vector>' | "$compiler" -std=c++17 -x c++ -fsyntax-only - 2>/dev/null || continue
    found=1
    for standard in c++17 c++20; do
        for source in examples/cpp_first.cpp tests/checks/cpp_test.cpp; do
            name="$(basename "$source" .cpp) $compiler $standard"
            if ! "$compiler" -std=$standard -O1 -Wall -Wextra -Wpedantic -Wshadow -Werror -Iinclude "$source" -o "$build/cpp_check" \
                -L"$build" -lsitu -Wl,-rpath,"$(cd "$build" && pwd)" >"$build/cpp_check.log" 2>&1; then
                echo "FAIL C++ $name does not compile"
                head -n 5 "$build/cpp_check.log" | sed 's/^/     /'
            elif SITU_SIM_GPUS=2 "$build/cpp_check" >"$build/cpp_check.log" 2>&1; then
                echo "PASS C++ $name"
            else
                echo "FAIL C++ $name"
                tail -n 5 "$build/cpp_check.log" | sed 's/^/     /'
            fi
        done
    done
done
rm -f "$build/cpp_check"
[ -n "$found" ] || echo "SKIP C++: no compiler for it"
