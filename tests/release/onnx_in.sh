#!/usr/bin/env bash
# usage: tests/release/onnx_in.sh [PYTHON]
# Models from elsewhere, read from files of ONNX and run from C beside onnxruntime (tests/interop/onnx_silero.py, onnx_magika.py), and
# random nodes (onnx_random.py).
# PYTHON has onnx and onnxruntime; without it (argument or SITU_ONNX_PYTHON) they are installed into a fresh environment.
set -u
cd "$(dirname "$0")/../.." || exit 1
python="${1:-${SITU_ONNX_PYTHON:-}}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [ -z "$python" ]; then
    python3 -m venv "$folder/venv" >/dev/null 2>&1 || { echo "SKIP onnx in: no virtual environment can be made"; exit 0; }
    python="$folder/venv/bin/python"
    "$python" -m pip --disable-pip-version-check -q install onnx onnxruntime >"$folder/log" 2>&1 ||
        { echo "SKIP onnx in: onnx and onnxruntime cannot be installed"; exit 0; }
fi
"$python" -W ignore tests/interop/onnx_silero.py || echo "FAIL silero"
"$python" -W ignore tests/interop/onnx_magika.py || echo "FAIL magika"
"$python" -W ignore tests/interop/onnx_random.py || echo "FAIL random nodes"
exit 0
