/* Byte-pair encoding of one piece: repeatedly merges the neighbouring pair with the lowest rank, the leftmost first,
 * until no pair is left. A heap of candidates makes this n log n for a piece of n bytes. Candidates whose parts have
 * changed since are skipped. */
#include <string.h>

#include "base/memory.h"
#include "model/tokenizer.h"

typedef struct situ_part {
    int32_t token;        /* -1: merged into the part before it */
    int32_t before, next; /* -1: none */
} situ_part;

typedef struct situ_candidate {
    int32_t rank, at, whole;
} situ_candidate;

static uint32_t spread(int32_t left, int32_t right)
{
    uint64_t h = ((uint64_t)(uint32_t)left << 32 | (uint32_t)right) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(h >> 32);
}

static situ_merge *slot_of(const situ_tokenizer *t, int32_t left, int32_t right)
{
    uint32_t i = spread(left, right) & (t->merges - 1);
    while (t->merge[i].left >= 0 && (t->merge[i].left != left || t->merge[i].right != right)) i = (i + 1) & (t->merges - 1);
    return &t->merge[i];
}

int situ_merges_begin(situ_tokenizer *t, int64_t count, const char *path)
{
    if (count > 1 << 24) return situ_fail(SITU_BAD_FORMAT, NULL, "%s: more than 2^24 merges", path);
    t->merges = 16;
    while (t->merges < 2 * count) t->merges *= 2;
    t->merge = situ_malloc(t->merges * sizeof *t->merge);
    if (!t->merge) return situ_fail(SITU_NO_MEMORY, NULL, "%s: no host memory for its merges", path);
    for (uint32_t i = 0; i < t->merges; i++) t->merge[i] = (situ_merge){-1, 0, 0, 0};
    return 0;
}

void situ_merge_add(situ_tokenizer *t, int32_t rank, int32_t left, int32_t right, int32_t whole)
{
    situ_merge *m = slot_of(t, left, right);
    if (m->left < 0) *m = (situ_merge){left, right, rank, whole};
}

bool situ_merge_strings(situ_tokenizer *t, int32_t rank, const char *left, size_t left_size, const char *right, size_t right_size)
{
    char bytes[1024];
    if (left_size + right_size > sizeof bytes) return false;
    int64_t l = situ_letters_bytes(left, left_size, bytes), r = l < 0 ? -1 : situ_letters_bytes(right, right_size, bytes + l);
    if (r < 0) return false;
    int32_t a = situ_token_find(t, bytes, (size_t)l), b = situ_token_find(t, bytes + l, (size_t)r);
    int32_t whole = situ_token_find(t, bytes, (size_t)(l + r));
    if (a < 0 || b < 0 || whole < 0) return false;
    situ_merge_add(t, rank, a, b, whole);
    return true;
}

/* ---- the heap: least rank first, then leftmost ------------------------------------------------------------------------------- */

static inline bool before(const situ_candidate *a, const situ_candidate *b)
{
    return a->rank != b->rank ? a->rank < b->rank : a->at < b->at;
}

static void push(situ_candidate *heap, size_t n, situ_candidate c)
{
    while (n && before(&c, &heap[(n - 1) / 2])) {
        heap[n] = heap[(n - 1) / 2];
        n = (n - 1) / 2;
    }
    heap[n] = c;
}

/* Removes the first of n candidates. */
static void pop(situ_candidate *heap, size_t n)
{
    situ_candidate c = heap[--n];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && before(&heap[child + 1], &heap[child])) child++;
        if (!before(&heap[child], &c)) break;
        heap[i] = heap[child];
    }
    heap[i] = c;
}

/* Makes room for all candidates: each merge adds at most two, and there are fewer than n merges. */
static bool room_for(situ_numbers *out, size_t n)
{
    if (out->parts >= n) return true;
    situ_free(out->part);
    situ_free(out->heap);
    out->parts = n < 64 ? 64 : n;
    out->part = situ_malloc(out->parts * sizeof *out->part);
    out->heap = situ_malloc(3 * out->parts * sizeof *out->heap);
    if (out->part && out->heap) return true;
    out->parts = 0;
    out->failed = true;
    return false;
}

static size_t consider(const situ_tokenizer *t, const situ_part *part, int32_t at, situ_candidate *heap, size_t n)
{
    if (at < 0 || part[at].next < 0) return n;
    const situ_merge *m = slot_of(t, part[at].token, part[part[at].next].token);
    if (m->left < 0) return n;
    push(heap, n, (situ_candidate){m->rank, at, m->whole});
    return n + 1;
}

void situ_merge_piece(const situ_tokenizer *t, const char *piece, size_t size, situ_numbers *out)
{
    int32_t whole = t->whole_first ? situ_token_find(t, piece, size) : -1;
    if (whole >= 0) return situ_numbers_add(out, whole);
    if (out->failed || !room_for(out, size)) return;
    situ_part *part = out->part;
    int32_t n = 0;
    for (size_t i = 0; i < size; i++) {
        int32_t token = t->byte[(unsigned char)piece[i]];
        if (token < 0)
            continue; /* some vocabularies have no token for certain bytes, such as those that UTF-8 never uses; such
                                  * bytes are dropped */
        part[n] = (situ_part){token, n - 1, n + 1};
        n++;
    }
    if (!n) return;
    part[n - 1].next = -1;
    size_t heaped = 0;
    for (int32_t i = 0; i < n; i++) heaped = consider(t, part, i, out->heap, heaped);
    while (heaped) {
        situ_candidate c = out->heap[0];
        pop(out->heap, heaped--);
        situ_part *left = &part[c.at];
        if (left->token < 0 || left->next < 0) continue;
        situ_part *right = &part[left->next];
        const situ_merge *m = slot_of(t, left->token, right->token);
        if (m->left < 0 || m->whole != c.whole) continue;
        left->token = c.whole;
        right->token = -1;
        left->next = right->next;
        if (left->next >= 0) part[left->next].before = c.at;
        heaped = consider(t, part, left->before, out->heap, heaped);
        heaped = consider(t, part, c.at, out->heap, heaped);
    }
    for (int32_t i = 0; i >= 0; i = part[i].next) situ_numbers_add(out, part[i].token);
}
