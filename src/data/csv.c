/* CSV files: numbers become f32; other text becomes the number of its category. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/dataset.h"
#include "device/counted.h"
#include "file/gzip.h"
#include "op/support.h"
#include "os/plain.h"

enum { MOST_COLUMNS = 1 << 16, NUMBER_BYTES = 32 };

/* The cells of the file: each a zero-terminated string within the file's own bytes. */
typedef struct table {
    const char *path;
    char *bytes, **cell, **name;
    int64_t cells, capacity, columns, rows;
    int64_t first; /* line number of the first row, for messages */
    char *uses;    /* [column] 'i' input, 't' target, 0 neither */
    char *words;   /* [column] 'c' if its values are categories, else 0 */
} table;

static int fail_at(const table *t, int64_t row, const char *words)
{
    return situ_fail(SITU_BAD_FORMAT, NULL, "situ_csv: %s:%lld: %s", t->path, (long long)(row + t->first), words);
}

static bool add_cell(table *t, char *text)
{
    if (t->cells == t->capacity) {
        int64_t capacity = t->capacity ? 2 * t->capacity : 1024;
        char **cell = situ_realloc(t->cell, (size_t)capacity * sizeof *cell);
        if (!cell) return situ_fail(SITU_NO_MEMORY, NULL, "situ_csv: no host memory for the cells of %s", t->path) == 0;
        t->cell = cell;
        t->capacity = capacity;
    }
    t->cell[t->cells++] = text;
    return true;
}

/* Terminates the cell at p and removes its quotes; `behind` is set to what follows. Returns what ended it: the
 * separator, '\n' or 0. -1: a missing closing quote; -2: text after a closing quote. */
static int cut_cell(char *p, char separator, char **text, char **behind)
{
    while (*p == ' ') p++;
    bool quoted = *p == '"';
    char *to = p += quoted, *end;
    *text = p;
    if (!quoted) {
        end = p + strcspn(p, (char[]){separator, '\n', 0});
        to = end;
        while (to > p && situ_is_blank(to[-1])) to--;
    } else {
        for (; *p && (*p != '"' || p[1] == '"'); *to++ = *p++) p += *p == '"';
        if (!*p) return -1;
        end = p + 1 + strspn(p + 1, separator == '\t' ? " \r" : " \t\r");
        if (*end && *end != separator && *end != '\n') return -2;
    }
    int ended = *end;
    *behind = end + (ended != 0);
    *to = 0;
    return ended;
}

static int cut(table *t, size_t size, char separator)
{
    char *p = t->bytes, *end = p + size, *text;
    if (size >= 3 && !memcmp(p, "\xef\xbb\xbf", 3)) p += 3;
    if (memchr(p, 0, (size_t)(end - p)))
        return situ_fail(SITU_BAD_FORMAT, NULL, "situ_csv: %s: it holds a zero byte: no text", t->path);
    while (p < end) {
        if (*p == '\n' || (*p == '\r' && p[1] == '\n')) { /* an empty line */
            p += 1 + (*p == '\r');
            continue;
        }
        int64_t before = t->cells;
        int ended;
        do {
            ended = cut_cell(p, separator, &text, &p);
            if (ended < 0)
                return fail_at(t, t->rows, ended == -1 ? "a quotation does not end" : "something follows a quotation in its cell");
            if (!add_cell(t, text)) return -situ_error_code;
        } while (ended == separator);
        int64_t columns = t->cells - before;
        if (!t->columns) t->columns = columns;
        if (columns != t->columns || columns > MOST_COLUMNS) {
            char words[96];
            snprintf(words, sizeof words, "%lld cells, where the first line has %lld", (long long)columns, (long long)t->columns);
            return fail_at(t, t->rows, words);
        }
        t->rows++;
    }
    return 0;
}

/* ---- columns -------------------------------------------------------------------------------------------------------------- */

static bool number(const char *text, double *out)
{
    char *end;
    *out = situ_plain_number(text, &end);
    return end != text && !*end;
}

static char *cell(const table *t, int64_t row, int64_t column) { return t->cell[row * t->columns + column]; }

/* Error: two columns have this name. */
static int fail_twin(const table *t, const char *name)
{
    return situ_fail(SITU_BAD_FORMAT, NULL,
        "situ_csv: %s: two columns are called \"%.80s\"; name them otherwise in the file, or read it with " SITU_SAY(
            ".header = false", "header=False") " and name columns by their numbers",
        t->path, name);
}

/* The column with this name (or number), or -1 with an error. */
static int64_t column_of(const table *t, const char *name, size_t size, const char *option)
{
    int64_t found = -1;
    for (int64_t i = 0; t->name && i < t->columns; i++) {
        if (strlen(t->name[i]) != size || memcmp(t->name[i], name, size)) continue;
        if (found >= 0) return fail_twin(t, t->name[i]);
        found = i;
    }
    if (found >= 0) return found;
    char *end = NULL;
    long long i = size ? strtoll(name, &end, 10) : -1;
    if (size && end == name + size && i >= 0 && i < t->columns) return i;
    situ_fail(SITU_BAD_OPTION, NULL, "situ_csv: %s: there is no column \"%.*s\" (%s); the first of %lld is \"%s\"", t->path,
        (int)(size < 80 ? size : 80), name, option, (long long)t->columns, t->name && t->columns ? t->name[0] : "0");
    return -1;
}

