/* Blocks of a device's memory: size classes, and freed blocks kept for reuse. Not locked: the owner does it. */
#ifndef SITU_DEVICE_PAGES_H
#define SITU_DEVICE_PAGES_H

#include "base/lock.h"
#include "device/device.h"

/* A buffer with the memory behind it. Buffer and memory stay together: freeing and reusing moves one pointer. */
typedef struct situ_block {
    situ_buffer buffer;               /* its links: live buffers, or free blocks of its class */
    size_t capacity;                  /* bytes taken from the backend                         */
    struct situ_block *older, *newer; /* free blocks by age                                   */
} situ_block;

enum { SITU_CLASSES = 8 + 15 * 8, SITU_CLASS_BIG = SITU_CLASSES };

struct situ_pages {
    pthread_mutex_t lock;
    situ_known_lock known;
    situ_dev *dev;
    situ_memory count;
    int64_t kept;    /* bytes in free blocks                                              */
    int64_t target;  /* free blocks are given back from here on, where there is no limit  */
    int64_t fail_at; /* the buffer that fails, counted down; 0: none                      */
    int64_t live;
    situ_peak *peaks; /* that are watched                                                    */
    bool closing;     /* nothing is kept any more; the last buffer destroys the device     */
    situ_buffer *live_first;
    situ_block *free_first[SITU_CLASSES + 1];
    situ_block *oldest, *newest;
};

/* The class of a size; *capacity: what a block of that class holds, at most 1/8 more than asked. */
int situ_page_class(size_t bytes, size_t *capacity);
/* Beyond the first `bytes` of a block there is no memory to address sanitizer: beyond a live buffer's end; in a kept block
 * nowhere. */
void situ_block_guard(const situ_dev *d, const situ_block *b, size_t bytes);
/* A kept block for so many bytes, or NULL. */
situ_block *situ_pages_take(struct situ_pages *p, int class, size_t capacity);
/* Keeps a free block, or gives it back. */
void situ_pages_keep(struct situ_pages *p, situ_block *block);
/* Gives blocks back, oldest first, until at most `reserved` bytes are taken from the system. */
void situ_pages_trim(struct situ_pages *p, int64_t reserved);
/* So many bytes more are in use, or fewer; with all peaks of them. */
void situ_pages_use(struct situ_pages *p, int64_t bytes);
/* A block from the backend, over the limit never; NULL: the limit or the backend says no. */
situ_block *situ_pages_grow(struct situ_pages *p, size_t bytes, size_t capacity, int *code);

#endif
