#if !defined(__linux__) || defined(SITU_PORTABLE)

#include "base/cpus.h"

#include <unistd.h>

int situ_cpus(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 && count < 8192 ? (int)count : 1;
}

int situ_cgroup_cpus(const char *self, const char *root)
{
    (void)self, (void)root;
    return 0;
}

#endif