/* Marks the columns in a list of names. */
static int mark(table *t, const char *names, char use, const char *option)
{
    for (const char *p = names; p && *p;) {
        p += strspn(p, " ");
        size_t size = strcspn(p, ",");
        int64_t i = column_of(t, p, size, option);
        if (i < 0) return -situ_error_code;
        char *used = use == 'c' ? &t->words[i] : &t->uses[i];
        if (*used)
            return situ_fail(SITU_BAD_OPTION, NULL, "situ_csv: %s: the column \"%.*s\" is named twice%s (%s)", t->path,
                (int)(size < 80 ? size : 80), p, *used == use ? "" : ", as an input and as a target", option);
        *used = use;
        p += size + (p[size] == ',');
    }
    return 0;
}

/* An error if a column contains text but was not declared as categories, and most of its cells are numbers. */
static int tell_text(table *t, int64_t column)
{
    double value;
    int64_t first = -1, numbers = 0;
    for (int64_t r = 0; r < t->rows; r++) {
        bool is = number(cell(t, r, column), &value);
        numbers += is;
        if (!is && *cell(t, r, column) && first < 0) first = r;
    }
    t->words[column] = first >= 0 ? 'c' : 0;
    if (first < 0 || 2 * numbers <= t->rows) return 0;
    char words[256], place[NUMBER_BYTES];
    snprintf(place, sizeof place, "%lld", (long long)column);
    snprintf(words, sizeof words,
        "\"%.60s\" in column \"%.60s\", %lld cells of which are numbers; if they are categories, name it in " SITU_SAY(
            ".categories", "categories"),
        cell(t, first, column), t->name ? t->name[column] : place, (long long)numbers);
    return fail_at(t, first, words);
}

/* Decides the use of each column: as named, or by default the last one is the target and the others are inputs; text
 * columns are categories. */
static int choose(table *t, const situ_csv_options *o)
{
    t->uses = situ_calloc((size_t)t->columns + 1, 1);
    t->words = situ_calloc((size_t)t->columns + 1, sizeof *t->words);
    if (!t->uses || !t->words) return situ_fail(SITU_NO_MEMORY, NULL, "situ_csv: out of host memory");
    if (mark(t, o->inputs, 'i', SITU_SAY(".inputs", "inputs")) || mark(t, o->targets, 't', SITU_SAY(".targets", "targets")) ||
        mark(t, o->categories, 'c', SITU_SAY(".categories", "categories")))
        return -situ_error_code;
    for (int64_t i = 0; i < t->columns; i++) {
        if (!o->targets && i == t->columns - 1 && !t->uses[i]) t->uses[i] = 't';
        if (!o->inputs && !t->uses[i]) t->uses[i] = 'i';
        if (t->uses[i] && !t->words[i] && tell_text(t, i)) return -situ_error_code;
    }
    return 0;
}

