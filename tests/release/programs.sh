#!/usr/bin/env bash
# usage: tests/release/programs.sh [TIMES]
# The random programs of tests/python, TIMES (default 10) as many as scripts/test runs, ten minutes or so; those of floats
# with each instruction set in turn, of which all must give the same bits.
set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/lib.sh
python="${SITU_PYTHON:-$(find_python)}"
"$python" -c 'import numpy' 2>/dev/null || { echo "SKIP programs: $python has no NumPy"; exit 0; }
export SITU_TEST_CASES="${1:-10}" SITU_SIM_GPUS=2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0

"$python" tests/python/test_programs.py | sed -E 's/^(PASS|FAIL|SKIP) /\1 programs: /' | tee "$log"
grep -q '^FAIL' "$log" && status=1

crcs=""
for isa in avx512 avx2 baseline; do
    # own products: a library has an order of its own
    SITU_BLAS=own SITU_ISA=$isa "$python" tests/python/test_sizes.py >"$log"
    grep '^FAIL' "$log" | sed "s/^FAIL /FAIL programs: $isa: /" && status=1
    crcs="$crcs $(grep -o 'CRC .*' "$log" | tr -d '\n' | md5sum | cut -c1-8)"
    [ "$isa" = baseline ] && sed -E 's/^PASS /PASS programs: /' "$log" | grep '^PASS'
done
# shellcheck disable=SC2086
if [ "$(printf '%s\n' $crcs | sort -u | wc -l)" -eq 1 ]; then
    echo "PASS programs: the same bits with AVX-512, AVX2 and without either, as far as the machine has them"
else
    echo "FAIL programs: the bits depend on SITU_ISA:$crcs"
    status=1
fi
exit $status
