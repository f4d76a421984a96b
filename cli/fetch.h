/* Downloading a file by libcurl, which is opened at run time. */
#ifndef CLI_FETCH_H
#define CLI_FETCH_H

#include <stdint.h>

/* Downloads `url` to `path`; the file must have this SHA-256 (64 digits). It is written to path + ".part", which is
 * renamed when complete; an existing partial file is continued. If another process downloads the same file, waits for
 * it. An existing file is checked. 0, or -1 with a message on stderr. */
int cli_fetch(const char *url, const char *path, const char *sha256);

#endif
