#include "base/options.h"

#include <string.h>

#include "base/error.h"

bool situ_take_options(void *own, size_t own_size, const void *given, const char *operation, situ_site site)
{
    struct {
        SITU_OPTION_HEAD;
    } head;
    if (!given) return true;
    memcpy(&head, given, sizeof head);
    if (head.unnamed != SITU_NAMED) {
        situ_fail(SITU_BAD_OPTION, site,
            "%s: an option without its name; write " SITU_SAY(".name = value, as the header lists them", "name=value"), operation);
        return false;
    }
    /* Structs only grow at their end: an older caller has fewer fields, a newer one more. */
    if (head.size > sizeof head)
        memcpy((char *)own + sizeof head, (const char *)given + sizeof head,
            (head.size < own_size ? head.size : own_size) - sizeof head);
    return true;
}
