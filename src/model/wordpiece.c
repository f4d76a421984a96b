/* WordPiece, as in BERT: a text is cleaned; white space and punctuation separate words; each Chinese character is a
 * word. Each word is cut from the left into the longest tokens possible; tokens inside of a word are written "##ing". */
#include <string.h>

#include "model/tokenizer.h"
#include "model/unicode.h"

enum { WORD_MOST = 100, WORD_BYTES = 4 * WORD_MOST }; /* a longer word becomes the unknown token */

typedef struct word {
    char bytes[2 + WORD_BYTES]; /* the first two bytes are for "##" */
    size_t size;
    int64_t letters;
} word;

static void end_word(const situ_tokenizer *t, word *w, situ_numbers *out)
{
    int64_t before = out->count;
    char key[2 + WORD_BYTES] = "##";
    bool known = w->letters <= WORD_MOST;
    for (size_t at = 0; known && at < w->size;) {
        size_t front = at ? 2 : 0, n = w->size - at;
        memcpy(key + 2, w->bytes + at, n);
        if (n + front > t->longest) n = t->longest > front ? t->longest - front : 0;
        int32_t token = -1;
        for (; n; n--) {
            if (at + n < w->size && (w->bytes[at + n] & 0xc0) == 0x80) continue;
            token = situ_token_find(t, key + 2 - front, n + front);
            if (token >= 0) break;
        }
        known = token >= 0;
        if (known) situ_numbers_add(out, token);
        at += n;
    }
    if (!known) {
        out->count = before;
        if (t->named[SITU_UNK] >= 0) situ_numbers_add(out, t->named[SITU_UNK]);
    }
    w->size = 0;
    w->letters = 0;
}

static void add_letter(word *w, uint32_t c)
{
    if (w->letters++ < WORD_MOST) w->size += situ_put_character(c, w->bytes + w->size);
}

static bool is_chinese(uint32_t c)
{
    static const uint32_t ranges[][2] = {{0x3400, 0x4dbf}, {0x4e00, 0x9fff}, {0xf900, 0xfaff}, {0x20000, 0x2a6df},
        {0x2a700, 0x2b81f}, {0x2b920, 0x2ceaf}, {0x2f800, 0x2fa1f}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (c >= ranges[i][0] && c <= ranges[i][1]) return true;
    return false;
}

static bool is_punctuation(uint32_t c, situ_class class)
{
    /* The ASCII symbols $+<=>^`|~ count as punctuation. */
    return class == SITU_CLASS_PUNCTUATION || (c < 0x80 && class == SITU_CLASS_OTHER);
}

void situ_encode_words(const situ_tokenizer *t, const char *text, size_t size, situ_numbers *out)
{
    word w = {.size = 0};
    uint32_t c, folded[3];
    for (const char *p = text, *end = text + size; p < end;) {
        p += situ_character(p, end, &c);
        situ_class class = situ_class_of(c);
        bool dropped = c == 0 || c == 0xfffd || class == SITU_CLASS_CONTROL || c == 0x0b || c == 0x0c || c == 0x85;
        if (t->clean && dropped) continue;
        bool alone = t->chinese && is_chinese(c);
        if (alone || class == SITU_CLASS_SPACE) end_word(t, &w, out);
        if (class == SITU_CLASS_SPACE) continue;
        int n = 1;
        if (t->lower) n = situ_folded(c, folded);
        else folded[0] = c;
        for (int i = 0; i < n; i++) {
            bool mark = is_punctuation(folded[i], folded[i] == c ? class : situ_class_of(folded[i]));
            if (mark) end_word(t, &w, out);
            add_letter(&w, folded[i]);
            if (mark) end_word(t, &w, out);
        }
        if (alone) end_word(t, &w, out);
    }
    end_word(t, &w, out);
}
