#!/usr/bin/env bash
# usage: tests/release/onnx_out.sh [PYTHON [WORDS]]
# Networks and functions as files of ONNX, checked by onnx and run by onnxruntime (tests/interop/onnx_out.py). PYTHON has the package
# situ, onnx and onnxruntime; without it (argument or SITU_ONNX_PYTHON) they are installed into a fresh environment.
set -u
cd "$(dirname "$0")/../.." || exit 1
root=$PWD
python="${1:-${SITU_ONNX_PYTHON:-}}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [ -z "$python" ]; then
    python3 -m venv "$folder/venv" >/dev/null 2>&1 || { echo "SKIP onnx out: no virtual environment can be made"; exit 0; }
    python="$folder/venv/bin/python"
    "$python" -m pip --disable-pip-version-check -q install onnx onnxruntime >"$folder/log" 2>&1 ||
        { echo "SKIP onnx out: onnx and onnxruntime cannot be installed"; exit 0; }
    "$python" -m pip --disable-pip-version-check -q install "$root/python" >"$folder/log" 2>&1 ||
        { tail -n 20 "$folder/log"; echo "FAIL onnx out: pip install ./python"; exit 0; }
fi
"$python" -c 'import situ, onnx, onnxruntime' 2>/dev/null || { echo "SKIP onnx out: $python lacks situ, onnx or onnxruntime"; exit 0; }
cd "$folder" || exit 1
"$python" -W ignore "$root/tests/interop/onnx_out.py" "${2:-}"
exit 0
