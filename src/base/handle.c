#include "base/handle.h"

#include <string.h>

int situ_fail_ended(const situ_handle *h, situ_handle_kind kind, const char *function, const char *what, situ_site site)
{
#define SITU_HANDLE_WORD(kind, type, word) word,
    static const char *const words[] = {SITU_HANDLES(SITU_HANDLE_WORD)};
    uint32_t state = h->alive & ~(uint32_t)0xff, is = h->alive & 0xff;
    bool ended = state == SITU_HANDLE_ENDED, known = (ended || state == SITU_HANDLE_ALIVE) && is < SITU_HANDLE_KINDS;
    if (!known) return situ_fail(SITU_BAD_ARGUMENT, site, "%s: this is no %s, or one that was freed long ago", function, what);
    const char *word = words[is], *at = ended && h->ended_at ? ", at " : "", *line = ended && h->ended_at ? h->ended_at : "";
    if (is != kind)
        return situ_fail(SITU_BAD_ARGUMENT, site, "%s: what was given as the %s is %s %s%s%s%s", function, what,
            strchr("aeiou", *word) ? "an" : "a", word, ended ? ", freed before" : "", at, line);
    return situ_fail(SITU_BAD_ARGUMENT, site, "%s: the %s was freed before%s%s", function, what, at, line);
}

void situ_handle_hold(const void *object) { atomic_fetch_add(&((situ_handle *)(uintptr_t)object)->holders, 1); }

bool situ_handle_let_go(const void *object)
{
    return object && atomic_fetch_sub(&((situ_handle *)(uintptr_t)object)->holders, 1) == 1;
}

bool situ_handle_end(void *object, situ_site site)
{
    situ_handle *h = object;
    h->alive = SITU_HANDLE_ENDED + (h->alive & 0xff);
    h->ended_at = site;
    return situ_handle_let_go(object);
}
