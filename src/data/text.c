/* Text files as numbers of tokens: characters, words or pairs of bytes. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/gzip.h"
#include "base/memory.h"
#include "data/dataset.h"
#include "data/pairs.h"
#include "op/support.h"

typedef struct span {
    const char *at;
    int64_t size, times;
} span;

static bool in_word(char c) { return isalnum((unsigned char)c) || c == '\'' || (c & 0x80); }

/* The token at p, without white space before it where tokens are words; false at the end. */
static bool next_token(const char **p, const char *end, bool words, span *out)
{
    const char *a = *p;
    while (words && a < end && isspace((unsigned char)*a)) a++;
    if (a == end) return false;
    unsigned char c = (unsigned char)*a;
    int64_t n = words || c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    if (words && in_word(*a))
        while (a + n < end && in_word(a[n])) n++;
    for (int64_t i = 1; !words && i < n; i++) /* what is no UTF-8 is bytes */
        if (a + i >= end || (a[i] & 0xc0) != 0x80) n = 1;
    *out = (span){a, n, 1};
    *p = a + n;
    return true;
}

static int compare(const void *a, const void *b)
{
    const span *x = a, *y = b;
    int c = memcmp(x->at, y->at, (size_t)(x->size < y->size ? x->size : y->size));
    return c ? c : (x->size > y->size) - (x->size < y->size);
}

static int by_times(const void *a, const void *b)
{
    const span *x = a, *y = b;
    return x->times != y->times ? (x->times < y->times) - (x->times > y->times) : compare(a, b);
}

/* All different tokens among n, in order; how many. */
static int64_t distinct(span *all, int64_t n, int64_t most)
{
    int64_t count = 0;
    qsort(all, (size_t)n, sizeof *all, compare);
    for (int64_t i = 0; i < n; i++) {
        if (count && !compare(&all[count - 1], &all[i])) all[count - 1].times++;
        else all[count++] = all[i];
    }
    if (!most || count <= most - 1) return count;
    qsort(all, (size_t)count, sizeof *all, by_times);
    qsort(all, (size_t)(most - 1), sizeof *all, compare);
    return most - 1;
}

/* Texts of their own, behind "" where there is a token for others. */
static bool keep_tokens(situ_dataset *data, const span *token, int64_t count, bool others)
{
    size_t bytes = 1, at = 1;
    for (int64_t i = 0; i < count; i++) bytes += (size_t)token[i].size + 1;
    data->token = situ_dataset_block(data, (size_t)(count + others) * sizeof *data->token);
    char *text = data->token ? situ_dataset_block(data, bytes) : NULL;
    if (!text) return false;
    if (others) data->token[0] = text;
    for (int64_t i = 0; i < count; i++) {
        data->token[i + others] = memcpy(text + at, token[i].at, (size_t)token[i].size);
        at += (size_t)token[i].size + 1;
    }
    data->classes = (int)(count + others);
    return true;
}

/* The number of a token, or -1. */
static int32_t find(const situ_dataset *data, const span *s)
{
    int low = 0, high = data->classes - 1;
    while (low <= high) {
        int middle = low + (high - low) / 2, c = compare(s, &(span){data->token[middle], (int64_t)strlen(data->token[middle]), 0});
        if (!c) return middle;
        if (c < 0) high = middle - 1;
        else low = middle + 1;
    }
    return data->classes && !*data->token[0] ? 0 : -1;
}

/* ---- pairs of bytes ---------------------------------------------------------------------------------------------------------- */

