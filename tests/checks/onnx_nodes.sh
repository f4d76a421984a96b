#!/usr/bin/env bash
# The tests of nodes and models of the onnx package (tests/interop/onnx_nodes.py). SITU_ONNX_PYTHON has that package; without it, and
# without one in SITU_PYTHON, it is installed into a fresh environment.
set -u
cd "$(dirname "$0")/../.." || exit 1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for python in "${SITU_ONNX_PYTHON:-}" "${SITU_PYTHON:-}" ""; do
    [ -n "$python" ] && "$python" -c 'import onnx, ml_dtypes' 2>/dev/null && break
done
if [ -z "$python" ]; then
    python3 -m venv "$folder/venv" >/dev/null 2>&1 || { echo "SKIP onnx nodes: no virtual environment can be made"; exit 0; }
    python="$folder/venv/bin/python"
    "$python" -m pip --disable-pip-version-check -q install 'onnx>=1.23,<1.24' >"$folder/log" 2>&1 ||
        { echo "SKIP onnx nodes: the package onnx cannot be installed"; exit 0; }
fi
"$python" -W ignore tests/interop/onnx_nodes.py --quiet --least 1750 >"$folder/log" 2>&1 || grep -vE '^ |^skipped' "$folder/log"
tail -n 1 "$folder/log" | grep '^PASS'
exit 0
