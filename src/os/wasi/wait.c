/* A sleeper would never be woken: the caller finds that its word has not changed. */
#include "os/wait.h"

void situ_wait_word(_Atomic uint32_t *word, uint32_t old)
{
    if (atomic_load(word) == old) __builtin_trap();
}

void situ_wait_word_for(_Atomic uint32_t *word, uint32_t old, int64_t nanoseconds)
{
    if (atomic_load(word) == old) situ_sleep(nanoseconds);
}

void situ_wake_word(_Atomic uint32_t *word, int count) { (void)word, (void)count; }

int situ_bell_new(void) { return -1; }
void situ_bell_free(int bell) { (void)bell; }
void situ_bell_set(int bell, int64_t nanoseconds) { (void)bell, (void)nanoseconds; }
void situ_bell_wait(int bell) { (void)bell; }
