/* Raising errors inside the library. */
#ifndef SITU_BASE_ERROR_H
#define SITU_BASE_ERROR_H

#include <stdbool.h>

#include <situ/error.h>

/* Sets this thread's error unless one sticks already ("site: message"; site may be NULL); returns -code. */
int situ_fail(int code, situ_site site, const char *format, ...) SITU_PRINTF(3, 4);

/* A part of a message that each language has its own words for, as in
 *     "labels are integers; write " SITU_SAY("situ_cast(labels, SITU_I64)", "labels.astype(\"int64\")")
 * situ_fail keeps one of the two; other texts with such parts go through situ_say. */
#define SITU_SAY(c, python) "\1" c "\2" python "\3"

/* Whether this copy of the library serves Python: its extension has one of its own. */
extern bool situ_speaks_python;

/* Leaves in `text` the words of the caller's language. */
void situ_say(char *text);

/* Set by run/: raises what this thread's work failed with and nobody waited for. */
extern void (*situ_error_late)(void);

/* The thread's error state, looked at by every call. */
extern __thread int situ_error_code __attribute__((tls_model("initial-exec")));

#endif
