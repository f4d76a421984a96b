/* The number of simulated GPUs. */
#include "backend/sim/card.h"
#include "backend/sim/configure.h"
#include "os/env.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "device/device.h"
#include "os/lock.h"

SITU_LOCK(lock);
static _Atomic int number = -1; /* the environment was not read yet */

/* Parses SITU_SIM_GPUS: 0..64, or -1 if it is invalid. */
static int wished(const char *text)
{
    char *end;
    if (!text || !*text) return 0;
    long value = strtol(text, &end, 10);
    return *end || value < 0 || value > SITU_DEVICES_EACH ? -1 : (int)value;
}

int situ_sim_count_now(void)
{
    int n = atomic_load(&number);
    if (n >= 0) return n;
    int from_environment = wished(situ_env("SITU_SIM_GPUS"));
    if (from_environment < 0) from_environment = 0;
    /* an earlier call of situ_sim_gpus takes precedence */
    return atomic_compare_exchange_strong(&number, &n, from_environment) ? from_environment : n;
}

int situ_sim_number(char *reason, size_t size)
{
    int n = situ_sim_count_now();
    if (n) situ_sim_begin_quietly();
    if (n) return n;
    const char *text = situ_env("SITU_SIM_GPUS");
    if (wished(text) < 0) snprintf(reason, size, "SITU_SIM_GPUS=%.20s is no number from 0 to %d", text, SITU_DEVICES_EACH);
    else
        snprintf(reason, size,
            "no simulated GPU was asked for: set SITU_SIM_GPUS=2 or call " SITU_SAY("situ_sim_gpus(2)", "situ.sim_gpus(2)"));
    situ_say(reason);
    return 0;
}

/* The CPU is opened: its work is on the virtual clock from the first call on, if there are simulated GPUs beside it. */
void situ_sim_beside_cpu(void)
{
    if (situ_sim_count_now()) situ_sim_begin_quietly();
}

int situ_sim_gpus(int count)
{
    SITU_SPEAK_AT("situ_sim_gpus");
    if (count < 0 || count > SITU_DEVICES_EACH)
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_sim_gpus(%d): there can be 0 to %d", count, SITU_DEVICES_EACH);
    situ_mutex_lock(&lock);
    int now = situ_sim_count_now();
    if (count >= now) atomic_store(&number, count);
    situ_mutex_unlock(&lock);
    if (count && count >= now) situ_sim_begin_quietly();
    if (count >= now) return 0;
    return situ_fail(SITU_BAD_ARGUMENT, NULL,
        "situ_sim_gpus(%d): there are %d, and tensors may live on them, so the number can only grow; give %d or more", count, now,
        now);
}
