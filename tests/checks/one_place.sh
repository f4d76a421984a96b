#!/usr/bin/env bash
# One place: an operation is one line. In a copy of the tree, x*tanh(x) is added as a line to elementwise.def; after a
# build it is found in C, on a simulated GPU, in the generated text, in the gradients and in the docs.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/lib.sh
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
copy_tree "$copy"
cd "$copy"
sed -i '0,/^EL1(tanh,/s//EL1(xtanh, FLOAT, A * tanh(A), situ_mul(g, situ_add(situ_tanh(a), situ_mul(a, situ_sub(1, situ_square(situ_tanh(a)))))), -3, 3, "x tanh(x)")\n&/' src/op/elementwise.def
grep -q '^EL1(xtanh' src/op/elementwise.def || { echo "FAIL one place: the line was not added"; exit 0; }
cat > examples/one_place.c <<'C'
#include <math.h>
#include <situ.h>

int main(void)
{
    if (!situ_num_gpus()) situ_sim_gpus(1);
    int wrong = 0;
    for (int d = 0; d < 2; d++) {
        situ_scope *scope = situ_scope_open();
        float at[3] = {-2, 0.5f, 3}, y[3], dy[3];
        situ_tensor *x = situ_from_host(at, SHAPE(3), .device = d ? situ_gpu(0) : situ_cpu()), *grad;
        situ_tensor *value = situ_xtanh(x);
        situ_grad(situ_sum(value), TENSORS(x), &grad);
        situ_read(value, y, sizeof y);
        situ_read(grad, dy, sizeof dy);
        for (int i = 0; i < 3; i++) {
            double t = tanh(at[i]);
            wrong += !(fabs(y[i] - at[i] * t) < 1e-5) + !(fabs(dy[i] - (t + at[i] * (1 - t * t))) < 1e-5);
        }
        situ_scope_close(scope);
    }
    if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());
    return situ_failed() || wrong;
}
C
log=$copy/log
# What is looked at here, in as little time as it takes to compile: a header that all files read is another one.
find tests/unit -name 'test_*.c' ! -name test_codegen.c -delete
if ! { cmake -S . -B out -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O1 -DSITU_WARNINGS_AS_ERRORS=OFF &&
    cmake --build out -j "$(nproc)" --target situ_shared situ_static example_one_place situ_tests; } >"$log" 2>&1; then
    grep -E 'error|Error' "$log" | head -5
    echo "FAIL one place: the copy with the new line does not build"
    exit 0
fi
say() { if "${@:2}" >"$log" 2>&1; then echo "PASS one place: $1"; else tail -5 "$log"; echo "FAIL one place: $1"; fi; }
say "found in C and on a simulated GPU, with its gradient" out/examples/one_place
say "found in the generated text, with the interpreter's bits" out/situ-tests codegen/operations
say "found in the docs" grep -q 'situ_xtanh(a)' docs/operations.md
say "found in the header" grep -q 'situ_xtanh(situ_tensor' include/situ/elementwise.h
python=$(find_python_to_build numpy)
if [ -n "$python" ]; then
    say "the package builds" make_package "$python" "$copy/out" "$copy/package"
    export SITU_BUILD_DIR="$copy/out" SITU_SIM_GPUS=1 PYTHONPATH="$copy/package"
    say "found by the gradient tests" "$python" tests/python/test_grad.py elementwise
else
    echo "SKIP one place: the gradient tests need a Python 3.11 with its headers and NumPy (python3-dev, python3-numpy)"
fi
