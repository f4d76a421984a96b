#!/usr/bin/env bash
# The generated headers are those that their tables give.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec python3 scripts/generate.py --check
