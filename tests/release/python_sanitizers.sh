#!/usr/bin/env bash
# usage: tests/release/python_sanitizers.sh
# The extension with the library in it, built with the thread sanitizer and with the address and undefined-behaviour ones,
# in an ordinary Python: eight threads (tests/interop/threads.py) under the first, the package's tests
# (tests/python/test_package.py) and the conversions (tests/interop/memory.py) under the others. Python itself is not
# instrumented, but the sanitizer sees its locks; a race made on purpose shows that it would report one.
set -u
cd "$(dirname "$0")/../.." || exit 1
root=$PWD
skip() { echo "SKIP python sanitizers: $*"; exit 0; }
library() { gcc -print-file-name="lib$1.so"; }
command -v gcc >/dev/null || skip "no gcc"
for kind in tsan asan ubsan; do [ -e "$(library $kind)" ] || skip "no lib$kind"; done
norandom=(setarch "$(uname -m)" -R)
"${norandom[@]}" true 2>/dev/null || norandom=()

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv" >/dev/null 2>&1 || skip "no virtual environment can be made"
python="$folder/venv/bin/python"
"$python" -m pip --disable-pip-version-check -q install numpy 'cmake>=3.26' ninja >"$folder/log" 2>&1 || skip "the package index is not reachable"

# build FOLDER KIND: leaves a package in $folder/FOLDER.
build() {
    if ! { PATH="$folder/venv/bin:$PATH" cmake -S . -B "$1" -G Ninja -DSITU_BUILD_PYTHON=ON -DSITU_BUILD_TESTS=OFF -DSITU_BUILD_PROGRAMS=OFF \
        -DSITU_SANITIZE="$2" -DPython_EXECUTABLE="$python" &&
        PATH="$folder/venv/bin:$PATH" cmake --build "$1" --target situ_python; } >"$folder/log" 2>&1; then
        tail -n 20 "$folder/log"
        echo "FAIL python sanitizers: the build with $2"
        exit 0
    fi
    mkdir -p "$folder/$1/situ" && cp python/situ/*.py "$folder/$1/situ/" && cp -R "$1"/python/_situ*.so "$1/python/_made" "$folder/$1/situ/"
}

# check NAME COMMAND...: no report of a sanitizer and no FAIL.
check() {
    local name="$1" status
    shift
    "$@" >"$folder/log" 2>&1
    status=$?
    if [ $status -eq 0 ] && ! grep -qE 'WARNING: ThreadSanitizer|ERROR: AddressSanitizer|runtime error:|^FAIL ' "$folder/log"; then
        echo "PASS python sanitizers: $name"
    else
        grep -vE '^PASS ' "$folder/log" | head -n 60
        echo "FAIL python sanitizers: $name (status $status)"
    fi
}
export SITU_SIM_GPUS=2

build build-python-tsan thread
cat >"$folder/race.c" <<'C'
#include <pthread.h>
static long value;
static void *run(void *unused)
{
    for (int i = 0; i < 1000; i++) value++;
    return unused;
}
long race(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, run, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return value;
}
C
gcc -fsanitize=thread -shared -fPIC "$folder/race.c" -o "$folder/race.so"
export TSAN_OPTIONS="halt_on_error=0:die_after_fork=0:second_deadlock_stack=1"
with_tsan=(env "LD_PRELOAD=$(library tsan)" "PYTHONPATH=$folder/build-python-tsan" "${norandom[@]}" "$python")
if "${with_tsan[@]}" -c "import ctypes; ctypes.CDLL('$folder/race.so').race()" 2>&1 | grep -q 'data race'; then
    echo "PASS python sanitizers: a race made on purpose is reported"
else
    echo "FAIL python sanitizers: a race made on purpose is not reported"
fi
check "eight threads build and run graphs, thread sanitizer" "${with_tsan[@]}" "$root/tests/interop/threads.py" 60

build build-python-asan address,undefined
export ASAN_OPTIONS="detect_leaks=0" UBSAN_OPTIONS="print_stacktrace=1"
with_asan=(env "LD_PRELOAD=$(library asan):$(library ubsan)" PYTHONMALLOC=malloc "PYTHONPATH=$folder/build-python-asan" "$python")
check "eight threads, address and undefined-behaviour sanitizers" "${with_asan[@]}" "$root/tests/interop/threads.py" 10
check "conversions to NumPy and back, the same" "${with_asan[@]}" -W ignore "$root/tests/interop/memory.py" 20000
check "the package's tests, the same" "${with_asan[@]}" "$root/tests/python/test_package.py"
for tests in gradients networks when; do check "$tests, the same" "${with_asan[@]}" "$root/tests/python/test_$tests.py"; done
exit 0
