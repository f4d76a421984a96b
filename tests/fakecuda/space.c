/* Memory of devices and pinned memory: one range of addresses, a page or more to a block, none used twice. Device
 * memory is closed to everybody but while the executor works. */
#define _GNU_SOURCE
#include "fake.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, FILLED = 64 << 20 };
static const size_t space_bytes = (size_t)96 << 30, pinned_bytes = (size_t)32 << 30;

uintptr_t fake_low, fake_bytes;
static size_t next_device, next_pinned; /* offsets; pinned memory is the upper part */
static fake_block *block;
static int blocks, room;
static int *owner; /* of each page: number of a block + 1 */
static unsigned long long used[FAKE_DEVICES];
static int open_count;
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;

bool fake_space_reserve(void)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    if (fake_low) return true;
    void *p = mmap(NULL, space_bytes, PROT_NONE, flags, -1, 0);
    if (p == MAP_FAILED) return false;
    owner = mmap(NULL, space_bytes / PAGE * sizeof *owner, PROT_READ | PROT_WRITE, flags, -1, 0);
    room = 1 << 20; /* in one place, since the executor looks without a lock */
    block = mmap(NULL, (size_t)room * sizeof *block, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (owner == MAP_FAILED || block == MAP_FAILED) return false;
    madvise(p, space_bytes, MADV_DONTDUMP);
    madvise(p, space_bytes, MADV_HUGEPAGE);
    fake_low = (uintptr_t)p;
    fake_bytes = space_bytes;
    next_pinned = space_bytes - pinned_bytes;
    return true;
}

/* ---------------------------------------------------------------- open and closed */

void fake_space_open(void)
{
    pthread_mutex_lock(&open_lock);
    if (!open_count++ && next_device) mprotect((void *)fake_low, next_device, PROT_READ | PROT_WRITE);
    pthread_mutex_unlock(&open_lock);
}

void fake_space_close(void)
{
    pthread_mutex_lock(&open_lock);
    if (!--open_count && next_device) mprotect((void *)fake_low, next_device, PROT_NONE);
    pthread_mutex_unlock(&open_lock);
}

/* ---------------------------------------------------------------- blocks */

static void fill(uintptr_t p, size_t bytes)
{
    /* what looks like NaN to a float and like nothing anybody stored */
    uint32_t *word = (uint32_t *)p;
    for (size_t i = 0; i < (bytes < FILLED ? bytes : FILLED) / 4; i++) word[i] = 0xffe5a5c3u;
}

static uintptr_t take_addresses(int device, size_t bytes)
{
    size_t *next = device < 0 ? &next_pinned : &next_device, end = device < 0 ? space_bytes : space_bytes - pinned_bytes;
    if (bytes > end - *next) return 0;
    pthread_mutex_lock(&open_lock);
    uintptr_t p = fake_low + *next;
    *next += bytes;
    if (device < 0 || open_count) mprotect((void *)p, bytes, PROT_READ | PROT_WRITE);
    pthread_mutex_unlock(&open_lock);
    return p;
}

uintptr_t fake_space_alloc(int device, int owner_device, size_t bytes)
{
    size_t reserved = (bytes + PAGE - 1) / PAGE * PAGE + PAGE; /* a page between two */
    if (!fake_space_reserve() || blocks == room || bytes > space_bytes) return 0;
    if (device >= 0 && used[device] + reserved - PAGE > fake_set.memory) return 0;
    uintptr_t p = take_addresses(device, reserved);
    if (!p) return 0;
    size_t shadow = (bytes + 3) / 4 * sizeof(fake_granule);
    fake_block *b = &block[blocks];
    *b = (fake_block){.low = p, .high = p + bytes, .reserved = reserved, .device = device, .owner = owner_device, .number = blocks, .alive = true};
    b->shadow = mmap(NULL, shadow, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (b->shadow == MAP_FAILED) b->shadow = NULL;
    else madvise(b->shadow, shadow, MADV_HUGEPAGE);
    if (device >= 0) used[device] += reserved - PAGE;
    for (size_t i = (p - fake_low) / PAGE, n = reserved / PAGE - 1; n; n--) owner[i++] = blocks + 1;
    blocks++;
    if (device >= 0) fake_space_open();
    fill(p, bytes);
    if (device >= 0) fake_space_close();
    return p;
}

static void bury(fake_block *b)
{
    b->dying = false;
    madvise((void *)b->low, b->reserved, MADV_DONTNEED);
    if (b->device < 0) mprotect((void *)b->low, b->reserved, PROT_NONE);
    if (b->shadow) munmap(b->shadow, (b->high - b->low + 3) / 4 * sizeof(fake_granule));
    b->shadow = NULL;
}

void fake_space_free(fake_block *b)
{
    b->alive = false;
    if (b->device >= 0) used[b->device] -= b->reserved - PAGE;
    b->dying = true;
    b->freed_at = fake_work_number(NULL);
    fake_space_reap(fake_oldest_pending());
}

/* Memory goes when all work that was queued before it was freed is done. */
void fake_space_reap(uint32_t oldest_pending)
{
    static int first;
    while (first < blocks && !block[first].alive && !block[first].dying) first++;
    for (int i = first; i < blocks; i++)
        if (block[i].dying && block[i].freed_at <= oldest_pending) bury(&block[i]);
}

fake_block *fake_block_at(uintptr_t address)
{
    if (!fake_in_space(address)) return NULL;
    int number = owner[(address - fake_low) / PAGE];
    return number ? &block[number - 1] : NULL;
}

unsigned long long fake_space_used(int device) { return used[device]; }

int fake_space_live(int owner_device, char *text, size_t size)
{
    int count = 0;
    size_t at = 0;
    if (size) text[0] = 0;
    for (int i = 0; i < blocks; i++) {
        if (!block[i].alive || (owner_device >= 0 && block[i].owner != owner_device)) continue;
        count++;
        int n = at < size ? snprintf(text + at, size - at, "%s block %d of %zu bytes, device %d\n", block[i].device < 0 ? "pinned" : "device",
                                     i, (size_t)(block[i].high - block[i].low), block[i].device) : 0;
        if (n > 0) at += (size_t)n;
    }
    return count;
}

void fake_space_drop(int owner_device)
{
    for (int i = 0; i < blocks; i++)
        if (block[i].alive && block[i].owner == owner_device) fake_space_free(&block[i]);
}
