#!/usr/bin/env bash
# The library cannot end the process, print unasked, install signal handlers or change other state of the whole process:
# it does not import the functions for it, but for _exit: tests/tree/exit.sh says where that is.
set -u
cd "$(dirname "$0")/../.." || exit 1
library="${SITU_BUILD_DIR:-build}/libsitu.so"
command -v nm >/dev/null || { echo "SKIP imports: no nm"; exit 0; }
[ -f "$library" ] || { echo "FAIL imports: $library is not built"; exit 1; }

ends='exit|_Exit|quick_exit|abort|__assert_fail|__assert|err|errx|error|kill|raise'
prints='printf|vprintf|__printf_chk|__vprintf_chk|puts|putchar|putchar_unlocked|perror|psignal'
state='signal|sigaction|__sysv_signal|setenv|unsetenv|putenv|setlocale|chdir|umask|rand|srand|random|srandom|strtok'
found=$(nm -D --undefined-only "$library" | awk '{sub(/@.*/, "", $NF); print $NF}' | grep -xE "$ends|$prints|$state")
if [ -n "$found" ]; then
    echo "FAIL imports: the library calls ${found//$'\n'/ }"
    exit 1
fi
echo "PASS imports: nothing that ends the process, prints unasked or changes its state"
