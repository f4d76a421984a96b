#!/usr/bin/env bash
# The gate is judged: each fault of gate_mutations.txt, and each patch of tests/judge/mutations, is put into a copy of the tree, and
# the gate has to find it. See gate_mutations.py --help.
cd "$(dirname "$0")/../.." && exec python3 tests/release/gate_mutations.py "$@"
