#!/usr/bin/env bash
# What is generated and committed is what its sources give.
set -euo pipefail
cd "$(dirname "$0")/../.."
python3 scripts/generate.py --check
python3 scripts/environment.py --check
python3 scripts/units.py --check
