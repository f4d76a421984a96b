/* Text files as sequences of token numbers: characters, words or byte pairs. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/vocabulary.h"
#include "device/counted.h"
#include "file/gzip.h"
#include "op/support.h"

static int by_times(const void *a, const void *b)
{
    const situ_span *x = a, *y = b;
    return x->times != y->times ? (x->times < y->times) - (x->times > y->times) : situ_span_compare(a, b);
}

/* Sorts n tokens and removes duplicates; returns how many are left. */
static int64_t distinct(situ_span *all, int64_t n, int64_t most)
{
    int64_t count = 0;
    qsort(all, (size_t)n, sizeof *all, situ_span_compare);
    for (int64_t i = 0; i < n; i++) {
        if (count && !situ_span_compare(&all[count - 1], &all[i])) all[count - 1].times++;
        else all[count++] = all[i];
    }
    if (!most || count <= most - 1) return count;
    qsort(all, (size_t)count, sizeof *all, by_times);
    qsort(all, (size_t)(most - 1), sizeof *all, situ_span_compare);
    return most - 1;
}

/* ---- byte pairs -------------------------------------------------------------------------------------------------------------- */

static situ_dataset *read_pairs(const char *bytes, size_t size, const char *path, int64_t length,
    const situ_text_dataset_options *o, const situ_vocabulary *given)
{
    int32_t most = given ? given->count : (o->most ? o->most : 1024) - SITU_BYTES;
    situ_pair *pair = situ_malloc((size_t)most * sizeof *pair + 1);
    if (pair && given) memcpy(pair, given->pair, (size_t)most * sizeof *pair);
    int32_t count = !pair ? -1 : given ? most : situ_pairs_learn(bytes, size, most, pair), *slot = NULL, *id = NULL;
    if (count >= 0 && (slot = situ_calloc(situ_pairs_slots(count), sizeof *slot))) {
        situ_pairs_index(pair, count, slot);
        id = situ_malloc(size * sizeof *id + 1);
    }
    int64_t n = id ? situ_dataset_encode_pairs(pair, count, slot, bytes, size, id, (int64_t)size) : 0;
    char *block = NULL;
    const situ_column element = {.dtype = SITU_I32};
    situ_dataset *data = id ? situ_dataset_windows(&element, n, length, o->stride, path, &block, "situ_text_dataset") : NULL;
    bool fits = data && situ_keep_pairs(data, pair, count);
    if (fits) memcpy(block, id, (size_t)n * sizeof *id);
    if (!fits && (data || !id)) situ_fail(SITU_NO_MEMORY, NULL, "situ_text_dataset: no host memory for the vocabulary of %s", path);
    if (!fits) situ_dataset_free(data);
    situ_free(pair);
    situ_free(slot);
    situ_free(id);
    return fits ? data : NULL;
}

/* ---- files ------------------------------------------------------------------------------------------------------------------- */

/* Sets the given vocabulary, or that of all n tokens. False: out of memory. */
static bool keep(situ_dataset *data, situ_span *all, int64_t n, const situ_text_dataset_options *o, const situ_vocabulary *given)
{
    if (given) return situ_vocabulary_keep(given, data);
    data->tokens = o->words ? SITU_WORDS : SITU_CHARACTERS;
    return situ_keep_tokens(data, all, distinct(all, n, o->most), o->most > 0);
}

static situ_dataset *read_text(const char *bytes, size_t size, const char *path, int64_t length, const situ_text_dataset_options *o,
    const situ_vocabulary *given)
{
    const char *p = bytes, *end = bytes + size;
    bool words = given ? given->kind == SITU_WORDS : o->words;
    int64_t n = 0;
    situ_span s, *all = memchr(bytes, 0, size) ? NULL : situ_malloc(size * sizeof *all + 1);
    if (!all) {
        if (memchr(bytes, 0, size)) situ_fail(SITU_BAD_FORMAT, NULL, "situ_text_dataset: %s: it holds a zero byte: no text", path);
        else situ_fail(SITU_NO_MEMORY, NULL, "situ_text_dataset: no host memory for the tokens of %s", path);
        return NULL;
    }
    while (situ_next_token(&p, end, words, &s)) all[n++] = s;
    char *block = NULL;
    const situ_column element = {.dtype = SITU_I32};
    situ_dataset *data = situ_dataset_windows(&element, n, length, o->stride, path, &block, "situ_text_dataset");
    bool fits = data && keep(data, all, n, o, given);
    situ_free(all);
    if (!fits) {
        if (data) situ_fail(SITU_NO_MEMORY, NULL, "situ_text_dataset: no host memory for the vocabulary of %s", path);
        situ_dataset_free(data);
        return NULL;
    }
    p = bytes;
    for (int32_t *id = (int32_t *)(void *)block; situ_next_token(&p, end, words, &s); id++) {
        if ((*id = situ_find_token(data, &s)) >= 0) continue;
        char shown[SITU_SPAN_TEXT];
        int64_t line = 1;
        for (const char *q = bytes; q < s.at; q++) line += *q == '\n';
        situ_fail(SITU_BAD_ARGUMENT, NULL,
            "situ_text_dataset: %s: \"%s\" is not in the vocabulary, which has no token for others: line %lld; .most makes one "
            "that has",
            path, situ_span_shown(&s, shown), (long long)line);
        situ_dataset_free(data);
        return NULL;
    }
    return data;
}

/* Reads a vocabulary file, which then replaces the corresponding options. */
static int read_vocabulary(situ_vocabulary *v, const situ_text_dataset_options *o, situ_site site)
{
    if (o->most)
        return situ_fail(SITU_BAD_OPTION, site, "situ_text_dataset: .most is for a vocabulary of the text, not for one of a file");
    int rc = situ_vocabulary_read(v, o->vocabulary);
    if (rc || (!o->words && !o->pairs) || v->kind == (o->words ? SITU_WORDS : SITU_PAIRS)) return rc;
    return situ_fail(SITU_BAD_OPTION, site,
        "situ_text_dataset: the vocabulary of %s is not one of %s; without the option it says which", o->vocabulary,
        o->words ? "words" : "pairs");
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
    situ_vocabulary v = {.kind = o.pairs ? SITU_PAIRS : o.words ? SITU_WORDS : SITU_CHARACTERS}, *given = o.vocabulary ? &v : NULL;
    situ_dataset *data = NULL;
    if ((!given || !read_vocabulary(given, &o, site)) && !situ_read_file(path, &bytes, &size))
        data = (v.kind == SITU_PAIRS ? read_pairs : read_text)(bytes, size, path, length, &o, given);
    situ_counted_free(bytes);
    situ_vocabulary_free(&v);
    return data;
}
