#!/usr/bin/env bash
# `situ diff` on programs whose first differing result is known, and on one that is the same everywhere.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$(cd "${SITU_BUILD_DIR:-build}" && pwd) || { echo "FAIL diff: nothing is built"; exit 1; }
situ="$build/situ"
[ -x "$situ" ] || { echo "FAIL diff: $situ is not built"; exit 1; }
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
status=0

cat >"$place/program.c" <<'C'
#include <situ.h>
#include <string.h>
int main(int argc, char **argv)
{
    situ_device d = situ_default_device();
    bool other = argc > 1 && d.kind == SITU_GPU; /* what a wrong kernel would do */
    situ_tensor *x = situ_exp(situ_linspace(0, 1, 12, .dtype = SITU_F32));
    x = situ_reshape(x, SHAPE(3, 4));
    if (argc > 1 && !strcmp(argv[1], "more") && other) situ_wait(situ_add(x, 5));
    if (argc > 1 && !strcmp(argv[1], "bits")) {
        float nudge[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
        if (other) nudge[6] = 1.0000001f;
        x = situ_mul(x, situ_from_host(nudge, SHAPE(3, 4)));
    }
    x = situ_softmax(x);
    if (argc > 1 && !strcmp(argv[1], "fail")) return 3;
    return situ_item(situ_sum(x)) > 0 && !situ_failed() ? 0 : 1;
}
C
${CC:-cc} -std=gnu11 -Iinclude "$place/program.c" -o "$place/program" -L"$build" -lsitu -Wl,-rpath,"$build" ||
    { echo "FAIL diff: the program does not compile"; exit 1; }

# expect TITLE CODE PATTERN COMMAND...: the pattern in what it says
expect() {
    local title="$1" code="$2" pattern="$3" got
    shift 3
    "$@" >"$place/out" 2>&1 </dev/null
    got=$?
    if [ "$got" -eq "$code" ] && grep -qE -- "$pattern" "$place/out"; then
        echo "PASS diff: $title"
    else
        echo "FAIL diff: $title: ended with $got, not $code, or has no '$pattern': $(tr '\n' ' ' <"$place/out" | head -c 400)"
        status=1
    fi
}

expect "the same bits on the CPU and a simulated GPU" 0 "[0-9]+ results, no bit differs" "$situ" diff "$place/program"
expect "a result that differs: operation and line" 1 "right: mul f32\[3x4\] on gpu\(0\), recorded at .*program\.c:13" "$situ" diff "$place/program" bits
expect "... which elements, and how far apart" 1 "1 of 12 elements differ; the first at \[1,2\]: .*\([12] units" "$situ" diff "$place/program" bits
expect "the same build twice" 0 "no bit differs" "$situ" diff --right-build "$build/libsitu.so" "$place/program" bits
expect "more work on one side" 1 "different operations|equal as far as" "$situ" diff "$place/program" more
expect "a program that fails" 1 "ended with status 3" "$situ" diff "$place/program" fail
expect "a program without situ" 1 "computed nothing with situ" "$situ" diff true
expect "a program that is not there" 1 "cannot be run" "$situ" diff "$place/none"
expect "a training run" 0 "no bit differs" "$situ" diff "$situ" train --quiet --epochs 1
# Programs that are none of ours, or do not keep step: what they write is counted or left out, in bounded time and memory.
write_digest() { # NAME AWK: a program that writes what awk prints, given the device's name
    printf '#!/bin/sh\nawk -v device="$SITU_DEVICE" '"'%s'"' >&"$SITU_DIGEST"\n' "BEGIN { $2 }" >"$place/$1"
    chmod +x "$place/$1"
}
write_digest apart 'for (i = 0; i < 250000; i++) printf "%d.1.1.0 %032d 11 8 2 add\t%s\tp.c:1\n", device == "cpu" ? 1 : 2, i, device'
write_digest longer 'for (i = 0; i < (device == "cpu" ? 150000 : 10); i++) printf "1.%d.1.0 %032d 11 8 2 add\t%s\tp.c:1\n", i, i, device'
write_digest nonsense 'for (i = 0; i < 20000; i++) printf "%c%d.%d\t1.1.1.%d x 99 -5 - \t\t\n\n1.2.3.4 h 77 8 2 x\td\ts\n1.2.3.4 h 11 -1 2 x\td\ts\n", i % 255 + 1, i, i, i'
write_digest huge 'printf "1.1.1.0 %s 11 %d 2 add\t%s\tp.c:1\n", device, 4000000000000000000, device'
expect "programs that have nothing in common" 1 "results of each run are none of the other's" timeout 60 "$situ" diff "$place/apart"
expect "one that goes on long after the other has ended" 1 "left has 150000 results, right 10" timeout 60 "$situ" diff "$place/longer"
expect "what is no line of ours" 1 "computed nothing with situ" timeout 60 "$situ" diff "$place/nonsense"
expect "a size that nobody has" 1 "their elements were not kept" timeout 60 "$situ" diff "$place/huge"
expect "no program" 2 "which program" "$situ" diff
expect "an unknown device" 2 "none of cpu" "$situ" diff --left fpu "$place/program"
exit $status
