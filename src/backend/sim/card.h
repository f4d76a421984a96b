/* Profiles: what a card and its host cost on the virtual clock. */
#ifndef SITU_BACKEND_SIM_CARD_H
#define SITU_BACKEND_SIM_CARD_H

#include <situ/sim.h>

#include "device/backend.h"

/* memory in bytes, rates in one a second, times in seconds. Of the card: */
#define SITU_CARD_FIELDS(FIELD) \
    FIELD(memory) \
    FIELD(flops) FIELD(memory_bandwidth) FIELD(kernel) FIELD(link_bandwidth) FIELD(link_latency) FIELD(peer_bandwidth) \
        FIELD(peer_latency) /* to other cards; 0: over the link to the host */ /* of the host: */ \
        FIELD(start) FIELD(call) FIELD(copy_bandwidth) FIELD(host_kernel) FIELD(core_flops) FIELD(host_flops) FIELD(spread) \
            FIELD(host_memory_bandwidth)

typedef struct situ_card {
    const char *name, *title;
#define FIELD(name) double name;
    SITU_CARD_FIELDS(FIELD)
#undef FIELD
} situ_card;

/* The cards of cards.def: the i-th, or NULL behind the last. */
const situ_card *situ_card_nth(int i);
/* Copies the profile in use. */
void situ_card_now(situ_card *out);
/* Reads SITU_SIM_PROFILE and SITU_SIM_HOST at its first call, and starts the clocks; 0 or an error. */
int situ_sim_begin(void);
/* The same from where no error can be raised: it is raised when a device is opened. */
void situ_sim_begin_quietly(void);
/* Seconds that a kernel takes on the host's CPU. */
double situ_card_cpu_seconds(const situ_card *c, double flops, double bytes);

#endif
