/* Sharded models: tensors in several safetensors files, with an index. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "file/format.h"
#include "file/json.h"
#include "os/file.h"
#include "os/plain.h"
#include "os/wait.h"

enum { SHARDS_MOST = 99999, LOCK_TRIES = 1000 }; /* the lock is tried every hundredth of a second */

typedef struct shards {
    char name[SITU_FILE_PATH]; /* common path of the set, without ".safetensors" */
    const char *stem;          /* file name part of it */
    int64_t count;
    char **part; /* temporary names of the shards and, last, of the index */
    int64_t *of; /* [tensor] its shard */
    const char *function;
    situ_site site;
    char lock[SITU_FILE_PATH + 32];
} shards;

/* Fills shards with as many tensors, in their order, as fit; returns the number of shards. */
static int64_t divide(const situ_written *w, int64_t n, uint64_t most, int64_t *of)
{
    int64_t shard = 0;
    uint64_t used = 0;
    for (int64_t i = 0; i < n; i++) {
        if (i && w[i].size > most - (used < most ? used : most) && used) shard++, used = 0;
        of[i] = shard;
        used += w[i].size;
    }
    return shard + 1;
}

static int path_of(const shards *s, int64_t i, char *path, size_t capacity)
{
    int n = i == s->count ? snprintf(path, capacity, "%s.safetensors.index.json", s->name) :
                            situ_shard_name(path, capacity, s->name, i, s->count);
    return n < (int)capacity ?
        0 :
        situ_fail(SITU_IO, s->site, "%s: %.80s...: %s", s->function, s->name, situ_plain_reason(ENAMETOOLONG));
}

static int told(const shards *s, const char *path, int code)
{
    return situ_fail(SITU_IO, s->site, "%s: %s: %s", s->function, path, situ_file_why(code));
}

/* Writes one file of the set, under its temporary name. w: its tensors, or all of them for the index. */
static int write_part(shards *s, int64_t i, situ_written *w, int64_t n, const situ_about *about, int64_t abouts)
{
    char path[SITU_FILE_PATH];
    situ_file f;
    if (path_of(s, i, path, sizeof path)) return -situ_error_code;
    FILE *file = situ_file_begin(&f, path, false);
    if (!file) return told(s, path, errno);
    errno = 0;
    int rc = !*f.part ? situ_fail(SITU_BAD_ARGUMENT, s->site, "%s: %s is there, and no file", s->function, path) :
        i < s->count  ? situ_file_put(file, w, n, about, abouts, path, SITU_REASON_READ, s->site) :
                        situ_safetensors_index(file, w, s->of, n, s->count, s->stem);
    int code = rc > 0 ? errno : 0, end;
    if (!rc && !(s->part[i] = situ_strdup(f.part))) rc = situ_fail(SITU_NO_MEMORY, s->site, "%s: out of host memory", s->function);
    end = situ_file_close(&f, !rc);
    if (end) situ_free(s->part[i]), s->part[i] = NULL;
    code = code ? code : end;
    return rc < 0 ? rc : rc || code ? told(s, path, code ? code : EIO) : 0;
}

static int write_parts(shards *s, situ_written *w, int64_t n, const situ_about *about, int64_t abouts)
{
    situ_written *sorted = situ_malloc((size_t)n * sizeof *sorted + 1);
    int rc = sorted ? 0 : situ_fail(SITU_NO_MEMORY, s->site, "%s: out of host memory", s->function);
    for (int64_t i = 0, first = 0, end = 0; i < s->count && !rc; i++, first = end) {
        while (end < n && s->of[end] == i) end++;
        situ_file_sort_by_size(w + first, end - first, sorted);
        rc = write_part(s, i, sorted, end - first, about, abouts);
    }
    situ_free(sorted);
    return rc ? rc : write_part(s, s->count, w, n, NULL, 0);
}

/* True for "stem-00001-of-00003.safetensors" with another number of shards. */
static bool is_stale(const char *file, const char *stem, int64_t count)
{
    size_t length = strlen(stem);
    char *end;
    if (strncmp(file, stem, length) || file[length] != '-' || !situ_is_digit(file[length + 1])) return false;
    (void)strtol(file + length + 1, &end, 10);
    if (end - file - (ptrdiff_t)length < 6 || strncmp(end, "-of-", 4) || !situ_is_digit(end[4])) return false;
    const char *total = end + 4;
    long there = strtol(total, &end, 10);
    return end - total >= 5 && !strcmp(end, ".safetensors") && there != count;
}

/* Removes shards of a set with another number of shards, which no index refers to. */
static void remove_stale(const char *name, const char *stem, int64_t count)
{
    char path[SITU_FILE_PATH + 256];
    int folder = (int)(stem - name);
    snprintf(path, sizeof path, "%.*s.", folder, name);
    situ_folder *d = situ_folder_open(path);
    for (const char *file; d && (file = situ_folder_next(d));)
        if (is_stale(file, stem, count) && snprintf(path, sizeof path, "%.*s%s", folder, name, file) < (int)sizeof path)
            situ_file_remove(path);
    if (d) situ_folder_close(d);
}

