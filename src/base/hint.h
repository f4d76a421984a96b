/* SITU_DEBUG=hints: reports on stderr what a program does that is allowed but probably a mistake. Changes no value. */
#ifndef SITU_BASE_HINT_H
#define SITU_BASE_HINT_H

#include "base/debug.h"
#include "base/error.h"

static inline bool situ_hints(void) { return situ_debug(SITU_DEBUG_HINTS); }
/* Prints "situ: hint: file.c:12: what; how to mend", once for each `format` and site. Parts may be SITU_SAY. Call it
 * only if situ_hints(). */
void situ_hint(situ_site site, const char *format, ...) SITU_PRINTF(2, 3);

#endif
