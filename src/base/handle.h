/* Objects that a program frees: networks, optimizers, trainers, data sets, loaders. What is freed is noticed when it is used
 * again: its memory stays a while (situ_retire), and as long as another object needs it.
 *
 *     struct situ_loader { situ_handle handle; ... };      // first, {SITU_HANDLE_NEW}
 *     if (situ_ended(loader, "situ_loader_next", "loader", NULL)) return -situ_error_code;
 */
#ifndef SITU_BASE_HANDLE_H
#define SITU_BASE_HANDLE_H

#include <stdatomic.h>

#include "base/error.h"

enum { SITU_HANDLE_ALIVE = 0x51707a11, SITU_HANDLE_ENDED = 0x0eadea5d };
typedef struct situ_handle {
    uint32_t alive;
    _Atomic int holders; /* the program, and objects that need this one */
    situ_site ended_at;
} situ_handle;
#define SITU_HANDLE_NEW \
    { \
        SITU_HANDLE_ALIVE, 1, NULL \
    }

int situ_fail_ended(const situ_handle *h, const char *function, const char *what, situ_site site);
/* Was it freed (or is it no such object)? Then an error says so. NULL was not. */
static inline bool situ_ended(const void *object, const char *function, const char *what, situ_site site)
{
    const situ_handle *h = (const situ_handle *)object;
    if (!h || h->alive == SITU_HANDLE_ALIVE) return false;
    situ_fail_ended(h, function, what, site);
    return true;
}
/* It is there: not NULL, and not freed (else an error). */
static inline bool situ_there(const void *object, const char *function, const char *what)
{
    return object && !situ_ended(object, function, what, NULL);
}

void situ_handle_hold(const void *object);
/* True if this was the last holder: the caller frees what the object holds, and gives itself to situ_retire. */
bool situ_handle_let_go(const void *object);
/* The program frees it: true as above. */
bool situ_handle_end(void *object, situ_site site);

#endif
