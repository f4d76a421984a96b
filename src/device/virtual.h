/* What the host costs on the virtual clock (situ_virtual, backend.h). Everything here is 0, and costs a test, while no
 * device is simulated; backend/sim sets the costs. */
#ifndef SITU_DEVICE_VIRTUAL_H
#define SITU_DEVICE_VIRTUAL_H

#include "device/backend.h"

/* Simulated seconds: read by all threads, without an order. */
typedef struct situ_host_costs {
    _Atomic bool on;
    _Atomic double call, byte; /* a call that records an operation; a byte that the host copies itself */
    _Atomic bool measured;     /* the thread's time on a processor is the time of its calls (SITU_SIM_HOST=measured) */
    _Atomic double stretch;    /* a virtual second takes so many real ones (SITU_SIM_REALTIME); 0: as long as it takes ... */
    _Atomic bool adapts;       /* ... and grows where this machine does not keep up */
} situ_host_costs;
extern situ_host_costs situ_host_cost;

/* Of a thread, in simulated seconds. */
typedef struct situ_host_thread {
    bool begun, is_first;        /* is_first: it came before all others, which begin at its clock */
    double worked, waited;       /* sums: calls and host work; waits */
    double cpu, computed;        /* the end of what it has started on the CPU, and how long that computed */
    double copy_start, copy_end; /* of its newest upload */
    double ran;                  /* processor seconds up to which its work is counted, if that is measured */
    double origin, late;         /* real time of virtual 0, if times are stretched; sum of real seconds behind that */
} situ_host_thread;
/* The calling thread's, in its record (device/thread.h). */
situ_host_thread *situ_host_record(void);
#define situ_host_self (*situ_host_record())

/* The thread works for so long. */
void situ_host_work(double seconds);
/* The same for work that takes no time here; and where a lock is held, so that a sleep that is due comes later. */
void situ_host_spend(double seconds);
void situ_host_owe(double seconds);
/* The thread waits until then. */
void situ_host_wait(double until);
/* What the thread has done on its processor since its last call is counted already. */
void situ_host_skip(void);

static inline bool situ_host_on(void)
{
    return __builtin_expect(atomic_load_explicit(&situ_host_cost.on, memory_order_relaxed), 0);
}
static inline void situ_host_call(void)
{
    if (situ_host_on()) situ_host_work(atomic_load_explicit(&situ_host_cost.call, memory_order_relaxed));
}
static inline void situ_host_copy(size_t bytes)
{
    if (situ_host_on() && !situ_host_cost.measured)
        situ_host_work((double)bytes * atomic_load_explicit(&situ_host_cost.byte, memory_order_relaxed));
}

#endif
