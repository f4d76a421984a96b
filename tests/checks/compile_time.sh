#!/usr/bin/env bash
# A user's function of 500 lines of nested calls compiles in seconds, in gcc -O2 and clang -O2.
set -euo pipefail
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
{
    echo '#include <situ.h>'
    echo 'situ_tensor *f(situ_tensor *x, situ_tensor *y);'
    echo 'situ_tensor *f(situ_tensor *x, situ_tensor *y) {'
    for i in $(seq 500); do
        echo "    y = situ_sum(situ_mul(situ_exp(situ_add(x, 2)), situ_add(y, 0.5)), .axes = AXES(0), .keepdims = true);"
    done
    echo '    return y; }'
} >"$dir/f.c"
for compiler in gcc clang; do
    command -v $compiler >/dev/null || { echo "SKIP compile time: no $compiler"; continue; }
    TIMEFORMAT=%U # processor time: the machine may be busy
    if seconds=$({ time timeout 300 $compiler -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -Iinclude -c "$dir/f.c" -o "$dir/f.o" 2>"$dir/log"; } 2>&1); then
        if [ "${seconds%.*}" -lt 20 ]; then echo "PASS compile time: 500 lines in $seconds s with $compiler -O2"; else echo "FAIL compile time: $seconds s with $compiler"; fi
    else
        echo "FAIL compile time: $compiler does not compile it"
    fi
done
