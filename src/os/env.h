/* The environment, as far as it may be believed: in a program that runs with more rights than its caller has (set-user-ID
 * and the like), nothing of it says which files, libraries or devices are used. tests/tree/environment.sh finds other ways. */
#ifndef SITU_OS_ENV_H
#define SITU_OS_ENV_H

/* The value of a variable; NULL: it is not set, or must not be believed. */
const char *situ_env(const char *name);

#endif
