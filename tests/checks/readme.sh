#!/usr/bin/env bash
# What the README says of its programs and of installing is what happens; programs.py compiles and runs them.
set -u
cd "$(dirname "$0")/../.." || exit 1
build="${SITU_BUILD_DIR:-build}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

awk -v folder="$folder" '/^```c$/ { n++; inside = 1; next } /^```/ { inside = 0 } inside { print > (folder "/program" n ".c") }' README.md

# What the first program prints, and the message about operands on two devices, are in the README as they are.
said=$(awk '/^    \[\[/ { inside = 1 } inside && !/^    / { exit } inside { sub(/^    /, ""); sub(/ @.*/, ""); print }' README.md)
cp "$folder/program1.c" "$folder/again.c"
cat >"$folder/devices.c" <<'C'
#include <situ.h>

int main(void)
{
    situ_tensor *a = situ_name(situ_ones(SHAPE(2, 3), .device = situ_gpu(0)), "X");
    situ_add(a, situ_name(situ_ones(SHAPE(2, 3), .device = situ_gpu(1)), "Y"));
    puts(situ_error_message());
    return !situ_failed();
}
C
for name in again devices; do
    ${CC:-cc} -Iinclude "$folder/$name.c" -o "$folder/$name" -L"$build" -lsitu -Wl,-rpath,"$(cd "$build" && pwd)" >"$folder/log" 2>&1 || echo "FAIL README: $name.c: $(head -n 1 "$folder/log")"
done
printed=$("$folder/again" | sed 's/ @.*//')
if [ -n "$said" ] && [ "$said" = "$printed" ]; then echo "PASS README: what the first program prints"; else echo "FAIL README: the first program prints $printed"; fi
# A program that fails says why, also without a word in the environment.
training=$(grep -l situ_trainer_fit "$folder"/program*.c | head -n 1)
${CC:-cc} -Iinclude "$training" -o "$folder/training" -L"$build" -lsitu -Wl,-rpath,"$(cd "$build" && pwd)" >"$folder/log" 2>&1 || echo "FAIL README: $(head -n 1 "$folder/log")"
SITU_CPU_MEMORY=300K "$folder/training" >"$folder/out" 2>"$folder/err" </dev/null
if [ $? != 0 ] && grep -q "memory" "$folder/err" && ! grep -q "accuracy nan" "$folder/out"; then echo "PASS README: a training without memory says why"; else
    echo "FAIL README: a training without memory says: $(tail -n 1 "$folder/out") $(head -n 1 "$folder/err")"
fi
lines() { tr '\n' ' ' | sed -E 's/[^ ]*main\.c:[0-9]+/LINE/g; s/[^ ]*devices\.c:[0-9]+/LINE/g; s/ +/ /g; s/ $//'; }
said=$(sed -n '/^main\.c:12: add:/,/^```/p' README.md | grep -v '^```' | lines)
printed=$(SITU_SIM_GPUS=2 SITU_GPUS=sim "$folder/devices" | lines)
if [ -n "$said" ] && [ "$said" = "$printed" ]; then echo "PASS README: the message about two devices"; else echo "FAIL README: the message about two devices is: $printed"; fi

# The lines of "Building and installing" as they are written, but that what is built already is installed.
awk '/^## Building and installing/ { inside = 1; next } inside && /^    / { print; seen = 1; next } inside && seen { exit }' README.md |
    sed "s|.*&& cmake --install build |cmake --install '$(cd "$build" && pwd)' |" >"$folder/lines"
mkdir "$folder/home"
cp "$folder/program1.c" "$folder/main.c"
if [ "$(wc -l <"$folder/lines")" -lt 3 ]; then
    echo "FAIL README: its lines for installing are not found"
elif ! command -v pkg-config >/dev/null; then
    echo "SKIP README, installing: no pkg-config"
elif (unset LD_LIBRARY_PATH PKG_CONFIG_PATH; cd "$folder" && HOME="$folder/home" bash -e lines && ./a.out) >"$folder/log" 2>&1; then
    echo "PASS README: the lines for installing under a private prefix"
else
    echo "FAIL README, installing: $(tail -n 1 "$folder/log")"
fi
