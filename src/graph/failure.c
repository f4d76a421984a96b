#include "graph/failure.h"

#include "base/error.h"

/* A failure is an interned string that begins with the error code: "205 message". There are few of them. */
#include <stdio.h>
#include <stdlib.h>

situ_failure *situ_failure_make(int code, const char *message)
{
    char text[4096 + 16];
    snprintf(text, sizeof text, "%d %s", code < 0 ? -code : code, message);
    return (situ_failure *)(uintptr_t)situ_site_intern(text);
}

int situ_failure_raise(const situ_failure *f)
{
    if (!f) return situ_fail(SITU_NO_MEMORY, NULL, "out of memory while another error was reported");
    char *message;
    long code = strtol((const char *)f, &message, 10);
    return situ_fail_again((int)code, message + (*message == ' '));
}
