/* Facts about other processes, from /proc and pidfds. */
#define _GNU_SOURCE
#include "os/memory.h"
#include "os/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Opens the file `what` of a process's folder in /proc. */
static FILE *open_about(int64_t pid, const char *what)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%lld/%s", (long long)pid, what);
    return fopen(path, "re");
}

/* Reads the start of a file as a string and closes it; false if there is none. */
static bool text_of(FILE *file, char *text, size_t size)
{
    size_t n = file ? fread(text, 1, size - 1, file) : 0;
    text[n] = 0;
    if (file) fclose(file);
    return n > 0;
}

/* Number i after the process's name in /proc/PID/stat. The name itself may contain spaces and brackets. */
static int64_t stat_word(int64_t pid, int i)
{
    char text[1024];
    const char *at = text_of(open_about(pid, "stat"), text, sizeof text) ? strrchr(text, ')') : NULL;
    while (at && i--) at = strchr(at + 1, ' ');
    return at ? strtoll(at, NULL, 10) : 0;
}

int64_t situ_process_parent(int64_t pid) { return pid == getpid() ? getppid() : stat_word(pid, 2); }
int64_t situ_process_started(int64_t pid) { return stat_word(pid, 20); }

void situ_process_name(int64_t pid, char *name, size_t size)
{
    text_of(open_about(pid, "comm"), name, size);
    name[strcspn(name, "\n")] = 0;
}

bool situ_process_program(int64_t pid, char *path, size_t size)
{
    char link[64];
    if (pid == getpid()) return snprintf(path, size, "/proc/self/exe") < (int)size;
    snprintf(link, sizeof link, "/proc/%lld/exe", (long long)pid);
    ssize_t length = readlink(link, path, size - 1);
    if (length > 0) path[length] = 0;
    return length > 0;
}

/* Whether one of the file's pieces, separated by the character `end`, contains the text (`anywhere`) or equals it. */
static bool holds(FILE *file, int end, const char *text, bool anywhere)
{
    char *part = NULL;
    size_t capacity = 0;
    bool found = false;
    while (file && !found && getdelim(&part, &capacity, end, file) > 0)
        found = anywhere ? strstr(part, text) != NULL : !strcmp(part, text);
    if (file) fclose(file);
    free(part);
    return found;
}

bool situ_process_has_variable(int64_t pid, const char *variable) { return holds(open_about(pid, "environ"), 0, variable, false); }
bool situ_process_maps(int64_t pid, const char *path) { return holds(open_about(pid, "maps"), '\n', path, true); }

bool situ_process_space(char *text, size_t size)
{
    char boot[64];
    struct stat names;
    if (!text_of(fopen("/proc/sys/kernel/random/boot_id", "re"), boot, sizeof boot) || stat("/proc/self/ns/pid", &names))
        return false;
    return snprintf(text, size, "%s %llu", boot, (unsigned long long)names.st_ino) < (int)size;
}

int situ_process_watch(int64_t pid)
{
#ifdef SYS_pidfd_open
    int file = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
    if (file < 0) return 0;
    int watch = fcntl(file, F_DUPFD_CLOEXEC, 3); /* never 0, which is free if the program closed its standard input */
    close(file);
    return watch < 0 ? 0 : watch;
#else
    (void)pid;
    return 0;
#endif
}

void situ_process_unwatch(int watch) { close(watch); }

bool situ_process_ended(int watch)
{
    struct pollfd f = {.fd = watch, .events = POLLIN};
    return poll(&f, 1, 0) == 1 && (f.revents & POLLIN);
}

/* ---- notices: files in memory, which others find by their name among a process's open files ------------------------------- */

#define NOTICE "situ-notice"

void *situ_notice_new(size_t size)
{
#ifdef MFD_CLOEXEC
    int file = memfd_create(NOTICE, MFD_CLOEXEC);
    int kept = file < 0 ? -1 : fcntl(file, F_DUPFD_CLOEXEC, 3); /* it stays open: others find it there */
    if (file >= 0) close(file);
    void *notice = kept < 0 ? NULL : situ_map_shared(kept, size);
    if (kept >= 0 && !notice) close(kept);
    return notice;
#else
    return (void)size, NULL;
#endif
}

typedef struct reader {
    void (*visit)(void *self, int64_t pid, const void *notice);
    void *self, *notice;
    size_t size;
} reader;

/* Reads the notices among the open files of a process. Those of other users cannot be listed. */
static void read_notices(const reader *r, int64_t pid)
{
    static const char wanted[] = "/memfd:" NOTICE " ";
    char path[64], link[sizeof wanted];
    snprintf(path, sizeof path, "/proc/%lld/fd", (long long)pid);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        ssize_t n = readlinkat(dirfd(folder), entry->d_name, link, sizeof link - 1);
        if (n != sizeof link - 1 || memcmp(link, wanted, sizeof link - 1)) continue;
        int file = openat(dirfd(folder), entry->d_name, O_RDONLY | O_CLOEXEC);
        if (file < 0) continue;
        if (pread(file, r->notice, r->size, 0) == (ssize_t)r->size) r->visit(r->self, pid, r->notice);
        close(file);
    }
    if (folder) closedir(folder);
}

void situ_notice_visit(void (*visit)(void *self, int64_t pid, const void *notice), void *self, size_t size)
{
    reader r = {visit, self, malloc(size), size};
    DIR *all = r.notice ? opendir("/proc") : NULL;
    for (struct dirent *entry; all && (entry = readdir(all));) {
        long long pid = strtoll(entry->d_name, NULL, 10);
        if (pid > 0) read_notices(&r, pid);
    }
    if (all) closedir(all);
    free(r.notice);
}
