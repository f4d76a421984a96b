#!/usr/bin/env bash
# One place, for Python: what has a row in a public header needs no line of Python. In a copy of the tree a function with options, a
# loss, a layer, an optimizer and a data format get their rows and their C; after a build Python has them, with names, defaults,
# docstrings, stubs and errors.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/lib.sh
python=$(find_python_to_build)
[ -n "$python" ] || { echo "SKIP one place, Python: no Python 3.11 or later with its headers (python3-dev)"; exit 0; }
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
copy_tree "$copy"
cd "$copy"

# row HEADER: the text goes where the header's declarations end
row() {
    "$python" - "include/situ/$1.h" "$(cat)" <<'P'
import sys
text = open(sys.argv[1]).read()
front, end, behind = text.rpartition("\n#ifdef __cplusplus\n}")
open(sys.argv[1], "w").write(front + "\n" + sys.argv[2] + "\n" + end + behind)
P
}
row function <<'C'
typedef struct SITU_BY_NAME situ_blend_options {
    SITU_OPTION_HEAD;
    double share; /* = 0.5 in [0, 1]: how much of b there is */
} situ_blend_options;
/* (1 - share) a + share b. */
SITU_API situ_tensor *situ_blend(situ_tensor *a, situ_tensor *b, const situ_blend_options *options, situ_site site);
/* |prediction - target|. */
SITU_API situ_tensor *situ_distance(situ_tensor *prediction, situ_tensor *target, const situ_loss_options *options, situ_site site);
C
row nn <<'C'
typedef struct SITU_BY_NAME situ_plain_layer_options {
    SITU_OPTION_HEAD;
    int64_t in; /* = 0 in [0, inf): size of the input; 0: that of the first one */
} situ_plain_layer_options;
/* situ_linear_layer without a bias. */
SITU_API situ_module *situ_plain_layer(int64_t out, const situ_plain_layer_options *options, situ_site site);
C
row optim <<'C'
typedef struct SITU_BY_NAME situ_careful_options {
    SITU_OPTION_HEAD;
    double lr; /* = 0.5 in [0, inf): twice the learning rate */
} situ_careful_options;
/* p -= lr / 2 g. */
SITU_API situ_optimizer *situ_careful(situ_module *net, const situ_careful_options *options, situ_site site);
C
row data <<'C'
/* n rows of one feature, 0 to n - 1, which is the label, too. */
SITU_API SITU_TOLD situ_dataset *situ_counting(int64_t n);
C
cat >src/train/one_place.c <<'C'
#include <situ.h>

#include "op/support.h"

situ_tensor *(situ_blend)(situ_tensor *a, situ_tensor *b, const situ_blend_options *options, situ_site site)
{
    situ_blend_options o = {SITU_DEFAULTS(SITU_BLEND_DEFAULTS)};
    if (!SITU_TAKE_OPTIONS(o, options, "blend", site)) return situ_poisoned();
    return (situ_add)((situ_mul)(a, situ_scalar_float(1 - o.share), site), (situ_mul)(b, situ_scalar_float(o.share), site), site);
}

situ_tensor *(situ_distance)(situ_tensor *prediction, situ_tensor *target, const situ_loss_options *options, situ_site site)
{
    situ_loss_options o = {SITU_DEFAULTS(SITU_LOSS_DEFAULTS)};
    if (!SITU_TAKE_OPTIONS(o, options, "distance", site)) return situ_poisoned();
    situ_tensor *y = (situ_abs)((situ_sub)(prediction, target, site), site);
    return o.reduction == SITU_NONE ? y : o.reduction == SITU_SUM ? situ_sum(y) : situ_mean(y);
}

situ_module *(situ_plain_layer)(int64_t out, const situ_plain_layer_options *options, situ_site site)
{
    situ_plain_layer_options o = {SITU_DEFAULTS(SITU_PLAIN_LAYER_DEFAULTS)};
    (void)site;
    return SITU_TAKE_OPTIONS(o, options, "plain", site) ? situ_linear_layer(out, .bias = false, .in = o.in) : NULL;
}

