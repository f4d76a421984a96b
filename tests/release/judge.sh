#!/usr/bin/env bash
# An hour of the random programs of tests/checks/judge.sh.
SITU_JUDGE_SECONDS="${SITU_JUDGE_SECONDS:-3600}" exec bash "$(dirname "$0")/../checks/judge.sh"
