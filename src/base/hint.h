/* SITU_DEBUG=hints: says on stderr what a program does that is allowed and hardly meant. It changes no value. */
#ifndef SITU_BASE_HINT_H
#define SITU_BASE_HINT_H

#include "base/debug.h"
#include "base/error.h"

static inline bool situ_hints(void) { return situ_debug(SITU_DEBUG_HINTS); }
/* "situ: hint: file.c:12: what; how to mend", once for each text (`format`) and line. Parts may be SITU_SAY. Call it only where
 * situ_hints() is true. */
void situ_hint(situ_site site, const char *format, ...) SITU_PRINTF(2, 3);

#endif
