#!/usr/bin/env bash
# Runs a command without address randomisation, under which the thread sanitizer may fail to start. Where the system does not allow
# that, the command runs as it is.
setarch "$(uname -m)" -R true 2>/dev/null && exec setarch "$(uname -m)" -R "$@"
exec "$@"
