#!/usr/bin/env bash
# usage: tests/release/torch.sh [PYTHON [CASES [WORDS [opencl]]]]
# Layers, functions, losses, optimizers, schedules and metrics beside PyTorch, optax and scikit-learn (tests/interop/beside.py):
# CASES (default 10) of each kind, with "opencl" on such a device alone. PYTHON has the package situ, torch, optax and scikit-learn; without it (argument or
# SITU_TORCH_PYTHON) they are installed into a fresh environment.
set -u
cd "$(dirname "$0")/../.." || exit 1
root=$PWD
python="${1:-${SITU_TORCH_PYTHON:-}}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [ -z "$python" ]; then
    python3 -m venv "$folder/venv" >/dev/null 2>&1 || { echo "SKIP torch: no virtual environment can be made"; exit 0; }
    python="$folder/venv/bin/python"
    "$python" -m pip --disable-pip-version-check -q install torch optax scikit-learn >"$folder/log" 2>&1 ||
        { echo "SKIP torch: PyTorch, optax and scikit-learn cannot be installed"; exit 0; }
    "$python" -m pip --disable-pip-version-check -q install "$root/python" >"$folder/log" 2>&1 ||
        { tail -n 20 "$folder/log"; echo "FAIL torch: pip install ./python"; exit 0; }
fi
"$python" -c 'import situ, torch, optax, sklearn' 2>/dev/null || { echo "SKIP torch: $python lacks situ, PyTorch, optax or scikit-learn"; exit 0; }
export SITU_SIM_GPUS=2 POCL_DEVICES="pthread pthread"
cd "$folder" || exit 1
"$python" -W ignore "$root/tests/interop/beside.py" "${2:-10}" "${3:-}" ${4:+"$4"} || echo "FAIL torch: cases differ"
exit 0
