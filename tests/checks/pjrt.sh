#!/usr/bin/env bash
# Each plugin of PJRT that scripts/test has installed: the unit tests on it, the digits as well as on the CPU, the same weights on
# one and two devices, the chapter's rows on its devices as TPUs; and a second run that finds all programs on disk.
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

for name in xla-cpu-pjrt lammps-jax-pjrt-cpu; do
    SITU_PJRT_PLUGIN=$(find_pjrt "$name")
    [ -n "$SITU_PJRT_PLUGIN" ] || { echo "SKIP pjrt: $name is not here; scripts/test --prepare installs it"; continue; }
    export SITU_PJRT_PLUGIN
    output=$("$build/situ-tests" pjrt 2>&1)
    report $? "unit tests with $name" "$output"
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
    output=$(SITU_PJRT_AS=tpu SITU_SIM_GPUS=2 "$build/situ" chapter -b B1 B2 B3 B4 B5 2>&1)
    report $? "the chapter's rows with $name as TPUs" "$output"
done
if [ -n "${SITU_PJRT_PLUGIN:-}" ]; then # as many compilations as of all other checks together: with one plugin
    one=$(SITU_GPUS=pjrt trained -g 1 --deterministic --hash) two=$(SITU_GPUS=pjrt trained -g 2 --deterministic --hash)
    [ -n "${one##*: }" ] && [ "${one##*: }" = "${two##*: }" ]
    report $? "the deterministic mode on one and on two devices" "$one $two"
fi
exit 0
