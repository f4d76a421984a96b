#!/usr/bin/env bash
# usage: tests/python/run.sh FILE: runs it with the package that tests/python/package.sh has installed.
set -u
python="${SITU_BUILD_DIR:-build}/package/use/bin/python"
[ -x "$python" ] || { echo "SKIP python: the package is not installed; the job build/package says why"; exit 0; }
PYTHONDONTWRITEBYTECODE=1 exec "$python" "$1"
