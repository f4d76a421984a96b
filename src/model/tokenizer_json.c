/* Loads tokenizer.json, the format of the package tokenizers. Features that are not supported are refused by name. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "file/json.h"
#include "model/tokenizer.h"

enum { NESTED_MOST = 4, FILE_MOST = 200000000 };

static const char llama3[] = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| "
                             "?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
static const char qwen2[] = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| "
                            "?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

/* A token of the file; the model's tokens come first, then the added ones. */
typedef struct row {
    const char *text;
    int64_t number;
    situ_token_kind kind;
    bool strip_front, strip_back, normalized;
} row;

typedef struct loader {
    situ_tokenizer *t;
    const char *path;
    situ_json j;
    char *space;
    row *rows;
    int64_t count, most;
    const char *(*merges)[2];
    int64_t merge_count, merge_most;
    bool regex, byte_level; /* regex: a pattern was given; byte_level: bytes are written in the byte alphabet */
    bool bert, lowered;     /* bert: words are cut as BERT does; lowered: an added token is searched in the normalized text */
    const char *unknown, *front[SITU_FRAME_MOST], *back[SITU_FRAME_MOST];
    int fronts, backs;
    bool prefixed; /* tokens inside of a word begin with ## */
    const char *model;
} loader;

static int unknown(loader *l, const char *what, const char *name)
{
    return situ_fail(SITU_UNSUPPORTED, NULL, "%s: its %s is \"%.60s\", which is not known here", l->path, what, name);
}

static void *grown(void *rows, int64_t count, int64_t *most, size_t size)
{
    if (count < *most) return rows;
    *most = *most ? 2 * *most : 1024;
    void *more = situ_realloc(rows, (size_t)*most * size);
    if (!more) situ_fail(SITU_NO_MEMORY, NULL, "a tokenizer: no host memory for its vocabulary");
    return more;
}

static row *more_rows(loader *l)
{
    int64_t most = l->most;
    row *rows = grown(l->rows, l->count, &most, sizeof *rows);
    if (!rows) return NULL;
    l->rows = rows;
    l->most = most;
    rows[l->count] = (row){.number = -1};
    return &rows[l->count++];
}

static bool take_bool(situ_json *j)
{
    bool yes = situ_json_peek(j) == 't';
    situ_json_skip(j);
    return yes;
}

/* Reads a string; NULL for null. */
static const char *take_text(loader *l)
{
    if (situ_json_peek(&l->j) == 'n') return situ_json_skip(&l->j), NULL;
    return situ_json_string(&l->j, &l->space);
}

/* Loops over the members of an object or a list; `more` is a variable name for the loop. */
#define EACH(more, j, begin, end) \
    for (bool more = situ_json_open(j, begin); more && !(j)->error && !situ_error_code; more = situ_json_next(j, end))

/* ---- normalizers and pre-tokenizers ------------------------------------------------------------------------------------------ */

typedef struct step {
    const char *type, *regex, *behavior;
    bool invert, prefix, use_regex, individual, accents, accents_set;
} step;

static int take_step(loader *l, const step *s, const char *what)
{
    situ_tokenizer *t = l->t;
    if (!s->type || !strcmp(s->type, "Sequence")) return 0;
    if (!strcmp(s->type, "BertNormalizer"))
        return s->accents_set && s->accents != t->lower ? unknown(l, what, "BertNormalizer with lowercase unlike strip_accents") :
                                                          0;
    if (!strcmp(s->type, "BertPreTokenizer")) return l->bert = true, 0;
    if (!strcmp(s->type, "Digits") && s->individual)
        return l->byte_level ? unknown(l, what, "Digits after ByteLevel") : (t->digits = true, 0);
    if (!strcmp(s->type, "ByteLevel")) {
        l->byte_level = true;
        l->regex |= s->use_regex;
        return s->prefix ? unknown(l, what, "ByteLevel with add_prefix_space") : 0;
    }
    bool three = s->regex && !strcmp(s->regex, llama3);
    if (strcmp(s->type, "Split") || !(three || (s->regex && !strcmp(s->regex, qwen2))))
        return unknown(l, what, !strcmp(s->type, "Split") && s->regex ? s->regex : s->type);
    if (s->invert || (s->behavior && strcmp(s->behavior, "Isolated")))
        return unknown(l, what, s->invert ? "Split with invert" : "Split with another behavior than Isolated");
    t->pattern = three ? SITU_PATTERN_LLAMA3 : SITU_PATTERN_QWEN2;
    l->regex = true;
    return 0;
}

