/* Memory for the data structures of the passes. */
#include "plan/build.h"

bool situ_plan_comparable;

void *situ_build_alloc(situ_build *b, size_t bytes)
{
    void *p = situ_arena_zeros(&b->arena, 1, bytes);
    if (!p) b->failed = true;
    return p;
}

void *situ_plan_push(situ_build *b, void **array, uint32_t *count, size_t size)
{
    uint32_t n = *count;
    if (!(n & (n - 1))) { /* the capacity doubles at powers of two; the old array stays in the arena */
        void *grown = situ_arena_alloc(&b->plan->arena, size * (n ? n * 2 : 1));
        if (!grown) {
            b->failed = true;
            return NULL;
        }
        if (n) memcpy(grown, *array, size * n);
        *array = grown;
    }
    *count = n + 1;
    return memset((char *)*array + size * n, 0, size);
}

bool situ_build_member_room(situ_build *b, situ_work *w)
{
    if (w->count < w->capacity) return true;
    uint32_t more = w->capacity ? w->capacity * 2 : 4;
    uint32_t *grown = situ_build_alloc(b, more * sizeof *grown);
    if (!grown) return false;
    if (w->count) memcpy(grown, w->member, w->count * sizeof *grown);
    w->member = grown;
    w->capacity = more;
    return true;
}
