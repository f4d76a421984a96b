/* Simulated GPUs for tests: the last ones, because real ones come first. */
#ifndef SITU_TEST_SIM_DEVICES_H
#define SITU_TEST_SIM_DEVICES_H

#include <situ/device.h>
#include <situ/ledger.h>

#include "test.h"

enum { SIM_DEVICES = 4 };

/* Simulated device i of four. */
static inline situ_device sim_device(int i)
{
    static int real = -1;
    if (real < 0) {
        situ_device_info info;
        for (real = 0; real < situ_num_gpus(); real++)
            if (!situ_device_describe(situ_gpu(real), &info) && info.simulated) break;
        if (situ_num_gpus() - real < SIM_DEVICES) situ_sim_gpus(SIM_DEVICES);
        CHECK_OK();
    }
    return situ_gpu(real + i);
}

static inline int64_t sim_kernels(situ_device d)
{
    situ_sim_counters c;
    CHECK_EQ(situ_sim_count(d, &c), 0);
    return c.kernels;
}

static inline int64_t memory_in_use(situ_device d)
{
    situ_memory m;
    CHECK_EQ(situ_memory_of(d, &m), 0);
    return m.in_use;
}

#endif
