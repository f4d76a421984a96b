#include "backend/cpu/scratch.h"

#include "base/memory.h"
#include "base/runtime.h"
#include "os/thread.h"

#include <stdatomic.h>

__thread char *situ_scratch_block;
__thread size_t situ_scratch_size;

enum { SMALLEST = 64 * 1024 };

static situ_once once = SITU_ONCE_INIT;
static situ_thread_key key;
static bool have_key;
static _Atomic int64_t blocks;

int64_t situ_test_scratch_blocks(void) { return atomic_load(&blocks); }

void situ_scratch_free(situ_scratch_space *s)
{
    if (s->block) atomic_fetch_sub(&blocks, 1);
    situ_aligned_free(s->block);
    *s = (situ_scratch_space){NULL, 0};
}

static void free_mine(void)
{
    if (situ_scratch_block) atomic_fetch_sub(&blocks, 1);
    situ_aligned_free(situ_scratch_block);
    situ_scratch_block = NULL;
    situ_scratch_size = 0;
    if (have_key) situ_thread_key_set(key, NULL);
}

static void at_thread_exit(void *block)
{
    (void)block;
    free_mine();
}

static void make_key(void) { have_key = !situ_thread_key_make(&key, at_thread_exit); }

void *situ_scratch_grow(size_t bytes)
{
    size_t size = SMALLEST;
    while (size < bytes) {
        if (size > SIZE_MAX / 2) return NULL;
        size *= 2;
    }
    situ_call_once(&once, make_key);
    if (!have_key) return NULL;
    free_mine();
    char *block = situ_aligned_alloc(64, size);
    if (!block) return NULL;
    if (situ_thread_key_set(key, block)) { /* without a destructor nobody would free it */
        situ_aligned_free(block);
        return NULL;
    }
    (void)situ_at_shutdown(SITU_END_POOL, free_mine);
    atomic_fetch_add(&blocks, 1);
    situ_scratch_block = block;
    situ_scratch_size = size;
    return block;
}
