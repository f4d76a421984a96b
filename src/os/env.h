/* Environment variables, as far as they can be trusted: in a program that runs with more rights than its caller
 * (set-user-ID and the like), they must not decide which files, libraries or devices are used.
 * tests/tree/environment.sh finds other ways of reading them. */
#ifndef SITU_OS_ENV_H
#define SITU_OS_ENV_H

/* The value of a variable; NULL if it is not set or must not be trusted. */
const char *situ_env(const char *name);

#endif
