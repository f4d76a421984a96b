#!/usr/bin/env bash
# tests/checks/kill_resume.py with 300 kills.
SITU_KILLS="${SITU_KILLS:-300}" exec python3 "$(dirname "$0")/../checks/kill_resume.py"
