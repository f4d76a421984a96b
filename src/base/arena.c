#include "base/arena.h"

#include "base/debug.h"
#include "base/memory.h"

/* FRESH bytes of a chunk are used before an arena begins at its front again: few enough to stay in the first cache. An arena
 * without a cache begins with FIRST_OWN: thousands of plans are kept, each with an arena of its own. */
enum { FIRST_CHUNK = 64 << 10, FIRST_OWN = 2 << 10, LARGEST_CHUNK = 1 << 20, FRESH = 16 << 10, LEAST_LEFT = 8 << 10 };

/* What follows the header begins a line of the cache, as the chunk does. */
_Static_assert(sizeof(situ_chunk) == SITU_CHUNK_LINE, "a chunk's header is a line of the cache");

void situ_arena_init(situ_arena *arena, situ_chunk_cache *cache) { *arena = (situ_arena){.cache = cache}; }

/* Where an object of this size begins in a chunk that is used again, if not behind what it held before: at the front, at
 * another place than the last time. At 64 a new node would hide nothing of an old one but its line (graph/node.h). */
static __attribute__((noinline)) size_t start_again(situ_chunk *chunk, size_t size)
{
    size_t from = chunk->used;
    if (from > FRESH && !situ_debug(SITU_DEBUG_SCOPES)) from = chunk->shift = chunk->shift == 48 ? 80 : (chunk->shift + 16) % 128;
    return from + size > chunk->size ? 0 : from;
}

/* For an object of this size, at least. */
static inline void use(situ_arena *arena, situ_chunk *chunk, size_t size)
{
    size_t from = chunk->used;
    if (from > FRESH || from + size > chunk->size) from = start_again(chunk, size);
    arena->at = (char *)(chunk + 1) + from;
    arena->end = (char *)(chunk + 1) + chunk->size;
}

static size_t room(const situ_chunk *chunk) { return chunk->size - chunk->used; }

/* A cached chunk for an object of this size, NULL: none. A new one would have `wanted` bytes. */
static situ_chunk *take(situ_chunk_cache *cache, size_t wanted, size_t size)
{
    if (!cache) return NULL;
    situ_chunk *first = cache->first;
    if (first && first->size >= wanted && room(first) >= size) { /* nearly always */
        cache->first = first->next;
        cache->bytes -= first->size;
        return first;
    }
    bool debug = situ_debug(SITU_DEBUG_SCOPES);
    for (situ_chunk **link = &cache->first; *link; link = &(*link)->next) {
        situ_chunk *chunk = *link;
        if (debug ? room(chunk) < size : chunk->size < wanted) continue;
        *link = chunk->next;
        cache->bytes -= chunk->size;
        return chunk;
    }
    return NULL;
}

/* Full, and not used again: freed when many others are. */
static void hold(situ_chunk_cache *cache, situ_chunk *chunk)
{
    chunk->next = NULL;
    if (cache->newest) cache->newest->next = chunk;
    else cache->held = chunk;
    cache->newest = chunk;
    cache->held_bytes += chunk->size;
    while (cache->held_bytes > SITU_CHUNK_HELD && cache->held != chunk) {
        situ_chunk *oldest = cache->held;
        cache->held = oldest->next;
        cache->held_bytes -= oldest->size;
        situ_aligned_free(oldest);
    }
}

/* The first `used` bytes held objects. */
static void give(situ_chunk_cache *cache, situ_chunk *chunk, size_t used)
{
    chunk->used = used;
    if (cache && room(chunk) < LEAST_LEFT && situ_debug(SITU_DEBUG_SCOPES)) {
        hold(cache, chunk);
        return;
    }
    if (!cache || cache->bytes + chunk->size > SITU_CHUNK_CACHE) {
        situ_aligned_free(chunk);
        return;
    }
    chunk->next = cache->first;
    cache->first = chunk;
    cache->bytes += chunk->size;
}

void *situ_arena_grow(situ_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2) return NULL;
    size = (size + 15) & ~(size_t)15;
    size_t wanted = arena->chunks ? 2 * (arena->chunks->size + sizeof(situ_chunk)) : arena->cache ? FIRST_CHUNK : FIRST_OWN;
    if (wanted > LARGEST_CHUNK) wanted = LARGEST_CHUNK;
    wanted -= sizeof(situ_chunk);
    if (wanted < size) wanted = size;
    situ_chunk *chunk = take(arena->cache, wanted, size);
    if (!chunk) {
        chunk = situ_aligned_alloc(SITU_CHUNK_LINE, sizeof *chunk + wanted);
        if (!chunk) return NULL;
        chunk->size = wanted;
        chunk->used = chunk->shift = 0;
    }
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->bytes += chunk->size;
    use(arena, chunk, size);
    void *p = arena->at;
    arena->at += size;
    return p;
}

void situ_arena_reset(situ_arena *arena)
{
    situ_chunk *chunk = arena->chunks;
    if (!chunk) return;
    while (chunk->next) {
        situ_chunk *older = chunk->next;
        give(arena->cache, chunk, chunk->size);
        chunk = older;
    }
    arena->chunks = chunk;
    arena->bytes = chunk->size;
    chunk->used = 0;
    use(arena, chunk, 0);
}

void situ_arena_free(situ_arena *arena)
{
    for (situ_chunk *chunk = arena->chunks; chunk;) {
        situ_chunk *older = chunk->next;
        give(arena->cache, chunk, chunk == arena->chunks ? (size_t)(arena->at - (char *)(chunk + 1)) : chunk->size);
        chunk = older;
    }
    situ_arena_init(arena, arena->cache);
}

/* A thread ends: others may still have pointers to what it made. */
static void retire(situ_chunk *chunk)
{
    if (chunk->size < FIRST_CHUNK || situ_debug(SITU_DEBUG_SCOPES)) situ_aligned_retire(chunk);
    else situ_aligned_free(chunk);
}

void situ_chunk_cache_free(situ_chunk_cache *cache)
{
    for (situ_chunk *chunk = cache->first, *next; chunk; chunk = next) {
        next = chunk->next;
        retire(chunk);
    }
    for (situ_chunk *chunk = cache->held, *next; chunk; chunk = next) {
        next = chunk->next;
        retire(chunk);
    }
    *cache = (situ_chunk_cache){0};
}
