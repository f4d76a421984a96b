#include "codegen/math_text.h"

#include <string.h>

#include "codegen/el_text.h"

static bool in_word(char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* ---------------------------------------------------------------- finding */

static const char *after_comment(const char *p)
{
    const char *end = strstr(p, "*/");
    return end ? end + 2 : p + strlen(p);
}

/* Functions begin with FN at the start of a line; they end on that line or at the next line that is a brace. */
static void parse(situ_math_section *s, const char *prefix, const char *text)
{
    s->prefix = prefix;
    s->count = 0;
    while (text && *text && s->count < SITU_MATH_FUNCTIONS) {
        const char *line = text, *end = strchr(text, '\n');
        text = end ? end + 1 : text + strlen(text);
        const char *open = strchr(line, '(');
        if (strncmp(line, "FN ", 3) || !open || open > text) continue;
        if (!memchr(line, '{', (size_t)(text - line))) {
            end = strstr(text, "\n}");
            text = end ? strchr(end + 1, '\n') : NULL;
            text = text ? text + 1 : line + strlen(line);
        }
        const char *name = open;
        while (in_word(name[-1])) name--;
        s->function[s->count++] = (situ_math_function){name, line, text, (int)(open - name), false};
    }
}

static bool known_word(const char *word, size_t n)
{
    const char *line = situ_text_vocabulary;
    for (; (line = strstr(line, "#define ")); line++)
        if (!strncmp(line + 8, word, n) && line[8 + n] == ' ') return true;
    return false;
}

void situ_math_open(situ_math *m)
{
    parse(&m->wide, "d_", situ_text_math_wide);
    parse(&m->f32, "f32_", situ_text_math_f32);
    parse(&m->f64, "f64_", situ_text_math_f64);
    parse(&m->complex, "", situ_text_complex_functions);
}

/* ---------------------------------------------------------------- needing */

/* Marks the functions whose names occur from start to end. */
static void mark(situ_math_section *s, const char *start, const char *end)
{
    for (const char *p = start; p < end; p++) {
        if (p[0] == '/' && p[1] == '*') p = after_comment(p);
        const char *word = p;
        while (p < end && in_word(*p)) p++;
        for (int i = 0; i < s->count && p > word; i++)
            if (s->function[i].length == p - word && !strncmp(s->function[i].name, word, (size_t)(p - word)))
                s->function[i].needed = true;
    }
}

void situ_math_need(situ_math *m, situ_dtype d, const char *value)
{
    if (d == SITU_F32) mark(&m->f32, value, value + strlen(value));
    if (d == SITU_F64) mark(&m->f64, value, value + strlen(value));
    if (d == SITU_C128) mark(&m->complex, value, value + strlen(value));
}

static void join(situ_math_section *s, const situ_math_section *more)
{
    for (int i = 0; i < s->count; i++) s->function[i].needed |= more->function[i].needed;
}

void situ_math_join(situ_math *m, const situ_math *more)
{
    join(&m->wide, &more->wide);
    join(&m->f32, &more->f32);
    join(&m->f64, &more->f64);
    join(&m->complex, &more->complex);
}

/* Adds the functions that the chosen ones call; each is defined before its use. Those of the section `inside` are the
 * arguments of a macro. */
static void close_over(situ_math_section *s, situ_math_section *inside, const char *macro)
{
    for (int i = s->count - 1; i >= 0; i--) {
        const situ_math_function *f = &s->function[i];
        if (!f->needed) continue;
        mark(s, f->start, f->end);
        const char *call = inside ? strstr(f->start, macro) : NULL;
        if (call && call < f->end) mark(inside, call, f->end);
    }
}

/* ---------------------------------------------------------------- writing */

static void write_function(situ_source *t, const char *prefix, const situ_math_function *f)
{
    bool bare = false; /* the name inside of in_double_n( belongs to another section, the one inside of library( to the language */
    for (const char *p = f->start; p < f->end;) {
        size_t n = 0;
        if (p[0] == '/' && p[1] == '*') {
            p = after_comment(p);
            continue;
        }
        while (p + n < f->end && in_word(p[n])) n++;
        bool word = n > 0;
        n += !word;
        situ_source_add(t, "%s%.*s", word && !bare && known_word(p, n) ? prefix : "", (int)n, p);
        if (word) bare = !strncmp(p, "in_double_", 10) || !strncmp(p, "library(", 8);
        p += n;
    }
}

static void write_section(const situ_math_section *s, situ_source *t)
{
    for (int i = 0; i < s->count; i++) {
        const situ_math_function *f = &s->function[i];
        if (!f->needed) continue;
        situ_source_add(
            t, "#ifndef SITU_%s%.*s\n#define SITU_%s%.*s\n", s->prefix, f->length, f->name, s->prefix, f->length, f->name);
        write_function(t, s->prefix, f);
        situ_source_append(t, "#endif\n");
    }
}

void situ_math_write(situ_math *m, situ_source *t)
{
    close_over(&m->complex, &m->f64, "number(");
    close_over(&m->f32, &m->wide, "in_double_");
    close_over(&m->f64, &m->wide, "in_double_");
    close_over(&m->wide, NULL, NULL);
    write_section(&m->wide, t);
    write_section(&m->f32, t);
    write_section(&m->f64, t);
    situ_source_append(t, "#define number(f) f64_##f\n");
    write_section(&m->complex, t);
}

void situ_math_append(situ_source *t, situ_dtype d, const char *value)
{
    situ_math m;
    situ_math_open(&m);
    situ_math_need(&m, d, value);
    situ_math_write(&m, t);
}
