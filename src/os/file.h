/* Files and folders. Regular files are written to a new file that replaces the old one as a whole; pipes and devices
 * are written to directly. Before the library reads a file whose path it chose itself (a tuning file, a cache), it
 * checks who owns the file. */
#ifndef SITU_OS_FILE_H
#define SITU_OS_FILE_H

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

/* Identity and version of a file: if all fields are equal, it is the same file and was not written in between. */
typedef struct situ_file_about {
    uint64_t device, number;
    int64_t size, changed; /* changed: nanoseconds since 1970 */
} situ_file_about;

/* What a path leads to, through links; *about (may be NULL) describes it. SITU_FILE_NONE with errno. */
situ_file_kind situ_file_inspect(const char *path, situ_file_about *about);
static inline bool situ_file_exists(const char *path) { return situ_file_inspect(path, NULL) != SITU_FILE_NONE; }
/* The path with all links resolved. `real` has PATH_MAX bytes. False if nothing exists there. */
bool situ_file_real_path(const char *path, char real[static SITU_FILE_PATH]);

/* Opens a file for reading; NULL with errno. */
FILE *situ_file_open(const char *path);
/* Opens a stream that writes to memory. Closing it leaves the result in *text, which the caller frees by free. NULL:
 * memory ran out. */
FILE *situ_text_open(char **text, size_t *size);

/* situ_file_remove removes a name of a file (not of a folder), situ_file_link adds one. 0, or -1 with errno. */
int situ_file_remove(const char *path);
int situ_file_link(const char *path, const char *more);

/* ---- virtual files -------------------------------------------------------------------------------------------------------- */

/* Bytes in memory, or a reader or writer, under a path that begins with SITU_VIRTUAL. What reads or writes a file by its
 * path, by the functions below, takes such a path as well. */
#define SITU_VIRTUAL "virtual:"
typedef struct situ_virtual_entry {
    const char *path;
    const void *bytes; /* NULL: what `read` gives */
    size_t size;
    bool lent;                                               /* the bytes stay as they are until `done` */
    ptrdiff_t (*read)(void *self, void *to, size_t size);    /* NULL: there is nothing to read; 0 is the end, < 0 an error */
    int (*write)(void *self, const void *from, size_t size); /* NULL: nothing can be written; 0, or it accepts no more */
    void *self;
    void (*done)(struct situ_virtual_entry *v); /* nobody holds it any more */
    int holders;
    struct situ_virtual_entry *next;
} situ_virtual_entry;

/* Gives the path its meaning; the caller is one holder. */
void situ_virtual_add(situ_virtual_entry *v);
/* From now on the path means nothing; who holds the file goes on. The caller's hold ends. */
void situ_virtual_remove(situ_virtual_entry *v);
/* The virtual file of this path, held, or NULL. */
situ_virtual_entry *situ_virtual_hold(const char *path);
void situ_virtual_let_go(situ_virtual_entry *v);
/* What situ_file_inspect says of it. */
situ_file_kind situ_virtual_look(const situ_virtual_entry *v, situ_file_about *about);
/* A stream that writes to it; closing it ends the caller's hold. NULL with errno: the hold stays. */
FILE *situ_virtual_stream(situ_virtual_entry *v);

/* What is read: a file, a pipe, or a virtual file. */
typedef struct situ_input {
    int file;
    situ_virtual_entry *virtual;
    size_t at;
} situ_input;

/* Opens a path for reading; with `wait`, waits until a pipe has a writer. False with errno. */
bool situ_input_open(situ_input *s, const char *path, bool wait);
void situ_input_close(situ_input *s);
situ_file_kind situ_input_look(const situ_input *s, situ_file_about *about);
/* Reads at most `size` bytes; returns their number, 0 at the end, -1 with errno. */
ptrdiff_t situ_input_read(situ_input *s, void *to, size_t size);

/* ---- descriptors --------------------------------------------------------------------------------------------------------- */

