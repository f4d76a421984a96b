#!/usr/bin/env bash
# Batch-invariant results: 200 cases on each instruction set (tests/unit/test_invariance.c).
here=$(cd "$(dirname "$0")/../.." && pwd)
if SITU_INVARIANCE="${SITU_INVARIANCE:-200}" "${SITU_BUILD_DIR:-$here/build}/situ-tests" invariance; then
    echo "PASS rows have the same bits in every batch"
else
    echo "FAIL rows have the same bits in every batch"
fi
