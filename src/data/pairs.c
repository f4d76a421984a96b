#include "data/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "os/plain.h"

enum { MOST_STRETCH = 64, SPACE, WORD, MARK };

static int class_of(char c)
{
    return situ_is_blank(c) ? SPACE : situ_is_letter(c) || situ_is_digit(c) || c == '\'' || (c & 0x80) ? WORD : MARK;
}

size_t situ_stretch(const char *text, size_t n)
{
    size_t i = n > 1 && *text == ' ' && class_of(text[1]) != SPACE;
    int class = class_of(text[i]);
    while (++i < n && i < MOST_STRETCH && class_of(text[i]) == class) {}
    if (class == SPACE && i > 1 && i < n && text[i - 1] == ' ' && class_of(text[i]) != SPACE) i--;
    /* Does not cut within a UTF-8 character. */
    for (int k = 0; k < 3 && i >= MOST_STRETCH && i < n && (text[i] & 0xc0) == 0x80; k++) i++;
    return i;
}

static uint32_t hash(int32_t a, int32_t b)
{
    uint64_t h = ((uint64_t)(uint32_t)a << 32 | (uint32_t)b) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 32);
}

/* ---- encoding ---------------------------------------------------------------------------------------------------------------- */

size_t situ_pairs_slots(int32_t count)
{
    size_t n = 64;
    while (n < 2 * (size_t)count) n *= 2;
    return n;
}

void situ_pairs_index(const situ_pair *pair, int32_t count, int32_t *slot)
{
    uint32_t mask = (uint32_t)situ_pairs_slots(count) - 1;
    for (int32_t k = 0; k < count; k++) {
        uint32_t i = hash(pair[k][0], pair[k][1]);
        while (slot[i & mask]) i++;
        slot[i & mask] = k + 1;
    }
}

static int32_t find(const situ_pair *pair, uint32_t mask, const int32_t *slot, int32_t a, int32_t b)
{
    for (uint32_t i = hash(a, b);; i++) {
        int32_t k = slot[i & mask] - 1;
        if (k < 0 || (pair[k][0] == a && pair[k][1] == b)) return k;
    }
}

/* Replaces each a that is followed by b; returns the number of tokens left. */
static size_t join(int32_t *token, size_t n, int32_t a, int32_t b, int32_t joined)
{
    size_t to = 0;
    for (size_t i = 0; i < n; i++) {
        bool both = token[i] == a && i + 1 < n && token[i + 1] == b;
        token[to++] = both ? joined : token[i];
        i += both;
    }
    return to;
}

size_t situ_pairs_encode(const situ_pair *pair, int32_t count, const int32_t *slot, const char *text, size_t n, int32_t *out)
{
    uint32_t mask = (uint32_t)situ_pairs_slots(count) - 1;
    for (size_t i = 0; i < n; i++) out[i] = (unsigned char)text[i];
    for (;;) { /* merges the pair that was learned first */
        int32_t first = -1;
        for (size_t i = 0; i + 1 < n; i++) {
            int32_t k = find(pair, mask, slot, out[i], out[i + 1]);
            if (k >= 0 && (first < 0 || k < first)) first = k;
        }
        if (first < 0) return n;
        n = join(out, n, pair[first][0], pair[first][1], SITU_BYTES + first);
    }
}

/* ---- training ---------------------------------------------------------------------------------------------------------------- */

/* A distinct section of text with its number of occurrences, as bytes and as tokens. */
typedef struct stretch {
    const char *text;
    int32_t *token;
    size_t n;
    int64_t times;
} stretch;

typedef struct tally {
    int32_t a, b;
    int64_t times; /* 0: an unused slot */
} tally;

typedef struct learning {
    stretch *stretch;
    size_t stretches, capacity, used; /* room: size of the hash table of pair counts, a power of 2 */
    int32_t *token;
    tally *tally;
} learning;

static int by_text(const void *a, const void *b)
{
    const stretch *x = a, *y = b;
    int c = memcmp(x->text, y->text, x->n < y->n ? x->n : y->n);
    return c ? c : (x->n > y->n) - (x->n < y->n);
}

