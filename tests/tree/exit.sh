#!/usr/bin/env bash
# One place of the library ends the process: where the program has ended, and MPI's own end would hang.
set -u
cd "$(dirname "$0")/../.." || exit 1
elsewhere=$(find src -name '*.[ch]' -o -name '*.inc' | sort | xargs awk 'FNR == 1 || /^}/ { ends = 0 }
    FILENAME == "src/os/process.h" || FILENAME ~ /^src\/os\/(posix|wasi)\/process\.c$/ { next }
    /^static void at_exit\(int status/ && FILENAME == "src/group/link.c" { ends = 1; there = 1 }
    /(^|[^_[:alnum:]])(_exit|situ_process_end) *\(/ && !ends { print FILENAME ":" FNR }
    END { if (!there) print "nowhere in at_exit of src/group/link.c" }')
if [ -n "$elsewhere" ]; then
    echo "FAIL exit: the process is ended at ${elsewhere//$'\n'/ }"
    exit 1
fi
echo "PASS exit: nothing but the end of a group ends the process"
