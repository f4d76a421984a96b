#!/usr/bin/env bash
# Runs a command without address randomisation, of which the thread sanitizer stands little; as it is where that may not be asked for.
setarch "$(uname -m)" -R true 2>/dev/null && exec setarch "$(uname -m)" -R "$@"
exec "$@"