/* Reads a normalizer or a pre_tokenizer, or a sequence of them. */
static int read_step(loader *l, const char *what, int depth)
{
    situ_json *j = &l->j;
    step s = {.use_regex = true, .accents = true};
    if (situ_json_peek(j) == 'n') return situ_json_skip(j), 0;
    EACH(more, j, '{', '}')
    {
        const char *key = situ_json_key(j, &l->space);
        if (!key) break;
        if (!strcmp(key, "type")) s.type = take_text(l);
        else if (!strcmp(key, "add_prefix_space")) s.prefix = take_bool(j);
        else if (!strcmp(key, "behavior")) s.behavior = take_text(l);
        else if (!strcmp(key, "invert")) s.invert = take_bool(j);
        else if (!strcmp(key, "use_regex")) s.use_regex = take_bool(j);
        else if (!strcmp(key, "individual_digits")) s.individual = take_bool(j);
        else if (!strcmp(key, "clean_text")) l->t->clean = take_bool(j);
        else if (!strcmp(key, "handle_chinese_chars")) l->t->chinese = take_bool(j);
        else if (!strcmp(key, "lowercase")) l->t->lower = take_bool(j);
        else if (!strcmp(key, "strip_accents")) s.accents_set = situ_json_peek(j) != 'n', s.accents = take_bool(j);
        else if (!strcmp(key, "pattern") && situ_json_peek(j) == '{') {
            EACH(inner, j, '{', '}')
            {
                const char *kind = situ_json_key(j, &l->space), *text = kind ? take_text(l) : NULL;
                if (text && !strcmp(kind, "Regex")) s.regex = text;
            }
        } else if ((!strcmp(key, "pretokenizers") || !strcmp(key, "normalizers")) && depth < NESTED_MOST) {
            EACH(inner, j, '[', ']')
            if (read_step(l, what, depth + 1)) return -situ_error_code;
        } else situ_json_skip(j);
    }
    return j->error || situ_error_code ? -situ_error_code : take_step(l, &s, what);
}

/* ---- template of a text ------------------------------------------------------------------------------------------------------ */

static int put_around(loader *l, const char *token, bool behind)
{
    int *n = behind ? &l->backs : &l->fronts;
    if (!token) return 0;
    if (*n == SITU_FRAME_MOST) return unknown(l, "post_processor", "a template of more than 4 tokens");
    (behind ? l->back : l->front)[(*n)++] = token;
    return 0;
}

/* Reads [{"SpecialToken": {"id": "[CLS]", ...}}, {"Sequence": ...}, ...]. */
static int read_template(loader *l)
{
    situ_json *j = &l->j;
    bool behind = false;
    EACH(more, j, '[', ']') EACH(inner, j, '{', '}')
    {
        const char *kind = situ_json_key(j, &l->space);
        if (!kind || strcmp(kind, "SpecialToken")) {
            behind |= kind != NULL;
            situ_json_skip(j);
            continue;
        }
        EACH(innermost, j, '{', '}')
        {
            const char *key = situ_json_key(j, &l->space);
            if (!key || strcmp(key, "id")) situ_json_skip(j);
            else if (put_around(l, take_text(l), behind)) return -situ_error_code;
        }
    }
    return -situ_error_code;
}

static int read_frame(loader *l, int depth)
{
    situ_json *j = &l->j;
    const char *type = NULL;
    if (situ_json_peek(j) == 'n') return situ_json_skip(j), 0;
    EACH(more, j, '{', '}')
    {
        const char *key = situ_json_key(j, &l->space);
        if (!key) break;
        if (!strcmp(key, "type")) type = take_text(l);
        else if (!strcmp(key, "single")) read_template(l);
        else if ((!strcmp(key, "cls") || !strcmp(key, "sep")) && situ_json_peek(j) == '[') {
            int at = 0;
            EACH(inner, j, '[', ']')
            {
                if (at++) situ_json_skip(j);
                else put_around(l, take_text(l), key[0] == 's');
            }
        } else if (!strcmp(key, "processors") && depth < NESTED_MOST) {
            EACH(inner, j, '[', ']') read_frame(l, depth + 1);
        } else situ_json_skip(j);
    }
    static const char *const types[] = {"ByteLevel", "TemplateProcessing", "BertProcessing", "RobertaProcessing", "Sequence"};
    for (size_t i = 0; type && i < sizeof types / sizeof *types; i++)
        if (!strcmp(type, types[i])) return -situ_error_code;
    return j->error || situ_error_code ? -situ_error_code : unknown(l, "post_processor", type ? type : "");
}

/* ---- tokens ----------------------------------------------------------------------------------------------------------------- */

