#!/usr/bin/env bash
# Networks as C files: each of tests/support/emit_cases.c is written, compiled by gcc and clang at several levels, also with
# contraction allowed, and gives the library's bits; without a warning, and with no symbol from outside but memcpy and its kin. Those
# named train_* make steps of training: losses, and what they save, are those of the library, a checkpoint of which they load.
# C++ compiles the files; under qemu some give the same bits on 64-bit ARM. Then `situ emit`.
set -u
cd "$(dirname "$0")/../.." || exit 1
build="${SITU_BUILD_DIR:-build}"
[ -f "$build/libsitu.a" ] || { echo "FAIL emit: $build/libsitu.a is not built"; exit 1; }
grep -q '^SITU_SANITIZE:STRING=$' "$build/CMakeCache.txt" || { echo "SKIP emit: $build has a sanitizer"; exit 0; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0
fail() { echo "FAIL emit: $*"; status=1; }

"${CC:-cc}" -std=gnu11 -Iinclude tests/support/emit_cases.c "$build/libsitu.a" -o "$scratch/cases" \
    -lm -ldl -lpthread 2>"$scratch/said" ||
    { fail "the cases do not compile: $(head -n 3 "$scratch/said")"; exit 1; }
SITU_BLAS=own "$scratch/cases" "$scratch" >"$scratch/names" 2>"$scratch/said" || fail "not all is written: $(cat "$scratch/said")"
sed -n 's/^! /FAIL emit: /p' "$scratch/names"
grep -q '^!' "$scratch/names" && status=1
names=$(grep -v '^!' "$scratch/names" | grep -v '^train_')
trainings=$(grep '^train_' "$scratch/names")

# compiles NAMES COMPILER FLAGS...: each of them gives the library's bits.
compiles() {
    local name wrong="" chosen=$1 width=-std=c99
    shift
    [[ " $* " == *" -m32 "* ]] && width=-m32
    for name in $chosen; do
        if ! "$@" -Wall -Wextra -pedantic -Wconversion -Werror -c "$scratch/$name.c" -o "$scratch/$name.o" 2>"$scratch/said"; then
            wrong="$wrong $name ($(grep -m 1 -E 'error|warning' "$scratch/said"))"
        elif ! "$1" "$width" "$scratch/${name}_test.c" "$scratch/$name.o" -o "$scratch/$name" 2>"$scratch/said"; then
            wrong="$wrong $name ($(head -n 2 "$scratch/said"))"
        else
            $run "$scratch/$name" >"$scratch/said" 2>&1 || wrong="$wrong $name ($(cat "$scratch/said"))"
        fi
    done
    if [ -z "$wrong" ]; then echo "PASS emit: $(echo "$chosen" | wc -w) programs by $*"; else fail "$*:$wrong"; fi
}
run=
compiles "$names" gcc -std=c99 -O0
compiles "$trainings" gcc -std=c99 -O0
compiles "$names train_adam train_lenet train_transformer train_blocks" gcc -std=c99 -O2
known='^(mem(cpy|set|move)|_GLOBAL_OFFSET_TABLE_|__stack_chk_fail)$'
outside=$(for name in $names train_adam train_lenet train_transformer; do nm -u "$scratch/$name.o"; done | awk '{print $2}' | sort -u | grep -vE "$known" | tr '\n' ' ')
if [ -z "$outside" ]; then echo "PASS emit: the files need nothing but memcpy and its kin"; else fail "the files need $outside"; fi
grep -qw fma /proc/cpuinfo && compiles "mlp blocks encoder elements deep train_lenet" gcc -std=gnu11 -O3 -march=haswell -ffp-contract=fast
if command -v clang >/dev/null; then
    compiles "$names train_adam train_transformer" clang -std=c99 -O2
    grep -qw fma /proc/cpuinfo && compiles "mlp elements deep" clang -std=gnu11 -O3 -mfma
fi
if gcc -m32 -x c - -o "$scratch/narrow" 2>/dev/null <<<'int main(void) { return 0; }'; then
    compiles "mlp blocks elements doubles train_adam" gcc -std=c99 -O2 -m32 -msse2 -mfpmath=sse
    gcc -m32 -mfpmath=387 -fsyntax-only "$scratch/mlp.c" 2>"$scratch/said"
    if grep -q 'excess precision' "$scratch/said"; then echo "PASS emit: x87 is refused"; else fail "x87 is not refused"; fi
else
    echo "SKIP emit: 32-bit x86: gcc has no libraries for it here (libc6-dev-i386)"
fi
wrong=""
for name in encoder halves train_adam; do
    g++ -std=c++11 -fsyntax-only -x c++ "$scratch/$name.c" 2>"$scratch/said" ||
        wrong="$wrong $name ($(grep -m 1 error "$scratch/said"))"
done
if [ -z "$wrong" ]; then echo "PASS emit: C++ compiles the files"; else fail "C++:$wrong"; fi
wrong=""
for name in mlp embedded doubles train_adam train_transformer; do
    upper=$(echo "$name" | tr a-z A-Z)
    gcc -std=c99 -O1 "-D${upper}_TEST" "$scratch/$name.c" -o "$scratch/own" 2>"$scratch/said" && "$scratch/own" ||
        wrong="$wrong $name ($? $(head -n 2 "$scratch/said"))"
done
awk 'p == 1 { sub(/[-0-9.e]+f/, "9.5f"); p = 2 } /static const float .*_w[0-9]+\[/ && !p { p = 1 } { print }' "$scratch/train_adam.c" >"$scratch/changed.c"
gcc -std=c99 -O1 -w -DTRAIN_ADAM_TEST "$scratch/changed.c" -o "$scratch/own" 2>"$scratch/said" && "$scratch/own" && wrong="$wrong (a changed weight was not seen)"
if [ -z "$wrong" ]; then echo "PASS emit: the files' own tests"; else fail "own tests:$wrong"; fi
arm=$(command -v aarch64-linux-gnu-gcc) qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64)
if [ -n "$arm" ] && [ -n "$qemu" ]; then
    run="$qemu -L /usr/aarch64-linux-gnu" compiles "mlp blocks elements train_adam" "$arm" -std=gnu11 -O2
