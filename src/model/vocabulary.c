/* The tokens of a vocabulary: their bytes, the hash table that finds them, and those recognised in any text. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/tokenizer.h"
#include "model/unicode.h"

const char *const situ_token_names[SITU_NAMED_TOKENS] = {"bos", "eos", "unk", "pad", "cls", "sep", "mask"};

enum { TOKENS_MOST = 1 << 24 };

/* ---- the byte alphabet ----------------------------------------------------------------------------------------------------- */

/* Vocabularies of byte-pair encoding write each byte as a visible letter: the Latin-1 character if it is visible, else
 * letters from U+0100 on. */
static bool is_itself(uint32_t b) { return (b > 0x20 && b < 0x7f) || (b > 0xa0 && b != 0xad); }

static int byte_of(uint32_t c)
{
    if (c < 0x100) return is_itself(c) ? (int)c : -1;
    for (uint32_t b = 0, letter = 0x100; b < 0x100; b++)
        if (!is_itself(b) && letter++ == c) return (int)b;
    return -1;
}

int64_t situ_letters_bytes(const char *text, size_t size, char *to)
{
    int64_t n = 0;
    uint32_t c;
    for (const char *p = text, *end = text + size; p < end;) {
        p += situ_character(p, end, &c);
        int b = c > 0x20 && c < 0x7f ? (int)c : byte_of(c);
        if (b < 0) return -1;
        to[n++] = (char)b;
    }
    return n;
}

/* ---- tokens ----------------------------------------------------------------------------------------------------------------- */

int situ_tokens_begin(situ_tokenizer *t, int64_t count, size_t bytes, const char *path)
{
    if (count < 1 || count > TOKENS_MOST)
        return situ_fail(SITU_BAD_FORMAT, NULL, "%s: a vocabulary has 1 to 2^24 tokens, not %lld", path, (long long)count);
    t->count = (int32_t)count;
    t->capacity = bytes + 1;
    t->slots = 16;
    while (t->slots < 2 * count) t->slots *= 2;
    t->token = situ_malloc((size_t)count * sizeof *t->token);
    t->text = situ_malloc(t->capacity);
    t->slot = situ_malloc(t->slots * sizeof *t->slot);
    if (!t->token || !t->text || !t->slot) return situ_fail(SITU_NO_MEMORY, NULL, "%s: no host memory for its vocabulary", path);
    for (int32_t i = 0; i < t->count; i++) t->token[i] = (situ_token){.kind = SITU_TOKEN_NONE};
    memset(t->slot, 0xff, t->slots * sizeof *t->slot);
    return 0;
}

void situ_token_set(situ_tokenizer *t, int64_t i, const char *text, size_t size, situ_token_kind kind, bool letters)
{
    situ_token *token = &t->token[i];
    if (size > t->capacity - t->used) return; /* cannot happen: the loader counted the bytes before */
    char *to = t->text + t->used;
    int64_t bytes = letters ? situ_letters_bytes(text, size, to) : -1;
    if (bytes < 0) memcpy(to, text, size);
    *token = (situ_token){.at = t->used, .size = (uint32_t)(bytes < 0 ? (int64_t)size : bytes), .kind = (uint8_t)kind};
    t->used += token->size;
}

static uint32_t *hash_step(uint32_t *h, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) *h = (*h ^ (unsigned char)text[i]) * 16777619u;
    return h;
}

static int32_t *place_of(const situ_tokenizer *t, const char *text, size_t size)
{
    uint32_t h = 2166136261u;
    hash_step(&h, text, size);
    for (uint32_t i = (h ^ h >> 15) & (t->slots - 1);; i = (i + 1) & (t->slots - 1)) {
        int32_t at = t->slot[i];
        if (at < 0 || (t->token[at].size == size && !memcmp(t->text + t->token[at].at, text, size))) return &t->slot[i];
    }
}

int32_t situ_token_find(const situ_tokenizer *t, const char *text, size_t size) { return *place_of(t, text, size); }

/* Longest first, since one token may be the beginning of another. */
static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The tokens that stand apart, longest first. */
static int sort_apart(situ_tokenizer *t)
{
    int64_t *key = situ_malloc((size_t)t->aparts * sizeof *key);
    if (!key) return -1;
    for (int32_t i = 0; i < t->aparts; i++) key[i] = ((int64_t)INT32_MAX - t->token[t->apart[i]].size) << 32 | t->apart[i];
    qsort(key, (size_t)t->aparts, sizeof *key, ascending);
    for (int32_t i = 0; i < t->aparts; i++) t->apart[i] = (int32_t)key[i];
    situ_free(key);
    return 0;
}

int situ_tokens_end(situ_tokenizer *t, const char *path)
{
    t->apart = situ_malloc((size_t)t->count * sizeof *t->apart);
    if (!t->apart) return situ_fail(SITU_NO_MEMORY, NULL, "%s: no host memory for its vocabulary", path);
    for (int32_t i = 0; i < t->count; i++) {
        const situ_token *token = &t->token[i];
        if (token->kind == SITU_TOKEN_NONE) continue;
        int32_t *place = place_of(t, t->text + token->at, token->size);
        if (*place < 0) *place = i;
        if (token->size > t->longest) t->longest = token->size;
        if (token->kind == SITU_TOKEN_PLAIN || !token->size) continue;
        t->apart[t->aparts++] = i;
        t->begins[(unsigned char)t->text[token->at]] = true;
    }
    if (sort_apart(t)) return situ_fail(SITU_NO_MEMORY, NULL, "%s: no host memory for its vocabulary", path);
    for (int b = 0; b < 256; b++) t->byte[b] = situ_token_find(t, (char[]){(char)b}, 1);
    return 0;
}

/* ---- lists of tokens --------------------------------------------------------------------------------------------------------- */

void situ_numbers_add(situ_numbers *n, int32_t token)
{
    if (n->count == n->capacity) {
        int64_t capacity = n->capacity ? 2 * n->capacity : 64;
        int32_t *at = situ_realloc(n->at, (size_t)capacity * sizeof *at);
        if (!at) {
            n->failed = true;
            return;
        }
        n->at = at;
        n->capacity = capacity;
    }
    n->at[n->count++] = token;
}

void situ_numbers_free(situ_numbers *n)
{
    situ_free(n->at);
    situ_free(n->part);
    situ_free(n->heap);
}
