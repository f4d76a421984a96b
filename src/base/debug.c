#include "base/debug.h"

#include <stdio.h>
#include <string.h>

#include "os/env.h"

_Atomic unsigned situ_debug_words;

static const struct {
    const char *word;
    unsigned bit;
} known[] = {
#define DEBUG_WORD(word, bit, meaning) {#word, SITU_DEBUG_##bit},
#include "base/environment.def"
};
enum { KNOWN = sizeof known / sizeof *known };

static void tell_unknown(const char *word, int length)
{
    char words[80] = "";
    for (size_t i = 0, used = 0; i < KNOWN; i++)
        used += (size_t)snprintf(words + used, sizeof words - used, "%s%s", i ? ", " : "", known[i].word);
    fprintf(stderr, "situ: SITU_DEBUG has no word \"%.*s\"; there are: %s\n", length, word, words);
}

unsigned situ_debug_parse(const char *text)
{
    unsigned words = 0;
    while (text && *text) {
        size_t n = strcspn(text, ", "), i = 0;
        while (i < KNOWN && (strlen(known[i].word) != n || strncmp(known[i].word, text, n))) i++;
        if (i < KNOWN) words |= known[i].bit;
        else if (n) tell_unknown(text, (int)n);
        text += n + (text[n] != 0);
    }
    return words;
}

unsigned situ_debug_start(void)
{
    static atomic_flag read = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&read)) { /* another thread is reading it */
        unsigned words;
        while (!(words = atomic_load(&situ_debug_words))) {}
        return words;
    }
    unsigned words = situ_debug_parse(situ_env("SITU_DEBUG")) | SITU_DEBUG_READ;
    atomic_store(&situ_debug_words, words);
    return words;
}
