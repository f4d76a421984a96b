#!/usr/bin/env bash
# Every lock of the library is free in the child of a fork: those that live as long as it are declared by SITU_LOCK, those of devices
# are made known. Of the others each file says itself what becomes of them.
set -u
cd "$(dirname "$0")/../.." || exit 1
found=$(grep -rnE 'SITU_MUTEX_INIT|PTHREAD_(MUTEX|RWLOCK)_INITIALIZER' src --include='*.c' --include='*.h' | grep -vE '^src/os/(lock|thread|wasi/alone)\.h:|^src/os/posix/(lock|wait)\.c:|walk\.c:.*situ_planner')
for file in $(grep -rlE 'situ_mutex_init' src --include='*.c'); do
    case $file in
    src/os/thread.h | src/os/posix/lock.c | src/base/queue.c | src/data/prefetch.c | src/run/launch.c) continue ;; # begun anew in the child, or of work that is not there
    esac
    [ "$(grep -c 'situ_mutex_init' "$file")" -eq "$(grep -c 'situ_lock_known' "$file")" ] || found="$found $file: a lock that is not known"
done
if [ -z "$found" ]; then echo "PASS locks: a child of a fork finds them free"; else echo "FAIL locks: $found"; exit 1; fi
