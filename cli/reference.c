/* `situ help FUNCTION`: what a public header says about the function. The assembler embeds the headers. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "os/embed.h"

#define HEADERS(X) \
    X(activation) \
    X(checkpoint) \
    X(create) \
    X(custom) \
    X(data) \
    X(device) \
    X(dtype) \
    X(elementwise) \
    X(emit) \
    X(error) \
    X(fft) \
    X(file) \
    X(function) \
    X(grad) \
    X(group) \
    X(index) X(ledger) X(linalg) X(metric) X(models) X(move) X(network) X(nn) X(onnx) X(optim) X(profile) X(proof) X(random) \
        X(reduce) X(runtime) X(sequence) X(session) X(sim) X(tensor) X(text) X(train) X(tune) X(window)

#define HEADER(name) \
    SITU_EMBED(cli_header_##name, "include/situ/" #name ".h") \
    extern const char cli_header_##name[] __attribute__((visibility("hidden")));
HEADERS(HEADER)
#undef HEADER

#define HEADER(name) {#name, cli_header_##name},
static const struct header {
    const char *name, *text;
} headers[] = {HEADERS(HEADER)};
#undef HEADER

enum { HEADER_COUNT = sizeof headers / sizeof *headers };

/* A part of a header's text. */
typedef struct span {
    const char *begin, *end;
} span;

/* From `begin` to the end of the first `last` behind it. */
static span until(const char *begin, const char *last)
{
    const char *end = strstr(begin, last);
    return (span){begin, end ? end + strlen(last) : begin + strlen(begin)};
}

static const char *find(span s, const char *text)
{
    const char *at = s.begin ? strstr(s.begin, text) : NULL;
    return at && at < s.end ? at : NULL;
}

/* The text in one line, with one blank between words and without the stars of a comment's lines. */
static void flatten(span s, char *out, size_t size)
{
    size_t n = 0;
    for (const char *at = s.begin; at < s.end && n + 1 < size; at++) {
        bool line = *at == '\n';
        if (line) at += strspn(at, "\n ");
        if (line && *at == '*' && at[1] != '/') at += strspn(at, "* ");
        if (line && n && out[n - 1] != '(' && out[n - 1] != ' ') out[n++] = ' ';
        if (at < s.end && n + 1 < size) out[n++] = *at;
    }
    out[n] = '\0';
}

/* Puts `new` in the place of what stands from the first `from` up to `to`. */
static void replace(char *text, size_t size, const char *from, const char *to, const char *new)
{
    char rest[1024];
    char *begin = strstr(text, from), *end = begin ? strstr(begin, to) : NULL;
    if (!end) return;
    snprintf(rest, sizeof rest, "%s", end);
    snprintf(begin, size - (size_t)(begin - text), "%s%s", new, rest);
}

/* Where the type of the options is in a declaration of one line; NULL: it takes none by name. */
static char *type_of_options(char *declaration)
{
    char *type = strstr(declaration, "_options *options, situ_site site)");
    while (type && strncmp(type, "const ", 6)) type--;
    return type;
}

/* The declaration in one line, without the arguments that the macro of that name fills in. */
static void print_declaration(const char *declaration)
{
    char text[1024];
    snprintf(text, sizeof text, "%s", declaration);
    char *type = type_of_options(text), *at = text + strlen("SITU_API ");
    if (type) replace(text, sizeof text, type, ")", "options ...");
    replace(text, sizeof text, ", situ_site site", ")", "");
    replace(text, sizeof text, "situ_site site", ")", "void");
    puts(strncmp(at, "SITU_TOLD ", 10) ? at : at + 10);
}

/* A comment without its marks. */
static void print_comment(span comment)
{
    const char *end = comment.end - strlen(" */");
    for (const char *line = comment.begin + strlen("/* "), *next; line < end; line = next + 1) {
        next = memchr(line, '\n', (size_t)(end - line));
        if (!next) next = end;
        if (!strncmp(line, " *", 2)) line += line[2] == ' ' ? 3 : 2;
        printf("%.*s\n", (int)(next > line ? next - line : 0), line);
    }
}

/* An option, "type name; " and a comment "= 0.01 in [0, inf): meaning", as ".name = 0.01 in [0, inf): meaning". The
 * function may say another default: "Here .name = 0.01." */
