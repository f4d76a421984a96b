/* The monotonic clock, and sleeping: on a 32-bit word until it changes (futex on Linux, condition variables elsewhere), for a time,
 * until a bell rings. */
#ifndef SITU_OS_WAIT_H
#define SITU_OS_WAIT_H

#include <stdatomic.h>
#include <stdint.h>

/* Sleeps while *word == old; may return early. */
void situ_wait_word(_Atomic uint32_t *word, uint32_t old);
/* The same, for so many nanoseconds at most. */
void situ_wait_word_for(_Atomic uint32_t *word, uint32_t old, int64_t nanoseconds);
/* Wakes up to `count` of those that sleep on word. */
void situ_wake_word(_Atomic uint32_t *word, int count);

/* A bell that rings once, later: one thread sleeps on it, others set it. -1: this system has none (or no room for one). */
int situ_bell_new(void);
void situ_bell_free(int bell);
/* Rings after so many nanoseconds, whatever was set before; 0: not at all. */
void situ_bell_set(int bell, int64_t nanoseconds);
/* Sleeps until it rings; may return early. */
void situ_bell_wait(int bell);

/* One turn of a spinning wait. */
static inline void situ_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}
/* Another thread may have this CPU. */
void situ_yield(void);
/* Sleeps for so many nanoseconds, whatever signals come. */
void situ_sleep(int64_t nanoseconds);
/* One turn of a loop that asks for something again and again: spins, then yields, then naps. `idle` counts turns without
 * progress. */
static inline void situ_rest(int *idle)
{
    enum { SPINS = 50, NAPS_AFTER = 3000, NAP_NANOSECONDS = 50000 };
    if (++*idle < SPINS) situ_pause();
    else if (*idle < NAPS_AFTER) situ_yield();
    else situ_sleep(NAP_NANOSECONDS);
}

/* Nanoseconds of the monotonic clock. */
int64_t situ_now(void);
/* Seconds since 1970. */
int64_t situ_date(void);

/* How long a wait spins before it sleeps: about what a wake-up costs. Longer only takes time from whoever else needs
 * the core. */
enum { SITU_SPIN_NANOSECONDS = 20000 };

#endif
