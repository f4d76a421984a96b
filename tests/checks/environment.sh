#!/usr/bin/env bash
# The library asks the environment by situ_env alone, which gives nothing to a program with raised rights.
set -u
cd "$(dirname "$0")/../.." || exit 1
found=$(grep -rnE "[^a-z_](secure_)?getenv *\(" src --include='*.c' --include='*.h' | grep -v '^src/base/env.h:')
if [ -z "$found" ]; then echo "PASS environment: one way to ask it"; else echo "FAIL environment: $found"; exit 1; fi
