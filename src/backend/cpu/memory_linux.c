#if defined(__linux__) && !defined(SITU_PORTABLE)
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "backend/cpu/cpu.h"
#include "base/cpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const size_t huge = 2 << 20, page = 4096;

static size_t whole_pages(size_t bytes) { return (bytes + page - 1) & ~(page - 1); }

void *situ_huge_alloc(size_t bytes)
{
    if (bytes > SIZE_MAX / 4) return NULL;
    bytes = whole_pages(bytes);
    char *start = mmap(NULL, bytes + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) return NULL;
    char *aligned = (char *)(((uintptr_t)start + huge - 1) & ~(uintptr_t)(huge - 1));
    size_t before = (size_t)(aligned - start), after = huge - before;
    if (before) munmap(start, before);
    if (after) munmap(aligned + bytes, after);
    (void)madvise(aligned, bytes, MADV_HUGEPAGE); /* only advice: it works without huge pages as well */
    return aligned;
}

void situ_huge_free(void *address, size_t bytes) { munmap(address, whole_pages(bytes)); }

/* ---- properties of the machine ---------------------------------------------------------------------------------- */

/* Finds the first line that starts with `key`, and copies the text after its colon and spaces. */
static bool find_line(const char *path, const char *key, char *out, size_t size)
{
    FILE *f = fopen(path, "re");
    char line[512];
    bool found = false;
    while (f && !found && fgets(line, sizeof line, f)) {
        if (strncmp(line, key, strlen(key))) continue;
        char *at = line + strlen(key);
        at += strspn(at, " \t:");
        at[strcspn(at, "\n")] = 0;
        snprintf(out, size, "%s", at);
        found = true;
    }
    if (f) fclose(f);
    return found;
}

static int64_t kilobytes(const char *key)
{
    char text[64];
    return find_line("/proc/meminfo", key, text, sizeof text) ? strtoll(text, NULL, 10) * 1024 : 0;
}

void situ_cpu_read_machine(situ_device_info *out)
{
    static const char *const keys[] = {"model name", "Model Name", "Hardware", "cpu model"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (find_line("/proc/cpuinfo", keys[i], out->name, sizeof out->name)) break;
    out->memory_total = kilobytes("MemTotal");
    out->memory_used = out->memory_total - kilobytes("MemAvailable");
    /* a control group may allow less memory than the machine has */
    static const char self[] = "/proc/self/cgroup", root[] = "/sys/fs/cgroup";
    int64_t limit = situ_cgroup_memory(self, root, -1);
    if (!limit || limit >= out->memory_total) return;
    out->memory_total = limit;
    out->memory_used = limit - situ_cgroup_memory(self, root, 0);
}

bool situ_cpu_read_ticks(int64_t *busy, int64_t *all)
{
    char text[256];
    long long user, nice, system, idle, wait = 0, irq = 0, soft = 0, steal = 0;
    if (!find_line("/proc/stat", "cpu ", text, sizeof text)) return false;
    int n = sscanf(text, "%lld %lld %lld %lld %lld %lld %lld %lld", &user, &nice, &system, &idle, &wait, &irq, &soft, &steal);
    if (n < 4) return false;
    *busy = user + nice + system + irq + soft;
    *all = *busy + idle + wait + steal;
    return true;
}

#endif
