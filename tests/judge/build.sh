#!/usr/bin/env bash
# usage: tests/judge/build.sh FOLDER BUILD
# Compiles the judge to FOLDER/judge, beside the shared library of the build folder BUILD.
cd "$(dirname "$0")/../.." || exit 1
flags="-std=gnu11 -O2 -g -ffp-contract=off ${SITU_JUDGE_FLAGS:-}"
export flags
# shellcheck disable=SC2016
printf '%s\n' tests/judge/*.c cli/samples.c | xargs -P 2 -I {} sh -c '${SITU_CACHED:-} ${CC:-cc} $flags -Iinclude -c -o "$1/$(basename "$2" .c).o" "$2"' - "$1" {} &&
    # shellcheck disable=SC2086
    ${CC:-cc} $flags -o "$1/judge" "$1"/*.o -L"$2" -lsitu -lm -Wl,-rpath,"$2"
