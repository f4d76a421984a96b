#include "base/arena.h"

#include "base/memory.h"

enum { FIRST_CHUNK = 64 << 10, LARGEST_CHUNK = 1 << 20 };

/* What follows the header begins a line of the cache, as the chunk does. */
_Static_assert(sizeof(situ_chunk) == SITU_CHUNK_LINE, "a chunk's header is a line of the cache");

void situ_arena_init(situ_arena *arena, situ_chunk_cache *cache) { *arena = (situ_arena){.cache = cache}; }

static void use(situ_arena *arena, situ_chunk *chunk)
{
    arena->at = (char *)(chunk + 1);
    arena->end = arena->at + chunk->size;
}

/* A cached chunk of at least this size, or NULL. */
static situ_chunk *take(situ_chunk_cache *cache, size_t size)
{
    if (!cache) return NULL;
    for (situ_chunk **link = &cache->first; *link; link = &(*link)->next) {
        situ_chunk *chunk = *link;
        if (chunk->size < size) continue;
        *link = chunk->next;
        cache->bytes -= chunk->size;
        return chunk;
    }
    return NULL;
}

static void give(situ_chunk_cache *cache, situ_chunk *chunk)
{
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
    size_t wanted = arena->chunks ? 2 * (arena->chunks->size + sizeof(situ_chunk)) : FIRST_CHUNK;
    if (wanted > LARGEST_CHUNK) wanted = LARGEST_CHUNK;
    wanted -= sizeof(situ_chunk);
    if (wanted < size) wanted = size;
    situ_chunk *chunk = take(arena->cache, wanted);
    if (!chunk) {
        chunk = situ_aligned_alloc(SITU_CHUNK_LINE, sizeof *chunk + wanted);
        if (!chunk) return NULL;
        chunk->size = wanted;
    }
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->bytes += chunk->size;
    use(arena, chunk);
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
        give(arena->cache, chunk);
        chunk = older;
    }
    arena->chunks = chunk;
    arena->bytes = chunk->size;
    use(arena, chunk);
}

void situ_arena_free(situ_arena *arena)
{
    for (situ_chunk *chunk = arena->chunks; chunk;) {
        situ_chunk *older = chunk->next;
        give(arena->cache, chunk);
        chunk = older;
    }
    situ_arena_init(arena, arena->cache);
}

void situ_chunk_cache_free(situ_chunk_cache *cache)
{
    for (situ_chunk *chunk = cache->first; chunk;) {
        situ_chunk *next = chunk->next;
        situ_aligned_free(chunk);
        chunk = next;
    }
    *cache = (situ_chunk_cache){NULL, 0};
}
