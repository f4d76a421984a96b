/* Files of the folders that the host of the module has opened for it. There are no users, locks and signals; a host without
 * files, such as a page, makes each function fail with errno. */
#include "os/file.h"

#include "os/plain.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what is there ---------------------------------------------------------------------------------------------------- */

static situ_file_kind kind_of(const struct stat *s, situ_file_about *about)
{
    if (about)
        *about = (situ_file_about){(uint64_t)s->st_dev, (uint64_t)s->st_ino, (int64_t)s->st_size,
            (int64_t)s->st_mtim.tv_sec * 1000000000 + s->st_mtim.tv_nsec};
    return S_ISREG(s->st_mode) ? SITU_FILE_REGULAR : S_ISDIR(s->st_mode) ? SITU_FILE_FOLDER : SITU_FILE_DEVICE;
}

situ_file_kind situ_file_inspect(const char *path, situ_file_about *about)
{
    struct stat s;
    situ_virtual_entry *v = situ_virtual_hold(path);
    situ_file_kind kind = v ? situ_virtual_look(v, about) : stat(path, &s) ? SITU_FILE_NONE : kind_of(&s, about);
    if (v) situ_virtual_let_go(v);
    return kind;
}

bool situ_file_real_path(const char *path, char real[static SITU_FILE_PATH])
{
    return situ_file_exists(path) && snprintf(real, SITU_FILE_PATH, "%s", path) < SITU_FILE_PATH;
}

FILE *situ_file_open(const char *path) { return fopen(path, "r"); }
FILE *situ_text_open(char **text, size_t *size) { return open_memstream(text, size); }
int situ_file_remove(const char *path) { return unlink(path); }
int situ_file_link(const char *path, const char *more) { return link(path, more); }

/* ---- descriptors ------------------------------------------------------------------------------------------------------ */

void situ_fd_close(int file) { close(file); }
bool situ_fd_is_open(int file) { return fcntl(file, F_GETFL) >= 0; }

situ_file_kind situ_fd_look(int file, situ_file_about *about)
{
    struct stat s;
    return fstat(file, &s) ? SITU_FILE_NONE : kind_of(&s, about);
}

int situ_fd_write(int file, const void *bytes, size_t size)
{
    const char *from = bytes;
    while (size) {
        ssize_t n = write(file, from, size);
        if (n < 0) return errno;
        from += n, size -= (size_t)n;
    }
    return 0;
}

FILE *situ_fd_stream(int file) { return (void)file, errno = ENOSYS, NULL; } /* a descriptor cannot be doubled */
void situ_fd_path(int file, char *path, size_t size) { snprintf(path, size, "/dev/fd/%d", file); }

/* ---- folders and locks ------------------------------------------------------------------------------------------------ */

situ_folder *situ_folder_open(const char *path) { return (situ_folder *)opendir(path); }

const char *situ_folder_next(situ_folder *folder)
{
    struct dirent *entry = readdir((DIR *)folder);
    return entry ? entry->d_name : NULL;
}

void situ_folder_close(situ_folder *folder) { closedir((DIR *)folder); }
int situ_folder_make(const char *path, bool private) { return mkdir(path, private ? 0700 : 0777) ? errno : 0; }

/* Everybody gets the lock, as on a file system without locks. */
int situ_file_lock(const char *path)
{
    int file = open(path, O_RDWR | O_CREAT, 0666);
    return file < 0 ? SITU_LOCK_FAILED : file;
}

int situ_folder_lock(const char *path)
{
    int file = open(path, O_RDONLY | O_DIRECTORY);
    return file < 0 ? SITU_LOCK_FAILED : file;
}

void situ_file_unlock(int lock, bool mine)
{
    (void)mine;
    if (lock >= 0) close(lock);
}

/* ---- writing ---------------------------------------------------------------------------------------------------------- */

