/* How many CPUs this process may keep busy. */
#ifndef SITU_BASE_CPUS_H
#define SITU_BASE_CPUS_H

/* The CPUs that affinity and control group quotas allow, rounded up, at least 1. */
int situ_cpus(void);

/* The CPU quota of the process's control group and those above it, rounded up; 0: no limit. `self` is
 * /proc/self/cgroup, `root` /sys/fs/cgroup; versions 1 and 2. */
int situ_cgroup_cpus(const char *self, const char *root);

#endif