/* Locks the names: if two processes write the same shards, one waits while the other renames. A file is locked, not
 * the folder, which a training may have locked for its checkpoints. Returns the lock, or a negative code. */
static int lock_names(shards *s)
{
    snprintf(s->lock, sizeof s->lock, "%s.safetensors.index.json.lock", s->name);
    for (int i = 0; i < LOCK_TRIES; i++) {
        int lock = situ_file_lock(s->lock);
        if (lock == SITU_LOCK_FAILED) return told(s, s->lock, errno);
        if (lock != SITU_LOCK_BUSY) return lock;
        situ_sleep(10000000);
    }
    return situ_fail(
        SITU_IO, s->site, "%s: %s.safetensors: another program has been writing these shards for 10 seconds", s->function, s->name);
}

static void unlock_names(const shards *s, int lock)
{
    if (lock < 0) return;
    situ_file_remove(s->lock);
    situ_file_unlock(lock, true);
}

/* All files are complete. The old index is removed first and the new one renamed last, so that no index refers to
 * shards of two sets. */
static int place_parts(shards *s)
{
    char path[SITU_FILE_PATH];
    if (path_of(s, s->count, path, sizeof path)) return -situ_error_code;
    if (situ_file_remove(path) && errno != ENOENT) return told(s, path, errno);
    for (int64_t i = 0; i <= s->count; i++) {
        if (path_of(s, i, path, sizeof path)) return -situ_error_code;
        if (rename(s->part[i], path)) return told(s, path, errno);
        situ_free(s->part[i]);
        s->part[i] = NULL;
    }
    return 0;
}

/* Checks all names before anything is written. */
static int prepare(shards *s, const char *path, situ_written *w, int64_t n, int64_t shard_bytes)
{
    size_t length = strlen(path), end = sizeof ".safetensors" - 1;
    int code;
    if (!situ_file_ends(path, ".safetensors") || length == end || path[length - end - 1] == '/')
        return situ_fail(
            SITU_BAD_OPTION, s->site, "%s: .shard_bytes is for files that end in \".safetensors\", not for %s", s->function, path);
    if (length >= sizeof s->name) return told(s, "the path", ENAMETOOLONG);
    if ((code = situ_file_check(path))) return told(s, path, code);
    memcpy(s->name, path, length - end);
    s->name[length - end] = 0;
    const char *slash = strrchr(s->name, '/');
    s->stem = slash ? slash + 1 : s->name;
    if (!situ_json_is_text(s->stem))
        return situ_fail(
            SITU_BAD_ARGUMENT, s->site, "%s: %s: shards are named in their index, and this name is not UTF-8", s->function, path);
    situ_written *sorted = situ_malloc((size_t)n * sizeof *sorted + 1);
    s->of = situ_malloc((size_t)n * sizeof *s->of + 1);
    if (sorted) memcpy(sorted, w, (size_t)n * sizeof *sorted);
    int rc = sorted && s->of ? situ_file_check_names(sorted, n, s->function, s->site) :
                               situ_fail(SITU_NO_MEMORY, s->site, "%s: out of host memory", s->function);
    situ_free(sorted);
    if (rc) return rc;
    s->count = divide(w, n, (uint64_t)shard_bytes, s->of);
    if (s->count > SHARDS_MOST)
        return situ_fail(SITU_BAD_OPTION, s->site, "%s: .shard_bytes %lld makes %lld shards; there are %d at most", s->function,
            (long long)shard_bytes, (long long)s->count, SHARDS_MOST);
    s->part = situ_calloc((size_t)s->count + 1, sizeof *s->part);
    return s->part ? 0 : situ_fail(SITU_NO_MEMORY, s->site, "%s: out of host memory", s->function);
}

/* Removes files that would be read instead of this set, or that are obsolete. */
static void remove_others(const shards *s, const char *path)
{
    char index[SITU_FILE_PATH];
    if (s->count > 1) situ_file_remove(path);
    else if (!path_of(s, s->count, index, sizeof index)) situ_file_remove(index);
    remove_stale(s->name, s->stem, s->count);
    situ_file_sync_folder(path);
}

int situ_file_write_shards(const char *path, situ_written *w, int64_t n, const situ_about *about, int64_t abouts,
    int64_t shard_bytes, const char *function, situ_site site)
{
    shards *s = situ_calloc(1, sizeof *s);
    if (!s) return situ_fail(SITU_NO_MEMORY, site, "%s: out of host memory", function);
    s->function = function;
    s->site = site;
    int rc = prepare(s, path, w, n, shard_bytes), lock = -1;
    if (!rc && s->count > 1) rc = write_parts(s, w, n, about, abouts);
    if (!rc && (lock = lock_names(s)) < 0) rc = lock;
    if (!rc) rc = s->count > 1 ? place_parts(s) : situ_file_write(path, w, n, about, abouts, SITU_REASON_READ, function, site);
    if (!rc) remove_others(s, path);
    unlock_names(s, lock);
    for (int64_t i = 0; s->part && i <= s->count; i++)
        if (s->part[i]) situ_file_remove(s->part[i]);
    for (int64_t i = 0; s->part && i <= s->count; i++) situ_free(s->part[i]);
    situ_free(s->part);
    situ_free(s->of);
    situ_free(s);
    return rc;
}