const char *situ_file_why(int code)
{
    return code == ENOENT   ? "No such file or directory; make its folder first" :
        code == EISDIR      ? "Is a directory; name a file in it" :
        code == ENOTCAPABLE ? "the host of this module has opened no folder with it" :
                              situ_plain_reason(code);
}

static bool is_device(const char *path) { return situ_file_inspect(path, NULL) == SITU_FILE_DEVICE; }

static int open_part(situ_file *f, const char *path)
{
    for (int i = 0; i < 100; i++) {
        if (snprintf(f->part, sizeof f->part, "%s.%d", path, i) >= (int)sizeof f->part) return errno = ENAMETOOLONG, -1;
        int fd = open(f->part, O_WRONLY | O_CREAT | O_EXCL, 0666);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

FILE *situ_file_begin(situ_file *f, const char *path, bool private)
{
    (void)private;
    f->stream = NULL;
    f->part[0] = 0;
    situ_virtual_entry *v = situ_virtual_hold(path);
    if (v && (f->stream = situ_virtual_stream(v))) return f->stream;
    if (v) return situ_virtual_let_go(v), errno = EACCES, NULL;
    f->target = (int)strlen(path);
    if (f->target >= SITU_FILE_PATH) return errno = ENAMETOOLONG, NULL;
    if (situ_file_inspect(path, NULL) == SITU_FILE_FOLDER) return errno = EISDIR, NULL;
    int fd = is_device(path) ? open(path, O_WRONLY) : open_part(f, path);
    if (fd < 0) return NULL;
    f->stream = fdopen(fd, "w");
    if (f->stream) return f->stream;
    int code = errno;
    close(fd);
    if (*f->part) unlink(f->part);
    return errno = code, NULL;
}

void situ_file_sync_folder(const char *path) { (void)path; }

int situ_file_close(situ_file *f, bool whole)
{
    bool part = *f->part;
    errno = 0;
    whole &= !fflush(f->stream) && !ferror(f->stream) && !(part && fsync(fileno(f->stream)));
    int code = whole ? 0 : errno ? errno : EIO;
    if (fclose(f->stream) && !code) code = errno;
    f->stream = NULL;
    if (part && code) unlink(f->part);
    return code;
}

int situ_file_end(situ_file *f, bool whole)
{
    int code = situ_file_close(f, whole);
    if (code || !*f->part) return code;
    char path[SITU_FILE_PATH];
    snprintf(path, sizeof path, "%.*s", f->target, f->part);
    if (rename(f->part, path)) code = errno, unlink(f->part);
    return code;
}

int situ_file_append(const char *path, const char *bytes, size_t count)
{
    int fd = open(path, O_WRONLY | O_APPEND);
    if (fd < 0) return errno;
    int code = situ_fd_write(fd, bytes, count);
    if (close(fd) && !code) code = errno;
    return code;
}

int situ_file_check(const char *path)
{
    situ_file f;
    situ_virtual_entry *v = situ_virtual_hold(path);
    if (v) {
        bool writes = v->write;
        situ_virtual_let_go(v);
        return writes ? 0 : EACCES;
    }
    if (is_device(path)) return 0;
    if (!situ_file_begin(&f, path, false)) return errno;
    (void)situ_file_end(&f, false);
    return 0;
}

/* ---- reading ---------------------------------------------------------------------------------------------------------- */

FILE *situ_file_open_own(const char *path) { return situ_file_inspect(path, NULL) == SITU_FILE_REGULAR ? fopen(path, "rb") : NULL; }

FILE *situ_file_open_trusted(const char *path, const char **why)
{
    situ_file_kind kind = situ_file_inspect(path, NULL);
    *why = kind == SITU_FILE_NONE ? situ_plain_reason(errno) : kind == SITU_FILE_REGULAR ? NULL : "it is no regular file";
    FILE *f = *why ? NULL : fopen(path, "rb");
    if (!f && !*why) *why = situ_plain_reason(errno);
    return f;
}
