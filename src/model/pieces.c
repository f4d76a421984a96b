/* Cuts a text into pieces; pairs are only merged inside of a piece. The functions implement the regular expressions
 * that vocabularies were trained with; \s, \p{L} and \p{N} are Unicode's white space, letters and numbers. */
#include <string.h>

#include "model/tokenizer.h"
#include "model/unicode.h"

typedef struct seen {
    situ_class class;
    size_t size;
    uint32_t c;
} seen;

static inline seen look(const char *p, const char *end)
{
    seen s;
    s.size = situ_character(p, end, &s.c);
    s.class = (s.c | 32) - 'a' < 26 ? SITU_CLASS_LETTER : s.c == ' ' ? SITU_CLASS_SPACE : situ_class_of(s.c);
    return s;
}

static inline bool is_word(situ_class c) { return c == SITU_CLASS_LETTER || c == SITU_CLASS_NUMBER; }
static inline bool is_mixed(situ_class c) { return !is_word(c) && c != SITU_CLASS_SPACE; }

/* The end of a run of characters of one class (SITU_CLASS_OTHER: anything but letters, numbers and space), of at most
 * `most` characters. */
static const char *run(const char *p, const char *end, situ_class class, int64_t most)
{
    for (seen s; p < end && most--; p += s.size) {
        s = look(p, end);
        if (class == SITU_CLASS_OTHER ? !is_mixed(s.class) : s.class != class) break;
    }
    return p;
}

/* Length of one of 's 't 'm 'd 're 've 'll at p, else 0. */
static size_t contraction(const char *p, const char *end, bool any_case)
{
    static const char *const endings[] = {"s", "t", "re", "ve", "m", "ll", "d"};
    if (*p != '\'') return 0;
    if (any_case && end - p > 2 && !memcmp(p + 1, "\xc5\xbf", 2)) return 3; /* U+017F (long s) is another lower-case form of S */
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t n = strlen(endings[i]);
        if ((size_t)(end - p) <= n) continue;
        size_t same = 0;
        while (same < n && (p[1 + same] | (any_case ? 32 : 0)) == endings[i][same]) same++;
        if (same == n) return n + 1;
    }
    return 0;
}

/* Matches \s+(?!\S)|\s+ for white space that ends at `stop`: all of it at the end of the text, else all but the last
 * character. */
static const char *spaces(const char *p, const char *stop, const char *end)
{
    if (stop == end) return stop;
    const char *last = stop - 1;
    while (last > p && (*last & 0xc0) == 0x80) last--;
    return last > p ? last : stop;
}

/* '(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+ */
static const char *gpt2(const char *p, const char *end)
{
    size_t n = contraction(p, end, false);
    if (n) return p + n;
    const char *q = p + (*p == ' ');
    situ_class class = q < end ? look(q, end).class : SITU_CLASS_SPACE;
    if (class != SITU_CLASS_SPACE) return run(q, end, is_word(class) ? class : SITU_CLASS_OTHER, -1);
    return spaces(p, run(p, end, SITU_CLASS_SPACE, -1), end);
}

/* (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+ */
static const char *llama3(const char *p, const char *end, int64_t digits)
{
    size_t n = contraction(p, end, true);
    if (n) return p + n;
    seen s = look(p, end);
    const char *q = p + (is_word(s.class) || s.c == '\r' || s.c == '\n' ? 0 : s.size);
    const char *letters = s.class == SITU_CLASS_NUMBER ? q : run(q, end, SITU_CLASS_LETTER, -1);
    if (letters > q) return letters;
    if (s.class == SITU_CLASS_NUMBER) return run(p, end, SITU_CLASS_NUMBER, digits);
    q = p + (*p == ' ');
    const char *stop = run(q, end, SITU_CLASS_OTHER, -1);
    if (stop > q) {
        while (stop < end && (*stop == '\r' || *stop == '\n')) stop++;
        return stop;
    }
    stop = run(p, end, SITU_CLASS_SPACE, -1);
    for (q = stop; q > p; q--)
        if (q[-1] == '\r' || q[-1] == '\n') return q;
    return spaces(p, stop, end);
}

static void cut(const situ_tokenizer *t, const char *p, const char *end, situ_numbers *out)
{
    while (p < end) {
        const char *q = t->pattern == SITU_PATTERN_GPT2 ? gpt2(p, end) : llama3(p, end, t->pattern == SITU_PATTERN_LLAMA3 ? 3 : 1);
        situ_merge_piece(t, p, (size_t)(q - p), out);
        p = q;
    }
}

/* If digits stand alone, the text between them is cut separately. */
void situ_encode_pairs(const situ_tokenizer *t, const char *text, size_t size, situ_numbers *out)
{
    const char *end = text + size, *p = text;
    for (const char *q = text; t->digits && q < end;) {
        seen s = look(q, end);
        if (s.class == SITU_CLASS_NUMBER) {
            cut(t, p, q, out);
            cut(t, q, q + s.size, out);
            p = q + s.size;
        }
        q += s.size;
    }
    cut(t, p, end, out);
}