fi
for machine in riscv64 s390x; do # s390x: big-endian
    cross=$(command -v $machine-linux-gnu-gcc) qemu=$(command -v qemu-$machine-static || command -v qemu-$machine)
    [ -n "$cross" ] && [ -n "$qemu" ] || { echo "SKIP emit: $machine: no cross compiler or no emulator here (gcc-$machine-linux-gnu)"; continue; }
    run="$qemu -L /usr/$machine-linux-gnu" compiles "mlp elements halves train_adam" "$cross" -std=gnu11 -O1
done
# Bare machines run the files' own tests: soft floats, a unit for floats, one for doubles, too.
if command -v arm-none-eabi-gcc >/dev/null && command -v qemu-system-arm >/dev/null; then
    bare() { # bare BOARD NAMES FLAGS...
        local board=$1 chosen=$2 wrong="" name upper
        shift 2
        for name in $chosen; do
            upper=$(echo "$name" | tr a-z A-Z)
            arm-none-eabi-gcc -std=gnu11 -mthumb "$@" "-D${upper}_TEST" -nostartfiles --specs=nosys.specs -T tests/support/cortex.ld \
                tests/support/cortex.c "$scratch/$name.c" -o "$scratch/$name.elf" 2>"$scratch/said" ||
                { wrong="$wrong $name ($(grep -m 1 -E 'error|undefined' "$scratch/said"))"; continue; }
            timeout 100 qemu-system-arm -M "$board" -semihosting -nographic -kernel "$scratch/$name.elf" </dev/null >"$scratch/said" 2>&1 ||
                wrong="$wrong $name ($? $(head -n 2 "$scratch/said"))"
        done
        if [ -z "$wrong" ]; then echo "PASS emit: $(echo "$chosen" | wc -w) programs on $board by $*"; else fail "$board, $*:$wrong"; fi
    }
    bare mps2-an385 "embedded elements" -O2 -mcpu=cortex-m3
    bare mps2-an386 "mlp elements halves train_adam" -O2 -mcpu=cortex-m4 -mfloat-abi=hard -mfpu=fpv4-sp-d16
    bare mps2-an500 "doubles train_adam" -Os -mcpu=cortex-m7 -mfloat-abi=hard -mfpu=fpv5-d16
