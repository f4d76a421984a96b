#include "file/json.h"

#include <string.h>

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

/* ---- texts ------------------------------------------------------------------------------------------------------------ */

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

/* \uXXXX, of which a pair may be one character: six bytes become at most three, twelve four. */
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

/* How many bytes the character at p < end has; 0: it is none. */
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

char *situ_json_string(situ_json *j, char **room)
{
    char *text = *room, *to = text;
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
    *room = to;
    return text;
}

char *situ_json_key(situ_json *j, char **room)
{
    char *key = situ_json_string(j, room);
    if (key && !take(j, ':')) return fail(j, "a colon is missing"), NULL;
    return key;
}

/* ---- the rest ---------------------------------------------------------------------------------------------------------- */

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

void situ_json_skip(situ_json *j)
{
    int depth = 0;
    do {
        char c = situ_json_peek(j);
        if (!c) fail(j, "the end comes too early");
        else if (c == '"') skip_text(j);
        else if (c == '{' || c == '[') depth++, j->p++;
        else if (c == '}' || c == ']') depth--, j->p++;
        else if (strchr(",:", c) && depth) j->p++;
        else if (strchr("-0123456789tfn", c))
            while (j->p < j->end && *j->p && strchr("-+.0123456789abcdeflnrstuE", *j->p)) j->p++;
        else fail(j, "something is no value");
        if (depth > 64) fail(j, "values are nested too deeply");
    } while (depth > 0 && !j->error);
    if (depth < 0) fail(j, "a value is expected where an end is");
}

bool situ_json_end(situ_json *j)
{
    if (!j->error && situ_json_peek(j)) fail(j, "something follows the end");
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
