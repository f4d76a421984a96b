/* Bringing a file by libcurl, which is opened at run time. */
#ifndef CLI_FETCH_H
#define CLI_FETCH_H

#include <stdint.h>

/* Brings `url` to `path`, whose bytes have this SHA-256 (64 digits): to path + ".part", which is renamed when it is
 * whole. A part that is there is gone on with. Whoever brings the same file at the same time is waited for. What is there already
 * is checked. 0, or -1 with a message on stderr. */
int cli_fetch(const char *url, const char *path, const char *sha256);

#endif
