#define _GNU_SOURCE
#include "os/file.h"

#include "os/plain.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what is there ---------------------------------------------------------------------------------------------------- */

static situ_file_kind kind_of(const struct stat *s, situ_file_about *about)
{
#ifdef __APPLE__
    struct timespec changed = s->st_mtimespec;
#else
    struct timespec changed = s->st_mtim;
#endif
    if (about)
        *about = (situ_file_about){
            (uint64_t)s->st_dev, (uint64_t)s->st_ino, (int64_t)s->st_size, (int64_t)changed.tv_sec * 1000000000 + changed.tv_nsec};
    return S_ISREG(s->st_mode)                     ? SITU_FILE_REGULAR :
        S_ISDIR(s->st_mode)                        ? SITU_FILE_FOLDER :
        S_ISCHR(s->st_mode) || S_ISBLK(s->st_mode) ? SITU_FILE_DEVICE :
                                                     SITU_FILE_PIPE;
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
    _Static_assert(SITU_FILE_PATH >= PATH_MAX, "realpath writes as much");
    return realpath(path, real) != NULL;
}

FILE *situ_file_open(const char *path) { return fopen(path, "re"); }
FILE *situ_text_open(char **text, size_t *size) { return open_memstream(text, size); }
int situ_file_remove(const char *path) { return unlink(path); }
int situ_file_link(const char *path, const char *more) { return link(path, more); }

/* ---- descriptors ------------------------------------------------------------------------------------------------------ */

void situ_fd_close(int file) { close(file); }
bool situ_fd_is_open(int file) { return fcntl(file, F_GETFD) >= 0; }

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
        if (n > 0) from += n, size -= (size_t)n;
        else if (n < 0 && errno != EINTR) return errno;
    }
    return 0;
}

FILE *situ_fd_stream(int file)
{
    int copy = fcntl(file, F_DUPFD_CLOEXEC, 3);
    FILE *stream = copy < 0 ? NULL : fdopen(copy, "w");
    if (!stream && copy >= 0) close(copy);
    return stream;
}

void situ_fd_path(int file, char *path, size_t size)
{
#ifdef __linux__
    snprintf(path, size, "/proc/self/fd/%d", file);
#else
    snprintf(path, size, "/dev/fd/%d", file);
#endif
}

/* ---- folders and locks ------------------------------------------------------------------------------------------------ */

situ_folder *situ_folder_open(const char *path) { return (situ_folder *)opendir(path); }

const char *situ_folder_next(situ_folder *folder)
{
    struct dirent *entry = readdir((DIR *)folder);
    return entry ? entry->d_name : NULL;
}

void situ_folder_close(situ_folder *folder) { closedir((DIR *)folder); }
int situ_folder_make(const char *path, bool private) { return mkdir(path, private ? 0700 : 0777) ? errno : 0; }

static int lock_opened(int file)
{
    if (file < 0) return SITU_LOCK_FAILED;
    if (!flock(file, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK) return file;
    close(file);
    return SITU_LOCK_BUSY;
}

int situ_file_lock(const char *path)
{
    struct stat mine, there;
    int file = lock_opened(open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666));
    if (file < 0 || (!fstat(file, &mine) && !lstat(path, &there) && mine.st_ino == there.st_ino)) return file;
    close(file); /* the previous owner has removed it */
    return SITU_LOCK_BUSY;
}

int situ_folder_lock(const char *path)
{
    int file = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0 || !faccessat(AT_FDCWD, path, W_OK | X_OK, 0)) return lock_opened(file);
    int code = errno;
    close(file);
    errno = code;
    return SITU_LOCK_FAILED;
}

void situ_file_unlock(int lock, bool mine)
{
    if (lock < 0) return;
    if (mine) flock(lock, LOCK_UN); /* a forked child shares the descriptor, which would keep the lock */
    close(lock);
}

/* ---- signals ---------------------------------------------------------------------------------------------------------- */

/* Signals that the system sends to a thread that exceeds the limit on file sizes, or writes to a pipe without a reader.
 * They would end the process. */
static const int signals[2] = {SIGXFSZ, SIGPIPE};

static void hold_signals(situ_file *f)
{
    sigset_t held, pending, before;
    sigemptyset(&held);
    sigpending(&pending);
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    for (int i = 0; i < 2; i++) {
        sigaddset(&held, signals[i]);
        f->was_blocked[i] = sigismember(&before, signals[i]) == 1;
        f->was_pending[i] = sigismember(&pending, signals[i]) == 1;
    }
    pthread_sigmask(SIG_BLOCK, &held, NULL);
}

