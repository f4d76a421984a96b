/* Finds out which of the other ranks run on this machine, and whether they still live: whatever kills a rank may leave
 * its launcher, and so the other ranks, in the belief that it still computes. */
#include <string.h>

#include "group/link.h"
#include "os/process.h"

situ_process situ_watch_own(void)
{
    char space[96];
    int64_t pid = situ_process_id();
    if (!situ_process_space(space, sizeof space)) return (situ_process){.pid = 0};
    situ_process own = {.pid = pid, .start = situ_process_started(pid), .machine = situ_hash_start(0)};
    situ_hash_bytes(&own.machine, space, strlen(space));
    own.machine = situ_hash_end(&own.machine);
    return own;
}

int situ_watch_open(const situ_process *own, const situ_process *other)
{
    if (!own->pid || !other->pid || !situ_hash_equal(own->machine, other->machine)) return 0;
    int watch = situ_process_watch(other->pid);
    if (!watch || (other->start && situ_process_started(other->pid) == other->start)) return watch;
    situ_process_unwatch(watch);
    return 0;
}
