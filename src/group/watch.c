/* Finds out which of the other ranks run on this machine, and whether they still live: whatever kills a rank may leave its
 * launcher, and so the other ranks, in the belief that it still computes. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "group/link.h"

/* Reads a small file; returns its length, or 0. */
static size_t text_of(const char *path, char *text, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = file < 0 ? 0 : read(file, text, size - 1);
    if (file >= 0) close(file);
    text[n > 0 ? n : 0] = 0;
    return n > 0 ? (size_t)n : 0;
}

/* Start time of a process in ticks since boot, which tells it from a later process with the same PID; 0: unknown. */
static int64_t start_of(int64_t pid)
{
    enum { START = 20 }; /* index of the field after the process name, which may contain spaces */
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    const char *at = text_of(path, text, sizeof text) ? strrchr(text, ')') : NULL;
    for (int i = 0; i < START && at; i++) at = strchr(at + 1, ' ');
    return at ? strtoll(at, NULL, 10) : 0;
}

situ_process situ_watch_own(void)
{
    char boot[64];
    struct stat names;
    situ_process own = {.pid = getpid(), .start = start_of(getpid())};
    size_t n = text_of("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    if (!n || stat("/proc/self/ns/pid", &names)) return (situ_process){.pid = 0};
    own.machine = situ_hash_start(0);
    situ_hash_bytes(&own.machine, boot, n);
    situ_hash_bytes(&own.machine, &names.st_ino, sizeof names.st_ino);
    own.machine = situ_hash_end(&own.machine);
    return own;
}

int situ_watch_open(const situ_process *own, const situ_process *other)
{
#ifdef SYS_pidfd_open
    if (!own->pid || !other->pid || !situ_hash_equal(own->machine, other->machine)) return 0;
    int file = (int)syscall(SYS_pidfd_open, (pid_t)other->pid, 0);
    if (file < 0) return 0;
    int watch = fcntl(file, F_DUPFD_CLOEXEC, 3); /* not 0 to 2, even if the program has closed its standard files */
    close(file);
    if (watch < 0) return 0;
    if (other->start && start_of(other->pid) == other->start) return watch;
    close(watch);
#else
    (void)own, (void)other;
#endif
    return 0;
}

bool situ_watch_ended(int watch)
{
    struct pollfd f = {.fd = watch, .events = POLLIN};
    return poll(&f, 1, 0) == 1 && (f.revents & POLLIN);
}
