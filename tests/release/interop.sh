#!/usr/bin/env bash
# usage: tests/release/interop.sh [PYTHON]
# scikit-learn and SciPy on situ: calls that are compared with NumPy (tests/interop/agreement.py), then those tests of
# scikit-learn and SciPy themselves that take the array namespace as a parameter. PYTHON has the package situ, pytest,
# scikit-learn and scipy; without it (argument or SITU_INTEROP_PYTHON) they are installed into a fresh environment.
set -u
cd "$(dirname "$0")/../.." || exit 1
root=$PWD
python="${1:-${SITU_INTEROP_PYTHON:-}}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [ -z "$python" ]; then
    python3 -m venv "$folder/venv" >/dev/null 2>&1 || { echo "SKIP interop: no virtual environment can be made"; exit 0; }
    python="$folder/venv/bin/python"
    "$python" -m pip --disable-pip-version-check -q install scikit-learn scipy pytest hypothesis >"$folder/log" 2>&1 ||
        { echo "SKIP interop: scikit-learn and SciPy cannot be installed"; exit 0; }
    "$python" -m pip --disable-pip-version-check -q install "$root/python" >"$folder/log" 2>&1 ||
        { tail -n 20 "$folder/log"; echo "FAIL interop: pip install ./python"; exit 0; }
fi
"$python" -c 'import situ, pytest, sklearn, scipy' 2>/dev/null || { echo "SKIP interop: $python lacks situ, pytest, scikit-learn or SciPy"; exit 0; }
cd "$folder" || exit 1
"$python" -W ignore "$root/tests/interop/agreement.py"
"$python" -W ignore "$root/tests/interop/memory.py"
PYTHONMALLOC=debug MALLOC_PERTURB_=165 "$python" -W ignore "$root/tests/interop/memory.py" 50000 | sed 's/memory:/memory, debug allocators:/'

# suite NAME LEAST ARGUMENTS...: at least so many of its tests pass; those that fail are listed (docs/array_api.md says why).
suite() {
    local name="$1" least="$2" log="$folder/suite.log" start=$SECONDS
    shift 2
    SCIPY_ARRAY_API=1 PYTHONPATH="$root/tests/interop${PYTHONPATH:+:$PYTHONPATH}" "$python" -m pytest -q --tb=no --no-header -p no:cacheprovider "$@" >"$log" 2>&1
    grep -E '^(FAILED|ERROR)' "$log" | sed -E 's/^([A-Z]+) .*site-packages./\1 /' | cut -c1-180
    local counts passed
    counts=$(tail -n 1 "$log")
    passed=$(grep -oE '[0-9]+ passed' "$log" | tail -n 1 | cut -d' ' -f1)
    if [ "${passed:-0}" -ge "$least" ]; then echo "PASS interop: tests of $name: $counts ($((SECONDS - start)) s)"; else echo "FAIL interop: tests of $name: $counts, at least $least must pass"; fi
}
at() { "$python" -c "import os, $1; print(os.path.dirname($1.__file__))"; }
learn=$(at sklearn) science=$(at scipy)
# shellcheck disable=SC2046
suite scikit-learn 950 -p scikit_learn_plugin -k situ $(grep -rl yield_namespace --include='test_*.py' "$learn")
suite "SciPy's fft, cluster, linalg, constants" 1780 -p scipy_plugin -m array_api_backends "$science"/{fft,cluster,linalg,constants}
suite "SciPy's differentiate, integrate" 600 -p scipy_plugin -m array_api_backends "$science"/{differentiate,integrate}
suite "SciPy's ndimage, signal, special, spatial" 18500 -p scipy_plugin -m array_api_backends "$science"/{ndimage,signal,special,spatial}
exit 0
