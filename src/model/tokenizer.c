/* The public functions of tokenizers. */
#include <string.h>

#include "base/memory.h"
#include "device/device.h"
#include "model/tokenizer.h"
#include "model/unicode.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

enum { TEXT_MOST = 1 << 30 };

/* ---- opening ---------------------------------------------------------------------------------------------------------------- */

static void tokenizer_free(situ_tokenizer *t)
{
    situ_free(t->token);
    situ_free(t->text);
    situ_free(t->slot);
    situ_free(t->merge);
    situ_free(t->apart);
    situ_retire(t);
}

static int read_file(situ_tokenizer *t, const char *path, bool lower, situ_site site)
{
    situ_mapping *m = situ_mapping_open(path, true);
    if (!m) return -situ_error_code;
    size_t at = 0;
    while (at < m->size && at < 64 && (m->bytes[at] == ' ' || m->bytes[at] == '\n' || m->bytes[at] == '\r')) at++;
    int rc;
    if (m->size >= 4 && !memcmp(m->bytes, "GGUF", 4)) {
        const situ_archive_open_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .map = true};
        situ_archive *a = (situ_archive_open)(path, &o, site);
        rc = a ? situ_tokenizer_from_gguf(t, a) : -situ_error_code;
        situ_archive_close(a);
    } else if (at < m->size && m->bytes[at] == '{') rc = situ_tokenizer_from_json(t, m, path);
    else rc = situ_tokenizer_from_lines(t, m, path, lower);
    situ_mapping_let_go(m);
    return rc;
}

situ_tokenizer *(situ_tokenizer_open)(const char *path, const situ_tokenizer_open_options *options, situ_site site)
{
    SITU_SPEAK("situ_tokenizer_open", site);
    situ_tokenizer_open_options o = {SITU_DEFAULTS(SITU_TOKENIZER_OPEN_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_tokenizer_open", site)) return NULL;
    if (!path) return situ_fail(SITU_BAD_ARGUMENT, site, "situ_tokenizer_open: no file is named"), NULL;
    situ_tokenizer *t = situ_calloc(1, sizeof *t);
    if (!t) return situ_fail(SITU_NO_MEMORY, site, "situ_tokenizer_open: out of host memory"), NULL;
    t->handle = (situ_handle)SITU_HANDLE_NEW(TOKENIZER);
    for (int i = 0; i < SITU_NAMED_TOKENS; i++) t->named[i] = -1;
    if (!read_file(t, path, o.lower, site)) return t;
    tokenizer_free(t);
    return NULL;
}

void situ_tokenizer_close(situ_tokenizer *t)
{
    situ_site site = situ_passed_site();
    SITU_SPEAK_AT("situ_tokenizer_close");
    if (!t || situ_ended(t, "situ_tokenizer_close", "tokenizer", site)) return;
    if (situ_handle_end(t, site)) tokenizer_free(t);
}

int situ_tokenizer_count(const situ_tokenizer *t) { return situ_is_usable(t, "situ_tokenizer_count", "tokenizer") ? t->count : 0; }

int situ_tokenizer_find(const situ_tokenizer *t, const char *token)
{
    return situ_is_usable(t, "situ_tokenizer_find", "tokenizer") && token ? situ_token_find(t, token, strlen(token)) : -1;
}

int situ_tokenizer_special(const situ_tokenizer *t, const char *use)
{
    if (!situ_is_usable(t, "situ_tokenizer_special", "tokenizer") || !use) return -1;
    for (int i = 0; i < SITU_NAMED_TOKENS; i++)
        if (!strcmp(use, situ_token_names[i])) return t->named[i];
    return -1;
}

/* ---- encoding --------------------------------------------------------------------------------------------------------------- */

/* The added or special token at p, or -1. */
static int32_t token_apart(const situ_tokenizer *t, const char *p, const char *end, bool special)
{
    for (int32_t i = 0; i < t->aparts; i++) {
        const situ_token *token = &t->token[t->apart[i]];
        if (token->kind == SITU_TOKEN_SPECIAL && !special) continue;
        if (token->size <= (size_t)(end - p) && !memcmp(p, t->text + token->at, token->size)) return t->apart[i];
    }
    return -1;
}

static bool is_space(const char *p, const char *end, size_t *size)
{
    uint32_t c;
    *size = situ_character(p, end, &c);
    return situ_class_of(c) == SITU_CLASS_SPACE;
}

static const char *without_spaces(const char *begin, const char *end)
{
    while (end > begin) {
        const char *last = end - 1;
        size_t size;
        while (last > begin && (*last & 0xc0) == 0x80) last--;
        if (!is_space(last, end, &size)) break;
        end = last;
    }
    return end;
}

static void encode_text(const situ_tokenizer *t, const char *text, size_t size, bool special, situ_numbers *out)
{
    void (*encode)(const situ_tokenizer *, const char *, size_t, situ_numbers *) = t->words ? situ_encode_words : situ_encode_pairs;
    const char *from = text, *end = text + size;
    for (const char *p = text; p < end && !out->failed;) {
        int32_t token = t->begins[(unsigned char)*p] ? token_apart(t, p, end, special) : -1;
        if (token < 0) {
            p++;
            continue;
        }
        const situ_token *apart = &t->token[token];
        const char *stop = apart->strip_front ? without_spaces(from, p) : p;
        encode(t, from, (size_t)(stop - from), out);
        situ_numbers_add(out, token);
        p += apart->size;
        for (size_t n; apart->strip_back && p < end && is_space(p, end, &n);) p += n;
        from = p;
    }
    encode(t, from, (size_t)(end - from), out);
}

int situ_encode_all(
    const situ_tokenizer *t, const char *text, size_t size, bool special, bool frame, int64_t most, situ_numbers *out)
{
    int fronts = frame ? t->fronts : 0, backs = frame ? t->backs : 0;
    int64_t before = out->count;
    if (size > TEXT_MOST)
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "%s: a text has %zu bytes; 2^30 are the most", situ_speaking.name, size);
    if (most && most < fronts + backs)
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "%s: most = %lld, and what the file puts around a text has %d tokens",
            situ_speaking.name, (long long)most, fronts + backs);
    for (int i = 0; i < fronts; i++) situ_numbers_add(out, t->front[i]);
    encode_text(t, text, size, special, out);
    if (most && out->count - before > most - backs) out->count = before + most - backs;
    for (int i = 0; i < backs; i++) situ_numbers_add(out, t->back[i]);
    return out->failed ? situ_fail(SITU_NO_MEMORY, NULL, "%s: no host memory for the tokens", situ_speaking.name) : 0;
}

