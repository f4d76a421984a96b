/* Blocks of a device's memory: size classes, and freed blocks cached for reuse. Not thread-safe: the owner has a lock. */
#ifndef SITU_DEVICE_PAGES_H
#define SITU_DEVICE_PAGES_H

#include "device/device.h"
#include "os/lock.h"

/* A buffer together with its memory: freeing and reusing both moves a single pointer. */
typedef struct situ_block {
    situ_buffer buffer;               /* its links form the list of live buffers, or of free blocks of its class */
    size_t capacity;                  /* bytes allocated from the backend */
    struct situ_block *older, *newer; /* list of free blocks by age */
} situ_block;

enum { SITU_CLASSES = 8 + 15 * 8, SITU_CLASS_BIG = SITU_CLASSES };

struct situ_pages {
    situ_mutex lock;
    situ_known_lock known;
    situ_dev *dev;
    situ_memory count;
    int64_t kept;    /* bytes in free blocks */
    int64_t target;  /* without a limit: free blocks are released from this amount on */
    int64_t fail_at; /* counts down to the allocation that fails; 0: none */
    int64_t live;
    situ_peak *peaks; /* observers of the peak */
    bool closing;     /* nothing is cached any more; the last buffer destroys the device */
    situ_buffer *live_first;
    situ_block *free_first[SITU_CLASSES + 1];
    situ_block *oldest, *newest;
};

/* The class of a size; *capacity: what a block of that class holds, at most 1/8 more than requested. */
int situ_page_class(size_t bytes, size_t *capacity);
/* Address sanitizer: marks everything after the first `bytes` of a block as invalid: past the end of a live buffer, or
 * (0) a whole cached block. */
void situ_block_guard(const situ_dev *d, const situ_block *b, size_t bytes);
/* A cached block for a size, or NULL. */
situ_block *situ_pages_take(struct situ_pages *p, int class, size_t capacity);
/* Caches a free block, or releases it. */
void situ_pages_keep(struct situ_pages *p, situ_block *block);
/* Releases blocks, oldest first, until at most `reserved` bytes are allocated from the system. */
void situ_pages_trim(struct situ_pages *p, int64_t reserved);
/* Adds bytes in use (or subtracts), and updates all peaks. */
void situ_pages_use(struct situ_pages *p, int64_t bytes);
/* Allocates a block from the backend, never beyond the limit; NULL: the limit or the backend refuses. */
situ_block *situ_pages_grow(struct situ_pages *p, size_t bytes, size_t capacity, int *code);

#endif
