/* Files and folders. What is written goes to new files that are put in their place whole; pipes and devices are written to as they
 * are. Of files that are read because they lie in a place that the library knows it is asked whose they are. */
#ifndef SITU_OS_FILE_H
#define SITU_OS_FILE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { SITU_FILE_PATH = 4096 };

/* ---- what is there ------------------------------------------------------------------------------------------------------- */

typedef enum situ_file_kind {
    SITU_FILE_NONE,
    SITU_FILE_REGULAR,
    SITU_FILE_FOLDER,
    SITU_FILE_DEVICE,
    SITU_FILE_PIPE
} situ_file_kind;

/* Two files that are alike in this are one, which was not written meanwhile. */
typedef struct situ_file_about {
    uint64_t device, number;
    int64_t size, changed; /* nanoseconds since 1970 */
} situ_file_about;

/* What a path leads to, through links; *about, unless NULL, is of that. SITU_FILE_NONE with errno. */
situ_file_kind situ_file_look(const char *path, situ_file_about *about);
static inline bool situ_file_is_there(const char *path) { return situ_file_look(path, NULL) != SITU_FILE_NONE; }
/* A path without links to what is there. PATH_MAX bytes; false: nothing is there. */
bool situ_file_real_path(const char *path, char real[static SITU_FILE_PATH]);

/* Opens a file to be read; NULL with errno. */
FILE *situ_file_open(const char *path);
/* A stream to memory; when it is closed, *text has what was written, to be freed by free. NULL: no memory. */
FILE *situ_text_open(char **text, size_t *size);

/* Removes a name that is no folder; a second name of a file. 0, or -1 with errno. */
int situ_file_remove(const char *path);
int situ_file_link(const char *path, const char *more);

/* ---- descriptors --------------------------------------------------------------------------------------------------------- */

/* Opens a file to be read; where `wait`, waits until a pipe has a writer. -1 with errno. */
int situ_fd_open(const char *path, bool wait);
void situ_fd_close(int file);
/* Is this number an open descriptor? */
bool situ_fd_is_open(int file);
situ_file_kind situ_fd_look(int file, situ_file_about *about);
/* Reads so many bytes at most: how many, 0 at the end, -1 with errno. */
ptrdiff_t situ_fd_read(int file, void *to, size_t size);
/* Writes all; 0 or an errno. */
int situ_fd_write(int file, const void *bytes, size_t size);
/* A stream that writes to the file, and does not close it. */
FILE *situ_fd_stream(int file);
/* A path by which this process opens the file again. */
void situ_fd_path(int file, char *path, size_t size);

/* ---- folders and locks --------------------------------------------------------------------------------------------------- */

/* The names in a folder: NULL with errno if it cannot be read, and at the end. */
typedef struct situ_folder situ_folder;
situ_folder *situ_folder_open(const char *path);
const char *situ_folder_next(situ_folder *folder);
void situ_folder_close(situ_folder *folder);
/* Makes a folder, for this user alone if `private`. 0 or an errno: EEXIST if something is there. */
int situ_folder_make(const char *path, bool private);

/* Of two processes that lock the same file, or folder that they may write into, one has it until situ_file_unlock or its end. A
 * descriptor, or one of these; SITU_LOCK_FAILED with errno. Where the file system knows no locks everybody gets it. */
enum { SITU_LOCK_BUSY = -1, SITU_LOCK_FAILED = -2 };
int situ_file_lock(const char *path); /* is made, if it is not there: situ_file_remove it before the release */
int situ_folder_lock(const char *path);
/* `mine` is false in the child of a fork, whose parent has the lock. */
void situ_file_unlock(int lock, bool mine);

/* ---- files that are written ---------------------------------------------------------------------------------------------- */

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

/* ---- files that are believed --------------------------------------------------------------------------------------------- */

/* Opens a regular file of this user that nobody else may write, or NULL: no link, no pipe, no device. */
FILE *situ_file_own(const char *path);
/* Opens a regular file, or what a link to one names, that this user or root owns and not everybody may write. NULL: *why says
 * what it is, and errno is ENOENT where there is none. */
FILE *situ_file_believed(const char *path, const char **why);

#endif
