/* `situ help FUNCTION`: sections of docs/reference, one page for each public header, which the assembler embeds. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "os/embed.h"

#define HEADERS(X) \
    X(activation) \
    X(checkpoint) \
    X(create) \
    X(custom) X(data) X(device) X(dtype) X(elementwise) X(error) X(fft) X(file) X(function) X(grad) X(group) X(index) X(ledger) \
        X(linalg) X(metric) X(models) X(move) X(network) X(nn) X(onnx) X(optim) X(profile) X(random) X(reduce) X(runtime) \
            X(sequence) X(tensor) X(text) X(train) X(tune) X(window)

#define PAGE(header) \
    SITU_EMBED(cli_page_##header, "docs/reference/" #header ".md") \
    extern const char cli_page_##header[] __attribute__((visibility("hidden")));
HEADERS(PAGE)
#undef PAGE

#define PAGE(header) {#header, cli_page_##header},
static const struct page {
    const char *header, *text;
} pages[] = {HEADERS(PAGE)};
#undef PAGE

enum { PAGES = sizeof pages / sizeof *pages };
static const char heading[] = "\n### ";

/* The end of a section: the next heading, or that of the page. */
static const char *end_of(const char *section)
{
    const char *end = strstr(section, heading);
    return end ? end : section + strlen(section);
}

/* Is that the section of this function, with or without the prefix situ_? */
static bool describes(const char *section, const char *name)
{
    size_t n = strlen(name);
    if (strncmp(section, name, n) && !strncmp(section, "situ_", 5)) section += 5;
    return !strncmp(section, name, n) && section[n] == '\n';
}

/* A row of a page's table of options, "| `.axis` | `int` | `-1` | range | meaning |", as ".axis = -1 in range: meaning". */
static void print_option(const char *row, const char *end)
{
    enum { NAME, TYPE, DEFAULT, RANGE, MEANING, FIELDS, MOST = 1024 };
    char field[FIELDS][MOST] = {{0}};
    int which = -1, n = 0;
    for (const char *c = row; c < end; c++) {
        if (*c == '|' && c[-1] != '\\') {
            which++;
            n = 0;
        } else if (which >= 0 && which < FIELDS && !strchr("`\\", *c) && (n || *c != ' ') && n < MOST - 1) {
            field[which][n++] = *c;
        }
    }
    for (int i = 0; i < FIELDS; i++)
        for (size_t length = strlen(field[i]); length && field[i][length - 1] == ' ';) field[i][--length] = '\0';
    printf("  %s = %s%s%s: %s\n", field[NAME], field[DEFAULT], *field[RANGE] ? " in " : "", field[RANGE], field[MEANING]);
}

/* A section without the fences of code. Some pages describe several functions once, before the first of them. */
static void print_section(const char *section, const char *before)
{
    const char *end = end_of(section), *as_above = strstr(section, "\nAs the one above.");
    section += strcspn(section, "\n");
    section += strspn(section, "\n");
    if (before && as_above && as_above < end) print_section(before, NULL);
    for (const char *line = section, *next; line < end; line = next) {
        next = memchr(line, '\n', (size_t)(end - line));
        next = next ? next + 1 : end;
        if (!strncmp(line, "| `.", 4)) print_option(line, next);
        else if (strncmp(line, "```", 3) && *line != '|') printf("%.*s", (int)(next - line), line);
    }
}

bool cli_describe(const char *name)
{
    int found = 0;
    for (int i = 0; i < PAGES; i++)
        for (const char *at = strstr(pages[i].text, heading), *before = NULL; at; at = strstr(at, heading)) {
            at += sizeof heading - 1;
            if (describes(at, name)) {
                if (found++) putchar('\n');
                print_section(at, before);
                printf("\n#include <situ/%s.h>\n", pages[i].header);
            }
            before = at;
        }
    return found;
}
