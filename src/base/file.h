/* Files that are written: new ones are put in their place whole, pipes and devices are written to as they are; and files that are
 * read because they lie in a place that the library knows. */
#ifndef SITU_BASE_FILE_H
#define SITU_BASE_FILE_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

enum { SITU_FILE_PATH = 4096 };

typedef struct situ_file {
    FILE *stream;
    char part[SITU_FILE_PATH + 40]; /* the new file, "" for a pipe or a device */
    int target;                     /* so many characters of it are the path of the file whose place it takes */
    sigset_t before;                /* of the thread's signals                 */
    bool was_pending[2];
} situ_file;

/* Opens a new file beside `path`, or, where that is a link of this user or of root, beside what it names, which need not be
 * there; one that is `private` follows no link. NULL with errno. Its permissions are those of this user's file that it
 * will replace; else those of the umask, or, where it is `private`, this user's alone. Where `path` is a pipe or a device, or a
 * name in /dev or /proc of anything that is there, that is what is written to; of a pipe somebody must be at the other end. What
 * may not be written (a folder, a write-protected file) is an error here, not when all is done.
 * Until situ_file_end, by the same thread, a full disk or a reader that went away is an error and no signal. */
FILE *situ_file_begin(situ_file *f, const char *path, bool private);
/* What such an errno means of a file that is written, and what is to be done. */
const char *situ_file_why(int code);
/* Closes it and puts it in the place of its path if it is whole and on the disk, else removes it; 0 or an errno. */
int situ_file_end(situ_file *f, bool whole);
/* The same without the last step: it stays under the name f->part. */
int situ_file_close(situ_file *f, bool whole);
/* Syncs the folder of this path, so that new names in it outlive a loss of power. */
void situ_file_sync_folder(const char *path);
/* Adds to what situ_file_begin has made: not to a file that is no longer there, nor through a link of others. 0 or an errno. */
int situ_file_append(const char *path, const char *bytes, size_t count);
/* Whether situ_file_begin would succeed; leaves nothing behind. 0 or an errno. */
int situ_file_check(const char *path);
/* Opens a regular file of this user that nobody else may write, or NULL: no link, no pipe, no device. */
FILE *situ_file_own(const char *path);
/* Opens a regular file, or what a link to one names, that this user or root owns and not everybody may write. NULL: *why says
 * what it is, and errno is ENOENT where there is none. */
FILE *situ_file_believed(const char *path, const char **why);

#endif
