#!/usr/bin/env bash
# A clean clone of what is committed, a fresh virtual environment, one pip command; then the chapter at full size.
set -u
cd "$(dirname "$0")/../.." || exit 1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
git clone -q . "$folder/clone" 2>/dev/null || { echo "SKIP python install: this is no git checkout"; exit 0; }
python3 -m venv "$folder/venv" >/dev/null 2>&1 || { echo "SKIP python install: no virtual environment can be made"; exit 0; }
cd "$folder/clone" || exit 1
if ! "$folder/venv/bin/python" -m pip --disable-pip-version-check install ./python >"$folder/log" 2>&1; then
    if grep -qiE 'connection|resolve|no matching distribution' "$folder/log"; then echo "SKIP python install: the package index is not reachable"; exit 0; fi
    tail -n 20 "$folder/log"
    echo "FAIL python install: pip install ./python"
    exit 0
fi
echo "PASS python install: pip install ./python in a clean clone ($SECONDS s)"
cd "$folder" || exit 1
"$folder/venv/bin/python" -m pip --disable-pip-version-check -q install numpy >"$folder/log" 2>&1 || { echo "SKIP python install: NumPy cannot be installed"; exit 0; }
for edition in mxnet mxnet_np pytorch tensorflow jax; do
    if SITU_SIM_GPUS=2 timeout 600 "$folder/venv/bin/python" "$folder/clone/examples/python/chapter_$edition.py" >"$folder/log" 2>&1; then
        echo "PASS python install: the chapter's edition $edition at full size"
    else
        grep -E 'BROKEN|Error|do not hold' "$folder/log" | tail -n 10
        echo "FAIL python install: the chapter's edition $edition"
    fi
done
exit 0
