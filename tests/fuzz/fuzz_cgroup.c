/* /proc/self/cgroup: limits that are no negative numbers. No folder of groups is there. */
#include "fuzz_file.h"
#include "os/machine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *self = fuzz_file(data, size);
    if (situ_cgroup_cpus(self, "/nonexistent") < 0 || situ_cgroup_memory(self, "/nonexistent", -1) < 0) abort();
    return 0;
}
