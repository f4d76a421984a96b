/* Raising errors inside the library. */
#ifndef SITU_BASE_ERROR_H
#define SITU_BASE_ERROR_H

#include <situ/error.h>

/* Sets this thread's error unless one sticks already ("site: message"; site may be NULL); returns -code. */
int situ_fail(int code, situ_site site, const char *format, ...) SITU_PRINTF(3, 4);

/* The thread's error state, looked at by every call. */
extern __thread int situ_error_code __attribute__((tls_model("initial-exec")));

#endif
