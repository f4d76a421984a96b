#!/usr/bin/env bash
# The Python package: installed by pip into a fresh environment, from a wheel that needs no compiler, and used: its tests,
# and the chapter in all of its editions.
set -u
cd "$(dirname "$0")/../.." || exit 1
root=$PWD
skip() { echo "SKIP python: $*"; exit 0; }

python=$(. scripts/lib.sh && find_python_to_build ensurepip venv)
[ -n "$python" ] || skip "no Python 3.11 or later with its headers and venv (python3-dev, python3-venv)"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" -m venv "$folder/build" >"$folder/log" 2>&1 || skip "no virtual environment can be made"
pip() { "$folder/$1/bin/python" -m pip --disable-pip-version-check -q "${@:2}"; }
pip build install 'scikit-build-core>=0.10' 'cmake>=3.26' ninja >"$folder/log" 2>&1 || skip "the package index is not reachable"
if ! PATH="$folder/build/bin:$PATH" pip build wheel --no-build-isolation --no-deps "$root/python" -w "$folder/wheel" --config-settings=cmake.define.SITU_WARNINGS_AS_ERRORS=ON >"$folder/log" 2>&1; then
    tail -n 20 "$folder/log"
    echo "FAIL python: pip cannot build the wheel"
    exit 0
fi
echo "PASS python: pip builds the wheel $(basename "$folder"/wheel/*.whl)"
(cd "$root/python" && find situ -name '*.py' -o -name '*.pyi' -o -name py.typed) | sort >"$folder/files"
"$python" -m zipfile -l "$folder"/wheel/*.whl | awk '/^situ\// { print $1 }' | sort >"$folder/packed"
if missing=$(comm -23 "$folder/files" "$folder/packed") && [ -z "$missing" ]; then echo "PASS python: the wheel has every module and stub"; else
    echo "FAIL python: the wheel has no $missing"
fi
"$python" -m venv "$folder/plain" && CC=/bin/false pip plain install --no-index "$folder"/wheel/*.whl >"$folder/log" 2>&1
cat >"$folder/step.py" <<'P'
import situ

x, y = situ.random.normal(situ.random.key(0), (32, 4)), situ.arange(32) % 3
net = situ.nn.Sequential(situ.nn.Linear(8), situ.nn.ReLU(), situ.nn.Linear(3))
before = situ.nn.cross_entropy(net(x), y)
opt = situ.optim.Adam(net, lr=0.01)
for _ in range(20):
    opt.step(situ.nn.cross_entropy(net(x), y))
assert opt.steps == 20 and float(situ.nn.cross_entropy(net(x), y)) < float(before)
P
if (cd "$folder" && plain/bin/python step.py >log 2>&1); then echo "PASS python: the wheel alone, without NumPy, trains a network"; else
    tail -n 5 "$folder/log"
    echo "FAIL python: the wheel alone, without NumPy, trains a network"
fi
"$python" -m venv "$folder/use"
pip use install numpy >"$folder/log" 2>&1 || skip "NumPy cannot be installed"
if ! CC=/bin/false PATH="$folder/use/bin:/bin" pip use install --no-index "$folder"/wheel/*.whl >"$folder/log" 2>&1; then
    tail -n 20 "$folder/log"
    echo "FAIL python: the wheel cannot be installed without a compiler"
    exit 0
fi
echo "PASS python: the wheel is installed without a compiler"
cd "$folder" || exit 1
export SITU_SIM_GPUS=2 SITU_CHAPTER_SMALL=1
for tests in check gradients networks layers losses optimizers metrics training reports data text files models onnx_files onnx_models ranks when exact refused habits nonsense numpy_beside wording; do
    "$folder/use/bin/python" "$root/tests/binding/$tests.py"
done

"$folder/use/bin/python" "$root/tests/checks/programs.py" --python "$folder/use/bin/python"

for script in "$root"/examples/python/*.py; do
    name=$(basename "$script" .py)
    case "$name" in chapter* | cartpole | quadrotor) continue ;; esac # below; what two of them import
    if PYTHONDONTWRITEBYTECODE=1 timeout 200 "$folder/use/bin/python" "$script" >"$folder/log" 2>&1; then echo "PASS python: example $name"; else
        tail -n 5 "$folder/log"
        echo "FAIL python: example $name"
    fi
done

rows=""
for edition in mxnet mxnet_np pytorch tensorflow jax; do
    script="$root/examples/python/chapter_$edition.py"
    rows="$rows $("$folder/use/bin/python" "$script" --list)"
    if timeout 300 "$folder/use/bin/python" "$script" >"$folder/log" 2>&1; then
        echo "PASS python: the chapter's edition $edition"
    else
        grep -E 'BROKEN|Error|do not hold' "$folder/log" | tail -n 10
        echo "FAIL python: the chapter's edition $edition"
    fi
done
missing=""
for row in A1 B1 B2 B3 B4 B5 C1 C2 D1 D2 E1 E2 E3 F1 F2 G1 G2 H1 I1 I2 I3 J1 J2 K1 K2 K3 K4 L1 M1 M2; do
    case " $rows " in *" $row "*) ;; *) missing="$missing $row" ;; esac
done
if [ -z "$missing" ]; then echo "PASS python: the chapter has all of its rows"; else echo "FAIL python: the chapter has no row$missing"; fi
exit 0