static int read_added(loader *l)
{
    situ_json *j = &l->j;
    EACH(more, j, '[', ']')
    {
        row r = {.number = -1, .kind = SITU_TOKEN_ADDED};
        EACH(inner, j, '{', '}')
        {
            const char *key = situ_json_key(j, &l->space);
            if (!key) break;
            if (!strcmp(key, "id")) r.number = (int64_t)situ_json_count(j);
            else if (!strcmp(key, "content")) r.text = take_text(l);
            else if (!strcmp(key, "special")) r.kind = take_bool(j) ? SITU_TOKEN_SPECIAL : SITU_TOKEN_ADDED;
            else if (!strcmp(key, "lstrip")) r.strip_front = take_bool(j);
            else if (!strcmp(key, "rstrip")) r.strip_back = take_bool(j);
            else if (!strcmp(key, "normalized")) r.normalized = take_bool(j);
            else if (!strcmp(key, "single_word") && take_bool(j)) return unknown(l, "added token", "single_word");
            else if (strcmp(key, "single_word")) situ_json_skip(j);
        }
        if ((!r.text || r.number < 0) && !j->error) j->error = "an added token has no content or no id";
        row *to = j->error ? NULL : more_rows(l);
        if (to) *to = r;
        l->lowered |= r.normalized;
    }
    return -situ_error_code;
}

static void read_vocabulary(loader *l)
{
    situ_json *j = &l->j;
    if (situ_json_peek(j) != '{') return situ_json_skip(j); /* the vocabulary of another kind of model, which is refused */
    EACH(more, j, '{', '}')
    {
        const char *text = situ_json_key(j, &l->space);
        row *r = text ? more_rows(l) : NULL;
        if (!r) return;
        r->text = text;
        r->number = (int64_t)situ_json_count(j);
    }
}

/* Each merge is "a b" or ["a", "b"]. */
static void read_merges(loader *l)
{
    situ_json *j = &l->j;
    EACH(more, j, '[', ']')
    {
        int64_t most = l->merge_most;
        void *merges = grown(l->merges, l->merge_count, &most, sizeof *l->merges);
        if (!merges) return;
        l->merges = merges;
        l->merge_most = most;
        const char **m = l->merges[l->merge_count++];
        m[0] = m[1] = NULL;
        if (situ_json_peek(j) == '[') {
            int at = 0;
            EACH(inner, j, '[', ']')
            {
                const char *text = situ_json_string(j, &l->space);
                if (at < 2) m[at++] = text;
            }
            continue;
        }
        char *text = situ_json_string(j, &l->space), *blank = text && *text ? strchr(text + 1, ' ') : NULL;
        m[0] = text;
        m[1] = blank ? blank + 1 : NULL;
        if (blank) *blank = 0;
    }
}

static int read_model(loader *l)
{
    situ_json *j = &l->j;
    EACH(more, j, '{', '}')
    {
        const char *key = situ_json_key(j, &l->space);
        if (!key) break;
        if (!strcmp(key, "type")) l->model = take_text(l);
        else if (!strcmp(key, "vocab")) read_vocabulary(l);
        else if (!strcmp(key, "merges")) read_merges(l);
        else if (!strcmp(key, "unk_token")) l->unknown = take_text(l);
        else if (!strcmp(key, "ignore_merges")) l->t->whole_first = take_bool(j);
        else if (!strcmp(key, "continuing_subword_prefix") || !strcmp(key, "end_of_word_suffix")) {
            const char *text = take_text(l);
            if (text && *text && strcmp(text, "##")) return unknown(l, key, text);
            l->prefixed |= text && *text;
        } else if (!strcmp(key, "max_input_chars_per_word")) {
            if (situ_json_count(j) != 100) return unknown(l, "model", key);
        } else if (!strcmp(key, "byte_fallback") || !strcmp(key, "fuse_unk")) {
            if (take_bool(j)) return unknown(l, "model", key);
        } else if (!strcmp(key, "dropout") && situ_json_peek(j) != 'n') return unknown(l, "model", "dropout");
        else situ_json_skip(j);
    }
    return -situ_error_code;
}

/* ---- the whole file --------------------------------------------------------------------------------------------------------- */

static int32_t number_of(loader *l, const char *text) { return text ? situ_token_find(l->t, text, strlen(text)) : -1; }

static int make_tokens(loader *l)
{
    int64_t count = -1;
    size_t bytes = 0;
    for (int64_t i = 0; i < l->count; i++) {
        bytes += strlen(l->rows[i].text);
        count = l->rows[i].number >= count ? l->rows[i].number : count;
    }
    if (count++ > 2 * l->count + 1024) return situ_fail(SITU_BAD_FORMAT, NULL, "%s: most of its numbers have no token", l->path);
    if (situ_tokens_begin(l->t, count, bytes, l->path)) return -situ_error_code;
    for (int64_t i = 0; i < 2 * l->count; i++) { /* added tokens may be in the model's vocabulary, too */
        const row *r = &l->rows[i % l->count];
        if ((r->kind == SITU_TOKEN_PLAIN) != (i < l->count)) continue;
        situ_token_set(l->t, r->number, r->text, strlen(r->text), r->kind, l->byte_level && r->kind == SITU_TOKEN_PLAIN);
        l->t->token[r->number].strip_front = r->strip_front;
        l->t->token[r->number].strip_back = r->strip_back;
    }
    return situ_tokens_end(l->t, l->path);
}

