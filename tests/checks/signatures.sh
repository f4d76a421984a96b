#!/usr/bin/env bash
# The public headers are the one source of signatures: the reader finds all of them and refuses slips (a new seed each time).
set -u
cd "$(dirname "$0")/../.." || exit 1
python3 tests/checks/signatures.py "$@"