else
    echo "SKIP emit: Cortex-M: no compiler or no emulator here (gcc-arm-none-eabi, libnewlib-arm-none-eabi, qemu-system-arm)"
fi

# The command: a network of a file is the network that was saved there.
situ=$build/situ
if "$situ" emit "$scratch/mlp.onnx" -o "$scratch/again.c" --input 2,1,28,28 2>"$scratch/said" &&
    grep -q 'int again_run(' "$scratch/again.h"; then
    sed 's/mlp/again/g' "$scratch/mlp_test.c" >"$scratch/again_test.c"
    run= compiles again gcc -std=c99 -O2
else
    fail "situ emit: $(cat "$scratch/said")"
fi
"$situ" emit "$scratch/mlp.onnx" -o "$scratch/no.c" 2>"$scratch/said"
if [ $? = 2 ] && grep -q '1 input' "$scratch/said" && [ ! -e "$scratch/no.c" ]; then
    echo "PASS emit: the command asks for shapes"
else
    fail "situ emit without shapes: $(cat "$scratch/said")"
fi
# With --train, from another situ: a step, and what it saves, which the library takes for its checkpoint's form.
if "$situ" emit "$scratch/mlp.onnx" -o "$scratch/learn.c" --input 2,1,28,28 --train adam --target 'i64[2]' --set lr=0.01 2>"$scratch/said"; then
    cat >"$scratch/learn_test.c" <<'END'
#include "learn.h"
#include <stdio.h>
static learn_context context;
static float pixels[LEARN_INPUT_COUNT], loss[9];
static unsigned char saved[LEARN_SAVED_BYTES];
int main(void)
{
    int64_t labels[] = {3, 7};
    int i;
    learn_init(&context);
    for (i = 0; i < LEARN_INPUT_COUNT; i++) pixels[i] = (float)(i % 13) / 13;
    for (i = 0; i < 9; i++)
        if (learn_train(&context, pixels, labels, &loss[i])) return 2;
    if (!(loss[8] < loss[0])) return printf("it learns nothing\n"), 1;
    return fwrite(saved, 1, learn_save(&context, saved), fopen("learned.safetensors", "wb")) ? 0 : 3;
}
END
    (cd "$scratch" && gcc -std=c99 -O1 learn.c learn_test.c -o learn && ./learn) >"$scratch/said" 2>&1 &&
        "$situ" info "$scratch/learned.safetensors" >"$scratch/said" 2>&1 && grep -q optimizer "$scratch/said" &&
        echo "PASS emit: the command writes a step that learns and saves" || fail "situ emit --train: $(head -n 5 "$scratch/said")"
else
    fail "situ emit --train: $(cat "$scratch/said")"
fi
"$situ" emit "$scratch/mlp.onnx" -o "$scratch/no.c" --input 2,1,28,28 --train newton --target 'i64[2]' 2>"$scratch/said"
if [ $? = 2 ] && grep -q 'the optimizers are' "$scratch/said" && [ ! -e "$scratch/no.c" ]; then
    echo "PASS emit: an unknown optimizer is named"
else
    fail "situ emit --train newton: $(cat "$scratch/said")"
fi
exit $status
