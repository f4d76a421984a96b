#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *situ_file_begin(const char *path, bool private, char *part, size_t size)
{
    struct stat old;
    bool replaces = !private && !lstat(path, &old) && S_ISREG(old.st_mode);
    for (int i = 0; i < 100; i++) {
        if (snprintf(part, size, "%s.%ld.%d", path, (long)getpid(), i) >= (int)size) return errno = ENAMETOOLONG, NULL;
        int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, private ? 0600 : 0666);
        if (fd < 0 && errno == EEXIST) continue; /* of another thread, or left by a process that was killed */
        if (fd >= 0 && replaces) (void)!fchmod(fd, old.st_mode & 0777);
        FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
        if (!f && fd >= 0) {
            int code = errno;
            close(fd);
            unlink(part);
            errno = code;
        }
        return f;
    }
    return NULL;
}

/* So that the new name is there after a loss of power, too; where the folder cannot be synced, it is as good as it gets. */
static void sync_folder(const char *path)
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

int situ_file_end(FILE *f, const char *part, const char *path, bool whole)
{
    errno = 0;
    whole &= !fflush(f) && !ferror(f) && !fsync(fileno(f));
    int code = whole ? 0 : errno ? errno : EIO;
    if (fclose(f) && !code) code = errno;
    if (!code && rename(part, path)) code = errno;
    if (code) unlink(part);
    else sync_folder(path);
    return code;
}

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
