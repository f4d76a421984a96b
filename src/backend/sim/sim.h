/* Simulated GPUs: memory that the host cannot touch, kernels run by the CPU, a virtual clock, failures on request. */
#ifndef SITU_BACKEND_SIM_SIM_H
#define SITU_BACKEND_SIM_SIM_H

#include "device/device.h"
#include "base/lock.h"

/* ---- address space ---------------------------------------------------------------------------------------------- */

/* Two ranges of one size: the device's addresses, which trap, and the memory that they stand for. */
typedef struct situ_range {
    char *device, *hidden;
    size_t bytes;
} situ_range;

/* 0 or a negative code, without raising. */
int situ_range_new(size_t bytes, situ_range *out);
void situ_range_free(situ_range *r);
/* Gives the pages that lie wholly inside back to the system. */
void situ_range_discard(situ_range *r, size_t offset, size_t bytes);

enum { SITU_SPACE_RANGES = 24 };

typedef struct situ_space_block {
    size_t offset, bytes;
} situ_space_block;

/* Blocks in use, by address; what lies between them is free. Not locked. */
typedef struct situ_space {
    int ranges;
    struct {
        situ_range range;
        situ_space_block *block;
        int64_t count, room;
    } part[SITU_SPACE_RANGES];
    int64_t used;
} situ_space;

/* Makes room for so many bytes more; 0 or a negative code, without raising. */
int situ_space_grow(situ_space *s, size_t bytes);
/* Addresses for so much memory: only they are spent, so the gaps between blocks and what first fit wastes have room. */
static inline size_t situ_space_for(int64_t memory) { return 3 * (size_t)memory; }
void situ_space_free(situ_space *s);
/* 256-byte aligned, at the lowest address that fits; NULL: no room. */
void *situ_space_alloc(situ_space *s, size_t bytes);
/* False: not an address that situ_space_alloc gave. */
bool situ_space_release(situ_space *s, void *address);
/* Where the values of [address, address + bytes) really are; NULL if that is not inside one block in use. */
char *situ_space_translate(situ_space *s, const void *address, size_t bytes);

/* ---- a device ---------------------------------------------------------------------------------------------------- */

struct situ_launch;

typedef struct situ_sim {
    pthread_mutex_t lock;
    situ_known_lock known;
    situ_sim_options options;
    situ_sim_counters count;
    situ_space space;
    int64_t lose_in; /* counted down by kernels; 0: not asked for */
    bool lost;
} situ_sim;

extern const situ_backend situ_backend_sim;

/* ---- virtual clock (clock.c, timeline.c) --------------------------------------------------------------------------- */

/* Seconds of a kernel, or of a copy within a device. */
double situ_sim_seconds(const situ_sim_options *o, double flops, double bytes);
double situ_sim_kernel_seconds(const situ_sim_options *o, const void *kernel);
/* Under the device's lock; each returns the seconds that it added. From and to: numbers of simulated devices, -1: the host. */
double situ_sim_kernel_time(situ_sim *s, double flops, double bytes);
double situ_sim_link_time(situ_sim *s, int from, int to, size_t bytes);
/* When a copy ends that the calling thread begins now. link: bytes/s of each device's own link, where no cluster says it. */
double situ_sim_copy_ends(int from, int to, double bytes, double latency, const double *link);
/* The clocks of all that a launch works on (run/launch.h), before it runs. */
void situ_sim_timeline(struct situ_launch *l);
/* Reads SITU_SIM_CLUSTER, if it is set: 0 or an error. */
int situ_sim_cluster_open(void);
/* Under no lock: what the device is like; so many seconds were spent, until then. */
void situ_sim_look(situ_sim *s, situ_sim_options *out);
void situ_sim_spend(situ_sim *s, double busy, double until);
/* Sleeps until `seconds` (with SITU_SIM_REALTIME=1, else none) and the device's delay after `start` (of situ_seconds).
 * Without the lock. */
void situ_sim_sleep(situ_sim *s, double start, double seconds);

#endif
