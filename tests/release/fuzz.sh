#!/usr/bin/env bash
# The fuzzers of tests/checks/fuzz.sh, a minute each.
SITU_FUZZ_SECONDS="${SITU_FUZZ_SECONDS:-60}" exec bash "$(dirname "$0")/../checks/fuzz.sh"
