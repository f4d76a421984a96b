#include "base/arena.h"

#include "base/debug.h"
#include "base/memory.h"

/* FRESH: once an arena has used this many bytes of a recycled chunk, the next arena starts at the chunk's front again;
 * few enough to stay in the L1 cache.
 * FIRST_OWN: size of the first chunk of an arena without a cache; small, because thousands of plans are kept, each with
 * its own arena. */
enum { FIRST_CHUNK = 64 << 10, FIRST_OWN = 2 << 10, LARGEST_CHUNK = 1 << 20, FRESH = 16 << 10, LEAST_LEFT = 8 << 10 };

/* The bytes behind the header begin at a cache line, because the chunk itself does. */
_Static_assert(sizeof(situ_chunk) == SITU_CHUNK_LINE, "a chunk's header is a line of the cache");

void situ_arena_init(situ_arena *arena, situ_chunk_cache *cache) { *arena = (situ_arena){.cache = cache}; }

/* Offset of an object of this size in a recycled chunk whose previous content ends beyond FRESH: near the front, at
 * another offset than last time.
 * Offset 64 is left out: a new node there would cover only the call site of an old node, so a stale handle would look
 * valid (graph/node.h). */
static __attribute__((noinline)) size_t start_again(situ_chunk *chunk, size_t size)
{
    size_t from = chunk->used;
    if (from > FRESH && !situ_debug(SITU_DEBUG_SCOPES)) from = chunk->shift = chunk->shift == 48 ? 80 : (chunk->shift + 16) % 128;
    return from + size > chunk->size ? 0 : from;
}

/* Makes a chunk the arena's current one; it has room for an object of at least this size. */
static inline void use_chunk(situ_arena *arena, situ_chunk *chunk, size_t size)
{
    size_t from = chunk->used;
    if (from > FRESH || from + size > chunk->size) from = start_again(chunk, size);
    arena->at = (char *)(chunk + 1) + from;
    arena->end = (char *)(chunk + 1) + chunk->size;
}

static size_t free_bytes(const situ_chunk *chunk) { return chunk->size - chunk->used; }

/* Takes a chunk with room for an object of this size from the cache; NULL if there is none. `wanted`: size that a new
 * chunk would have. */
static situ_chunk *take_chunk(situ_chunk_cache *cache, size_t wanted, size_t size)
{
    if (!cache) return NULL;
    situ_chunk *first = cache->first;
    if (first && first->size >= wanted && free_bytes(first) >= size) { /* nearly always */
        cache->first = first->next;
        cache->bytes -= first->size;
        return first;
    }
    bool debug = situ_debug(SITU_DEBUG_SCOPES);
    for (situ_chunk **link = &cache->first; *link; link = &(*link)->next) {
        situ_chunk *chunk = *link;
        if (debug ? free_bytes(chunk) < size : chunk->size < wanted) continue;
        *link = chunk->next;
        cache->bytes -= chunk->size;
        return chunk;
    }
    return NULL;
}

/* Under SITU_DEBUG=scopes: a full chunk is not recycled; it is freed once SITU_CHUNK_HELD bytes of such chunks exist. */
static void hold_back(situ_chunk_cache *cache, situ_chunk *chunk)
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

/* Returns a chunk to the cache (or to the heap). Its first `used` bytes held objects. */
static void return_chunk(situ_chunk_cache *cache, situ_chunk *chunk, size_t used)
{
    chunk->used = used;
    if (cache && free_bytes(chunk) < LEAST_LEFT && situ_debug(SITU_DEBUG_SCOPES)) {
        hold_back(cache, chunk);
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
    situ_chunk *chunk = take_chunk(arena->cache, wanted, size);
    if (!chunk) {
        chunk = situ_aligned_alloc(SITU_CHUNK_LINE, sizeof *chunk + wanted);
        if (!chunk) return NULL;
        chunk->size = wanted;
        chunk->used = chunk->shift = 0;
    }
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->bytes += chunk->size;
    use_chunk(arena, chunk, size);
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
        return_chunk(arena->cache, chunk, chunk->size);
        chunk = older;
    }
    arena->chunks = chunk;
    arena->bytes = chunk->size;
    chunk->used = 0;
    use_chunk(arena, chunk, 0);
}

void situ_arena_free(situ_arena *arena)
{
    for (situ_chunk *chunk = arena->chunks; chunk;) {
        situ_chunk *older = chunk->next;
        return_chunk(arena->cache, chunk, chunk == arena->chunks ? (size_t)(arena->at - (char *)(chunk + 1)) : chunk->size);
        chunk = older;
    }
    situ_arena_init(arena, arena->cache);
}

/* Called when a thread ends. Other threads may still hold pointers into the chunk, so small ones are freed late. */
static void retire_chunk(situ_chunk *chunk)
{
    if (chunk->size < FIRST_CHUNK || situ_debug(SITU_DEBUG_SCOPES)) situ_aligned_retire(chunk);
    else situ_aligned_free(chunk);
}

void situ_chunk_cache_free(situ_chunk_cache *cache)
{
    for (situ_chunk *chunk = cache->first, *next; chunk; chunk = next) {
        next = chunk->next;
        retire_chunk(chunk);
    }
    for (situ_chunk *chunk = cache->held, *next; chunk; chunk = next) {
        next = chunk->next;
        retire_chunk(chunk);
    }
    *cache = (situ_chunk_cache){0};
}
