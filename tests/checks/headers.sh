#!/usr/bin/env bash
# Each public header compiles on its own without a warning, as C11, C17 and C23 (C++17 for situ.hpp).
set -u
cd "$(dirname "$0")/../.." || exit 1
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Werror -DSITU_CHECK_HEADERS -Iinclude -fsyntax-only"
status=0

# compile COMPILER LANGUAGE STANDARD HEADER
compile() {
    local output
    # shellcheck disable=SC2086
    output=$(printf '#include <%s>\n' "$4" | $1 -x "$2" -std="$3" ${warnings//-Wstrict-prototypes/$5} - 2>&1) && return 0
    echo "FAIL headers: $4 as $3 by $1: $(printf '%s\n' "$output" | grep -m 1 -E 'error|warning')"
    status=1
    return 1
}

for compiler in gcc clang; do
    command -v $compiler >/dev/null || { echo "SKIP headers: no $compiler"; continue; }
    for header in include/*.h include/situ/*.h; do
        { [ -f "$header" ] && [ "$header" != include/situ/macros.h ]; } || continue # macros alone are no translation unit
        name=${header#include/} good=1
        for standard in c11 c17 c2x; do
            compile $compiler c $standard "$name" -Wstrict-prototypes || good=0
        done
        [ $good -eq 0 ] || echo "PASS headers: $name by $compiler"
    done
done
for compiler in g++ clang++; do
    [ -f include/situ.hpp ] || break
    # A compiler without its C++ library is none.
    echo '#include <string>' | $compiler -x c++ -fsyntax-only - 2>/dev/null || { echo "SKIP headers: no working $compiler"; continue; }
    compile $compiler c++ c++17 situ.hpp "" && echo "PASS headers: situ.hpp by $compiler"
done
for part in include/situ/call/*.hpp; do
    grep -qF "#include <${part#include/}>" include/situ.hpp || { echo "FAIL headers: situ.hpp does not include ${part#include/}"; status=1; }
done
exit $status
