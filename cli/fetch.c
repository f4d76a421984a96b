#define _GNU_SOURCE
#include "fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sha256.h"
#include "os/env.h"
#include "os/library.h"
#include "os/plain.h"
#include "os/wait.h"

/* ---- libcurl ---------------------------------------------------------------------------------------------------------------- */

/* Constants of curl/curl.h, which never change. */
enum {
    OPT_WRITE_DATA = 10001,
    OPT_URL = 10002,
    OPT_ERROR_BUFFER = 10010,
    OPT_USER_AGENT = 10018,
    OPT_PROGRESS_DATA = 10057,
    OPT_WRITE = 20011,
    OPT_PROGRESS = 20219,
    OPT_RESUME_FROM = 30116,
    OPT_LOW_SPEED_LIMIT = 19,
    OPT_LOW_SPEED_TIME = 20,
    OPT_NO_PROGRESS = 43,
    OPT_FAIL_ON_ERROR = 45,
    OPT_FOLLOW = 52,
    OPT_CONNECT_TIMEOUT = 78,
    OPT_NO_SIGNAL = 99,
    OPT_PROTOCOLS = 181,
    HTTP_AND_HTTPS = 3,
    INFO_RESPONSE = 0x200000 + 2,
    GLOBAL_ALL = 3,
    ERROR_BYTES = 256,
    E_HTTP = 22,
    E_WRITE = 23,
    E_PARTIAL = 18,
    E_RANGE = 33,
    E_NOTHING = 52,
    E_TIMED_OUT = 28,
    E_SEND = 55,
    E_RECEIVE = 56,
};

static struct {
    int (*start)(long);
    void *(*init)(void);
    int (*set)(void *, int, ...);
    int (*perform)(void *);
    int (*info)(void *, int, ...);
    void (*cleanup)(void *);
    const char *(*message)(int);
} curl;

static const situ_symbol symbols[] = {
    {"curl_global_init", 0, false},
    {"curl_easy_init", sizeof(void *), false},
    {"curl_easy_setopt", 2 * sizeof(void *), false},
    {"curl_easy_perform", 3 * sizeof(void *), false},
    {"curl_easy_getinfo", 4 * sizeof(void *), false},
    {"curl_easy_cleanup", 5 * sizeof(void *), false},
    {"curl_easy_strerror", 6 * sizeof(void *), false},
    {NULL, 0, false},
};

__attribute__((format(printf, 1, 2))) static int fail(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "situ data: ");
    situ_plain_print_list(stderr, format, list);
    fprintf(stderr, "\n");
    va_end(list);
    return -1;
}

static int open_curl(void)
{
    static void *library;
    const char *named = situ_env("SITU_LIBCURL"),
               *names[] = {
                   named ? named : "libcurl.so.4", named ? NULL : "libcurl-gnutls.so.4", named ? NULL : "libcurl.4.dylib", NULL};
    char reason[512];
    if (library) return 0;
    library = situ_library_open(names, reason, sizeof reason);
    if (library && !situ_library_symbols(library, symbols, &curl, reason, sizeof reason) && !curl.start(GLOBAL_ALL)) return 0;
    situ_library_close(library);
    library = NULL;
    return fail(
        "libcurl, which brings files, was not found (%s); install the package libcurl4, or fetch the file by other means", reason);
}

/* ---- a transfer ------------------------------------------------------------------------------------------------------------- */

typedef struct transfer {
    const char *url, *path, *name; /* name: the last component of path */
    char part[4096];
    int file;    /* the partial file, locked */
    int64_t had; /* its size before this transfer */
    int why;     /* errno of a failed write */
    bool terminal;
    int64_t started, told; /* nanoseconds: start, and last line of progress */
} transfer;

static size_t keep(char *bytes, size_t size, size_t count, void *to)
{
    transfer *t = to;
    size_t all = size * count, done = 0;
    while (done < all) {
        ssize_t n = write(t->file, bytes + done, all - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            t->why = errno;
            return 0;
        }
        done += (size_t)n;
    }
    return all;
}

