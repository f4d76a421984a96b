#!/usr/bin/env bash
# The Python package: installed by pip into a fresh environment, from a wheel that needs no compiler. The tests of tests/python and
# the examples use that environment: build/package/use.
set -u
cd "$(dirname "$0")/../.." || exit 1
root=$PWD folder="${SITU_BUILD_DIR:-$PWD/build}/package"
skip() { echo "SKIP python: $*"; exit 0; }

rm -rf "$folder"
mkdir -p "$folder"
# build-wheel lies where build lies, and the compiler has the same name, so that a compiler cache finds what was compiled there.
python=$(. scripts/lib.sh && find_python_to_build ensurepip venv)
[ -n "$python" ] || skip "no Python 3.11 or later with its headers and venv (python3-dev, python3-venv)"
"$python" -m venv "$folder/build" >"$folder/log" 2>&1 || skip "no virtual environment can be made"
pip() { "$folder/$1/bin/python" -m pip --disable-pip-version-check -q "${@:2}"; }
pip build install 'scikit-build-core>=0.10' 'cmake>=3.26' ninja >"$folder/log" 2>&1 || skip "the package index is not reachable"
if ! CC="${CC:-cc}" PATH="$folder/build/bin:$PATH" pip build wheel --no-build-isolation --no-deps "$root/python" -w "$folder/wheel" \
    --config-settings=build-dir="$root/build-wheel" --config-settings=cmake.define.SITU_WARNINGS_AS_ERRORS=ON >"$folder/log" 2>&1; then
    tail -n 20 "$folder/log"
    echo "FAIL python: pip cannot build the wheel"
    exit 0
fi
"$python" scripts/wheel.py "$folder"/wheel/*.whl >"$folder/log" || { echo "FAIL python: the wheel gets no tag"; cat "$folder/log"; }
"$python" scripts/wheel.py --check "$folder"/wheel/*.whl
for name in LICENSE NOTICE; do
    if "$python" -m zipfile -l "$folder"/wheel/*.whl >"$folder/log" && grep -q "dist-info/.*$name " "$folder/log"; then echo "PASS python: the wheel has $name"; else
        echo "FAIL python: the wheel has no $name"
    fi
done
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
"$python" -m venv "$folder/making"
"$folder/making/bin/python" -m pip --disable-pip-version-check -q install numpy >"$folder/log" 2>&1 || skip "NumPy cannot be installed"
if ! CC=/bin/false PATH="$folder/making/bin:/bin" pip making install --no-index "$folder"/wheel/*.whl >"$folder/log" 2>&1; then
    tail -n 20 "$folder/log"
    echo "FAIL python: the wheel cannot be installed without a compiler"
    exit 0
fi
echo "PASS python: the wheel is installed without a compiler"
ln -s making "$folder/use" # the jobs that use it look for this name: it is there when it is whole
rm -rf "$folder/build" "$folder/plain"
