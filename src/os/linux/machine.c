#define _GNU_SOURCE

#include "os/machine.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TEXT = 4096, MOST_CPUS = 8192 };

/* Reads the start of a file as a string; false if it cannot be read. */
static bool read_text(const char *path, char *text, size_t n)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    size_t used = 0;
    for (ssize_t got; used + 1 < n && (got = read(file, text + used, n - 1 - used)) > 0;) used += (size_t)got;
    close(file);
    text[used] = 0;
    return used > 0;
}

static int64_t rounded_up(long long quota, long long period)
{
    if (quota <= 0 || period <= 0) return 0;
    long long cpus = quota / period + (quota % period != 0);
    return cpus < MOST_CPUS ? cpus : MOST_CPUS;
}

/* CPU quota in cpu.max of cgroup version 2: "quota period"; "max period" without a limit. */
static int64_t quota_v2(const char *folder, int64_t unused)
{
    (void)unused;
    char path[TEXT + 64], text[128];
    long long quota, period;
    snprintf(path, sizeof path, "%s/cpu.max", folder);
    if (!read_text(path, text, sizeof text) || sscanf(text, "%lld %lld", &quota, &period) != 2) return 0;
    return rounded_up(quota, period);
}

static int64_t quota_v1(const char *folder, int64_t unused)
{
    (void)unused;
    char path[TEXT + 64], text[64];
    snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder);
    if (!read_text(path, text, sizeof text)) return 0;
    long long quota = atoll(text);
    snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
    if (!read_text(path, text, sizeof text)) return 0;
    return rounded_up(quota, atoll(text));
}

static int64_t smaller_limit(int64_t a, int64_t b) { return !a || (b && b < a) ? b : a; }

/* Reads the limit of one control group from its folder; 0: none. `known` is passed through from the caller. */
typedef int64_t limit_of(const char *folder, int64_t known);

/* The smallest limit of a control group and its ancestors: base/group up to base. In a container, base may not show the
 * group; a missing folder limits nothing. */
static int64_t limit_upwards(const char *base, const char *group, limit_of *of, int64_t known)
{
    char folder[TEXT];
    size_t shortest = strlen(base);
    int n = snprintf(folder, sizeof folder, "%s%s", base, group);
    if (n < 0 || (size_t)n >= sizeof folder) return of(base, known);
    int64_t limit = of(folder, known);
    for (char *slash; (slash = strrchr(folder, '/')) && (size_t)(slash - folder) >= shortest;) {
        *slash = 0;
        limit = smaller_limit(limit, of(folder, known));
    }
    return limit;
}

/* A number of bytes from a control group's file; 0 for "max", and for the huge number by which version 1 says "no
 * limit". */
static int64_t bytes_of(const char *folder, const char *file)
{
    char path[TEXT + 64], text[64];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    int64_t bytes = read_text(path, text, sizeof text) ? strtoll(text, NULL, 10) : 0;
    return bytes > 0 && bytes < (int64_t)1 << 60 ? bytes : 0;
}

/* The value of one line of memory.stat. */
static int64_t figure(const char *stat, const char *name)
{
    size_t length = strlen(name);
    for (const char *line = stat; line; line = (line = strchr(line, '\n')) ? line + 1 : NULL)
        if (!strncmp(line, name, length) && line[length] == ' ') return strtoll(line + length, NULL, 10);
    return 0;
}

/* Memory left to this process: the limit less what others in the group use. Pages of files are not counted, because the
 * system reclaims them, nor what this process uses (`resident`; negative: return the limit itself). At least 1/16 of
 * the limit, because others may free memory. */
static int64_t left_of(const char *folder, int64_t limit, const char *usage_file, const char *prefix, int64_t resident)
{
    char path[TEXT + 64], stat[TEXT], active[32], inactive[32];
    int64_t used = limit && resident >= 0 ? bytes_of(folder, usage_file) : 0;
    if (!used) return limit;
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    snprintf(active, sizeof active, "%sactive_file", prefix);
    snprintf(inactive, sizeof inactive, "%sinactive_file", prefix);
    if (read_text(path, stat, sizeof stat)) used -= figure(stat, active) + figure(stat, inactive);
    int64_t left = used > resident ? limit - (used - resident) : limit;
    return left > limit / 16 ? left : limit / 16;
}