static void let_signals(const situ_file *f)
{
    sigset_t pending, one, held;
    sigpending(&pending);
    sigemptyset(&held);
    for (int i = 0; i < 2; i++) {
        int number;
        if (!f->was_blocked[i]) sigaddset(&held, signals[i]);
        if (f->was_pending[i] || sigismember(&pending, signals[i]) != 1) continue;
        sigemptyset(&one);
        sigaddset(&one, signals[i]);
        sigwait(&one, &number);
    }
    pthread_sigmask(SIG_UNBLOCK, &held, NULL);
}

const char *situ_file_why(int code)
{
    return code == ENOENT ? "No such file or directory; make its folder first" :
        code == EISDIR    ? "Is a directory; name a file in it" :
        code == ENXIO     ? "nobody reads this pipe" :
                            situ_plain_reason(code);
}

/* ---- writing ---------------------------------------------------------------------------------------------------------- */

static bool of_system(const char *path) { return !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6); }

/* Resolves a path through links of this user and of root; the end need not exist. Links of other users are refused: in
 * a folder that everybody may write, they could name any file of this user. False with errno. */
static bool follow(const char *path, char target[SITU_FILE_PATH])
{
    struct stat link;
    char text[SITU_FILE_PATH];
    if (snprintf(target, SITU_FILE_PATH, "%s", path) >= SITU_FILE_PATH) return errno = ENAMETOOLONG, false;
    for (int i = 0; i < 40; i++) {
        if (of_system(target) || lstat(target, &link) || !S_ISLNK(link.st_mode)) return true;
        if (link.st_uid != geteuid() && link.st_uid) return true;
        ssize_t n = readlink(target, text, sizeof text - 1);
        if (n < 0) return false;
        text[n] = 0;
        const char *slash = strrchr(target, '/');
        size_t folder = *text == '/' || !slash ? 0 : (size_t)(slash - target) + 1;
        if (folder + (size_t)n >= SITU_FILE_PATH) return errno = ENAMETOOLONG, false;
        memcpy(target + folder, text, (size_t)n + 1);
    }
    return errno = ELOOP, false;
}

/* Whether the path is written to directly, because no new file can replace it: a pipe, a device, or a link that the
 * system maintains, such as /dev/stdout. */
static bool is_stream(const char *path, const struct stat *there)
{
    struct stat target;
    if (S_ISLNK(there->st_mode)) return of_system(path) && !stat(path, &target) && !S_ISDIR(target.st_mode);
    return !S_ISREG(there->st_mode) && !S_ISDIR(there->st_mode);
}

static int open_stream(const char *path)
{
    int fd = open(path,
        O_WRONLY | O_APPEND | O_NOCTTY | O_NONBLOCK | O_CLOEXEC); /* a pipe without a reader is an error: waiting might never end */
    int flags = fd < 0 ? 0 : fcntl(fd, F_GETFL);
    if (fd >= 0) (void)fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
    return fd;
}

static int open_part(situ_file *f, const char *path, const struct stat *old, bool private)
{
    for (int i = 0; i < 100; i++) {
        if (snprintf(f->part, sizeof f->part, "%s.%ld.%d", path, (long)getpid(), i) >= (int)sizeof f->part)
            return errno = ENAMETOOLONG, -1;
        int fd = open(f->part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, private ? 0600 : 0666);
        if (fd < 0 && errno == EEXIST) continue; /* another thread's file, or left by a process that was killed */
        if (fd >= 0 && old) (void)!fchmod(fd, old->st_mode & 0777);
        return fd;
    }
    return -1;
}

static FILE *begin_virtual(situ_file *f, situ_virtual_entry *v)
{
    if ((f->stream = situ_virtual_stream(v))) return hold_signals(f), f->stream;
    int code = errno;
    situ_virtual_let_go(v);
    return errno = code, NULL;
}

