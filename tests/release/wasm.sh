#!/usr/bin/env bash
# WebAssembly without vectors: what tests/checks/wasm.sh shows with them.
WASM_VECTORS=OFF exec bash "$(dirname "$0")/../checks/wasm.sh"
