/* Simulated GPUs: memory that the host cannot access, kernels run by the CPU, a virtual clock, failures on request. */
#ifndef SITU_BACKEND_SIM_SIM_H
#define SITU_BACKEND_SIM_SIM_H

#include "device/device.h"
#include "os/lock.h"
#include "os/memory.h"

/* ---- address space ---------------------------------------------------------------------------------------------- */

enum { SITU_SPACE_RANGES = 24 };

typedef struct situ_space_block {
    size_t offset, bytes;
} situ_space_block;

/* Blocks in use, by address; everything between them is free. Not thread-safe. */
typedef struct situ_space {
    int ranges;
    struct {
        situ_range range;
        situ_space_block *block;
        int64_t count, capacity;
    } part[SITU_SPACE_RANGES];
    int64_t used;
} situ_space;

/* Grows the space by `bytes`; 0 or a negative code, without raising an error. */
int situ_space_grow(situ_space *s, size_t bytes);
/* Size of the address range for this much memory: addresses cost nothing, so there is space for gaps and for what
 * first fit wastes. */
static inline size_t situ_space_for(int64_t memory) { return 3 * (size_t)memory; }
void situ_space_free(situ_space *s);
/* 256-byte aligned, at the lowest address that fits; NULL: no space. */
void *situ_space_alloc(situ_space *s, size_t bytes);
/* False: the address did not come from situ_space_alloc. */
bool situ_space_release(situ_space *s, void *address);
/* The real address of [address, address + bytes); NULL if it is not within one block in use. */
char *situ_space_translate(situ_space *s, const void *address, size_t bytes);

/* ---- a device ---------------------------------------------------------------------------------------------------- */

struct situ_launch;

/* What other processes see of a card; total 0: there is none. */
typedef struct situ_sim_shown {
    _Atomic int64_t used, total;
    _Atomic double clock, busy; /* simulated seconds */
} situ_sim_shown;

typedef struct situ_sim {
    situ_mutex lock;
    situ_known_lock known;
    situ_sim_options options;
    situ_sim_counters count;
    situ_space space;
    double peer_bandwidth, peer_latency; /* of copies to other simulated GPUs; 0: over the link to the host */
    double computing, copying;           /* simulated seconds of its kernels, and of copies to it and from it */
    double computed, copied;             /* when its newest kernel ends, and the newest copy to it: one goes after the other */
    int64_t lose_in;                     /* number of kernels until the device is lost; 0: never */
    bool lost;
    int index;
} situ_sim;

/* Of each index, where other processes see it. */
extern _Atomic(situ_sim_shown *) situ_sim_shown_cards;
/* Lets other processes see the cards of this one, if the system can; 0 or a negative code with an error. */
int situ_sim_show(void);
/* Called under the lock: shows its memory, or its clock, as it is. */
static inline void situ_sim_show_memory(situ_sim *s)
{
    situ_sim_shown *card = atomic_load_explicit(&situ_sim_shown_cards, memory_order_relaxed) + s->index;
    atomic_store_explicit(&card->used, s->space.used, memory_order_relaxed);
    atomic_store_explicit(&card->total, s->options.memory, memory_order_relaxed);
}
static inline void situ_sim_show_clock(situ_sim *s)
{
    situ_sim_shown *card = atomic_load_explicit(&situ_sim_shown_cards, memory_order_relaxed) + s->index;
    atomic_store_explicit(&card->clock, s->count.virtual_seconds, memory_order_relaxed);
    atomic_store_explicit(&card->busy, s->computing, memory_order_relaxed);
}
/* Visits the simulated cards of all processes of this user, which are numbered by process. */
void situ_sim_boards(void (*visit)(void *self, int64_t pid, int index, const situ_sim_shown *card), void *self);

extern const situ_backend situ_backend_sim;

/* ---- virtual clock (clock.c, timeline.c, card.c) ------------------------------------------------------------------------- */

/* What copies and kernels of a device take. */
typedef struct situ_sim_rates {
    situ_sim_options options;
    double peer_bandwidth, peer_latency;
} situ_sim_rates;

/* Seconds for a kernel, or for a copy within a device. */
double situ_sim_seconds(const situ_sim_options *o, double flops, double bytes);
/* Called under the device's lock, by a host thread outside of launches: the time until which the thread waits; in a
 * launch, or for an upload, 0. from and to: indices of simulated devices, -1: the host. */
double situ_sim_kernel_time(situ_sim *s, double flops, double bytes);
double situ_sim_link_time(situ_sim *s, int from, int to, size_t bytes);
/* The end of a copy that begins at `start`. */
double situ_sim_copy_ends(int from, int to, double bytes, double start, const situ_sim_rates *rates);
struct situ_card;
/* Gives the simulated GPUs the rates of this card (configure.c). */
void situ_sim_dress(const struct situ_card *card);
void situ_sim_dress_one(situ_sim *s, const struct situ_card *card);
/* Computes the virtual times of a launch (run/launch.h), before it runs. */
void situ_sim_timeline(struct situ_launch *l);
/* Reads SITU_SIM_CLUSTER, if it is set: 0 or an error. */
int situ_sim_cluster_open(void);
/* All are called without the lock: copies the device's rates; the ends of its newest kernel and copy; adds seconds of
 * kernels that ended at `until`, or of copies to it or from it. */
void situ_sim_look(situ_sim *s, situ_sim_rates *out);
void situ_sim_ends(situ_sim *s, double *computed, double *copied);
void situ_sim_spend(situ_sim *s, double computing, double until);
void situ_sim_carry(situ_sim *s, double copying, double until, bool to);
/* Called without the lock. Sleeps until the device's delay has passed since `start` (of situ_seconds). */
void situ_sim_sleep(situ_sim *s, double start);

#endif