/* Finds special tokens by their usual names, because the file does not tell their roles. */
static void name_tokens(loader *l)
{
    static const struct {
        int use;
        const char *text;
    } names[] = {{SITU_UNK, "[UNK]"}, {SITU_UNK, "<unk>"}, {SITU_PAD, "[PAD]"}, {SITU_PAD, "<pad>"}, {SITU_CLS, "[CLS]"},
        {SITU_SEP, "[SEP]"}, {SITU_MASK, "[MASK]"}, {SITU_MASK, "<mask>"}, {SITU_BOS, "<s>"}, {SITU_EOS, "</s>"},
        {SITU_BOS, "<|begin_of_text|>"}, {SITU_EOS, "<|end_of_text|>"}, {SITU_BOS, "<|endoftext|>"}, {SITU_EOS, "<|endoftext|>"}};
    int32_t *to = l->t->named;
    to[SITU_UNK] = number_of(l, l->unknown);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (to[names[i].use] < 0) to[names[i].use] = number_of(l, names[i].text);
}

static int make_tokenizer(loader *l)
{
    situ_tokenizer *t = l->t;
    bool pairs = l->model && !strcmp(l->model, "BPE");
    t->words = l->model && !strcmp(l->model, "WordPiece");
    if (!pairs && !t->words) return unknown(l, "model", l->model ? l->model : "");
    if (pairs && (!l->byte_level || !l->regex)) return unknown(l, "pre_tokenizer", "one without bytes or without a pattern");
    if (pairs && l->prefixed) return unknown(l, "model", "BPE with continuing_subword_prefix");
    if (t->words && !l->bert) return unknown(l, "pre_tokenizer", "none for WordPiece");
    if (t->lower && l->lowered) return unknown(l, "added token", "normalized, where texts are lowered");
    if (pairs && l->unknown) return unknown(l, "model", "BPE with unk_token");
    if (make_tokens(l)) return -situ_error_code;
    if (pairs && situ_merges_begin(t, l->merge_count, l->path)) return -situ_error_code;
    for (int64_t i = 0; pairs && i < l->merge_count; i++) {
        const char **m = l->merges[i];
        if (!m[0] || !m[1] || !situ_merge_strings(t, (int32_t)i, m[0], strlen(m[0]), m[1], strlen(m[1])))
            return situ_fail(SITU_BAD_FORMAT, NULL, "%s: merge %lld is not of two tokens that make a third", l->path, (long long)i);
    }
    name_tokens(l);
    for (int i = 0; i < l->fronts + l->backs; i++) {
        const char *text = i < l->fronts ? l->front[i] : l->back[i - l->fronts];
        int32_t token = number_of(l, text);
        if (token < 0) return situ_fail(SITU_BAD_FORMAT, NULL, "%s: \"%.60s\" is put around texts, but is no token", l->path, text);
        if (i < l->fronts) t->front[t->fronts++] = token;
        else t->back[t->backs++] = token;
    }
    return 0;
}

static int read_json(loader *l)
{
    situ_json *j = &l->j;
    EACH(more, j, '{', '}')
    {
        const char *key = situ_json_key(j, &l->space);
        if (!key) break;
        int rc = 0;
        if (!strcmp(key, "added_tokens") && situ_json_peek(j) == '[') rc = read_added(l);
        else if (!strcmp(key, "normalizer") || !strcmp(key, "pre_tokenizer")) rc = read_step(l, key, 0);
        else if (!strcmp(key, "post_processor")) rc = read_frame(l, 0);
        else if (!strcmp(key, "model")) rc = read_model(l);
        else situ_json_skip(j);
        if (rc) return rc;
    }
    if (situ_error_code) return -situ_error_code;
    if (!situ_json_end(j)) return situ_fail(SITU_BAD_FORMAT, NULL, "%s: %s", l->path, j->error);
    return make_tokenizer(l);
}

int situ_tokenizer_from_json(situ_tokenizer *t, const situ_mapping *m, const char *path)
{
    if (m->size > FILE_MOST) return situ_fail(SITU_BAD_FORMAT, NULL, "%s: more than 200 MB of JSON", path);
    char *space = situ_malloc(m->size + 1);
    if (!space) return situ_fail(SITU_NO_MEMORY, NULL, "%s: no host memory for its texts", path);
    loader l = {.t = t, .path = path, .j = situ_json_of(m->bytes, m->size), .space = space};
    int rc = read_json(&l);
    situ_free(space);
    situ_free(l.rows);
    situ_free(l.merges);
    return rc;
}
