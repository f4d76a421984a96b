/* SITU_DEBUG in the environment: words with commas between them, "plan,scopes". */
#ifndef SITU_BASE_DEBUG_H
#define SITU_BASE_DEBUG_H

#include <stdatomic.h>
#include <stdbool.h>

/* What each does is in base/environment.def. */
enum situ_debug_word {
    SITU_DEBUG_PLAN = 1,
    SITU_DEBUG_SCOPES = 2,
    SITU_DEBUG_ERRORS = 4,
    SITU_DEBUG_NAN = 8,
    SITU_DEBUG_HINTS = 16,
    SITU_DEBUG_READ = 128 /* the environment has been read */
};
extern _Atomic unsigned situ_debug_words;
/* Reads a text of words; one that is not known is said on stderr, the only thing here that is printed. */
unsigned situ_debug_parse(const char *text);
/* The words of the environment, which is read when the first of them is asked for. */
unsigned situ_debug_start(void);

static inline bool situ_debug(enum situ_debug_word word)
{
    unsigned words = atomic_load_explicit(&situ_debug_words, memory_order_relaxed);
    return (words ? words : situ_debug_start()) & word;
}

#endif