situ_optimizer *(situ_careful)(situ_module *net, const situ_careful_options *options, situ_site site)
{
    situ_careful_options o = {SITU_DEFAULTS(SITU_CAREFUL_DEFAULTS)};
    return SITU_TAKE_OPTIONS(o, options, "careful", site) ? situ_sgd(net, .lr = o.lr / 2) : NULL;
}

situ_dataset *(situ_counting)(int64_t n)
{
    float x[64];
    int32_t y[64];
    for (int i = 0; i < n && i < 64; i++) x[i] = (float)(y[i] = i);
    return situ_dataset_new(x, SHAPE(n, 1), y, (int)n, "counting");
}
C
cat >use.py <<'P'
import inspect
import pathlib
import situ

def says(error, work):
    try:
        work()
    except (TypeError, ValueError) as e:
        return error in str(e) or print(e)

x, y = situ.asarray([1.0, 2.0]), situ.asarray([3.0, 6.0])
stub = pathlib.Path("python/situ/_made/signatures.pyi").read_text()
net = situ.nn.Plain(3, inputs=2)
checks = {
    "a function with options": lambda: situ.nn.blend(x, y).tolist() == [2, 4] and situ.nn.blend(x, y, share=0.25).tolist() == [1.5, 3],
    "its signature": lambda: str(inspect.signature(situ.nn.blend)) == "(a, b, *, share=0.5)" and "def blend(a: Operand, b: Operand, *, share: float = 0.5) -> Tensor:" in stub,
    "its docstring": lambda: situ.nn.blend.__doc__ == "(1 - share) a + share b.\n\nshare: how much of b there is",
    "its errors": lambda: says("blend has no argument part; it has a, b and share", lambda: situ.nn.blend(x, y, part=1)) and says("blend: argument b is missing", lambda: situ.nn.blend(x)),
    "a loss": lambda: situ.nn.distance(x, y).item() == 3 and situ.nn.distance(x, y, reduction="none").tolist() == [2, 4] and "'mean', 'sum', 'none'" in stub[stub.index("def distance"):][:200],
    "a layer": lambda: net(x).shape == (3,) and list(net.parameters()) == ["weight"] and "(self, out: 'int', *, inputs: 'int | None' = None)" in str(inspect.signature(situ.nn.Plain.__init__)) and repr(net) == "Plain(3)",
    "an optimizer": lambda: situ.optim.Careful(net).lr == 0.25 and inspect.signature(situ.optim.Careful).parameters["lr"].default == 0.5 and "p -= lr / 2 g" in situ.optim.Careful.__doc__,
    "a data format": lambda: situ.data.counting(5).labels.tolist() == [0, 1, 2, 3, 4],
}
for what, check in checks.items():
    print(f"{'PASS' if check() else 'FAIL'} one place, Python: {what}")
P
log=$copy/log
extension() { # as python/CMakeLists.txt does, for any CMake
    "${CC:-cc}" -std=gnu11 -O0 -fPIC -shared -fvisibility=hidden -pthread -I"$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')" -Iinclude -Isrc \
        python/src/*.c "$(find out -name 'libsitu*.a' | head -1)" -lm -ldl -o python/situ/_situ.abi3.so
}
if ! { "$python" scripts/generate.py && cmake -S . -B out -DCMAKE_BUILD_TYPE=Debug -DSITU_BUILD_TESTS=OFF -DSITU_BUILD_PROGRAMS=OFF &&
    cmake --build out --target situ_static -j "$(nproc)" && extension; } >"$log" 2>&1; then
    grep -E 'error|Error|FAIL' "$log" | head -5 || tail -5 "$log"
    echo "FAIL one place, Python: the copy with the new rows does not build"
    exit 0
fi
PYTHONPATH=$copy/python "$python" use.py 2>&1 || echo "FAIL one place, Python: the program that uses the new rows"
echo "PASS one place, Python: of each a row in its header and its C by hand, nothing in python/"
