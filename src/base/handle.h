/* Objects that a program frees: networks, optimizers, trainers, data sets, loaders and others. Use after free is
 * detected: the memory stays for a while (situ_retire), and as long as another object needs it. A pointer to an object
 * of another kind, as casts and other languages allow, is detected as well.
 *
 *     struct situ_loader { situ_handle handle; ... };      // first member, initialised by SITU_HANDLE_NEW(LOADER)
 *     if (situ_ended(loader, "situ_loader_next", "loader", NULL)) return -situ_error_code; */
#ifndef SITU_BASE_HANDLE_H
#define SITU_BASE_HANDLE_H

#include <stdatomic.h>

#include "base/error.h"

/* The types whose first member is a handle, and the word for each in messages. */
#define SITU_HANDLES(X) \
    X(MODULE, situ_module, "network") \
    X(OPTIMIZER, situ_optimizer, "optimizer") \
    X(DATASET, situ_dataset, "data set") \
    X(LOADER, situ_loader, "loader") \
    X(TRAINER, situ_trainer, "trainer") \
    X(PROOF, situ_proof, "proof") \
    X(METRIC, situ_metric, "metric") \
    X(ARCHIVE, situ_archive, "archive") \
    X(VIRTUAL_FILE, situ_virtual_file, "virtual file") \
    X(TOKENIZER, situ_tokenizer, "tokenizer") \
    X(GROUP, situ_group, "group") \
    X(SESSION, situ_session, "session")

#define SITU_HANDLE_ROW(kind, type, word) SITU_HANDLE_##kind,
typedef enum situ_handle_kind { SITU_HANDLES(SITU_HANDLE_ROW) SITU_HANDLE_KINDS } situ_handle_kind;
#undef SITU_HANDLE_ROW
#define SITU_HANDLE_ROW(kind, type, word) struct type;
SITU_HANDLES(SITU_HANDLE_ROW)
#undef SITU_HANDLE_ROW

/* The handle kind of an object, from its pointer's static type. */
#define SITU_HANDLE_ROW(kind, type, word) struct type * : SITU_HANDLE_##kind, const struct type * : SITU_HANDLE_##kind,
#define SITU_HANDLE_OF(object) _Generic((object), SITU_HANDLES(SITU_HANDLE_ROW) struct situ_no_handle * : SITU_HANDLE_KINDS)

enum { SITU_HANDLE_ALIVE = 0x51707a00, SITU_HANDLE_ENDED = 0x0eadea00 }; /* plus its kind */
typedef struct situ_handle {
    uint32_t alive;
    _Atomic int holders; /* the program, and objects that use this one */
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
/* Whether the object is alive and has the kind of its pointer's type. */
#define situ_alive(object) \
    (((const situ_handle *)(const void *)(object))->alive == SITU_HANDLE_ALIVE + (uint32_t)SITU_HANDLE_OF(object))
/* situ_ended(object, function, what, site): true, with an error, if the object was freed or has another kind. False for
 * NULL. */
#define situ_ended(object, ...) situ_ended_as((object), SITU_HANDLE_OF(object), __VA_ARGS__)
/* situ_is_usable(object, function, what): true if the object is neither NULL nor freed (the latter raises an error). */
#define situ_is_usable(object, function, what) ((object) && !situ_ended(object, function, what, NULL))

void situ_handle_hold(const void *object);
/* Drops one holder. True if it was the last: the caller then frees the object's contents and passes the object to
 * situ_retire. */
bool situ_handle_let_go(const void *object);
/* The program's free: marks the object as ended and drops the program's hold. Result as above. */
bool situ_handle_end(void *object, situ_site site);

#endif
