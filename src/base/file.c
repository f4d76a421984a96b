#define _GNU_SOURCE
#include "base/file.h"

#include "base/plain.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- signals ---------------------------------------------------------------------------------------------------------- */

/* A limit on the size of files and a pipe without a reader send a signal to the thread that writes, and it would end the
 * process. */
static const int signals[2] = {SIGXFSZ, SIGPIPE};

static void hold_signals(situ_file *f)
{
    sigset_t held, pending;
    sigemptyset(&held);
    sigpending(&pending);
    for (int i = 0; i < 2; i++) {
        sigaddset(&held, signals[i]);
        f->was_pending[i] = sigismember(&pending, signals[i]) == 1;
    }
    pthread_sigmask(SIG_BLOCK, &held, &f->before);
}

static void let_signals(const situ_file *f)
{
    sigset_t pending, one;
    sigpending(&pending);
    for (int i = 0; i < 2; i++) {
        int number;
        if (f->was_pending[i] || sigismember(&pending, signals[i]) != 1) continue;
        sigemptyset(&one);
        sigaddset(&one, signals[i]);
        sigwait(&one, &number);
    }
    pthread_sigmask(SIG_SETMASK, &f->before, NULL);
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

/* What a path names through the links of this user and of root, which need not be there yet. Links of others are not followed: in a
 * folder that everybody may write they could name any file of this user. false with errno. */
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

/* Whether the path itself is written to: no new file can take the place of a pipe or a device, nor of a link that the system
 * keeps, such as /dev/stdout. */
static bool is_stream(const char *path, const struct stat *there)
{
    struct stat target;
    if (S_ISLNK(there->st_mode)) return of_system(path) && !stat(path, &target) && !S_ISDIR(target.st_mode);
    return !S_ISREG(there->st_mode) && !S_ISDIR(there->st_mode);
}

static int open_stream(const char *path)
{
    int fd = open(path,
        O_WRONLY | O_APPEND | O_NOCTTY | O_NONBLOCK |
            O_CLOEXEC); /* a pipe that nobody reads is an error: waiting might be for ever */
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
        if (fd < 0 && errno == EEXIST) continue; /* of another thread, or left by a process that was killed */
        if (fd >= 0 && old) (void)!fchmod(fd, old->st_mode & 0777);
        return fd;
    }
    return -1;
}

FILE *situ_file_begin(situ_file *f, const char *name, bool private)
{
    struct stat old;
    char path[SITU_FILE_PATH];
    f->stream = NULL;
    f->part[0] = 0;
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

/* Where the folder cannot be synced, it is as good as it gets. */
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
    int code = 0;
    while (count && !code) {
        ssize_t n = write(fd, bytes, count);
        if (n > 0) bytes += n, count -= (size_t)n;
        else if (n < 0 && errno != EINTR) code = errno;
    }
    if (close(fd) && !code) code = errno;
    let_signals(&f);
    return code;
}

int situ_file_check(const char *name)
{
    struct stat old;
    situ_file f;
    char path[SITU_FILE_PATH];
    if (!follow(name, path)) return errno;
    if (!lstat(path, &old) && is_stream(path, &old)) return 0; /* a pipe opens once */
    if (!situ_file_begin(&f, path, false)) return errno;
    (void)situ_file_end(&f, false);
    return 0;
}

/* ---- reading ---------------------------------------------------------------------------------------------------------- */

FILE *situ_file_own(const char *path)
{
    struct stat s;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return NULL;
    bool own = !fstat(fd, &s) && S_ISREG(s.st_mode) && s.st_uid == geteuid() && !(s.st_mode & (S_IWGRP | S_IWOTH));
    FILE *f = own ? fdopen(fd, "rb") : NULL;
    if (!f) close(fd);
    return f;
}

FILE *situ_file_believed(const char *path, const char **why)
{
    struct stat s;
    int fd = open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC); /* opening a pipe would wait */
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
