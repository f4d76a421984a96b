/* The address allocator of a simulated device. */
#include "backend/sim/sim.h"

#include <string.h>

#include "base/memory.h"

/* 256 bytes before and after a block are unused, so that an address just outside of a block never belongs to another
 * one */
enum { ALIGNMENT = 256, GAP = 256 };

int situ_space_grow(situ_space *s, size_t bytes)
{
    if (s->ranges == SITU_SPACE_RANGES) return -SITU_DEVICE_MEMORY;
    memset(&s->part[s->ranges], 0, sizeof s->part[0]);
    if (situ_range_new(bytes, &s->part[s->ranges].range)) return -SITU_DEVICE_MEMORY;
    s->ranges++;
    return 0;
}

void situ_space_free(situ_space *s)
{
    for (int i = 0; i < s->ranges; i++) {
        situ_range_free(&s->part[i].range);
        situ_free(s->part[i].block);
    }
    s->ranges = 0;
    s->used = 0;
}

/* Finds a gap of `bytes`: *at is the index of the block that will follow. */
static bool find_gap(situ_space *s, int part, size_t bytes, int64_t *at, size_t *offset)
{
    size_t start = GAP;
    for (int64_t i = 0; i <= s->part[part].count; i++) {
        const situ_space_block *next = i < s->part[part].count ? &s->part[part].block[i] : NULL;
        size_t end = next ? next->offset : s->part[part].range.bytes;
        if (end >= start + bytes + GAP) {
            *at = i;
            *offset = start;
            return true;
        }
        if (next) start = next->offset + next->bytes + GAP;
    }
    return false;
}

static bool insert(situ_space *s, int part, int64_t at, situ_space_block block)
{
    if (s->part[part].count == s->part[part].capacity) {
        int64_t capacity = s->part[part].capacity ? 2 * s->part[part].capacity : 64;
        situ_space_block *more = situ_realloc(s->part[part].block, (size_t)capacity * sizeof *more);
        if (!more) return false;
        s->part[part].block = more;
        s->part[part].capacity = capacity;
    }
    situ_space_block *b = s->part[part].block;
    memmove(b + at + 1, b + at, (size_t)(s->part[part].count - at) * sizeof *b);
    b[at] = block;
    s->part[part].count++;
    s->used += (int64_t)block.bytes;
    return true;
}

void *situ_space_alloc(situ_space *s, size_t bytes)
{
    if (bytes > SIZE_MAX / 2) return NULL;
    bytes = (bytes + !bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    for (int i = 0; i < s->ranges; i++) {
        int64_t at;
        size_t offset;
        if (!find_gap(s, i, bytes, &at, &offset)) continue;
        return insert(s, i, at, (situ_space_block){offset, bytes}) ? s->part[i].range.device + offset : NULL;
    }
    return NULL;
}

static int part_of(const situ_space *s, const char *address)
{
    for (int i = 0; i < s->ranges; i++)
        if (address >= s->part[i].range.device && address <= s->part[i].range.device + s->part[i].range.bytes) return i;
    return -1;
}

/* The last block that starts at or before the offset; -1: none. */
static int64_t block_at(const situ_space *s, int part, size_t offset)
{
    int64_t low = 0, high = s->part[part].count;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (s->part[part].block[middle].offset <= offset) low = middle + 1;
        else high = middle;
    }
    return low - 1;
}

bool situ_space_release(situ_space *s, void *address)
{
    int part = part_of(s, address);
    if (part < 0) return false;
    size_t offset = (size_t)((char *)address - s->part[part].range.device);
    int64_t i = block_at(s, part, offset);
    situ_space_block *b = s->part[part].block;
    if (i < 0 || b[i].offset != offset) return false;
    situ_range_discard(&s->part[part].range, offset, b[i].bytes);
    s->used -= (int64_t)b[i].bytes;
    memmove(b + i, b + i + 1, (size_t)(s->part[part].count - i - 1) * sizeof *b);
    s->part[part].count--;
    return true;
}

char *situ_space_translate(situ_space *s, const void *address, size_t bytes)
{
    int part = part_of(s, address);
    if (part < 0) return NULL;
    size_t offset = (size_t)((const char *)address - s->part[part].range.device);
    int64_t i = block_at(s, part, offset);
    if (i < 0) return NULL;
    const situ_space_block *b = &s->part[part].block[i];
    if (offset - b->offset > b->bytes || bytes > b->bytes - (offset - b->offset)) return NULL;
    return s->part[part].range.hidden + offset;
}
