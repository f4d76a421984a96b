#!/usr/bin/env bash
# One place of the library calls _exit: where the program has ended, and MPI's own end would hang.
set -u
cd "$(dirname "$0")/../.." || exit 1
elsewhere=$(find src -name '*.[ch]' -o -name '*.inc' | sort | xargs awk 'FNR == 1 || /^}/ { ends = 0 }
    /^static void at_exit\(int status/ && FILENAME == "src/group/link.c" { ends = 1; there = 1 }
    /(^|[^_[:alnum:]])_exit *\(/ && !ends { print FILENAME ":" FNR }
    END { if (!there) print "nowhere in at_exit of src/group/link.c" }')
if [ -n "$elsewhere" ]; then
    echo "FAIL exit: _exit is called at ${elsewhere//$'\n'/ }"
    exit 1
fi
echo "PASS exit: nothing but the end of a group calls _exit"
