/* A1: the cards: name, memory used and total, utilisation, driver; and why an absent one is absent. */
#include "chapter.h"

static void show(void *self, const char *backend, situ_device d, const situ_device_info *info, const char *reason)
{
    char name[32], used[16] = "-";
    int *seen = self;
    *seen |= info ? 1 : reason && *reason ? 2 : 0;
    if (!info) {
        printf("%-8s %-5s absent: %s\n", "", backend, reason);
        return;
    }
    if (info->utilization >= 0) snprintf(used, sizeof used, "%.0f %%", 100 * info->utilization);
    printf("%-8s %-5s %s\n%14s memory %.0f / %.0f MiB, utilisation %s, %s\n", situ_device_name(d, name), backend, info->name,
           "", (double)info->memory_used / 1048576, (double)info->memory_total / 1048576, used, info->driver);
}

int row_A1(void)
{
    int seen = 0;
    situ_devices_visit(show, &seen);
    HOLDS(seen & 1); /* at least the CPU */
    HOLDS(seen & 2); /* and at least one reason, since no machine has everything */
    return row_end();
}
