#!/usr/bin/env bash
# What the chapter's rows time: the virtual clock says the same in ten runs, and with SITU_SIM_REALTIME things take as much longer. 16 minutes.
set -u
cd "$(dirname "$0")/../.." || exit 1
build="${SITU_BUILD_DIR:-build}"
if SITU_GPUS=sim SITU_SIM_GPUS=2 SITU_CHAPTER_SMALL=1 "$build/situ" chapter --times "${1:-10}"; then echo "PASS chapter's times"; else echo "FAIL chapter's times"; fi
