#!/usr/bin/env bash
# SITU_DEBUG=errors prints the first error whose message the program never read, and nothing of one that did; an unknown word is said once.
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${SITU_BUILD_DIR:-$root/build}
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT
cat > "$folder/blind.c" <<'END'
#include <pthread.h>
#include <situ.h>
static void *work(void *unused)
{
    situ_add(situ_ones(SHAPE(2)), situ_ones(SHAPE(3)));
    return unused;
}
int main(int argc, char **argv)
{
    (void)argv;
    pthread_t thread;
    if (argc == 2) { work(NULL); situ_exp(NULL); }
    if (argc == 3) { pthread_create(&thread, NULL, work, NULL); pthread_join(thread, NULL); }
    if (argc == 4) { work(NULL); if (*situ_error_message()) return 0; }
    if (argc == 5) { work(NULL); situ_error_take(NULL); }
    if (argc == 6) { work(NULL); return situ_failed(); }
    return 0;
}
END
cat > "$folder/nan.c" <<'END'
#include <situ.h>
#include <math.h>
#include <string.h>
int main(int argc, char **argv)
{
    (void)argv;
    situ_device d = argc > 2 ? situ_gpu(0) : situ_cpu();
    situ_tensor *x = situ_variable(situ_from_host(((float[]){4, argc == 4 ? NAN : 0, 1}), SHAPE(3), .device = d)), *g;
    situ_tensor *y = situ_sum(
        situ_mul(situ_sqrt(x), 0)), *z = situ_add(y, 1);
    if (argc == 2)
        z = situ_div(situ_sub(z, 1), situ_mul(y, 2));
    situ_grad(z, TENSORS(x), &g);
    situ_eval(TENSORS(z, g));
    return situ_wait(NULL);
}
END
flags=$(grep -qs "SITU_SANITIZE:STRING=." "$build/CMakeCache.txt" && sed -n 's/^SITU_SANITIZE:STRING=\(..*\)/-fsanitize=\1/p' "$build/CMakeCache.txt")
for program in blind nan; do
    ${CC:-cc} $flags -I"$root/include" "$folder/$program.c" -o "$folder/$program" -L"$build" -lsitu -lpthread -Wl,-rpath,"$build" ||
        { echo "FAIL debug: $program does not compile"; exit 1; }
done
program=blind
check()
{
    said=$(SITU_SIM_GPUS=1 SITU_DEBUG=$2 "$folder/${program:-blind}" "${@:4}" 2>&1)
    if [ "$(grep -c "$3" <<< "$said")" = 1 ]; then echo "PASS debug: $1"; else echo "FAIL debug: $1: $said"; fi
}
check "an error that nobody looked at" errors "situ: an error that the program never read: .*blind.c:5: add: .*bad shape" 1
check "a thread's" plan,errors "never read: .*blind.c:5" 1 2

check "one that was read is not printed" errors '^$' 1 2 3
check "nor one that was taken" errors '^$' 1 2 3 4
check "one of which the code alone was asked" errors "never read: .*blind.c:5: add" 1 2 3 4 5
check "nothing without the word" "" '^$' 1
check "an unknown word" errors,colour 'no word "colour"; there are' 1 2 3
program=nan
check "the first NaN" nan "first NaN was made by div .*on cpu(0)), called at .*nan.c:12" 1
check "one of a gradient, on a simulated device" nan "first NaN was made by .*on gpu(0)), called at .*nan.c:10" 1 2
check "one that came in" nan "came in with the data of situ_from_host .*nan.c:8" 1 2 3
check "no NaN is looked for without the word" plans '^situ: SITU_DEBUG has no word' 1
