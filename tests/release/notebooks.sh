#!/usr/bin/env bash
# The notebooks of the chapter with cells of full size.
set -u
cd "$(dirname "$0")/../.." || exit 1
SITU_NOTEBOOKS=full exec python3 tests/checks/notebooks.py
