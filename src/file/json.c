#include "file/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/utf8.h"

static bool fail(situ_json *j, const char *what)
{
    if (!j->error) j->error = what;
    j->p = j->end;
    return false;
}

static void blanks(situ_json *j)
{
    while (j->p < j->end && (*j->p == ' ' || *j->p == '\t' || *j->p == '\n' || *j->p == '\r')) j->p++;
}

char situ_json_peek(situ_json *j)
{
    blanks(j);
    return (char)(j->p < j->end ? *j->p : 0);
}

static bool take(situ_json *j, char c)
{
    if (situ_json_peek(j) != c || !c) return false;
    j->p++;
    return true;
}

bool situ_json_open(situ_json *j, char bracket)
{
    if (!take(j, bracket))
        return fail(
            j, bracket == '{' ? "an object is expected where something else is" : "a list is expected where something else is");
    return !take(j, bracket == '{' ? '}' : ']');
}

bool situ_json_next(situ_json *j, char bracket)
{
    if (take(j, ',')) return true;
    if (!take(j, bracket)) fail(j, "a comma or the end of an object or list is missing");
    return false;
}

/* ---- strings ---------------------------------------------------------------------------------------------------------- */

static int hex4(situ_json *j)
{
    int v = 0;
    if (j->end - j->p < 4) return -1;
    for (int i = 0; i < 4; i++) {
        char c = *j->p++;
        int d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
        if (d < 0) return -1;
        v = v << 4 | d;
    }
    return v;
}

/* Decodes \uXXXX, or a surrogate pair of two: six bytes become at most three, twelve become four. */
static char *unescape_unicode(situ_json *j, char *to)
{
    int c = hex4(j);
    if (c >= 0xd800 && c < 0xdc00 && j->end - j->p >= 2 && j->p[0] == '\\' && j->p[1] == 'u') {
        j->p += 2;
        int low = hex4(j);
        c = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00) : -1;
    }
    if (c > 0 && !(c >= 0xd800 && c < 0xe000)) return to + situ_put_character((uint32_t)c, to);
    fail(j, c ? "a text has an escape that is no character" : "a text has a NUL in it");
    return to;
}

static char *unescape(situ_json *j, char *to)
{
    static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
    char c = (char)(j->p < j->end ? *j->p++ : 0);
    if (c == 'u') return unescape_unicode(j, to);
    const char *at = c ? strchr(from, c) : NULL;
    if (!at) fail(j, "a text has an unknown escape");
    else *to++ = into[at - from];
    return to;
}

/* Number of bytes of the UTF-8 character at p < end; 0: invalid. */
static size_t whole_character(const char *p, const char *end)
{
    uint32_t c;
    size_t n = situ_character(p, end, &c);
    return n == 1 && c == 0xfffd ? 0 : n;
}

bool situ_json_is_text(const char *text)
{
    const char *p = text, *end = p + strlen(text);
    for (size_t n; p < end; p += n)
        if (!(n = whole_character(p, end))) return false;
    return true;
}

char *situ_json_string(situ_json *j, char **space)
{
    char *text = *space, *to = text;
    if (!take(j, '"')) return fail(j, "a text is expected where something else is"), NULL;
    while (j->p < j->end && *j->p != '"' && !j->error) {
        if (*j->p == '\\') {
            j->p++;
            to = unescape(j, to);
            continue;
        }
        size_t n = whole_character(j->p, j->end);
        if (!n || (unsigned char)*j->p < 0x20)
            return fail(j, n ? "a text has a control character in it" : "a text is not UTF-8"), NULL;
        memcpy(to, j->p, n);
        to += n;
        j->p += n;
    }
    if (j->error || j->p == j->end) return fail(j, "a text has no end"), NULL;
    j->p++;
    *to++ = 0;
    *space = to;
    return text;
}

char *situ_json_key(situ_json *j, char **space)
{
    char *key = situ_json_string(j, space);
    if (key && !take(j, ':')) return fail(j, "a colon is missing"), NULL;
    return key;
}

/* ---- other values ------------------------------------------------------------------------------------------------------ */

uint64_t situ_json_count(situ_json *j)
{
    uint64_t v = 0;
    blanks(j);
    const char *start = j->p;
    for (; j->p < j->end && *j->p >= '0' && *j->p <= '9'; j->p++)
        if (__builtin_mul_overflow(v, 10u, &v) || __builtin_add_overflow(v, (uint64_t)(*j->p - '0'), &v) || v > INT64_MAX)
            return fail(j, "a number is beyond 2^63"), 0;
    bool whole = j->p > start && (*start != '0' || j->p == start + 1) && (j->p == j->end || !strchr(".eE", *j->p));
    if (!whole) fail(j, "a whole number from 0 on is expected where something else is");
    return whole ? v : 0;
}

static void skip_text(situ_json *j)
{
    for (j->p++; j->p < j->end && *j->p != '"'; j->p++)
        if (*j->p == '\\') j->p++;
    if (j->p >= j->end) fail(j, "a text has no end");
    else j->p++;
}

enum { DEEPEST = 64 };

/* A key: the object it is in, a hash of its characters, and its position. */
typedef struct key {
    uint64_t object, hash;
    const char *at;
} key;

/* All keys seen by a walk. */
typedef struct keys {
    key *key;
    size_t count, capacity;
    uint64_t objects;
} keys;

