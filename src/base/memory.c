#include "base/memory.h"

#include <situ/runtime.h>

#include "base/debug.h"
#include "base/error.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static void *libc_allocate(void *self, size_t size)
{
    (void)self;
    return malloc(size);
}

static void *libc_resize(void *self, void *block, size_t size)
{
    (void)self;
    return realloc(block, size);
}

static void libc_release(void *self, void *block)
{
    (void)self;
    free(block);
}

static const situ_allocator libc_allocator = {NULL, libc_allocate, libc_resize, libc_release};
static situ_allocator allocator = {NULL, libc_allocate, libc_resize, libc_release};

static _Atomic int64_t live_blocks;
static _Atomic int64_t countdown; /* allocations until the failure that a test asked for; 0 or negative: none */
static _Atomic bool struck;

int situ_set_allocator(const situ_allocator *given)
{
    SITU_SPEAK_AT("situ_set_allocator");
    if (given && (!given->allocate || !given->resize || !given->release))
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_set_allocator: allocate, resize and release must all be functions");
    situ_retired_free();
    if (atomic_load(&live_blocks))
        return situ_fail(
            SITU_BAD_ARGUMENT, NULL, "situ_set_allocator: the library holds memory already; call it before anything else");
    allocator = given ? *given : libc_allocator;
    return 0;
}

void situ_test_fail_alloc(int64_t k)
{
    if (k > 0) atomic_store(&struck, false); /* a test that ends the countdown asks afterwards whether the failure happened */
    atomic_store(&countdown, k);
}

bool situ_test_fail_struck(void) { return atomic_load(&struck); }

int64_t situ_test_live_blocks(void) { return atomic_load(&live_blocks); }

static bool fails_now(void)
{
    if (__builtin_expect(atomic_load_explicit(&countdown, memory_order_relaxed) <= 0, 1)) return false;
    if (atomic_fetch_sub(&countdown, 1) != 1) return false;
    atomic_store(&struck, true);
    return true;
}

static void *counted(void *block)
{
    if (block) atomic_fetch_add_explicit(&live_blocks, 1, memory_order_relaxed);
    return block;
}

void *situ_malloc(size_t size)
{
    if (fails_now()) return NULL;
    return counted(allocator.allocate(allocator.self, size + !size));
}

void *situ_calloc(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || fails_now()) return NULL;
    bytes += !bytes;
    /* calloc of the C library knows which pages are zero already */
    if (allocator.allocate == libc_allocate) return counted(calloc(1, bytes));
    void *block = counted(allocator.allocate(allocator.self, bytes));
    if (block) memset(block, 0, bytes);
    return block;
}

void *situ_realloc(void *block, size_t size)
{
    if (!block) return situ_malloc(size);
    if (fails_now()) return NULL;
    return allocator.resize(allocator.self, block, size + !size);
}

void situ_free(void *block)
{
    if (!block) return;
    atomic_fetch_sub_explicit(&live_blocks, 1, memory_order_relaxed);
    allocator.release(allocator.self, block);
}

/* A host's allocator guarantees only 16 bytes of alignment: allocates more, and stores the block's real address just
 * before the result. */
static void *aligned_by_host(size_t alignment, size_t size)
{
    size_t bytes;
    if (__builtin_add_overflow(size, alignment + sizeof(void *), &bytes)) return NULL;
    char *block = allocator.allocate(allocator.self, bytes);
    if (!block) return NULL;
    uintptr_t at = ((uintptr_t)block + sizeof(void *) + alignment - 1) & ~(uintptr_t)(alignment - 1);
    char *result = block + (at - (uintptr_t)block);
    memcpy(result - sizeof(void *), &block, sizeof(void *));
    return result;
}

void *situ_aligned_alloc(size_t alignment, size_t size)
{
    if (alignment < sizeof(void *)) alignment = sizeof(void *);
    if (alignment & (alignment - 1) || fails_now()) return NULL;
    size += !size;
    if (allocator.allocate != libc_allocate) return counted(aligned_by_host(alignment, size));
    void *block = NULL;
    return posix_memalign(&block, alignment, size) ? NULL : counted(block);
}

void situ_aligned_free(void *block)
{
    if (!block) return;
    if (allocator.allocate != libc_allocate) memcpy(&block, (char *)block - sizeof(void *), sizeof(void *));
    atomic_fetch_sub_explicit(&live_blocks, 1, memory_order_relaxed);
    allocator.release(allocator.self, block);
}

/* A ring buffer of retired blocks. It has no lock, so a child of a fork never finds it locked. */
enum { RETIRED = 64, RETIRED_DEBUG = 1 << 16 };
static void *_Atomic retired[RETIRED_DEBUG];
static _Atomic unsigned next_retired;

void situ_retire(void *block)
{
    if (!block) return;
    unsigned capacity = situ_debug(SITU_DEBUG_SCOPES) ? RETIRED_DEBUG : RETIRED;
    atomic_fetch_sub_explicit(&live_blocks, 1, memory_order_relaxed);
    void *oldest = atomic_exchange(&retired[atomic_fetch_add(&next_retired, 1) % capacity], block);
    if (oldest) allocator.release(allocator.self, oldest);
}

void situ_aligned_retire(void *block)
{
    if (allocator.allocate != libc_allocate) memcpy(&block, (char *)block - sizeof(void *), sizeof(void *));
    situ_retire(block);
}

void situ_retired_free(void)
{
    for (int i = 0; i < RETIRED_DEBUG; i++) {
        void *block = atomic_load_explicit(&retired[i], memory_order_relaxed) ? atomic_exchange(&retired[i], NULL) : NULL;
        if (block) allocator.release(allocator.self, block);
    }
}

char *situ_strdup(const char *text)
{
    if (!text) return NULL;
    size_t n = strlen(text) + 1;
    char *copy = situ_malloc(n);
    return copy ? memcpy(copy, text, n) : NULL;
}
