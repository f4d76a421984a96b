/* SITU_DEBUG in the environment: a list of words, separated by commas: "plan,scopes". */
#ifndef SITU_BASE_DEBUG_H
#define SITU_BASE_DEBUG_H

#include <stdatomic.h>
#include <stdbool.h>

/* base/environment.def says what each word does. */
enum situ_debug_word {
    SITU_DEBUG_PLAN = 1,
    SITU_DEBUG_SCOPES = 2,
    SITU_DEBUG_ERRORS = 4,
    SITU_DEBUG_NAN = 8,
    SITU_DEBUG_HINTS = 16,
    SITU_DEBUG_READ = 128 /* the environment has been read */
};
extern _Atomic unsigned situ_debug_words;
/* Parses such a list into bits. An unknown word is reported on stderr (the only output of this file). */
unsigned situ_debug_parse(const char *text);
/* The bits of SITU_DEBUG. Reads the environment at the first call. */
unsigned situ_debug_start(void);

static inline bool situ_debug(enum situ_debug_word word)
{
    unsigned words = atomic_load_explicit(&situ_debug_words, memory_order_relaxed);
    return (words ? words : situ_debug_start()) & word;
}

#endif