/* Shows progress on a terminal; elsewhere nothing until the end. */
static int progress(void *of, int64_t all, int64_t done, int64_t up_all, int64_t up)
{
    transfer *t = of;
    int64_t now = situ_now();
    (void)up_all, (void)up;
    if (!t->terminal || now < t->told + 100000000) return 0;
    t->told = now;
    double rate = (double)done / 1e6 / (1e-9 * (double)(now - t->started + 1));
    fprintf(stderr, "\r%s: ", t->name);
    if (all > 0) situ_plain_print(stderr, "%3.0f %% of ", 100.0 * (double)(done + t->had) / (double)(all + t->had));
    situ_plain_print(stderr, "%.1f MB, %.1f MB/s ", (double)((all > 0 ? all : done) + t->had) / 1e6, rate);
    return 0;
}

/* Returns libcurl's code; *status is the HTTP status. */
static int perform(transfer *t, long *status, char error[ERROR_BYTES])
{
    void *c = curl.init();
    if (!c) return 27; /* libcurl's E_OUT_OF_MEMORY */
    *error = 0;
    t->had = lseek(t->file, 0, SEEK_END);
    t->started = situ_now();
    t->why = 0;
    curl.set(c, OPT_URL, t->url);
    curl.set(c, OPT_USER_AGENT, "situ");
    curl.set(c, OPT_PROTOCOLS, (long)HTTP_AND_HTTPS);
    curl.set(c, OPT_FOLLOW, 1L);
    curl.set(c, OPT_FAIL_ON_ERROR, 1L);
    curl.set(c, OPT_NO_SIGNAL, 1L);
    curl.set(c, OPT_CONNECT_TIMEOUT, 30L);
    curl.set(c, OPT_LOW_SPEED_LIMIT, 1L);
    curl.set(c, OPT_LOW_SPEED_TIME, 60L);
    curl.set(c, OPT_ERROR_BUFFER, error);
    curl.set(c, OPT_WRITE, keep);
    curl.set(c, OPT_WRITE_DATA, (void *)t);
    curl.set(c, OPT_PROGRESS, progress);
    curl.set(c, OPT_PROGRESS_DATA, (void *)t);
    curl.set(c, OPT_NO_PROGRESS, 0L);
    if (t->had) curl.set(c, OPT_RESUME_FROM, t->had);
    int code = curl.perform(c);
    *status = 0;
    curl.info(c, INFO_RESPONSE, status);
    curl.cleanup(c);
    if (t->terminal) fprintf(stderr, "\r%*s\r", (int)strlen(t->name) + 40, "");
    if (code && !*error) snprintf(error, ERROR_BYTES, "%s", curl.message(code));
    return code;
}

/* Is it worth continuing after this error? */
static bool broke(int code)
{
    return code == E_PARTIAL || code == E_RECEIVE || code == E_SEND || code == E_NOTHING || code == E_TIMED_OUT;
}

static int start_over(transfer *t) { return ftruncate(t->file, 0) ? fail("%s: %s", t->part, situ_plain_reason(errno)) : 0; }

/* Downloads the missing part; 0 or -1. *resumed: the partial file was not empty. */
static int bring(transfer *t, bool *resumed)
{
    enum { TRIES = 4 };
    char error[ERROR_BYTES];
    long status;
    int64_t most = 0;
    for (int left = TRIES;;) {
        int code = perform(t, &status, error);
        *resumed |= t->had > 0;
        if (!code) return 0;
        if (t->why) return fail("%s: %s", t->part, situ_plain_reason(t->why));
        if (t->had && (code == E_RANGE || status == 416)) { /* the server does not support ranges, or has nothing after this
                                                             * position */
            if (start_over(t)) return -1;
            continue;
        }
        int64_t size = lseek(t->file, 0, SEEK_END);
        if (size > most) left = TRIES, most = size; /* there was progress */
        if (--left > 0 && broke(code)) continue;
        if (code == E_HTTP)
            return fail("%s: the server says %ld%s", t->url, status, status == 404 ? ": there is no such file" : "");
        return fail("%s: %s%s", t->url, error, size > 0 ? "; the next call goes on from here" : "");
    }
}

/* ---- files ------------------------------------------------------------------------------------------------------------------ */