static int64_t memory_v2(const char *folder, int64_t resident)
{
    return left_of(
        folder, smaller_limit(bytes_of(folder, "memory.max"), bytes_of(folder, "memory.high")), "memory.current", "", resident);
}

static int64_t memory_v1(const char *folder, int64_t resident)
{
    return left_of(folder, bytes_of(folder, "memory.limit_in_bytes"), "memory.usage_in_bytes", "total_", resident);
}

/* Whether a comma-separated list (up to `end`) contains this controller. */
static bool has(const char *controller, const char *list, const char *end)
{
    size_t length = strlen(controller);
    while (list < end) {
        const char *comma = memchr(list, ',', (size_t)(end - list));
        if (!comma) comma = end;
        if ((size_t)(comma - list) == length && !memcmp(list, controller, length)) return true;
        list = comma + 1;
    }
    return false;
}

static int64_t find_limit(const char *self, const char *root, const char *controller, limit_of *v1, limit_of *v2, int64_t known)
{
    enum { SELF = 8 * TEXT };
    char base[TEXT], *text = malloc(SELF);
    int64_t limit = 0;
    if (!text || !read_text(self, text, SELF)) return free(text), 0;
    for (char *line = text, *next; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        char *list = strchr(line, ':'), *group = list ? strchr(list + 1, ':') : NULL;
        if (!group) continue;
        if (group == list + 1) { /* "0::/path": version 2 */
            limit = smaller_limit(limit, limit_upwards(root, group + 1, v2, known));
        } else if (has(controller, list + 1, group)) {
            int n = snprintf(base, sizeof base, "%s/%s", root, controller);
            if (n > 0 && (size_t)n < sizeof base) limit = smaller_limit(limit, limit_upwards(base, group + 1, v1, known));
        }
    }
    free(text);
    return limit;
}

int situ_cgroup_cpus(const char *self, const char *root) { return (int)find_limit(self, root, "cpu", quota_v1, quota_v2, 0); }

int64_t situ_cgroup_memory(const char *self, const char *root, int64_t resident)
{
    return find_limit(self, root, "memory", memory_v1, memory_v2, resident);
}

int64_t situ_memory_allowed(void)
{
    struct rlimit space = {RLIM_INFINITY, RLIM_INFINITY}, data = space;
    int64_t limit = situ_cgroup_memory("/proc/self/cgroup", "/sys/fs/cgroup", situ_memory_resident());
    if (!getrlimit(RLIMIT_AS, &space) && space.rlim_cur < (rlim_t)1 << 60) limit = smaller_limit(limit, (int64_t)space.rlim_cur);
    if (!getrlimit(RLIMIT_DATA, &data) && data.rlim_cur < (rlim_t)1 << 60) limit = smaller_limit(limit, (int64_t)data.rlim_cur);
    return limit;
}

int64_t situ_memory_resident(void)
{
    char text[128];
    long long all, resident = 0;
    if (!read_text("/proc/self/statm", text, sizeof text) || sscanf(text, "%lld %lld", &all, &resident) != 2) return 0;
    return resident * sysconf(_SC_PAGESIZE);
}

/* Large enough for the largest machines: no allocation while threads wait. */
enum { SETS = MOST_CPUS / CPU_SETSIZE };

static int affinity(void)
{
    cpu_set_t set[SETS];
    int count = sched_getaffinity(0, sizeof set, set) ? (int)sysconf(_SC_NPROCESSORS_ONLN) : CPU_COUNT_S(sizeof set, set);
    return count > 0 ? count : 1;
}

int situ_cpus(void)
{
    int limit = (int)smaller_limit(affinity(), situ_cgroup_cpus("/proc/self/cgroup", "/sys/fs/cgroup"));
    return limit > 0 ? limit : 1;
}

int situ_cpu_here(void) { return sched_getcpu(); }

