#!/usr/bin/env bash
# The Python package: installed by pip into a fresh environment, from a wheel that needs no compiler, and used.
set -u
cd "$(dirname "$0")/../.." || exit 1
root=$PWD
skip() { echo "SKIP python: $*"; exit 0; }

python=""
for candidate in "${SITU_PYTHON:-}" python3 python3.13 python3.12 python3.11 /usr/bin/python3; do
    [ -n "$candidate" ] && command -v "$candidate" >/dev/null 2>&1 || continue
    "$candidate" - <<'P' >/dev/null 2>&1 && { python=$candidate; break; }
import ensurepip, os, sys, sysconfig, venv
sys.exit(not (sys.version_info >= (3, 11) and os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))))
P
done
[ -n "$python" ] || skip "no Python 3.11 or later with its headers and venv (python3-dev, python3-venv)"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" -m venv "$folder/build" >"$folder/log" 2>&1 || skip "no virtual environment can be made"
pip() { "$folder/$1/bin/python" -m pip --disable-pip-version-check -q "${@:2}"; }
pip build install 'scikit-build-core>=0.10' 'cmake>=3.26' ninja >"$folder/log" 2>&1 || skip "the package index is not reachable"
if ! PATH="$folder/build/bin:$PATH" pip build wheel --no-build-isolation --no-deps "$root/python" -w "$folder/wheel" >"$folder/log" 2>&1; then
    tail -n 20 "$folder/log"
    echo "FAIL python: pip cannot build the wheel"
    exit 0
fi
echo "PASS python: pip builds the wheel $(basename "$folder"/wheel/*.whl)"
"$python" -m venv "$folder/use"
pip use install numpy >"$folder/log" 2>&1 || skip "NumPy cannot be installed"
if ! CC=/bin/false PATH="$folder/use/bin:/bin" pip use install --no-index "$folder"/wheel/*.whl >"$folder/log" 2>&1; then
    tail -n 20 "$folder/log"
    echo "FAIL python: the wheel cannot be installed without a compiler"
    exit 0
fi
echo "PASS python: the wheel is installed without a compiler"
cd "$folder" || exit 1
SITU_SIM_GPUS=2 "$folder/use/bin/python" "$root/tests/binding/check.py"
exit 0