/* SHA-256 of a file from its first byte on; false with errno. */
static bool take_sum(int file, char sum[SITU_SHA256_TEXT])
{
    char piece[65536];
    situ_sha256 h;
    situ_sha256_start(&h);
    for (ssize_t got; (got = pread(file, piece, sizeof piece, (off_t)h.bytes));) {
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return false;
        situ_sha256_add(&h, piece, (size_t)got);
    }
    situ_sha256_end(&h, sum);
    return true;
}

/* 1: the file has this checksum; 0: it has another, or there is no file; -1: an error, reported. `sum` gets its
 * checksum. */
static int has_sum(int file, const char *path, const char *wanted, char sum[65])
{
    if (!take_sum(file, sum)) return fail("%s: %s", path, situ_plain_reason(errno));
    return !strcmp(sum, wanted);
}

/* 1: complete; 0: missing; -1: another file exists. */
static int there(const transfer *t, const char *wanted)
{
    char sum[65];
    int file = open(t->path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return errno == ENOENT ? 0 : fail("%s: %s", t->path, situ_plain_reason(errno));
    int same = has_sum(file, t->path, wanted, sum);
    close(file);
    if (!same)
        return fail(
            "%s is there, with the checksum %s instead of %s; remove it, or name another folder by --to", t->path, sum, wanted);
    if (same > 0) printf("%s: is there\n", t->name);
    return same;
}

/* Opens and locks the partial file; waits for another process that has it. 0 or -1. */
static int lock_part(transfer *t)
{
    struct stat opened, named;
    for (;;) {
        t->file = open(t->part, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (t->file < 0) return fail("%s: %s", t->part, situ_plain_reason(errno));
        if (flock(t->file, LOCK_EX | LOCK_NB)) {
            fprintf(stderr, "situ data: another process brings %s; waiting for it\n", t->name);
            while (flock(t->file, LOCK_EX) && errno == EINTR) {}
        }
        if (!fstat(t->file, &opened) && !stat(t->part, &named) && opened.st_ino == named.st_ino) return 0;
        close(t->file); /* the other process has finished and renamed it */
        if (access(t->path, F_OK) == 0) return t->file = -1, 0;
    }
}

/* Renames the complete file. If a continued download has a wrong checksum, it may be of another file: downloads again
 * from the start. */
static int finish(transfer *t, const char *wanted, bool resumed)
{
    char sum[65];
    int same = has_sum(t->file, t->part, wanted, sum);
    if (!same && resumed) {
        if (start_over(t) || bring(t, &(bool){false})) return -1;
        same = has_sum(t->file, t->part, wanted, sum);
    }
    if (same < 0) return -1;
    if (!same) {
        unlink(t->part);
        return fail("%s has the checksum %s, not %s: a damaged or another file; it was removed", t->url, sum, wanted);
    }
    off_t size = lseek(t->file, 0, SEEK_END);
    if (fsync(t->file) || rename(t->part, t->path)) return fail("%s: %s", t->path, situ_plain_reason(errno));
    situ_plain_print(stdout, "%s: %.1f MB, checked\n", t->name, (double)size / 1e6);
    return 0;
}

int cli_fetch(const char *url, const char *path, const char *sha256)
{
    const char *slash = strrchr(path, '/');
    transfer t = {.url = url, .path = path, .name = slash ? slash + 1 : path, .terminal = isatty(STDERR_FILENO), .file = -1};
    if (snprintf(t.part, sizeof t.part, "%s.part", path) >= (int)sizeof t.part) return fail("%s: the path is too long", path);
    int found = there(&t, sha256);
    if (found) return found < 0 ? -1 : 0;
    if (open_curl() || lock_part(&t)) return -1;
    int rc = 0;
    char sum[65];
    bool resumed = false;
    if (t.file < 0 || (found = there(&t, sha256))) {
        rc = t.file < 0 ? there(&t, sha256) : found; /* the other process has downloaded it */
        if (t.file >= 0) unlink(t.part);
        rc = rc > 0 ? 0 : -1;
    } else {
        bool whole = lseek(t.file, 0, SEEK_END) > 0 && has_sum(t.file, t.part, sha256, sum) > 0;
        rc = whole ? 0 : bring(&t, &resumed);
        if (!rc) rc = finish(&t, sha256, resumed);
        else if (t.file >= 0 && !lseek(t.file, 0, SEEK_END)) unlink(t.part);
    }
    if (t.file >= 0) close(t.file);
    return rc;
}
