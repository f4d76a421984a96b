#!/usr/bin/env bash
# The judge for an hour (SITU_JUDGE_SECONDS=N: that long).
set -u
cd "$(dirname "$0")/../.." || exit 1
SITU_JUDGE_SECONDS="${SITU_JUDGE_SECONDS:-3600}" exec bash tests/checks/judge.sh
