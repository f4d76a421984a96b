#!/usr/bin/env bash
# usage: tests/release/programs.sh [TIMES]
# The random programs of tests/python, TIMES (default 10) as many as scripts/test runs, ten minutes or so; those of floats
# with each instruction set in turn, of which all must give the same bits.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. scripts/lib.sh
python=$(find_python_to_build numpy)
[ -n "$python" ] || { echo "SKIP programs: no Python 3.11 or later with its headers and NumPy"; exit 0; }
export SITU_TEST_CASES="${1:-10}" SITU_SIM_GPUS=2
package=$(mktemp -d)
log="$package/log"
trap 'rm -rf "$package"' EXIT
make_package "$python" "${SITU_BUILD_DIR:-build}" "$package" || { echo "FAIL programs: the package does not build"; exit 1; }
export PYTHONPATH="$package"
status=0

# run NAME COMMAND...: its lines, marked; one that ends badly without a FAIL is one.
run() {
    local name="$1"
    shift
    if ! "$@" >"$log" && ! grep -q '^FAIL' "$log"; then echo "FAIL it ended before its end" >>"$log"; fi
    if grep -q '^FAIL' "$log"; then status=1; fi
    sed -E "s/^(PASS|FAIL|SKIP) /\\1 programs: $name: /" "$log"
}

run all "$python" tests/python/test_programs.py
crcs=""
for isa in avx512 avx2 baseline; do
    # own products: a library has an order of its own
    run $isa env SITU_BLAS=own SITU_ISA=$isa "$python" tests/python/test_sizes.py
    crcs="$crcs $(grep -o 'CRC .*' "$log" | tr -d 'CR \n')"
done
# shellcheck disable=SC2086
if [ "$status" -eq 0 ] && [ "$(printf '%s\n' $crcs | sort -u | wc -l)" -ne 1 ]; then
    echo "FAIL programs: the bits depend on SITU_ISA:$crcs"
    status=1
elif [ "$status" -eq 0 ]; then
    echo "PASS programs: the same bits with AVX-512, AVX2 and without either, as far as the machine has them"
fi
exit $status