/* Hash of a key's characters after unescaping. */
static uint64_t take_key(situ_json *j)
{
    uint64_t hash = 0;
    if (!take(j, '"')) return fail(j, "a text is expected where something else is"), 0;
    while (j->p < j->end && *j->p != '"') {
        situ_json k = *j;
        char bytes[8] = {*k.p++}, *to = bytes + 1;
        if (bytes[0] == '\\') to = unescape(&k, bytes);
        if (k.error) k.p = j->p + 1, to = bytes + 1; /* an invalid escape, which is reported elsewhere: hashed as written */
        for (const char *c = bytes; c < to; c++) hash = situ_mix64(hash * 257 + (unsigned char)*c + 1);
        j->p = k.p;
    }
    if (j->p == j->end) return fail(j, "a text has no end"), 0;
    j->p++;
    if (!take(j, ':')) fail(j, "a colon is missing");
    return hash;
}

static void note_key(situ_json *j, keys *all, uint64_t object)
{
    blanks(j);
    const char *at = j->p;
    uint64_t hash = take_key(j);
    if (!all || j->error) return;
    if (all->count == all->capacity) {
        size_t capacity = all->capacity ? 2 * all->capacity : 64;
        key *more = situ_realloc(all->key, capacity * sizeof *more);
        if (!more) {
            situ_fail(SITU_NO_MEMORY, NULL, "no host memory for the keys of a JSON text");
            fail(j, "no host memory");
            return;
        }
        all->key = more;
        all->capacity = capacity;
    }
    all->key[all->count++] = (key){object, hash, at};
}

static const char *digits(const char *p, const char *end)
{
    while (p < end && *p >= '0' && *p <= '9') p++;
    return p;
}

static void skip_number(situ_json *j)
{
    const char *p = j->p + (*j->p == '-'), *whole = digits(p, j->end);
    bool good = whole > p && (*p != '0' || whole == p + 1);
    if (whole < j->end && *whole == '.') {
        p = whole + 1;
        whole = digits(p, j->end);
        good &= whole > p;
    }
    if (whole < j->end && (*whole == 'e' || *whole == 'E')) {
        p = whole + 1;
        p += p < j->end && (*p == '+' || *p == '-');
        whole = digits(p, j->end);
        good &= whole > p;
    }
    j->p = whole;
    if (!good) fail(j, "a number is not written as JSON has it");
}

static bool skip_word(situ_json *j, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(j->end - j->p) < n || memcmp(j->p, word, n)) return false;
    j->p += n;
    return true;
}

static void skip_scalar(situ_json *j)
{
    char c = situ_json_peek(j);
    if (!c) fail(j, j->p < j->end ? "something is no value" : "the end comes too early");
    else if (c == '"') skip_text(j);
    else if (strchr("-0123456789", c)) skip_number(j);
    else if (!skip_word(j, "true") && !skip_word(j, "false") && !skip_word(j, "null")) fail(j, "something is no value");
}

/* Walks over a value with everything in it; collects keys if `all` is given. */
static void walk(situ_json *j, keys *all)
{
    char bracket[DEEPEST];
    uint64_t object[DEEPEST];
    int depth = 0;
    do {
        char c = situ_json_peek(j);
        bool opened = c == '{' || c == '[';
        if (opened && depth == DEEPEST) fail(j, "values are nested too deeply");
        if (!opened) skip_scalar(j);
        else if (!j->error) {
            bracket[depth] = c == '{' ? '}' : ']';
            object[depth++] = all ? all->objects++ : 0;
            j->p++;
        }
        /* after a value, or at the beginning of an opened list or object */
        bool more = opened && !j->error && !take(j, bracket[depth - 1]);
        if (opened && !more) depth--;
        while (!more && depth > 0 && !j->error)
            if (!(more = situ_json_next(j, bracket[depth - 1]))) depth--;
        if (more && !j->error && bracket[depth - 1] == '}') note_key(j, all, object[depth - 1]);
    } while (depth > 0 && !j->error);
}

void situ_json_skip(situ_json *j) { walk(j, NULL); }

static int by_key(const void *a, const void *b)
{
    const key *x = a, *y = b;
    if (x->object != y->object) return x->object < y->object ? -1 : 1;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* An error if an object has the same key twice: other readers disagree on which one counts. */
static void refuse_twins(situ_json *j)
{
    keys all = {.key = NULL};
    situ_json whole = situ_json_of(j->begin, (size_t)(j->end - j->begin));
    walk(&whole, &all);
    if (whole.error) fail(j, whole.error);
    if (all.count) qsort(all.key, all.count, sizeof *all.key, by_key);
    for (size_t i = 1; i < all.count && !j->error; i++) {
        const key *k = &all.key[i];
        if (k->object != k[-1].object || k->hash != k[-1].hash) continue;
        size_t n = 0;
        while (n < 60 && k->at + 1 + n < j->end && k->at[1 + n] != '"') n++;
        snprintf(j->twin, sizeof j->twin, "\"%.*s\" is there twice", (int)n, k->at + 1);
        fail(j, j->twin);
    }
    situ_free(all.key);
}

bool situ_json_end(situ_json *j)
{
    blanks(j);
    if (!j->error && j->p < j->end) fail(j, "something follows the end");
    if (!j->error) refuse_twins(j);
    return !j->error;
}

size_t situ_json_quote(char *to, const char *text)
{
    static const char hex[] = "0123456789abcdef";
    size_t n = 0;
    char none[8];
#define PUT(c) ((to ? to + n : none)[0] = (char)(c), n++)
    PUT('"');
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p == '"' || *p == '\\') PUT('\\'), PUT(*p);
        else if (*p >= 0x20) PUT(*p);
        else PUT('\\'), PUT('u'), PUT('0'), PUT('0'), PUT(hex[*p >> 4]), PUT(hex[*p & 15]);
    }
    PUT('"');
#undef PUT
    return n;
}
