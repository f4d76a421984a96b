/* Vocabularies: numbers of tokens, and texts of numbers. */
#include "data/vocabulary.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "op/support.h"
#include "os/plain.h"

static bool in_word(char c) { return situ_is_letter(c) || situ_is_digit(c) || c == '\'' || (c & 0x80); }

bool situ_next_token(const char **p, const char *end, bool words, situ_span *out)
{
    const char *a = *p;
    while (words && a < end && situ_is_blank(*a)) a++;
    if (a == end) return false;
    unsigned char c = (unsigned char)*a;
    int64_t n = words || c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    if (words && in_word(*a))
        while (a + n < end && in_word(a[n])) n++;
    for (int64_t i = 1; !words && i < n; i++) /* a token that is no valid UTF-8 is a single byte */
        if (a + i >= end || (a[i] & 0xc0) != 0x80) n = 1;
    *out = (situ_span){a, n, 1};
    *p = a + n;
    return true;
}

int situ_span_compare(const void *a, const void *b)
{
    const situ_span *x = a, *y = b;
    int c = memcmp(x->at, y->at, (size_t)(x->size < y->size ? x->size : y->size));
    return c ? c : (x->size > y->size) - (x->size < y->size);
}

bool situ_is_text(const situ_span *s)
{
    const char *p = s->at, *end = p + s->size;
    uint32_t c;
    for (; p < end; p += situ_character(p, end, &c))
        if (situ_character(p, end, &c) == 1 && (*p & 0x80)) return false;
    return true;
}

const char *situ_byte_shown(char byte, bool text, char space[8])
{
    unsigned char c = (unsigned char)byte;
    const char *name = c == '\\' ? "\\\\" : c == '\n' ? "\\n" : c == '\r' ? "\\r" : c == '\t' ? "\\t" : NULL;
    if (name) return name;
    bool hidden = c <= ' ' || c == 0x7f || (c & 0x80 && !text);
    snprintf(space, 8, hidden ? "\\x%02x" : "%c", c);
    return space;
}

const char *situ_span_shown(const situ_span *s, char *text)
{
    char space[8];
    int64_t size = s->size < SITU_SPAN_SHOWN ? s->size : SITU_SPAN_SHOWN, n = 0;
    while (size < s->size && size > 0 && (s->at[size] & 0xc0) == 0x80) size--;
    bool whole = situ_is_text(&(situ_span){s->at, size, 0});
    for (int64_t i = 0; i < size; i++) n += snprintf(text + n, 8, "%s", situ_byte_shown(s->at[i], whole, space));
    snprintf(text + n, 4, size < s->size ? "..." : "");
    return text;
}

bool situ_keep_tokens(situ_dataset *data, const situ_span *token, int64_t count, bool others)
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

situ_span situ_token_span(const situ_dataset *data, int i)
{
    const char *text = data->token[i];
    return (situ_span){text, data->token_end ? data->token[0] + data->token_end[i] - text : (ptrdiff_t)strlen(text), 0};
}

int32_t situ_find_token(const situ_dataset *data, const situ_span *s)
{
    int low = 0, high = data->classes - 1;
    while (low <= high) {
        int middle = low + (high - low) / 2,
            c = situ_span_compare(s, &(situ_span){data->token[middle], (int64_t)strlen(data->token[middle]), 0});
        if (!c) return middle;
        if (c < 0) high = middle - 1;
        else low = middle + 1;
    }
    return data->classes && !*data->token[0] ? 0 : -1;
}

bool situ_keep_pairs(situ_dataset *data, const situ_pair *pair, int32_t count)
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

int64_t situ_dataset_encode_pairs(
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

const char *situ_dataset_token(const situ_dataset *data, int i)
{
    return situ_is_usable(data, "situ_dataset_token", "data set") && data->token && i >= 0 && i < data->classes ? data->token[i] :
                                                                                                                  NULL;
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
        return situ_dataset_encode_pairs(data->pair, data->classes - SITU_BYTES, data->slot, text, strlen(text), out, most);
    int64_t n = 0;
    situ_span s;
    for (const char *p = text, *end = text + strlen(text); situ_next_token(&p, end, data->tokens == SITU_WORDS, &s); n++) {
        int32_t id = situ_find_token(data, &s);
        char shown[SITU_SPAN_TEXT];
        if (id < 0)
            return situ_fail(SITU_BAD_ARGUMENT, NULL,
                "situ_dataset_encode: byte %lld: \"%s\" is not in the vocabulary of \"%s\", which has no token for others; .most "
                "makes one that has",
                (long long)(s.at - text), situ_span_shown(&s, shown), data->name);
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
        size_t size = (size_t)situ_token_span(data, id).size;
        if (i && data->tokens == SITU_WORDS && n++ < most) out[n - 1] = ' ';
        for (size_t k = 0; k < size; k++, n++)
            if (n < most) out[n] = text[k];
    }
    return n;
}
