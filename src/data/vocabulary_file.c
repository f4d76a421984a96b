/* Vocabulary files: a line with version, kind and number of tokens, then one token on each line. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/vocabulary.h"
#include "device/counted.h"
#include "file/gzip.h"
#include "op/support.h"
#include "os/file.h"

#define FIRST "situ vocabulary 1 "
static const char *const kinds[] = {[SITU_CHARACTERS] = "characters", [SITU_WORDS] = "words", [SITU_PAIRS] = "pairs"};

/* ---- writing --------------------------------------------------------------------------------------------------------------- */

static void put_escaped(FILE *f, situ_span s)
{
    char space[8];
    bool text = situ_is_text(&s);
    for (int64_t i = 0; i < s.size; i++) fputs(situ_byte_shown(s.at[i], text, space), f);
}

int situ_dataset_save_vocabulary(const situ_dataset *data, const char *path)
{
    SITU_SPEAK_AT("situ_dataset_save_vocabulary");
    situ_file file;
    if (situ_error_code || situ_ended(data, "situ_dataset_save_vocabulary", "data set", NULL)) return -situ_error_code;
    if (!path || !data || !data->token || data->tokens == SITU_NAMES)
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_dataset_save_vocabulary: %s",
            path ? "the data set has no vocabulary" : "no file is named");
    FILE *f = situ_file_begin(&file, path, false);
    if (!f) return situ_fail(SITU_IO, NULL, "situ_dataset_save_vocabulary: %s: %s", path, situ_file_why(errno));
    bool pairs = data->tokens == SITU_PAIRS;
    int first = pairs ? SITU_BYTES : 0;
    fprintf(f, FIRST "%s %d\n", kinds[data->tokens], data->classes - first);
    for (int i = first; i < data->classes; i++) {
        if (pairs) fprintf(f, "%d %d ", data->pair[i - first][0], data->pair[i - first][1]);
        put_escaped(f, situ_token_span(data, i));
        fputc('\n', f);
    }
    int code = situ_file_end(&file, true);
    return code ? situ_fail(SITU_IO, NULL, "situ_dataset_save_vocabulary: %s: %s", path, situ_file_why(code)) : 0;
}

/* ---- reading --------------------------------------------------------------------------------------------------------------- */

static int wrong(const char *path, int64_t line, const char *what)
{
    return situ_fail(
        SITU_BAD_FORMAT, NULL, "%s: the vocabulary %s: line %lld: %s", situ_speaking.name, path, (long long)line, what);
}