static bool affinity_of(situ_thread_id thread, cpu_set_t *set, int cpu)
{
    return cpu >= 0 && cpu < MOST_CPUS && !pthread_getaffinity_np(thread, sizeof(cpu_set_t[SETS]), set);
}

bool situ_cpu_exclude(situ_thread_id thread, int cpu)
{
    cpu_set_t set[SETS];
    if (!affinity_of(thread, set, cpu) || !CPU_ISSET_S(cpu, sizeof set, set)) return false;
    CPU_CLR_S(cpu, sizeof set, set);
    return CPU_COUNT_S(sizeof set, set) && !pthread_setaffinity_np(thread, sizeof set, set);
}

bool situ_cpu_include(situ_thread_id thread, int cpu)
{
    cpu_set_t set[SETS];
    if (!affinity_of(thread, set, cpu)) return false;
    CPU_SET_S(cpu, sizeof set, set);
    return !pthread_setaffinity_np(thread, sizeof set, set);
}

bool situ_cpu_move_thread(situ_thread_id thread, int cpu)
{
    cpu_set_t set[SETS], only[SETS];
    if (!affinity_of(thread, set, cpu) || !CPU_ISSET_S(cpu, sizeof set, set)) return false;
    CPU_ZERO_S(sizeof only, only);
    CPU_SET_S(cpu, sizeof only, only);
    if (pthread_setaffinity_np(thread, sizeof only, only)) return false;
    if (!pthread_setaffinity_np(thread, sizeof set, set)) return true;
    memset(set, 0xff, sizeof set); /* all CPUs of that set have been removed meanwhile: allow any */
    return !pthread_setaffinity_np(thread, sizeof set, set);
}

/* ---- what the system says of the machine ----------------------------------------------------------------------------------- */

/* Finds the next line that starts with `key`; copies what follows its colon and spaces. */
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

void situ_memory_machine(int64_t *total, int64_t *used)
{
    *total = kilobytes("MemTotal");
    *used = *total - kilobytes("MemAvailable");
    /* a control group may allow less than the machine has */
    int64_t limit = situ_cgroup_memory("/proc/self/cgroup", "/sys/fs/cgroup", -1);
    if (!limit || limit >= *total) return;
    *total = limit;
    *used = limit - situ_cgroup_memory("/proc/self/cgroup", "/sys/fs/cgroup", 0);
}

void situ_cpu_name(char *name, size_t size)
{
    static const char *const keys[] = {"model name", "Model Name", "Hardware", "cpu model"};
    *name = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (find_line("/proc/cpuinfo", keys[i], name, size)) return;
}

size_t situ_cpu_features(char *text, size_t size)
{
    size_t used = 0;
    FILE *f = fopen("/proc/cpuinfo", "re");
    for (int found = 0; f && found < 2 && used + 1 < size && fgets(text + used, (int)(size - used), f);) {
        if (strncmp(text + used, "model name", 10) && strncmp(text + used, "flags", 5) && strncmp(text + used, "Features", 8))
            continue;
        used += strlen(text + used);
        found++;
    }
    if (f) fclose(f);
    return used;
}

bool situ_cpu_ticks(int64_t *busy, int64_t *all)
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

bool situ_cpu_sha(void)
{
#ifdef __x86_64__
    enum { SHUFFLES = 1 << 9, BLENDS = 1 << 19, SHA = 1 << 29 };
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & SHUFFLES) && (c & BLENDS) && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & SHA);
#else
    return false;
#endif
}

bool situ_cpu_tiles(void)
{
#ifdef __x86_64__
    enum { ASK_FOR_STATE = 0x1023, TILE_DATA = 18, SAVED = 1 << 27, TILES = 1 << 24 | 1 << 22 | 1 << 25 };
    unsigned a, b, c, d, low, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & SAVED) || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || (d & TILES) != TILES)
        return false;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low >> 17 & 3) == 3 && !syscall(SYS_arch_prctl, ASK_FOR_STATE, TILE_DATA);
#else
    return false;
#endif
}
