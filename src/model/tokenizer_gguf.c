/* Loads vocabularies from GGUF files, and from text files with one token on each line. */
#include <string.h>

#include "file/gguf.h"
#include "model/tokenizer.h"

/* Values of `tokenizer.ggml.pre`, and the pattern of each. */
static const struct {
    const char *name;
    situ_pattern pattern;
    bool digits, whole_first;
} patterns[] = {{"gpt-2", SITU_PATTERN_GPT2, false, false}, {"phi-2", SITU_PATTERN_GPT2, false, false},
    {"olmo", SITU_PATTERN_GPT2, false, false}, {"mpt", SITU_PATTERN_GPT2, false, false},
    {"roberta-bpe", SITU_PATTERN_GPT2, false, false}, {"smollm", SITU_PATTERN_GPT2, true, false},
    {"starcoder", SITU_PATTERN_GPT2, true, false}, {"refact", SITU_PATTERN_GPT2, true, false},
    {"command-r", SITU_PATTERN_GPT2, true, false}, {"codeshell", SITU_PATTERN_GPT2, true, false},
    {"llama-bpe", SITU_PATTERN_LLAMA3, false, true}, {"llama3", SITU_PATTERN_LLAMA3, false, true},
    {"llama-v3", SITU_PATTERN_LLAMA3, false, true}, {"dbrx", SITU_PATTERN_LLAMA3, false, false},
    {"smaug-bpe", SITU_PATTERN_LLAMA3, false, false}, {"qwen2", SITU_PATTERN_QWEN2, false, false},
    {"stablelm2", SITU_PATTERN_QWEN2, false, false}};

static int damaged(const situ_archive *a, const char *what)
{
    return situ_fail(SITU_BAD_FORMAT, NULL, "gguf: %s: its tokenizer: %s", a->path, what);
}

static int read_pattern(situ_tokenizer *t, const situ_archive *a)
{
    const char *pre = situ_archive_metadata(a, "tokenizer.ggml.pre");
    for (size_t i = 0; pre && i < sizeof patterns / sizeof *patterns; i++) {
        if (strcmp(pre, patterns[i].name)) continue;
        t->pattern = patterns[i].pattern;
        t->digits = patterns[i].digits;
        t->whole_first = patterns[i].whole_first;
        return 0;
    }
    return situ_fail(SITU_UNSUPPORTED, NULL,
        "gguf: %s: tokenizer.ggml.pre is \"%.40s\"; known are gpt-2, smollm, llama-bpe, qwen2 and names for the same", a->path,
        pre ? pre : "");
}

/* Token types of the format: 1 plain, 2 unknown, 3 control, 4 added, 5 unused, 6 a byte. */
static situ_token_kind kind_of(int64_t type)
{
    return type == 3 ? SITU_TOKEN_SPECIAL : type == 4 ? SITU_TOKEN_ADDED : SITU_TOKEN_PLAIN;
}

/* In GGUF the first token of a word begins with U+2581, and a later one has no prefix (WordPiece elsewhere marks it by
 * ##). */
static void set_word(situ_tokenizer *t, int64_t i, const char *text, size_t size, situ_token_kind kind)
{
    char longer[2 + 400] = "##";
    bool begins = size >= 3 && !memcmp(text, "\xe2\x96\x81", 3);
    if (begins || kind != SITU_TOKEN_PLAIN || size > sizeof longer - 2) {
        situ_token_set(t, i, text + (begins ? 3 : 0), size - (begins ? 3 : 0), kind, false);
        return;
    }
    memcpy(longer + 2, text, size);
    situ_token_set(t, i, longer, size + 2, kind, false);
}

static int read_tokens(situ_tokenizer *t, const situ_archive *a)
{
    situ_gguf_items tokens, types = {.count = 0}, counted;
    const char *text;
    size_t size, bytes = 0;
    int64_t type = 1;
    if (!situ_gguf_find(a, "tokenizer.ggml.tokens", &tokens) || tokens.type != SITU_GGUF_TEXT)
        return damaged(a, "it has no tokens");
    bool typed = situ_gguf_find(a, "tokenizer.ggml.token_type", &types);
    if (typed && types.count != tokens.count) return damaged(a, "there are more or fewer types than tokens");
    for (counted = tokens; situ_gguf_text(&counted, &text, &size); bytes += size + 2)
        if (size > UINT32_MAX / 2) return damaged(a, "a token is too long");
    if (situ_tokens_begin(t, (int64_t)tokens.count, bytes, a->path)) return -situ_error_code;
    for (int64_t i = 0; situ_gguf_text(&tokens, &text, &size); i++) {
        if (typed && !situ_gguf_integer(&types, &type)) return damaged(a, "its types are no integers");
        if (t->words) set_word(t, i, text, size, kind_of(type));
        else situ_token_set(t, i, text, size, kind_of(type), kind_of(type) == SITU_TOKEN_PLAIN);
    }
    return situ_tokens_end(t, a->path);
}

