/* A file of the cache of compiled kernels: what was written, or nothing. An odd first byte: the rest is the file as it
 * is; else it is what the library wrote, with bytes changed: pairs of a place and a value. */
#include "base/cache.h"
#include "fuzz_file.h"

#include "base/memory.h"

#include <string.h>
#include <sys/stat.h>

static char folder[64], path[256], whole[1024];
static size_t whole_bytes;
static const unsigned char kept[100] = "what a compiler made";
static const situ_hash key = {1, 2};

static void remove_all(void)
{
    char part[300];
    remove(path);
    snprintf(part, sizeof part, "rm -rf '%s'", folder);
    if (system(part)) return;
}

static void set_up(void)
{
    snprintf(folder, sizeof folder, "/tmp/situ-fuzz-XXXXXX");
    if (!mkdtemp(folder)) abort();
    setenv("XDG_CACHE_HOME", folder, 1);
    snprintf(path, sizeof path, "%s/situ/fuzz/%016llx%016llx.bin", folder, (unsigned long long)key.a, (unsigned long long)key.b);
    atexit(remove_all);
    situ_cache_write("fuzz", key, kept, sizeof kept);
    FILE *f = fopen(path, "rb");
    if (!f || !(whole_bytes = fread(whole, 1, sizeof whole, f))) abort();
    fclose(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!*folder) set_up();
    bool foreign = size && data[0] & 1;
    FILE *f = fopen(path, "wb");
    if (!f) abort();
    chmod(path, 0600);
    char changed[sizeof whole];
    memcpy(changed, whole, sizeof whole);
    for (size_t i = 1; i + 1 < size; i += 2) changed[data[i]] = (char)data[i + 1];
    if (foreign) fwrite(data + 1, 1, size - 1, f);
    else fwrite(changed, 1, whole_bytes, f);
    fclose(f);
    size_t bytes = 0;
    unsigned char *found = situ_cache_read("fuzz", key, &bytes);
    if (found && (bytes != sizeof kept || memcmp(found, kept, bytes)) && !foreign) abort();
    struct stat s;
    if (!found && !stat(path, &s)) abort(); /* a damaged one is removed */
    situ_free(found);
    return 0;
}
