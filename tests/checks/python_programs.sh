#!/usr/bin/env bash
# The Python programs of the README and the tutorial.
set -u
cd "$(dirname "$0")/../.." || exit 1
python="${SITU_BUILD_DIR:-$PWD/build}/package/use/bin/python"
[ -x "$python" ] || { echo "SKIP python programs: the package is not installed; the job build/package says why"; exit 0; }
PYTHONDONTWRITEBYTECODE=1 "$python" tests/checks/programs.py --python "$python"
