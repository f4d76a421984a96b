/* The environment, as far as it may be believed: in a program that runs with more rights than its caller has (set-user-ID
 * and the like), nothing of it says which files, libraries or devices are used. tests/tree/environment.sh finds other ways. */
#ifndef SITU_BASE_ENV_H
#define SITU_BASE_ENV_H

#include <stddef.h>
#include <stdlib.h>
#ifdef __linux__
#include <sys/auxv.h>
#endif

static inline const char *situ_env(const char *name)
{
#ifdef __linux__
    if (getauxval(AT_SECURE)) return NULL;
#endif
    return getenv(name);
}

#endif
