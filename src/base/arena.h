/* A bump arena: allocation is an addition, everything is freed at once. Not locked: an arena and its cache belong to
 * one thread at a time.
 *
 *     situ_arena arena;
 *     situ_arena_init(&arena, NULL);
 *     node *n = situ_arena_alloc(&arena, sizeof *n);      // NULL: no memory
 *     situ_arena_free(&arena);
 */
#ifndef SITU_BASE_ARENA_H
#define SITU_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { SITU_CHUNK_LINE = 64, SITU_CHUNK_CACHE = 16 << 20 };
typedef struct situ_chunk {
    _Alignas(SITU_CHUNK_LINE) struct situ_chunk *next; /* older */
    size_t size;                                       /* bytes after this header */
    size_t used;  /* of these, bytes used by earlier arenas: the next arena begins behind them until FRESH (arena.c) is
                   * exceeded */
    size_t shift; /* offset at which the last arena began when it began near the front */
} situ_chunk;

/* Chunks kept for later arenas: at most SITU_CHUNK_CACHE bytes. Zero the struct before use. Freed objects keep their
 * bytes for a while, so that a stale pointer can be told from a valid one: the next arena begins behind them, and once
 * it begins at the chunk's front again, it uses another offset than before. Under SITU_DEBUG=scopes no memory is reused
 * until SITU_CHUNK_HELD bytes are held. */
enum { SITU_CHUNK_HELD = 256 << 20 };
typedef struct situ_chunk_cache {
    situ_chunk *first;
    situ_chunk *held, *newest; /* under SITU_DEBUG=scopes: full chunks, oldest first */
    size_t bytes, held_bytes;
} situ_chunk_cache;

typedef struct situ_arena {
    char *at, *end;          /* free part of the newest chunk */
    situ_chunk *chunks;      /* newest first */
    situ_chunk_cache *cache; /* where chunks come from and go to; NULL: the heap */
    size_t bytes;            /* in all chunks */
} situ_arena;

/* An empty arena; it takes its first chunk (64 KiB) with the first allocation. */
void situ_arena_init(situ_arena *arena, situ_chunk_cache *cache);
/* Drops all objects and all chunks but the first. */
void situ_arena_reset(situ_arena *arena);
/* Drops all objects and chunks; the arena is as after init. */
void situ_arena_free(situ_arena *arena);
void situ_chunk_cache_free(situ_chunk_cache *cache);

/* The slow path of situ_arena_alloc. */
void *situ_arena_grow(situ_arena *arena, size_t size);

/* Allocates 16-byte aligned memory, not cleared; NULL if memory ran out. */
static inline void *situ_arena_alloc(situ_arena *arena, size_t size)
{
    size += !size;
    if (size > (size_t)(arena->end - arena->at)) return situ_arena_grow(arena, size);
    void *p = arena->at;
    arena->at += (size + 15) & ~(size_t)15; /* the free part is a multiple of 16 */
    return p;
}

/* Allocates `count` objects of `size` bytes, cleared; NULL if memory ran out or the product overflows. */
static inline void *situ_arena_zeros(situ_arena *arena, size_t count, size_t size)
{
    void *p = count > SIZE_MAX / 2 / (size + !size) ? NULL : situ_arena_alloc(arena, count * size);
    return p ? memset(p, 0, count * size) : NULL;
}

#endif
