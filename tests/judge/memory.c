/* Memory that lives as long as one run. */
#include <stdlib.h>

#include "judge.h"

typedef struct block {
    struct block *next;
    size_t size, used;
    _Alignas(16) unsigned char bytes[];
} block;

static block *block_new(size_t bytes)
{
    size_t size = bytes > (1u << 20) ? bytes : 1u << 20;
    block *b = malloc(sizeof *b + size);
    if (!b) {
        fprintf(stderr, "judge: out of memory\n");
        exit(3);
    }
    b->next = NULL, b->size = size, b->used = 0;
    return b;
}

void *take(arena *a, size_t bytes)
{
    bytes = (bytes + 31) & ~(size_t)15;
    if (!a->first) a->first = a->now = block_new(bytes);
    while (a->now->used + bytes > a->now->size) {
        if (!a->now->next || a->now->next->size < bytes) {
            block *b = block_new(bytes);
            b->next = a->now->next;
            a->now->next = b;
        }
        a->now = a->now->next;
        a->now->used = 0;
    }
    void *at = a->now->bytes + a->now->used;
    a->now->used += bytes;
    return at;
}

void arena_reset(arena *a)
{
    a->now = a->first;
    if (a->now) a->now->used = 0;
}

void arena_free(arena *a)
{
    for (block *b = a->first, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    a->first = a->now = NULL;
}