void situ_fd_close(int file);
/* Whether this number is an open file descriptor. */
bool situ_fd_is_open(int file);
situ_file_kind situ_fd_look(int file, situ_file_about *about);
/* Writes all bytes; returns 0 or an errno. */
int situ_fd_write(int file, const void *bytes, size_t size);
/* A stream that writes to the descriptor. Closing the stream does not close the descriptor. */
FILE *situ_fd_stream(int file);
/* A path through which this process can open the file again. */
void situ_fd_path(int file, char *path, size_t size);

/* ---- folders and locks --------------------------------------------------------------------------------------------------- */

/* The names in a folder. Opening returns NULL with errno if it cannot be read; reading returns NULL at the end. */
typedef struct situ_folder situ_folder;
situ_folder *situ_folder_open(const char *path);
const char *situ_folder_next(situ_folder *folder);
void situ_folder_close(situ_folder *folder);
/* Creates a folder, with `private` for this user alone. Returns 0 or an errno (EEXIST if something is there). */
int situ_folder_make(const char *path, bool private);

/* Locks a file, or a folder in which this process may write, against other processes, until situ_file_unlock or the end
 * of this process. Returns a lock, SITU_LOCK_BUSY, or SITU_LOCK_FAILED with errno. On a file system without locks
 * everybody gets it. */
enum { SITU_LOCK_BUSY = -1, SITU_LOCK_FAILED = -2 };
int situ_file_lock(const char *path); /* creates the file if needed: situ_file_remove it before the unlock */
int situ_folder_lock(const char *path);
/* `mine`: false in the child of a fork, because the parent holds the lock. */
void situ_file_unlock(int lock, bool mine);

/* ---- files that are written ---------------------------------------------------------------------------------------------- */

typedef struct situ_file {
    FILE *stream;
    char part[SITU_FILE_PATH + 40];      /* path of the new file; "" for a pipe or a device */
    int target;                          /* the first `target` characters of `part` are the path of the file to replace */
    bool was_blocked[2], was_pending[2]; /* the signals that would end the process, before */
} situ_file;

/* Opens a new file for writing, to replace `path` as a whole at situ_file_end. NULL with errno.
 * Links: if `path` is a link of this user or of root, the file that it names is replaced (it need not exist). With
 * `private` no link is followed.
 * Permissions: those of this user's file that is replaced; else 0666 without the umask, or with `private` this user's
 * alone.
 * Pipes, devices, and names in /dev or /proc of existing things are written to directly. A pipe must have a reader.
 * What cannot be written (a folder, a write-protected file) fails here, not at the end.
 * Until situ_file_end, called by the same thread, a full disk or a lost reader gives an error instead of a signal. */
FILE *situ_file_begin(situ_file *f, const char *path, bool private);
/* The reason behind such an errno, in words, and how to mend it. */
const char *situ_file_why(int code);
/* Closes the file. If `whole` and on the disk, it replaces its target, else it is removed. Returns 0 or an errno. */
int situ_file_end(situ_file *f, bool whole);
/* The same without the replacement: the file keeps its name f->part. */
int situ_file_close(situ_file *f, bool whole);
/* Syncs the folder that contains `path`, so that new names in it survive a loss of power. */
void situ_file_sync_folder(const char *path);
/* Appends to a file written by situ_file_begin. Fails if the file is gone or the path is a link of another user.
 * Returns 0 or an errno. */
int situ_file_append(const char *path, const char *bytes, size_t count);
/* Whether situ_file_begin would succeed; leaves nothing behind. Returns 0 or an errno. */
int situ_file_check(const char *path);

/* ---- files that are believed --------------------------------------------------------------------------------------------- */

/* Opens a regular file of this user that no other user may write. NULL for anything else (a link, a pipe, a device). */
FILE *situ_file_open_own(const char *path);
/* Opens a regular file, perhaps through a link, that belongs to this user or root and is not writable for everybody.
 * NULL: *why says what it is instead; errno is ENOENT if nothing exists. */
FILE *situ_file_open_trusted(const char *path, const char **why);

#endif
