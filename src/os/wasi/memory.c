/* Memory from malloc: WebAssembly has neither pages that trap nor files that are mapped. */
#include "os/memory.h"

#include "os/file.h"

#include <errno.h>
#include <stdlib.h>

/* No huge pages, so that an address needs no more than the kernels ask for. */
void *situ_huge_alloc(size_t bytes) { return bytes > SIZE_MAX / 4 ? NULL : aligned_alloc(4096, (bytes + 4095) & ~(size_t)4095); }

void situ_huge_free(void *address, size_t bytes)
{
    (void)bytes;
    free(address);
}

int situ_range_new(size_t bytes, situ_range *out) { return (void)bytes, (void)out, -1; }
void situ_range_free(situ_range *r) { (void)r; }
void situ_range_discard(situ_range *r, size_t offset, size_t bytes) { (void)r, (void)offset, (void)bytes; }

/* Reads the file into memory. */
int situ_map_file(const char *path, void **bytes, size_t *size)
{
    situ_input file;
    if (!situ_input_open(&file, path, false)) return -1;
    situ_file_about about;
    char *text = NULL;
    size_t used = 0;
    ptrdiff_t got = -1;
    if (situ_input_look(&file, &about) == SITU_FILE_REGULAR && about.size > 0 && (uint64_t)about.size < SIZE_MAX)
        text = malloc((size_t)about.size);
    while (text && used < (size_t)about.size && (got = situ_input_read(&file, text + used, (size_t)about.size - used)) > 0)
        used += (size_t)got;
    situ_input_close(&file);
    if (!text || used < (size_t)about.size) return free(text), 1;
    *bytes = text;
    *size = used;
    return 0;
}

void *situ_map_shared(int file, size_t size) { return (void)file, (void)size, NULL; }

void situ_unmap(void *bytes, size_t size)
{
    (void)size;
    free(bytes);
}

int situ_nameless_file(void) { return errno = ENOSYS, -1; }
