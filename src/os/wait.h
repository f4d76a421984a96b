/* The monotonic clock, and three kinds of sleep: until a 32-bit word changes (futex on Linux, condition variables
 * elsewhere), for a time, and until a timer fires (a "bell"). */
#ifndef SITU_OS_WAIT_H
#define SITU_OS_WAIT_H

#include <stdatomic.h>
#include <stdint.h>

/* Sleeps while *word == old; may return early. */
void situ_wait_word(_Atomic uint32_t *word, uint32_t old);
/* The same, at most for so many nanoseconds. */
void situ_wait_word_for(_Atomic uint32_t *word, uint32_t old, int64_t nanoseconds);
/* Wakes at most `count` threads that sleep on the word. */
void situ_wake_word(_Atomic uint32_t *word, int count);

/* Creates a one-shot timer: one thread sleeps on it, others set it. -1 if the system has none, or no more. */
int situ_bell_new(void);
void situ_bell_free(int bell);
/* Sets the timer to fire after so many nanoseconds, whatever was set before; 0 cancels it. */
void situ_bell_set(int bell, int64_t nanoseconds);
/* Sleeps until the timer fires; may return early. */
void situ_bell_wait(int bell);

/* One iteration of a spinning wait. */
static inline void situ_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}
/* Gives up the CPU to another thread that is ready to run. */
void situ_yield(void);
/* Sleeps for so many nanoseconds, even if signals arrive. */
void situ_sleep(int64_t nanoseconds);
/* One iteration of a polling loop: spins first, then yields, then sleeps briefly. `idle` counts iterations without
 * progress. */
static inline void situ_rest(int *idle)
{
    enum { SPINS = 50, NAPS_AFTER = 3000, NAP_NANOSECONDS = 50000 };
    if (++*idle < SPINS) situ_pause();
    else if (*idle < NAPS_AFTER) situ_yield();
    else situ_sleep(NAP_NANOSECONDS);
}

/* Monotonic clock in nanoseconds. */
int64_t situ_now(void);
/* Seconds since 1970. */
int64_t situ_date(void);

/* How long a wait spins before it sleeps: about the cost of a wake-up. Longer spinning only takes CPU time from
 * others. */
enum { SITU_SPIN_NANOSECONDS = 20000 };

#endif