static int read_merges(situ_tokenizer *t, const situ_archive *a)
{
    situ_gguf_items merges;
    const char *text, *blank;
    size_t size;
    if (!situ_gguf_find(a, "tokenizer.ggml.merges", &merges) || merges.type != SITU_GGUF_TEXT)
        return damaged(a, "it has no merges");
    if (situ_merges_begin(t, (int64_t)merges.count, a->path)) return -situ_error_code;
    for (int32_t i = 0; situ_gguf_text(&merges, &text, &size); i++) {
        blank = size > 2 ? memchr(text + 1, ' ', size - 2) : NULL;
        size_t left = blank ? (size_t)(blank - text) : 0;
        if (!blank || !situ_merge_strings(t, i, text, left, blank + 1, size - left - 1))
            return damaged(a, "a merge is not of two tokens that make a third");
    }
    return 0;
}

/* The token that a key names, or -1. */
static int32_t named(const situ_tokenizer *t, const situ_archive *a, const char *key)
{
    double value = situ_gguf_value(a, key, -1);
    return value >= 0 && value < t->count ? (int32_t)value : -1;
}

static bool is_set(const situ_archive *a, const char *key, bool otherwise) { return situ_gguf_value(a, key, otherwise) != 0; }

int situ_tokenizer_from_gguf(situ_tokenizer *t, const situ_archive *a)
{
    static const char *const keys[SITU_NAMED_TOKENS] = {"tokenizer.ggml.bos_token_id", "tokenizer.ggml.eos_token_id",
        "tokenizer.ggml.unknown_token_id", "tokenizer.ggml.padding_token_id", "tokenizer.ggml.cls_token_id",
        "tokenizer.ggml.seperator_token_id", "tokenizer.ggml.mask_token_id"};
    const char *model = situ_archive_metadata(a, "tokenizer.ggml.model");
    t->words = model && !strcmp(model, "bert");
    if (!t->words && (!model || strcmp(model, "gpt2")))
        return situ_fail(SITU_UNSUPPORTED, NULL,
            "gguf: %s: tokenizer.ggml.model is \"%.40s\"; known are gpt2 (pairs) and bert (WordPiece)", a->path,
            model ? model : "");
    t->clean = t->chinese = t->lower = t->words;
    if ((!t->words && read_pattern(t, a)) || read_tokens(t, a) || (!t->words && read_merges(t, a))) return -situ_error_code;
    for (int i = 0; i < SITU_NAMED_TOKENS; i++) t->named[i] = named(t, a, keys[i]);
    int32_t *n = t->named;
    if (t->words && n[SITU_CLS] < 0) n[SITU_CLS] = n[SITU_BOS];
    if (t->words && n[SITU_SEP] < 0) n[SITU_SEP] = n[SITU_EOS];
    int32_t front = n[t->words ? SITU_CLS : SITU_BOS], back = n[t->words ? SITU_SEP : SITU_EOS];
    if (front >= 0 && is_set(a, "tokenizer.ggml.add_bos_token", t->words)) t->front[t->fronts++] = front;
    if (back >= 0 && is_set(a, "tokenizer.ggml.add_eos_token", t->words)) t->back[t->backs++] = back;
    return 0;
}

/* ---- text files with one token on each line -----------------------------------------------------------------------------------
 */

int situ_tokenizer_from_lines(situ_tokenizer *t, const situ_mapping *m, const char *path, bool lower)
{
    static const char *const names[] = {"[UNK]", "[PAD]", "[CLS]", "[SEP]", "[MASK]"};
    int64_t lines = 0;
    const char *text = (const char *)m->bytes, *end = text + m->size;
    for (const char *p = text; p < end; lines++) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        p = stop ? stop + 1 : end;
    }
    t->words = t->clean = t->chinese = true;
    t->lower = lower;
    if (situ_tokens_begin(t, lines, m->size, path)) return -situ_error_code;
    for (int64_t i = 0; text < end; i++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t size = (size_t)((stop ? stop : end) - text), bare = size - (size && text[size - 1] == '\r');
        situ_token_kind kind = SITU_TOKEN_PLAIN;
        for (int k = 0; k < 5; k++)
            if (strlen(names[k]) == bare && !memcmp(names[k], text, bare)) kind = SITU_TOKEN_SPECIAL;
        if (bare > UINT16_MAX) return situ_fail(SITU_BAD_FORMAT, NULL, "%s: line %lld is no token", path, (long long)i + 1);
        situ_token_set(t, i, text, bare, kind, false);
        text += size + 1;
    }
    if (situ_tokens_end(t, path)) return -situ_error_code;
    for (int k = 0; k < 5; k++) t->named[SITU_UNK + k] = situ_token_find(t, names[k], strlen(names[k]));
    if (t->named[SITU_UNK] < 0)
        return situ_fail(
            SITU_BAD_FORMAT, NULL, "%s: no tokenizer is known that begins so: not GGUF, not JSON, and no line is [UNK]", path);
    if (t->named[SITU_CLS] >= 0) t->front[t->fronts++] = t->named[SITU_CLS];
    if (t->named[SITU_SEP] >= 0) t->back[t->backs++] = t->named[SITU_SEP];
    return 0;
}
