/* Objects that a program frees: networks, optimizers, trainers, data sets, loaders and others. What is freed is noticed when it is
 * used again: its memory stays a while (situ_retire), and as long as another object needs it. An object of another kind, which
 * casts and other languages let through, is noticed as well.
 *
 *     struct situ_loader { situ_handle handle; ... };      // first, SITU_HANDLE_NEW(LOADER)
 *     if (situ_ended(loader, "situ_loader_next", "loader", NULL)) return -situ_error_code;
 */
#ifndef SITU_BASE_HANDLE_H
#define SITU_BASE_HANDLE_H

#include <stdatomic.h>

#include "base/error.h"

/* The types whose first member is a handle, and what messages call one. */
#define SITU_HANDLES(X) \
    X(MODULE, situ_module, "network") \
    X(OPTIMIZER, situ_optimizer, "optimizer") \
    X(DATASET, situ_dataset, "data set") \
    X(LOADER, situ_loader, "loader") \
    X(TRAINER, situ_trainer, "trainer") \
    X(METRIC, situ_metric, "metric") \
    X(ARCHIVE, situ_archive, "archive") \
    X(TOKENIZER, situ_tokenizer, "tokenizer") \
    X(GROUP, situ_group, "group")

#define SITU_HANDLE_ROW(kind, type, word) SITU_HANDLE_##kind,
typedef enum situ_handle_kind { SITU_HANDLES(SITU_HANDLE_ROW) SITU_HANDLE_KINDS } situ_handle_kind;
#undef SITU_HANDLE_ROW
#define SITU_HANDLE_ROW(kind, type, word) struct type;
SITU_HANDLES(SITU_HANDLE_ROW)
#undef SITU_HANDLE_ROW

/* The kind of what a pointer points to by its type. */
#define SITU_HANDLE_ROW(kind, type, word) struct type * : SITU_HANDLE_##kind, const struct type * : SITU_HANDLE_##kind,
#define SITU_HANDLE_OF(object) _Generic((object), SITU_HANDLES(SITU_HANDLE_ROW) struct situ_no_handle * : SITU_HANDLE_KINDS)

enum { SITU_HANDLE_ALIVE = 0x51707a00, SITU_HANDLE_ENDED = 0x0eadea00 }; /* plus its kind */
typedef struct situ_handle {
    uint32_t alive;
    _Atomic int holders; /* the program, and objects that need this one */
    situ_site ended_at;
} situ_handle;
#define SITU_HANDLE_NEW(kind) \
    { \
        SITU_HANDLE_ALIVE + SITU_HANDLE_##kind, 1, NULL \
    }

int situ_fail_ended(const situ_handle *h, situ_handle_kind kind, const char *function, const char *what, situ_site site);
static inline bool situ_ended_as(const void *object, situ_handle_kind kind, const char *function, const char *what, situ_site site)
{
    const situ_handle *h = (const situ_handle *)object;
    if (!h || h->alive == SITU_HANDLE_ALIVE + (uint32_t)kind) return false;
    situ_fail_ended(h, kind, function, what, site);
    return true;
}
/* Is the object alive, and one of its type? */
#define situ_alive(object) \
    (((const situ_handle *)(const void *)(object))->alive == SITU_HANDLE_ALIVE + (uint32_t)SITU_HANDLE_OF(object))
/* (object, function, what, site): was it freed, or is it no such object? Then an error says so. NULL was not. */
#define situ_ended(object, ...) situ_ended_as((object), SITU_HANDLE_OF(object), __VA_ARGS__)
/* (object, function, what): it is there: not NULL, and not freed (else an error). */
#define situ_there(object, function, what) ((object) && !situ_ended(object, function, what, NULL))

void situ_handle_hold(const void *object);
/* True if this was the last holder: the caller frees what the object holds, and gives itself to situ_retire. */
bool situ_handle_let_go(const void *object);
/* The program frees it: true as above. */
bool situ_handle_end(void *object, situ_site site);

#endif
