/* The virtual clock of simulated GPUs, and of the host that works with them. situ/device.h adds and configures such GPUs.
 *
 *     situ_sim_profile("h100");                     // or SITU_SIM_PROFILE=h100
 *     double start = situ_sim_clock();
 *     situ_wait(situ_matmul(a, b));                 // on a simulated GPU or on the CPU
 *     printf("%g s, simulated\n", situ_sim_clock() - start);
 *
 * Each thread has a clock. It advances by what the profile says that calls, plans, copies and the CPU's kernels cost, and it takes
 * the later of two times where the thread waits for something or reads it. So it is the same in every run. It stands still while
 * no GPU is simulated. No result depends on it.
 */
#ifndef SITU_SIM_H
#define SITU_SIM_H

#include <situ/device.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What simulated GPUs and their host cost from now on: "laptop", "workstation", "a100", "h100", "h200", or a file of constants;
 * SITU_SIM_PROFILE does it at start. Without a profile the card is the workstation's, and the host and the CPU cost nothing.
 * docs/gpu.md has the constants. 0 or a negative code. */
SITU_API SITU_TOLD int situ_sim_profile(const char *name);
/* The name of that profile; "none" without one. */
SITU_API const char *situ_sim_profile_name(void);

/* What the host costs on the virtual clock. Unset fields (0) do not change; -1: nothing. */
typedef struct situ_sim_host_options {
    uint32_t size;
    double call;             /* seconds for a call that records an operation                 */
    double start;            /* seconds for starting a plan on a simulated GPU               */
    double copy_bandwidth;   /* bytes a second that the host copies itself                   */
    double kernel;           /* seconds for a kernel of the CPU                              */
    double core_flops;       /* floating-point operations a second of one core ...           */
    double flops;            /* ... and of all cores, which are there after ...              */
    double spread;           /* ... so many seconds                                          */
    double memory_bandwidth; /* bytes a second that the CPU's kernels read and write         */
} situ_sim_host_options;
SITU_API SITU_TOLD int situ_sim_host_configure(const situ_sim_host_options *options);
/* situ_sim_host_configure(SITU_SIM_HOST(.call = 5e-6)) */
#define SITU_SIM_HOST(...) (&(const situ_sim_host_options){.size = sizeof(situ_sim_host_options), __VA_ARGS__})

/* The calling thread works for so many simulated seconds: what the program does between its calls. Takes no time. */
SITU_API void situ_sim_host(double seconds);
/* The calling thread's clock is this or later: after it joined a thread, took a lock or got a message, with the other's clock. */
SITU_API void situ_sim_reach(double seconds);

/* How many real seconds a simulated one takes (SITU_SIM_REALTIME=K, or `auto`, which grows until this machine keeps up); 0: as
 * long as it takes here. A thread of the program sleeps until its clock is due, a millisecond or more at a time. *late, if not
 * NULL, becomes the real seconds of the calling thread beyond that: it could not keep up. */
SITU_API double situ_sim_stretch(double *late);

/* Where the time went. Of a simulated GPU: since it was opened. Of cpu(0): of the calling thread. In simulated seconds. */
typedef struct situ_sim_parts {
    double clock;     /* when its last work ended; of cpu(0): situ_sim_clock()             */
    double computing; /* kernels; of cpu(0): calls, host work and the CPU's kernels        */
    double copying;   /* copies to it and from it, which may overlap with computing        */
    double waiting;   /* of cpu(0): until a device was done, or a copy; 0 for others       */
    double idle;      /* of a simulated GPU: clock - computing                             */
} situ_sim_parts;
SITU_API SITU_TOLD int situ_sim_times(situ_device d, situ_sim_parts *out);

#ifdef __cplusplus
}
#endif

#include <situ/call/sim.h>

#endif
