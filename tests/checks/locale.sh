#!/usr/bin/env bash
# Numbers in text are the same in every locale: one with a decimal comma, set before the library is used, later, or for one thread
# alone, and one whose small i is another letter. What a program and the command write must be equal, byte by byte.
set -u
cd "$(dirname "$0")/../.." || exit 1
root=$PWD
build=$(cd "${SITU_BUILD_DIR:-build}" && pwd) || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "FAIL locale: $*"; exit 1; }

export LOCPATH="$scratch/locales" POCL_DEVICES="${POCL_DEVICES:-pthread}" SITU_SIM_GPUS=2
mkdir "$LOCPATH"
for made in de_DE.UTF-8 tr_TR.ISO-8859-9; do
    localedef -f "${made#*.}" -i "${made%.*}" "$LOCPATH/$made" 2>"$scratch/log" || fail "localedef makes no $made (packages locales, libc-bin): $(head -n 1 "$scratch/log")"
done
read -r -a options <<<"${CFLAGS:-}"
compile() { "${CC:-cc}" -std=gnu11 -O1 -Wall -Wextra -Werror -D_GNU_SOURCE "${options[@]}" "$@" 2>"$scratch/log" || fail "a program does not compile: $(grep -m 1 error "$scratch/log")"; }

compile -Iinclude -Isrc -Itests tests/checks/locale_test.c -o "$scratch/program" "$build/libsitu.a" -lm -ldl -lpthread
# run NAME MODE [LOCALE]: writes $scratch/NAME
run() {
    local name="$1"
    shift
    rm -rf "$scratch/folder"
    mkdir -p "$scratch/folder/bare"
    timeout 300 "$scratch/program" "$scratch/folder" "$@" >"$scratch/$name" 2>"$scratch/$name.err" || fail "the program ends with $? ($*): $(head -n 1 "$scratch/$name.err")"
}
run plain none
[ "$(wc -c <"$scratch/plain")" -gt 1000000 ] || fail "the program writes too little"
status=0
# same TITLE FILE COMMA: FILE is what the plain run wrote, and the program's own printf wrote the comma
same() {
    if ! cmp -s "$scratch/plain" "$scratch/$2"; then
        echo "FAIL locale: $1 changes what is written:"
        diff -a "$scratch/plain" "$scratch/$2" | head -n 8 | cut -c1-160
        status=1
    elif [ "$(tail -n 1 "$scratch/$2.err")" != "$3" ]; then
        echo "FAIL locale: $1: the program's own numbers have '$(tail -n 1 "$scratch/$2.err")', not '$3'"
        status=1
    else echo "PASS locale: $1 changes nothing"; fi
}
for mode in before later thread; do
    run $mode $mode
    same "a decimal comma ($mode)" $mode ,
done
run turkish before tr_TR.ISO-8859-9
same "a Turkish locale" turkish ,

# The command itself sets no locale; a library that it opens may.
printf '#include <locale.h>\n#include <stdlib.h>\n__attribute__((constructor)) static void set(void) { if (!setlocale(LC_ALL, "de_DE.UTF-8")) abort(); }\n' >"$scratch/set.c"
compile -shared -fPIC "$scratch/set.c" -o "$scratch/set.so"
printf 'cards 4\nlink card switch 16.5 GB/s 2.5 us\nlink switch host 0.5 GB/s\n' >"$scratch/server"
# command TITLE COMMAND...
command_is_same() {
    local title="$1"
    shift
    rm -rf "$scratch/train" && "$@" >"$scratch/out" 2>&1
    rm -rf "$scratch/train" && LD_PRELOAD="$scratch/set.so" "$@" >"$scratch/again" 2>&1
    # Times, and the memory and load of the moment, whose width moves the columns
    sed -i -E 's/[0-9]+\.[0-9] s|[0-9.]+ (steps|rows|ms)\/s|[0-9.]+ [KMG]?i?B \/ [0-9.]+ [KMG]iB +([0-9]+ %|-)/VARIES/g; s/ +/ /g' "$scratch/out" "$scratch/again"
    if [ -s "$scratch/out" ] && cmp -s "$scratch/out" "$scratch/again"; then echo "PASS locale: $title"; return; fi
    echo "FAIL locale: $title"
    diff "$scratch/out" "$scratch/again" | head -n 6
    status=1
}
situ="$build/situ"
command_is_same "situ train" "$situ" train --epochs 1 --lr 0.0025 --deterministic --hash
command_is_same "an option out of its range" "$situ" train --lr -0.5
command_is_same "situ simulate" "$situ" simulate --cluster "$scratch/server" --cards 4 --exchange ring --bytes 160.5MB
SITU_CPU_MEMORY=1.5M command_is_same "SITU_CPU_MEMORY" "$situ" train --epochs 1 --batch 256
SITU_GROUP_DEADLINE=2.5 command_is_same "situ devices" "$situ" devices
exit $status