static int hexadecimal(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

/* Removes the escapes of a line in place. NULL, or a message. */
static const char *unescape(char *text, size_t size, situ_span *out)
{
    char *to = text;
    for (const char *p = text, *end = text + size; p < end; p++) {
        if ((unsigned char)*p < ' ' || *p == 0x7f) return "a control character; it is written as an escape, \\r or \\x0d";
        char next = p + 1 < end ? p[1] : 0;
        if (*p != '\\') *to++ = *p;
        else if (next == 'x') {
            int high = p + 3 < end ? hexadecimal(p[2]) : -1, low = p + 3 < end ? hexadecimal(p[3]) : -1;
            if (high < 0 || low < 0) return "\\x without two digits of 0 to 9 and a to f";
            *to++ = (char)(16 * high + low);
            p += 3;
        } else {
            static const char escapes[] = "\\nrt", meant[] = "\\\n\r\t";
            const char *e = next ? strchr(escapes, next) : NULL;
            if (!e) return "an unknown escape; there are \\\\, \\n, \\r, \\t and \\x with two digits";
            *to++ = meant[e - escapes];
            p++;
        }
    }
    *out = (situ_span){text, to - text, 0};
    return NULL;
}

/* Checks that tokens are sorted by bytes, and that the token can occur in a text. */
static const char *check_token(const situ_vocabulary *v, int32_t i)
{
    situ_span s = v->token[i], first;
    const char *p = s.at;
    if (!s.size) return i ? "an empty token stands for others, on the first line" : NULL;
    if (memchr(s.at, 0, (size_t)s.size)) return "a zero byte";
    if (!situ_next_token(&p, s.at + s.size, v->kind == SITU_WORDS, &first) || first.at != s.at || first.size != s.size)
        return v->kind == SITU_WORDS ? "more than one word" : "more than one character";
    int order = i ? situ_span_compare(&v->token[i - 1], &s) : -1;
    return !order ? "the token of the line before" : order > 0 ? "tokens are in the order of their bytes; this one is not" : NULL;
}

/* Parses "104 101 he": the two tokens that are merged, and the result. */
static const char *take_pair(situ_vocabulary *v, int32_t i, char *line, char *end)
{
    situ_span *made = v->token + SITU_BYTES + i;
    char *p = line;
    for (int k = 0; k < 2; k++) {
        errno = 0;
        char *after;
        long id = *p >= '0' && *p <= '9' ? strtol(p, &after, 10) : -1;
        if (id < 0 || after >= end || *after != ' ') return "two numbers and a text are expected, as in \"104 101 he\"";
        if (id >= SITU_BYTES + i) return "a pair is of tokens that are there already";
        v->pair[i][k] = (int32_t)id;
        p = after + 1;
    }
    const char *what = unescape(p, (size_t)(end - p), made);
    if (what) return what;
    situ_span a = v->token[v->pair[i][0]], b = v->token[v->pair[i][1]];
    bool same = made->size == a.size + b.size && !memcmp(made->at, a.at, (size_t)a.size) &&
        !memcmp(made->at + a.size, b.at, (size_t)b.size);
    return same ? NULL : "the text is not that of the two tokens";
}

static int by_pair(const void *a, const void *b) { return memcmp(a, b, sizeof(situ_pair)); }

static int pair_twice(const situ_vocabulary *v, const char *path)
{
    situ_pair *sorted = situ_malloc((size_t)v->count * sizeof *sorted + 1);
    if (!sorted) return situ_fail(SITU_NO_MEMORY, NULL, "%s: no host memory for the vocabulary %s", situ_speaking.name, path);
    memcpy(sorted, v->pair, (size_t)v->count * sizeof *sorted);
    if (v->count) qsort(sorted, (size_t)v->count, sizeof *sorted, by_pair);
    int rc = 0;
    for (int32_t i = 1; i < v->count && !rc; i++)
        if (!by_pair(sorted[i - 1], sorted[i]))
            rc = situ_fail(SITU_BAD_FORMAT, NULL, "%s: the vocabulary %s: the pair %d %d is there twice", situ_speaking.name, path,
                sorted[i][0], sorted[i][1]);
    situ_free(sorted);
    return rc;
}

static int read_lines(situ_vocabulary *v, const char *path, char *p, char *end)
{
    bool pairs = v->kind == SITU_PAIRS;
    for (int32_t i = 0; i < v->count; i++) {
        char *stop = memchr(p, '\n', (size_t)(end - p));
        if (!stop) return wrong(path, i + 2, "the file ends here; it is cut");
        const char *what = pairs ? take_pair(v, i, p, stop) : unescape(p, (size_t)(stop - p), &v->token[i]);
        if (!what && !pairs) what = check_token(v, i);
        if (what) return wrong(path, i + 2, what);
        p = stop + 1;
    }
    if (p != end) return wrong(path, v->count + 2, "more tokens than the first line says");
    return pairs ? pair_twice(v, path) : 0;
}

/* Reads the first line, and checks that the file is long enough for one line per token. */
static char *read_first(situ_vocabulary *v, const char *path, char *p, size_t size)
{
    char *end = memchr(p, '\n', size);
    size_t front = sizeof FIRST - 1;
    if (!end || size < front || memcmp(p, FIRST, front)) {
        situ_fail(SITU_BAD_FORMAT, NULL,
            "%s: %s is no vocabulary of situ: it does not begin with \"" FIRST "\", a kind and a count", situ_speaking.name, path);
        return NULL;
    }
    char *kind = p + front, *after;
    for (v->kind = 0; v->kind <= SITU_PAIRS; v->kind++) {
        size_t n = strlen(kinds[v->kind]);
        if (strncmp(kind, kinds[v->kind], n) || kind[n] != ' ' || kind[n + 1] < '0' || kind[n + 1] > '9') continue;
        unsigned long long count = strtoull(kind + n + 1, &after, 10);
        if (*after == '\r')
            return wrong(path, 1, "it ends in \\r\\n, as some editors write it; lines of a vocabulary end in \\n"), NULL;
        if (after != end || count > (v->kind == SITU_PAIRS ? SITU_PAIR_TOKENS - SITU_BYTES : INT32_MAX) ||
            (!count && v->kind != SITU_PAIRS))
            break;
        if (count > size) return wrong(path, 1, "there are fewer lines; it is cut"), NULL;
        v->count = (int32_t)count;
        return end + 1;
    }
    return wrong(path, 1, "a kind, characters, words or pairs, and a count are expected"), NULL;
}

int situ_vocabulary_read(situ_vocabulary *v, const char *path)
{
    void *bytes = NULL;
    size_t size;
    *v = (situ_vocabulary){.kind = 0};
    if (situ_read_file(path, &bytes, &size)) return -situ_error_code;
    v->bytes = bytes;
    char *p = read_first(v, path, v->bytes, size);
    if (!p) return -situ_error_code;
    bool pairs = v->kind == SITU_PAIRS;
    size_t tokens = (size_t)v->count + (pairs ? SITU_BYTES : 0);
    v->token = situ_calloc(tokens, sizeof *v->token);
    v->pair = pairs ? situ_malloc((size_t)v->count * sizeof *v->pair + 1) : NULL;
    v->byte = pairs ? situ_malloc(SITU_BYTES) : NULL;
    if (!v->token || (pairs && (!v->pair || !v->byte)))
        return situ_fail(SITU_NO_MEMORY, NULL, "%s: no host memory for the vocabulary %s", situ_speaking.name, path);
    for (int i = 0; pairs && i < SITU_BYTES; i++) {
        v->byte[i] = (char)i;
        v->token[i] = (situ_span){v->byte + i, 1, 0};
    }
    int rc = read_lines(v, path, p, v->bytes + size);
    v->others = !rc && !pairs && !v->token[0].size;
    return rc;
}

void situ_vocabulary_free(situ_vocabulary *v)
{
    situ_free(v->token);
    situ_free(v->pair);
    situ_free(v->byte);
    situ_counted_free(v->bytes);
}

bool situ_vocabulary_keep(const situ_vocabulary *v, situ_dataset *data)
{
    data->tokens = v->kind;
    return v->kind == SITU_PAIRS ? situ_keep_pairs(data, v->pair, v->count) :
                                   situ_keep_tokens(data, v->token + v->others, v->count - v->others, v->others);
}

situ_dataset *situ_vocabulary_dataset(const char *path)
{
    SITU_SPEAK_AT("situ_vocabulary_dataset");
    if (situ_error_code) return NULL;
    if (!path) return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_vocabulary_dataset: no file is named"), NULL;
    static char name[] = "tokens";
    situ_vocabulary v = {.kind = 0};
    situ_dataset *data = situ_vocabulary_read(&v, path) ?
        NULL :
        situ_dataset_frame(0, &(situ_column){.name = name, .dtype = SITU_I32}, 1, 1, 0, path);
    if (data && !situ_vocabulary_keep(&v, data)) {
        situ_fail(SITU_NO_MEMORY, NULL, "situ_vocabulary_dataset: no host memory for the vocabulary %s", path);
        situ_dataset_free(data);
        data = NULL;
    }
    situ_vocabulary_free(&v);
    return data;
}