/* Checks the arguments that both encoding functions have; true if they are valid. */
static bool check(const situ_tokenizer *t, const void *text, situ_tokenizer_encode_options *o, const char *function, situ_site site)
{
    if (situ_ended(t, function, "tokenizer", site)) return false;
    const char *wrong = !t ? "the tokenizer is NULL" : !text ? "the text is NULL" : o->most < 0 ? "most is negative" : NULL;
    if (wrong) situ_fail(SITU_BAD_ARGUMENT, site, "%s: %s", function, wrong);
    return !wrong && !situ_device_resolve(&o->device, site);
}

situ_tensor *(
    situ_tokenizer_encode)(const situ_tokenizer *t, const char *text, const situ_tokenizer_encode_options *options, situ_site site)
{
    SITU_SPEAK("situ_tokenizer_encode", site);
    situ_tokenizer_encode_options o = {SITU_DEFAULTS(SITU_TOKENIZER_ENCODE_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_tokenizer_encode", site)) return situ_poisoned();
    if (!check(t, text, &o, "situ_tokenizer_encode", site)) return situ_poisoned();
    situ_numbers n = {.count = 0};
    situ_tensor *out = situ_poisoned();
    if (!situ_encode_all(t, text, o.bytes < 0 ? strlen(text) : (size_t)o.bytes, o.special, o.frame, o.most, &n))
        out = situ_from_host((const int32_t *)n.at, SHAPE(n.count), .device = o.device);
    situ_numbers_free(&n);
    return out;
}

static situ_tensor *filled_up(const situ_numbers *n, const int64_t *end, int count, int32_t pad, situ_device device, situ_site site)
{
    int64_t longest = 0;
    for (int i = 0; i < count; i++) {
        int64_t size = end[i] - (i ? end[i - 1] : 0);
        longest = size > longest ? size : longest;
    }
    int32_t *all = situ_malloc((size_t)(longest * count) * sizeof *all + 1);
    if (!all) return situ_refused(SITU_NO_MEMORY, site, "situ_tokenizer_batch: no host memory for the tokens");
    for (int i = 0; i < count; i++) {
        int64_t from = i ? end[i - 1] : 0;
        for (int64_t k = 0; k < longest; k++) all[i * longest + k] = from + k < end[i] ? n->at[from + k] : pad;
    }
    situ_tensor *out = situ_from_host((const int32_t *)all, SHAPE(count, longest), .device = device);
    situ_free(all);
    return out;
}

situ_tensor *(situ_tokenizer_batch)(const situ_tokenizer *t, const char *const *texts, int count,
    const situ_tokenizer_encode_options *options, situ_site site)
{
    SITU_SPEAK("situ_tokenizer_batch", site);
    situ_tokenizer_encode_options o = {SITU_DEFAULTS(SITU_TOKENIZER_ENCODE_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_tokenizer_batch", site)) return situ_poisoned();
    if (!check(t, texts, &o, "situ_tokenizer_batch", site)) return situ_poisoned();
    if (count < 1 || o.bytes >= 0)
        return situ_refused(SITU_BAD_ARGUMENT, site, "situ_tokenizer_batch: %s",
            count < 1 ? "there is no text" : "its texts end with a zero, bytes is for a single text");
    situ_numbers n = {.count = 0};
    int64_t *end = situ_malloc((size_t)count * sizeof *end);
    situ_tensor *out = situ_poisoned();
    int rc = end ? 0 : situ_fail(SITU_NO_MEMORY, site, "situ_tokenizer_batch: no host memory for the tokens");
    for (int i = 0; i < count && !rc; i++) {
        rc = texts[i] ? situ_encode_all(t, texts[i], strlen(texts[i]), o.special, o.frame, o.most, &n) :
                        situ_fail(SITU_BAD_ARGUMENT, site, "situ_tokenizer_batch: text %d is NULL", i);
        end[i] = n.count;
    }
    if (!rc) out = filled_up(&n, end, count, t->named[SITU_PAD] < 0 ? 0 : t->named[SITU_PAD], o.device, site);
    situ_free(end);
    situ_numbers_free(&n);
    return out;
}

/* ---- decoding --------------------------------------------------------------------------------------------------------------- */

int64_t situ_tokenizer_decode(const situ_tokenizer *t, const int32_t *tokens, int64_t count, char *out, int64_t most)
{
    SITU_SPEAK_AT("situ_tokenizer_decode");
    if (situ_error_code || situ_ended(t, "situ_tokenizer_decode", "tokenizer", NULL)) return -situ_error_code;
    if (!t || count < 0 || (count && !tokens) || (most > 0 && !out))
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_tokenizer_decode: %s",
            !t            ? "the tokenizer is NULL" :
                count < 0 ? "a negative count" :
                            "the tokens, or what they are written to, are NULL");
    int64_t n = 0;
    for (int64_t i = 0; i < count; i++) {
        if (tokens[i] < 0 || tokens[i] >= t->count || t->token[tokens[i]].kind == SITU_TOKEN_NONE)
            return situ_fail(SITU_BAD_INDEX, NULL, "situ_tokenizer_decode: token %lld is %d; the vocabulary has %d", (long long)i,
                tokens[i], t->count);
        const situ_token *token = &t->token[tokens[i]];
        if (token->kind == SITU_TOKEN_SPECIAL) continue;
        const char *text = t->text + token->at;
        size_t size = token->size;
        bool goes_on = t->words && size > 2 && !memcmp(text, "##", 2);
        if (goes_on && n) text += 2, size -= 2;
        else if (t->words && n && n++ < most) out[n - 1] = ' ';
        for (size_t k = 0; k < size; k++, n++)
            if (n < most) out[n] = text[k];
    }
    return n;
}

int64_t situ_text_whole(const char *text)
{
    int64_t bytes = text ? (int64_t)strlen(text) : 0;
    for (int64_t back = 1; back <= 3 && back <= bytes; back++) { /* incomplete UTF-8 at the end, which later bytes may complete */
        unsigned char c = (unsigned char)text[bytes - back];
        int64_t needs = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 ? 2 : 1;
        if (c >= 0xc2 && c < 0xf5) return needs > back ? bytes - back : bytes;
        if ((c & 0xc0) != 0x80) break;
    }
    return bytes;
}
