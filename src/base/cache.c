#include "base/cache.h"
#include "os/env.h"
#include "os/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { MOST_BYTES = 64 << 20 };

typedef struct header {
    char magic[8];
    situ_hash key, content;
    uint64_t bytes;
} header;
static const char magic[8] = "situcl1";

/* Writes the cache folder's path; with `make`, creates the folder if it does not exist. False if there is no cache
 * folder. */
static bool folder(const char *kind, char *path, size_t size, bool make)
{
    const char *const below[] = {"", "/situ", "/", kind};
    const char *base = situ_env("XDG_CACHE_HOME"), *home = situ_env("HOME");
    bool given = base && base[0] == '/';
    if (!given && (!home || home[0] != '/')) return false;
    int n = given ? snprintf(path, size, "%s", base) : snprintf(path, size, "%s/.cache", home);
    for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
        if (n < 0 || (size_t)n + strlen(below[i]) + 64 > size) return false;
        strcpy(path + n, below[i]);
        n += (int)strlen(below[i]);
        int code = make && i != 2 ? situ_folder_make(path, true) : 0;
        if (code && code != EEXIST) return false;
    }
    return true;
}

static bool file_of(const char *kind, situ_hash key, char *path, size_t size, bool make)
{
    if (!folder(kind, path, size, make)) return false;
    snprintf(path + strlen(path), 64, "/%016llx%016llx.bin", (unsigned long long)key.a, (unsigned long long)key.b);
    return true;
}

static situ_hash hash_of(const unsigned char *data, size_t bytes)
{
    situ_hash h = situ_hash_start(2);
    situ_hash_bytes(&h, data, bytes);
    return situ_hash_end(&h);
}

static unsigned char *read_file(FILE *f, situ_hash key, size_t *bytes)
{
    header h;
    if (fread(&h, sizeof h, 1, f) != 1 || memcmp(h.magic, magic, sizeof magic) || !situ_hash_equal(h.key, key)) return NULL;
    if (!h.bytes || h.bytes > MOST_BYTES) return NULL;
    unsigned char *data = situ_malloc((size_t)h.bytes);
    if (!data) return NULL;
    *bytes = (size_t)h.bytes;
    if (fread(data, 1, *bytes, f) == *bytes && fgetc(f) == EOF && situ_hash_equal(hash_of(data, *bytes), h.content)) return data;
    situ_free(data);
    return NULL;
}

unsigned char *situ_cache_read(const char *kind, situ_hash key, size_t *bytes)
{
    char path[1024];
    FILE *f = file_of(kind, key, path, sizeof path, false) ? situ_file_open_own(path) : NULL;
    if (!f) return NULL;
    unsigned char *data = read_file(f, key, bytes);
    fclose(f);
    if (!data) remove(path);
    return data;
}

void situ_cache_write(const char *kind, situ_hash key, const unsigned char *data, size_t bytes)
{
    char path[1024];
    situ_file f;
    header h = {.key = key, .content = hash_of(data, bytes), .bytes = bytes};
    memcpy(h.magic, magic, sizeof magic);
    if (bytes > MOST_BYTES || !file_of(kind, key, path, sizeof path, true)) return;
    if (!situ_file_begin(&f, path, true)) return;
    (void)situ_file_end(&f, fwrite(&h, sizeof h, 1, f.stream) == 1 && fwrite(data, 1, bytes, f.stream) == bytes);
}

void situ_cache_remove(const char *kind, situ_hash key)
{
    char path[1024];
    if (file_of(kind, key, path, sizeof path, false)) remove(path);
}

bool situ_cache_takes(const char *kind)
{
    char path[1024];
    return folder(kind, path, sizeof path, true);
}
