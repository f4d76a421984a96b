#include "base/handle.h"

int situ_fail_ended(const situ_handle *h, const char *function, const char *what, situ_site site)
{
    if (h->alive != SITU_HANDLE_ENDED)
        return situ_fail(SITU_BAD_ARGUMENT, site, "%s: this is no %s, or one that was freed long ago", function, what);
    return situ_fail(SITU_BAD_ARGUMENT, site, "%s: the %s was freed before%s%s", function, what, h->ended_at ? ", at " : "",
        h->ended_at ? h->ended_at : "");
}

void situ_handle_hold(const void *object) { atomic_fetch_add(&((situ_handle *)(uintptr_t)object)->holders, 1); }

bool situ_handle_let_go(const void *object)
{
    return object && atomic_fetch_sub(&((situ_handle *)(uintptr_t)object)->holders, 1) == 1;
}

bool situ_handle_end(void *object, situ_site site)
{
    situ_handle *h = object;
    h->alive = SITU_HANDLE_ENDED;
    h->ended_at = site;
    return situ_handle_let_go(object);
}
