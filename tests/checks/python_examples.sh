#!/usr/bin/env bash
# The programs of examples/python but for the chapter's.
set -u
cd "$(dirname "$0")/../.." || exit 1
root=$PWD folder=$(mktemp -d) python="${SITU_BUILD_DIR:-$PWD/build}/package/use/bin/python"
trap 'rm -rf "$folder"' EXIT
[ -x "$python" ] || { echo "SKIP python examples: the package is not installed; the job build/package says why"; exit 0; }
export SITU_SIM_GPUS=2 SITU_CHAPTER_SMALL=1 PYTHONDONTWRITEBYTECODE=1
cd "$folder" || exit 1
for script in "$root"/examples/python/*.py; do
    name=$(basename "$script" .py)
    case "$name" in chapter* | cartpole | quadrotor) continue ;; esac # python_chapter.sh; what two of them import
    if timeout 200 "$python" "$script" >"$folder/log" 2>&1; then echo "PASS python: example $name"; else
        tail -n 5 "$folder/log"
        echo "FAIL python: example $name"
    fi
done
