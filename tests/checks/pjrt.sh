#!/usr/bin/env bash
# Each plugin of PJRT that scripts/test has installed, in the gate one at each commit (SITU_TURN): the unit tests on it, those of values that OpenCL devices have, every operation of
# the table, the digits as well as on the CPU, and a second run that finds all programs on disk. With one of them: LeNet, a GPT, the same
# weights on one and two devices, and every row of the chapter on its devices as TPUs.
set -u
cd "$(dirname "$0")/../.." || exit 1
build="${SITU_BUILD_DIR:-build}"
# shellcheck source=scripts/lib.sh
. scripts/lib.sh
case "$build" in *san*) echo "SKIP pjrt: plugins are not built for sanitizers"; exit 0 ;; esac
cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
export XDG_CACHE_HOME="$cache"
unset SITU_PJRT_AS SITU_DEVICE
cpu=$(SITU_PJRT_PLUGIN='' "$build/situ" train -q -e 3 -d cpu | sed -n 's/.*: //p')

trained() { "$build/situ" train -q -e 3 "$@" 2>&1; }
report() { # report NAME OUTPUT...: PASS where the status before was 0
    if [ "$1" -eq 0 ]; then echo "PASS pjrt: $2"; else echo "FAIL pjrt: $2: ${*:3}" | head -n 5; fi
}

names=(xla-cpu-pjrt lammps-jax-pjrt-cpu)
[ -z "${SITU_TURN:-}" ] || names=("${names[SITU_TURN % 2]}")
for name in "${names[@]}"; do
    SITU_PJRT_PLUGIN=$(find_pjrt "$name")
    [ -n "$SITU_PJRT_PLUGIN" ] || { echo "SKIP pjrt: $name is not here; scripts/test --prepare installs it"; continue; }
    export SITU_PJRT_PLUGIN
    output=$("$build/situ-tests" pjrt 2>&1)
    report $? "unit tests with $name" "$output"
    output=$(SITU_TEST_BACKEND=pjrt "$build/situ-tests" opencl_ops/results_of opencl_ops/a_bad opencl_ops/what_has opencl_factors/triangles \
        opencl_factors/qr_is opencl_factors/nans_of_triangles opencl_factors/singular opencl_factors/functions_of opencl_factors/fourier placement/operands_of every_gradient/samples_on 2>&1)
    report $? "values of complex numbers and factorizations, placement, gradients with $name" "$output"
    # at most 10 % of the table are refused, none fails, what differs does by little, and all have a sample but the two
    # of weights in few bits, whose results are for the CPU
    output=$("$build/situ" diff --operations --right pjrt 2>&1 | tee "$cache/operations" | tail -n 1)
    echo "$output" | sed -nE 's/.* of ([0-9]+) operations .* differ by ([0-9.e+]+) units .* ([0-9]+) are refused, 0 failed, ([0-9]+) are not.*/\1 \2 \3 \4/p' |
        awk 'NF == 4 && $1 > 250 && $2 <= 1000 && 10 * ($3 + $4) <= $1 && $4 <= 2 { good = 1 } END { exit !good }'
    report $? "every operation of the table with $name" "$output $(grep FAILED "$cache/operations")"
    "$build/situ" devices | grep -q '^pjrt(0).*not bit-equal: [0-9]* of [0-9]* operations bit-equal, the others within'
    report $? "situ devices says which numbers of $name are equal" "$("$build/situ" devices | grep '^pjrt(0)')"
    output=$(trained -d pjrt:0)
    [ "$(printf '%s\n' "$output" | sed -n 's/.*: //p')" = "$cpu" ]
    report $? "the digits with $name, $cpu as on the CPU" "$output"
    programs=$(find "$cache" -name '*.bin' | wc -l)
    trained -d pjrt:0 >/dev/null
    [ "$programs" -gt 20 ] && [ "$(find "$cache" -name '*.bin' | wc -l)" = "$programs" ]
    report $? "a second run with $name compiles nothing" "$programs programs, then $(find "$cache" -name '*.bin' | wc -l)"
    "$build/situ-tests" pjrt/computes >/dev/null
    programs=$(find "$cache" -name '*.bin' | wc -l)
    output=$(XLA_FLAGS=--xla_cpu_enable_fast_math=true "$build/situ-tests" pjrt/computes 2>&1) && [ "$(find "$cache" -name '*.bin' | wc -l)" -gt "$programs" ]
    report $? "other options of XLA are other programs with $name" "$output"
done
SITU_PJRT_PLUGIN=$(find_pjrt lammps-jax-pjrt-cpu)
if [ -n "$SITU_PJRT_PLUGIN" ]; then # as many compilations as of all other checks together: with the newer plugin
    export SITU_PJRT_PLUGIN
    one=$(SITU_GPUS=pjrt trained -g 1 --deterministic --hash) two=$(SITU_GPUS=pjrt trained -g 2 --deterministic --hash)
    [ -n "${one##*: }" ] && [ "${one##*: }" = "${two##*: }" ]
    report $? "the deterministic mode on one and on two devices" "$one $two"
    output=$(SITU_GPUS=pjrt "$build/situ-tests" pjrt_training 2>&1)
    report $? "LeNet and a GPT on one and two devices beside the CPU" "$output"
    export SITU_PJRT_AS=tpu SITU_CHAPTER_SMALL=1
    output=$(SITU_SIM_GPUS=2 "$build/situ" chapter --brief 2>&1)
    [ $? -eq 0 ] && [ "$(echo "$output" | grep -c '^ran on .*tpu([01])')" -ge 17 ]
    report $? "the chapter's rows with TPUs" "$(echo "$output" | grep -E 'BROKEN|NOT hold|rows hold')"
    output=$(SITU_GPUS=tpu "$build/situ" chapter --brief H1 M1 2>&1)
    [ $? -eq 0 ] && [ "$(echo "$output" | grep -c '^ran on .*gpu(0) (tpu: ')" -eq 2 ]
    report $? "the chapter's trainers on TPUs" "$(echo "$output" | grep -E 'BROKEN|NOT hold')"
fi
exit 0