/* The bytes of each token, one after the other with zeros between, and how to find them. */
static bool keep_pairs(situ_dataset *data, const situ_pair *pair, int32_t count)
{
    int tokens = SITU_BYTES + count;
    size_t *end = data->token_end = situ_dataset_block(data, (size_t)tokens * sizeof *end), at = 0;
    data->token = situ_dataset_block(data, (size_t)tokens * sizeof *data->token);
    data->pair = situ_dataset_block(data, (size_t)count * sizeof *pair);
    data->slot = situ_dataset_block(data, situ_pairs_slots(count) * sizeof *data->slot);
    if (!end || !data->token || !data->pair || !data->slot) return false;
    size_t *size = situ_malloc((size_t)tokens * sizeof *size);
    for (int i = 0; size && i < tokens; i++) {
        size[i] = i < SITU_BYTES ? 1 : size[pair[i - SITU_BYTES][0]] + size[pair[i - SITU_BYTES][1]];
        end[i] = at + size[i];
        at = end[i] + 1;
    }
    char *text = size ? situ_dataset_block(data, at) : NULL;
    for (int i = 0; text && i < tokens; i++) {
        char *to = data->token[i] = text + end[i] - size[i];
        if (i < SITU_BYTES) *to = (char)i;
        for (int k = 0; i >= SITU_BYTES && k < 2; k++) {
            int part = pair[i - SITU_BYTES][k];
            memcpy(to, data->token[part], size[part]);
            to += size[part];
        }
    }
    situ_free(size);
    memcpy(data->pair, pair, (size_t)count * sizeof *pair);
    situ_pairs_index(pair, count, data->slot);
    data->classes = tokens;
    data->tokens = SITU_PAIRS;
    return text != NULL;
}

/* The tokens of a text, of which up to `most` are written; how many there are. */
static int64_t encode_pairs(
    const situ_pair *pair, int32_t pairs, const int32_t *slot, const char *text, size_t size, int32_t *out, int64_t most)
{
    int32_t id[128];
    int64_t n = 0;
    while (size) {
        size_t bytes = situ_stretch(text, size), count = situ_pairs_encode(pair, pairs, slot, text, bytes, id);
        for (size_t i = 0; i < count; i++, n++)
            if (n < most) out[n] = id[i];
        text += bytes;
        size -= bytes;
    }
    return n;
}

static situ_dataset *read_pairs(
    const char *bytes, size_t size, const char *path, int64_t length, const situ_text_dataset_options *o)
{
    int32_t most = (o->most ? o->most : 1024) - SITU_BYTES;
    situ_pair *pair = situ_malloc((size_t)most * sizeof *pair);
    int32_t count = pair ? situ_pairs_learn(bytes, size, most, pair) : -1, *slot = NULL, *id = NULL;
    if (count >= 0 && (slot = situ_calloc(situ_pairs_slots(count), sizeof *slot))) {
        situ_pairs_index(pair, count, slot);
        id = situ_malloc(size * sizeof *id + 1);
    }
    int64_t n = id ? encode_pairs(pair, count, slot, bytes, size, id, (int64_t)size) : 0;
    char *block = NULL;
    const situ_column element = {.dtype = SITU_I32};
    situ_dataset *data = id ? situ_dataset_windows(&element, n, length, o->stride, path, &block, "situ_text_dataset") : NULL;
    bool fits = data && keep_pairs(data, pair, count);
    if (fits) memcpy(block, id, (size_t)n * sizeof *id);
    if (!fits && (data || !id)) situ_fail(SITU_NO_MEMORY, NULL, "situ_text_dataset: no host memory for the vocabulary of %s", path);
    if (!fits) situ_dataset_free(data);
    situ_free(pair);
    situ_free(slot);
    situ_free(id);
    return fits ? data : NULL;
}

/* ---- files ------------------------------------------------------------------------------------------------------------------- */

static situ_dataset *read_text(const char *bytes, size_t size, const char *path, int64_t length, const situ_text_dataset_options *o)
{
    const char *p = bytes, *end = bytes + size;
    int64_t n = 0;
    span s, *all = memchr(bytes, 0, size) ? NULL : situ_malloc(size * sizeof *all + 1);
    if (!all) {
        if (memchr(bytes, 0, size)) situ_fail(SITU_BAD_FORMAT, NULL, "situ_text_dataset: %s: it holds a zero byte: no text", path);
        else situ_fail(SITU_NO_MEMORY, NULL, "situ_text_dataset: no host memory for the tokens of %s", path);
        return NULL;
    }
    while (next_token(&p, end, o->words, &s)) all[n++] = s;
    char *block = NULL;
    const situ_column element = {.dtype = SITU_I32};
    situ_dataset *data = situ_dataset_windows(&element, n, length, o->stride, path, &block, "situ_text_dataset");
    bool fits = data && keep_tokens(data, all, distinct(all, n, o->most), o->most > 0);
    situ_free(all);
    if (!fits) {
        if (data) situ_fail(SITU_NO_MEMORY, NULL, "situ_text_dataset: no host memory for the vocabulary of %s", path);
        situ_dataset_free(data);
        return NULL;
    }
    data->tokens = o->words ? SITU_WORDS : SITU_CHARACTERS;
    p = bytes;
    for (int32_t *id = (int32_t *)(void *)block; next_token(&p, end, o->words, &s); id++) *id = find(data, &s);
    return data;
}