FILE *situ_file_begin(situ_file *f, const char *name, bool private)
{
    struct stat old;
    char path[SITU_FILE_PATH];
    f->stream = NULL;
    f->part[0] = 0;
    situ_virtual_entry *v = situ_virtual_hold(name);
    if (v) return begin_virtual(f, v);
    if (strlen(name) >= SITU_FILE_PATH) return errno = ENAMETOOLONG, NULL;
    if (private) strcpy(path, name);
    else if (!follow(name, path)) return NULL;
    f->target = (int)strlen(path);
    bool there = !lstat(path, &old), stream = there && is_stream(path, &old);
    if (there && S_ISDIR(old.st_mode)) return errno = EISDIR, NULL;
    bool kept = there && S_ISREG(old.st_mode) && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS);
    if (kept && errno != ENOENT) return NULL; /* another thread may have removed it meanwhile */
    bool ours = there && S_ISREG(old.st_mode) && old.st_uid == geteuid();
    int fd = stream ? open_stream(path) : open_part(f, path, ours && !private ? &old : NULL, private);
    if (fd < 0) return NULL;
    if (!(f->stream = fdopen(fd, "w"))) {
        int code = errno;
        close(fd);
        if (*f->part) unlink(f->part);
        errno = code;
        return NULL;
    }
    hold_signals(f);
    return f->stream;
}

/* A file system that cannot sync a folder is no error. */
void situ_file_sync_folder(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int length = slash ? (int)(slash - path) : 0;
    if (length >= PATH_MAX) return;
    snprintf(folder, sizeof folder, "%.*s%s", length, path, !slash ? "." : !length ? "/" : "");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    (void)!fsync(fd);
    close(fd);
}

int situ_file_close(situ_file *f, bool whole)
{
    bool part = *f->part;
    errno = 0;
    whole &= !fflush(f->stream) && !ferror(f->stream) && !(part && fsync(fileno(f->stream)));
    int code = whole ? 0 : errno ? errno : EIO;
    if (fclose(f->stream) && !code) code = errno;
    f->stream = NULL;
    if (part && code) unlink(f->part);
    let_signals(f);
    return code;
}

int situ_file_end(situ_file *f, bool whole)
{
    int code = situ_file_close(f, whole);
    if (code || !*f->part) return code;
    char path[SITU_FILE_PATH];
    snprintf(path, sizeof path, "%.*s", f->target, f->part);
    if (rename(f->part, path)) code = errno, unlink(f->part);
    else situ_file_sync_folder(path);
    return code;
}

int situ_file_append(const char *name, const char *bytes, size_t count)
{
    situ_file f;
    struct stat old;
    char path[SITU_FILE_PATH];
    if (!follow(name, path)) return errno;
    bool stream = !lstat(path, &old) && is_stream(path, &old);
    int fd = stream ? open_stream(path) : open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return errno;
    hold_signals(&f);
    int code = situ_fd_write(fd, bytes, count);
    if (close(fd) && !code) code = errno;
    let_signals(&f);
    return code;
}

int situ_file_check(const char *name)
{
    struct stat old;
    situ_file f;
    char path[SITU_FILE_PATH];
    situ_virtual_entry *v = situ_virtual_hold(name);
    if (v) {
        bool writes = v->write;
        situ_virtual_let_go(v);
        return writes ? 0 : EACCES;
    }
    if (!follow(name, path)) return errno;
    if (!lstat(path, &old) && is_stream(path, &old)) return 0; /* not opened: a pipe can be opened only once */
    if (!situ_file_begin(&f, path, false)) return errno;
    (void)situ_file_end(&f, false);
    return 0;
}

/* ---- reading ---------------------------------------------------------------------------------------------------------- */

FILE *situ_file_open_own(const char *path)
{
    struct stat s;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return NULL;
    bool own = !fstat(fd, &s) && S_ISREG(s.st_mode) && s.st_uid == geteuid() && !(s.st_mode & (S_IWGRP | S_IWOTH));
    FILE *f = own ? fdopen(fd, "rb") : NULL;
    if (!f) close(fd);
    return f;
}

FILE *situ_file_open_trusted(const char *path, const char **why)
{
    struct stat s;
    int fd = open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC); /* without waiting, in case it is a pipe */
    *why = fd < 0 || fstat(fd, &s)        ? situ_plain_reason(errno) :
        !S_ISREG(s.st_mode)               ? "it is no regular file" :
        s.st_uid != geteuid() && s.st_uid ? "it belongs to another user" :
        s.st_mode & S_IWOTH               ? "everybody may write it" :
                                            NULL;
    FILE *f = *why ? NULL : fdopen(fd, "rb");
    if (!f && !*why) *why = situ_plain_reason(errno);
    if (!f && fd >= 0) {
        close(fd);
        errno = EACCES;
    }
    return f;
}