static void print_option(span option, const char *comment)
{
    char text[1024], here[1040];
    flatten(option, text, sizeof text);
    char *name = strchr(text, ';'), *meaning = strstr(text, "/* ") + strlen("/* "), *end = strstr(meaning, "*/");
    *name = *end = '\0';
    while (name > text && !strchr(" *", name[-1])) name--;
    snprintf(here, sizeof here, "Here .%s = ", name);
    const char *other = strstr(comment, here);
    printf("  .%s ", name);
    if (other) {
        other += strlen(here);
        const char *stop = strstr(other, ". ");
        printf("= %.*s", (int)(stop ? stop - other : (long)strlen(other) - 1), other);
        meaning += strlen("= ") + strcspn(meaning + strlen("= "), " :");
    }
    printf("%.*s\n", (int)(strlen(meaning) - (end > meaning && end[-1] == ' ')), meaning);
}

/* The options that the declaration takes, a line for each. */
static void print_options(char *declaration, span comment)
{
    char start[160], words[4096] = "", *type = type_of_options(declaration);
    if (!type) return;
    type += strlen("const ");
    snprintf(start, sizeof start, "typedef struct SITU_BY_NAME %.*s {", (int)strcspn(type, " "), type);
    if (comment.begin) flatten((span){comment.begin, comment.end - strlen("*/")}, words, sizeof words);
    for (int i = 0; i < HEADER_COUNT; i++) {
        const char *found = strstr(headers[i].text, start);
        if (!found) continue;
        span fields = until(found, "\n}");
        putchar('\n');
        for (const char *at = find(fields, "/* = "); at; at = find((span){at + 1, fields.end}, "/* = ")) {
            const char *line = at;
            while (line[-1] != '\n') line--;
            print_option((span){line + strspn(line, " "), until(at, "*/").end}, words);
        }
    }
}

/* Is this construct of a header the function or type of that name, with or without the prefix situ_? */
static bool is_named(span construct, const char *name)
{
    bool whole = !strncmp(name, "situ_", 5), function = !strncmp(construct.begin, "SITU_API ", 9);
    for (const char *at = find(construct, "situ_"); at; at = find((span){at + 1, construct.end}, "situ_")) {
        const char *end = at + strspn(at, "abcdefghijklmnopqrstuvwxyz_0123456789"), *word = whole ? at : at + strlen("situ_");
        if (function ? *end == '(' : end + 1 == construct.end)
            return (size_t)(end - word) == strlen(name) && !strncmp(word, name, strlen(name));
    }
    return false;
}

/* The construct that begins with this line; empty: none does. */
static span construct_at(const char *line)
{
    if (!strncmp(line, "/* ", 3)) return until(line, "*/");
    if (!strncmp(line, "SITU_API ", 9)) return until(line, ";");
    if (strncmp(line, "typedef ", 8)) return (span){line, line};
    const char *first = line + strcspn(line, ";{");
    return (span){line, until(*first == '{' ? until(first, "}").end : line, ";").end};
}

/* The type, or the functions for which the comment speaks, the comment, and the options of the function. */
static void print_construct(const struct header *header, span construct, span comment)
{
    bool function = !strncmp(construct.begin, "SITU_API ", 9);
    char declaration[1024];
    if (!function) printf("%.*s\n", (int)(construct.end - construct.begin), construct.begin);
    const char *line = comment.begin ? until(comment.end, "\n").end : construct.begin;
    for (; function && *line && *line != '\n' && *line != '/' && (comment.begin || line == construct.begin);) {
        span other = construct_at(line);
        flatten(other, declaration, sizeof declaration);
        if (!strncmp(declaration, "SITU_API ", 9)) print_declaration(declaration);
        line = until(other.end, "\n").end;
    }
    if (comment.begin) {
        putchar('\n');
        print_comment(comment);
    }
    flatten(construct, declaration, sizeof declaration);
    if (function) print_options(declaration, comment);
    printf("\n#include <situ/%s.h>\n", header->name);
}

/* A comment speaks for what follows up to an empty line or the next comment. */
static int describe_in(const struct header *header, const char *name, int found)
{
    span comment = {NULL, NULL};
    for (const char *line = header->text; *line;) {
        span construct = construct_at(line);
        if (*line == '\n') comment.begin = NULL;
        else if (*line == '/') comment = construct;
        else if (construct.end > line && is_named(construct, name)) {
            if (found++) putchar('\n');
            print_construct(header, construct, comment);
        }
        line = until(construct.end, "\n").end;
    }
    return found;
}

bool cli_describe(const char *name)
{
    int found = 0;
    for (int i = 0; i < HEADER_COUNT; i++) found = describe_in(&headers[i], name, found);
    return found;
}