/* Collects all distinct sections, as bytes. */
static bool take_stretches(learning *l, const char *text, size_t n)
{
    size_t count = 0, bytes = 0;
    for (size_t i = 0; i < n; i += situ_stretch(text + i, n - i)) count++;
    l->stretch = situ_malloc(count * sizeof *l->stretch + 1);
    if (!l->stretch) return false;
    for (size_t i = 0, k = 0; k < count; i += l->stretch[k++].n)
        l->stretch[k] = (stretch){text + i, NULL, situ_stretch(text + i, n - i), 1};
    qsort(l->stretch, count, sizeof *l->stretch, by_text);
    for (size_t i = 0; i < count; i++) {
        stretch *last = l->stretches ? &l->stretch[l->stretches - 1] : NULL;
        if (last && !by_text(last, &l->stretch[i])) last->times++;
        else bytes += l->stretch[i].n, l->stretch[l->stretches++] = l->stretch[i];
    }
    int32_t *token = l->token = situ_malloc(bytes * sizeof *token + 1);
    for (size_t k = 0; token && k < l->stretches; token += l->stretch[k++].n) {
        l->stretch[k].token = token;
        for (size_t i = 0; i < l->stretch[k].n; i++) token[i] = (unsigned char)l->stretch[k].text[i];
    }
    return l->token != NULL;
}

static tally *place(tally *all, size_t capacity, int32_t a, int32_t b)
{
    for (size_t i = hash(a, b);; i++) {
        tally *t = &all[i & (capacity - 1)];
        if ((t->a == a && t->b == b) || t->a < 0) return t;
    }
}

/* Moves the counts to a larger table, without pairs that no longer occur. */
static bool grow(learning *l)
{
    size_t capacity = l->capacity ? 2 * l->capacity : 1 << 12;
    tally *all = situ_malloc(capacity * sizeof *all);
    if (!all) return false;
    for (size_t i = 0; i < capacity; i++) all[i] = (tally){-1, -1, 0};
    l->used = 0;
    for (size_t i = 0; i < l->capacity; i++)
        if (l->tally[i].times) *place(all, capacity, l->tally[i].a, l->tally[i].b) = l->tally[i], l->used++;
    situ_free(l->tally);
    l->tally = all;
    l->capacity = capacity;
    return true;
}

/* Adds the pairs of a section to the counts (sign 1), or subtracts them (-1). */
static bool count_pairs(learning *l, const stretch *s, int sign)
{
    for (size_t i = 0; i + 1 < s->n; i++) {
        if (2 * l->used >= l->capacity && !grow(l)) return false;
        tally *t = place(l->tally, l->capacity, s->token[i], s->token[i + 1]);
        l->used += t->a < 0;
        t->a = s->token[i];
        t->b = s->token[i + 1];
        t->times += sign * s->times;
    }
    return true;
}

static bool has(const stretch *s, int32_t a, int32_t b)
{
    for (size_t i = 0; i + 1 < s->n; i++)
        if (s->token[i] == a && s->token[i + 1] == b) return true;
    return false;
}

static int32_t learn(learning *l, int32_t most, situ_pair *pair)
{
    for (size_t k = 0; k < l->stretches; k++)
        if (!count_pairs(l, &l->stretch[k], 1)) return -1;
    for (int32_t count = 0; count < most; count++) {
        tally best = {0, 0, 1};
        for (size_t i = 0; i < l->capacity; i++) {
            tally t = l->tally[i];
            bool lower = t.a < best.a || (t.a == best.a && t.b < best.b);
            if (t.times > best.times || (t.times == best.times && t.times > 1 && lower)) best = t;
        }
        if (best.times < 2) return count;
        pair[count][0] = best.a;
        pair[count][1] = best.b;
        for (size_t k = 0; k < l->stretches; k++) {
            stretch *s = &l->stretch[k];
            if (!has(s, best.a, best.b)) continue;
            if (!count_pairs(l, s, -1)) return -1;
            s->n = join(s->token, s->n, best.a, best.b, SITU_BYTES + count);
            if (!count_pairs(l, s, 1)) return -1;
        }
    }
    return most;
}

int32_t situ_pairs_learn(const char *text, size_t n, int32_t most, situ_pair *pair)
{
    learning l = {0};
    int32_t count = take_stretches(&l, text, n) && grow(&l) ? learn(&l, most, pair) : -1;
    situ_free(l.stretch);
    situ_free(l.token);
    situ_free(l.tally);
    return count;
}