/* Drops rows with an empty cell in a used column, or makes that an error. */
static int complete(table *t, bool skip)
{
    int64_t kept = 0;
    for (int64_t r = 0; r < t->rows; r++) {
        bool whole = true;
        for (int64_t i = 0; i < t->columns; i++) whole &= !t->uses[i] || *cell(t, r, i);
        if (!whole && !skip)
            return fail_at(t, r, "an empty cell; " SITU_SAY(".skip_empty = true", "skip_empty=True") " leaves such rows out");
        if (whole) memmove(t->cell + kept++ * t->columns, t->cell + r * t->columns, (size_t)t->columns * sizeof *t->cell);
    }
    t->rows = kept;
    return 0;
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Replaces each cell by its index among the column's distinct texts in alphabetical order; returns their number, or a
 * negative code. */
static int64_t categorize(const table *t, int64_t column, int32_t *out)
{
    char **all = situ_malloc((size_t)t->rows * sizeof *all + 1), **found;
    int64_t n = 0;
    if (!all) return situ_fail(SITU_NO_MEMORY, NULL, "situ_csv: out of host memory");
    for (int64_t r = 0; r < t->rows; r++) all[r] = cell(t, r, column);
    qsort(all, (size_t)t->rows, sizeof *all, by_text);
    for (int64_t r = 0; r < t->rows; r++)
        if (!n || strcmp(all[n - 1], all[r])) all[n++] = all[r];
    for (int64_t r = 0; r < t->rows; r++) {
        char *text = cell(t, r, column);
        found = bsearch(&text, all, (size_t)n, sizeof *all, by_text);
        out[r] = found ? (int32_t)(found - all) : 0;
    }
    situ_free(all);
    return n;
}

/* ---- the data set ----------------------------------------------------------------------------------------------------------- */

/* Fields with this use: all columns of numbers together are one of f32 [n, columns], each column of categories is one
 * of i32 [n]. */
static int fields_of(const table *t, char use, situ_column *field, char text[][NUMBER_BYTES])
{
    int n = 0, numbers = 0;
    for (int64_t i = 0; i < t->columns; i++) numbers += t->uses[i] == use && !t->words[i];
    static char input_name[] = "input", target_name[] = "target";
    if (numbers)
        field[n++] = (situ_column){.name = use == 'i' ? input_name : target_name, .dtype = SITU_F32, .shape = SHAPE(numbers)};
    for (int64_t i = 0; i < t->columns; i++) {
        if (t->uses[i] != use || !t->words[i]) continue;
        if (n == SITU_FIELDS / 2)
            return situ_fail(SITU_BAD_FORMAT, NULL,
                "situ_csv: %s: more than %d columns of text; name the wanted ones in " SITU_SAY(".inputs", "inputs"), t->path,
                SITU_FIELDS / 2 - 1);
        snprintf(text[n], NUMBER_BYTES, "%lld", (long long)i);
        field[n] = (situ_column){.name = t->name ? t->name[i] : text[n], .dtype = SITU_I32};
        n++;
    }
    return n;
}

static int fill_fields(const table *t, char use, situ_column *field, int64_t *categories)
{
    float *x = (float *)(void *)field->data;
    double value;
    int64_t numbers = 0;
    for (int64_t i = 0; i < t->columns; i++) numbers += t->uses[i] == use && !t->words[i];
    int k = numbers > 0;
    for (int64_t i = 0, at = 0; i < t->columns; i++) {
        if (t->uses[i] != use) continue;
        if (t->words[i]) {
            int64_t n = categorize(t, i, (int32_t *)(void *)field[k++].data);
            if (n < 0) return (int)n;
            if (k == 1) *categories = n;
            continue;
        }
        for (int64_t r = 0; r < t->rows; r++) {
            if (!number(cell(t, r, i), &value)) return fail_at(t, r, "no number");
            x[r * numbers + at] = (float)value;
        }
        at++;
    }
    return 0;
}

/* Text columns become fields with their names, so two used ones must not have the same name. */
static int refuse_twins(const table *t)
{
    for (int64_t i = 0; t->name && i < t->columns; i++)
        for (int64_t k = 0; t->uses[i] && t->words[i] && k < t->columns; k++)
            if (k != i && t->uses[k] && !strcmp(t->name[i], t->name[k])) return fail_twin(t, t->name[i]);
    return 0;
}

static situ_dataset *assemble(const table *t, const char *name)
{
    situ_column field[SITU_FIELDS] = {{0}};
    char text[SITU_FIELDS][NUMBER_BYTES];
    int inputs = fields_of(t, 'i', field, text), targets = inputs < 0 ? inputs : fields_of(t, 't', field + inputs, text + inputs);
    if (targets < 0 || refuse_twins(t)) return NULL;
    if (!inputs)
        return situ_fail(SITU_BAD_FORMAT, NULL, "situ_csv: %s: no column is an input%s", t->path,
                   t->columns > 1 ?
                       "" :
                       "; there is one, so that cells may have another " SITU_SAY(".separator", "separator") " between them"),
               NULL;
    situ_dataset *data = situ_dataset_frame(t->rows, field, inputs + targets, inputs, 0, name);
    int64_t classes = 0, others = 0;
    if (data && !fill_fields(t, 'i', data->field, &others) && (!targets || !fill_fields(t, 't', data->field + inputs, &classes))) {
        data->classes = (int)classes;
        return data;
    }
    situ_dataset_free(data);
    return NULL;
}

situ_dataset *(situ_csv)(const char *path, const situ_csv_options *options, situ_site site)
{
    SITU_SPEAK("situ_csv", site);
    situ_csv_options o = {SITU_DEFAULTS(SITU_CSV_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_csv", site)) return NULL;
    const char *separator = o.separator ? o.separator : ",";
    if (!path || strlen(separator) != 1 || strchr("\"\n\r ", *separator)) {
        situ_fail(SITU_BAD_ARGUMENT, site, "situ_csv: %s",
            path ? "the separator is one character, no blank and no quote" : "no file is named");
        return NULL;
    }
    table t = {.path = path, .first = 1};
    size_t size;
    void *bytes = NULL;
    situ_dataset *data = NULL;
    if (situ_read_file(path, &bytes, &size)) return NULL;
    t.bytes = bytes;
    int rc = cut(&t, size, *separator);
    if (!rc && o.header && t.rows) {
        t.name = situ_malloc((size_t)t.columns * sizeof *t.name);
        if (t.name) memcpy(t.name, t.cell, (size_t)t.columns * sizeof *t.name);
        memmove(t.cell, t.cell + t.columns, (size_t)(t.cells - t.columns) * sizeof *t.cell);
        t.rows--;
        t.first++;
    }
    if (!rc && !t.rows) rc = situ_fail(SITU_BAD_FORMAT, NULL, "situ_csv: %s: there are no rows", path);
    if (!rc) rc = choose(&t, &o);
    if (!rc) rc = complete(&t, o.skip_empty);
    if (!rc) data = assemble(&t, path);
    situ_counted_free(t.bytes);
    situ_free(t.cell);
    situ_free(t.name);
    situ_free(t.uses);
    situ_free(t.words);
    return data;
}
