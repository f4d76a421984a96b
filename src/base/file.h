/* Files that are replaced whole, and files of a cache. */
#ifndef SITU_BASE_FILE_H
#define SITU_BASE_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* Opens a new file beside `path`, which follows no link, and puts its name in `part`; NULL with errno. Its permissions are
 * those of the file that it will replace; else those of the umask, or, where it is `private`, this user's alone. */
FILE *situ_file_begin(const char *path, bool private, char *part, size_t size);
/* Closes it and puts it in the place of `path` if it is whole and on the disk, else removes it; 0 or an errno. */
int situ_file_end(FILE *f, const char *part, const char *path, bool whole);
/* Opens a regular file of this user that nobody else may write, or NULL: no link, no pipe, no device. */
FILE *situ_file_own(const char *path);

#endif