situ_dataset *(situ_text_dataset)(const char *path, int64_t length, const situ_text_dataset_options *options, situ_site site)
{
    SITU_SPEAK("situ_text_dataset", site);
    situ_text_dataset_options o = {SITU_DEFAULTS(SITU_TEXT_DATASET_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_text_dataset", site)) return NULL;
    void *bytes = NULL;
    size_t size;
    bool few = o.most && o.pairs ? o.most <= SITU_BYTES || o.most > SITU_PAIR_TOKENS : o.most < 0 || o.most == 1;
    if (!path || few || (o.pairs && o.words))
        return situ_fail(SITU_BAD_ARGUMENT, site, "situ_text_dataset: %s",
                   !path       ? "no file is named" :
                       !few    ? "tokens are words, or pairs of bytes, not both" :
                       o.pairs ? "a vocabulary of pairs has 257 to 65536 tokens: the 256 bytes, and at least one pair" :
                                 "a vocabulary has 2 tokens at least"),
               NULL;
    situ_dataset *data = situ_read_file(path, &bytes, &size) ? NULL :
        o.pairs                                              ? read_pairs(bytes, size, path, length, &o) :
                                                               read_text(bytes, size, path, length, &o);
    situ_free(bytes);
    return data;
}

const char *situ_dataset_token(const situ_dataset *data, int i)
{
    return situ_there(data, "situ_dataset_token", "data set") && data->token && i >= 0 && i < data->classes ? data->token[i] : NULL;
}

static bool has_vocabulary(const situ_dataset *data) { return data && data->token && data->tokens != SITU_NAMES; }

int64_t situ_dataset_encode(const situ_dataset *data, const char *text, int32_t *out, int64_t most)
{
    SITU_SPEAK_AT("situ_dataset_encode");
    if (situ_error_code || situ_ended(data, "situ_dataset_encode", "data set", NULL)) return -situ_error_code;
    if (!has_vocabulary(data) || !text || (most > 0 && !out))
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_dataset_encode: %s",
            !text                    ? "the text is NULL" :
                has_vocabulary(data) ? "out is NULL" :
                                       "the data set has no vocabulary");
    if (data->tokens == SITU_PAIRS)
        return encode_pairs(data->pair, data->classes - SITU_BYTES, data->slot, text, strlen(text), out, most);
    int64_t n = 0;
    span s;
    for (const char *p = text, *end = text + strlen(text); next_token(&p, end, data->tokens == SITU_WORDS, &s); n++) {
        int32_t id = find(data, &s);
        if (id < 0)
            return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_dataset_encode: \"%.*s\" is not in the vocabulary of \"%s\"",
                (int)(s.size < 40 ? s.size : 40), s.at, data->name);
        if (n < most) out[n] = id;
    }
    return n;
}

int64_t situ_dataset_decode(const situ_dataset *data, const int32_t *tokens, int64_t count, char *out, int64_t most)
{
    SITU_SPEAK_AT("situ_dataset_decode");
    if (situ_error_code || situ_ended(data, "situ_dataset_decode", "data set", NULL)) return -situ_error_code;
    if (!has_vocabulary(data) || count < 0 || (count && !tokens) || (most > 0 && !out))
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_dataset_decode: %s",
            !has_vocabulary(data) ? "the data set has no vocabulary" :
                count < 0         ? "a negative count" :
                                    "the tokens, or what they are written to, are NULL");
    int64_t n = 0;
    for (int64_t i = 0; i < count; i++) {
        int32_t id = tokens[i];
        if (id < 0 || id >= data->classes)
            return situ_fail(SITU_BAD_INDEX, NULL, "situ_dataset_decode: token %lld is %d; the vocabulary of \"%s\" has %d",
                (long long)i, id, data->name, data->classes);
        const char *text = data->token[id];
        size_t size = data->token_end ? (size_t)(data->token[0] + data->token_end[id] - text) : strlen(text);
        if (i && data->tokens == SITU_WORDS && n++ < most) out[n - 1] = ' ';
        for (size_t k = 0; k < size; k++, n++)
            if (n < most) out[n] = text[k];
    }
    return n;
}
