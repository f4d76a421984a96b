#include "train/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "os/plain.h"

/* ---- writing -------------------------------------------------------------------------------------------------------------------
 */

void situ_status_open(situ_status *s, const char *function, situ_site site)
{
    *s = (situ_status){.function = function, .site = site};
    situ_arena_init(&s->text, NULL);
}

void situ_status_close(situ_status *s)
{
    situ_file_give_back(s->tensor, s->tensors);
    situ_free(s->tensor);
    situ_free(s->about);
    situ_arena_free(&s->text);
}

void situ_status_no_room(situ_status *s)
{
    if (!s->rc) s->rc = situ_fail(SITU_NO_MEMORY, s->site, "%s: out of host memory", s->function);
}

static char *text_of(situ_status *s, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int n = situ_plain_list(NULL, 0, format, arguments);
    char *text = n < 0 ? NULL : situ_arena_alloc(&s->text, (size_t)n + 1);
    if (text) situ_plain_list(text, (size_t)n + 1, format, again);
    else situ_status_no_room(s);
    va_end(again);
    return text;
}

/* Grows a list so that one more element fits. */
static bool grow(situ_status *s, void *list, int64_t count, int64_t *space, size_t size)
{
    if (s->rc || count < *space) return !s->rc;
    int64_t more = *space ? 2 * *space : 64;
    void *grown = situ_realloc(*(void **)list, (size_t)more * size);
    if (!grown) return situ_status_no_room(s), false;
    *(void **)list = grown;
    *space = more;
    return true;
}

void situ_status_text(situ_status *s, const char *value, const char *format, ...)
{
    if (!grow(s, &s->about, s->abouts, &s->about_room, sizeof *s->about)) return;
    va_list arguments;
    va_start(arguments, format);
    char *key = text_of(s, format, arguments);
    va_end(arguments);
    char *copy = key ? situ_arena_alloc(&s->text, strlen(value) + 1) : NULL;
    if (copy) s->about[s->abouts++] = (situ_about){.key = key, .value = strcpy(copy, value)};
    else situ_status_no_room(s);
}

void situ_status_tensor(situ_status *s, situ_tensor *t, const char *format, ...)
{
    if (!grow(s, &s->tensor, s->tensors, &s->tensor_room, sizeof *s->tensor)) return;
    va_list arguments;
    va_start(arguments, format);
    char *name = text_of(s, format, arguments);
    va_end(arguments);
    if (name) s->tensor[s->tensors++] = (situ_written){.name = name, .tensor = t};
}

void situ_status_integer(situ_status *s, const char *key, int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)value);
    situ_status_text(s, text, "%s", key);
}

void situ_status_digits(double value, char *text)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    snprintf(text, 17, "%016llx", (unsigned long long)bits);
}

void situ_status_number(situ_status *s, const char *key, double value)
{
    char text[17];
    situ_status_digits(value, text);
    situ_status_text(s, text, "%s", key);
}

void situ_status_lines(situ_status *s, const char *lines)
{
    size_t length = lines ? strlen(lines) : 0;
    if (s->rc || !length) return;
    char *text = situ_arena_alloc(&s->text, length + 1);
    situ_about *about = situ_malloc((length / 2 + 1) * sizeof *about);
    int64_t n = text && about ? situ_take_metadata(strcpy(text, lines), about, s->function, s->site) : 0;
    if (!text || !about) situ_status_no_room(s);
    if (n < 0) s->rc = (int)n;
    for (int64_t i = 0; i < n && !s->rc; i++) {
        if (!strncmp(about[i].key, "situ.", 5))
            s->rc = situ_fail(SITU_BAD_OPTION, s->site, "%s: the key \"%.80s\" begins with \"situ.\", as those of checkpoints do",
                s->function, about[i].key);
        else situ_status_text(s, about[i].value, "%s", about[i].key);
    }
    situ_free(about);
}

static int64_t integer_at(const situ_status_row *row, const void *object)
{
    const char *at = (const char *)object + row->offset;
    if (row->type == SITU_STATUS_INT64) return *(const int64_t *)(const void *)at;
    return row->type == SITU_STATUS_INT ? *(const int *)(const void *)at : *(const bool *)at;
}

static void text_at(const situ_status_row *row, const void *object, char *text, size_t size)
{
    if (row->type == SITU_STATUS_DOUBLE)
        situ_status_digits(*(const double *)(const void *)((const char *)object + row->offset), text);
    else snprintf(text, size, "%lld", (long long)integer_at(row, object));
}

void situ_status_rows(situ_status *s, const situ_status_row *rows, size_t count, const void *object)
{
    for (size_t i = 0; i < count; i++) {
        char text[24];
        text_at(&rows[i], object, text, sizeof text);
        situ_status_text(s, text, "%s", rows[i].key);
    }
}

/* ---- reading -------------------------------------------------------------------------------------------------------------------
 */

int situ_status_get(const situ_archive *a, const char *key, const char **value)
{
    *value = situ_archive_metadata(a, key);
    return *value ? 0 : situ_fail(SITU_BAD_FORMAT, NULL, "%s: the checkpoint lacks \"%s\"", a->path, key);
}

bool situ_status_value(const char *text, double *value)
{
    uint64_t bits = 0;
    for (int i = 0; i < 16; i++) {
        int digit = text[i] >= '0' && text[i] <= '9' ? text[i] - '0' : text[i] >= 'a' && text[i] <= 'f' ? text[i] - 'a' + 10 : -1;
        if (digit < 0) return false;
        bits = bits << 4 | (uint64_t)digit;
    }
    memcpy(value, &bits, sizeof bits);
    return true;
}

static bool take(const situ_status_row *row, const char *text, void *object)
{
    char *at = (char *)object + row->offset, *end;
    if (row->type == SITU_STATUS_DOUBLE) return strlen(text) == 16 && situ_status_value(text, (double *)(void *)at);
    bool digit = (*text >= '0' && *text <= '9') || *text == '-';
    long long value = digit ? strtoll(text, &end, 10) : 0;
    long long most = row->type == SITU_STATUS_BOOL ? 1 : row->type == SITU_STATUS_INT ? INT32_MAX : INT64_MAX / 4;
    if (!digit || *end || (double)value < row->least || value > most) return false;
    if (row->type == SITU_STATUS_INT64) *(int64_t *)(void *)at = value;
    else if (row->type == SITU_STATUS_INT) *(int *)(void *)at = (int)value;
    else *(bool *)at = value;
    return true;
}

int situ_status_get_rows(const situ_archive *a, const situ_status_row *rows, size_t count, void *object)
{
    for (size_t i = 0; i < count; i++) {
        const char *text;
        int rc = situ_status_get(a, rows[i].key, &text);
        if (rc) return rc;
        if (!take(&rows[i], text, object))
            return situ_fail(
                SITU_BAD_FORMAT, NULL, "%s: \"%s\" is \"%.40s\", which is no number of its kind", a->path, rows[i].key, text);
    }
    return 0;
}

int situ_status_same(const situ_archive *a, const char *key, const char *what, const char *here, char *text, size_t size)
{
    const char *there;
    int rc = situ_status_get(a, key, &there);
    if (rc || !strcmp(there, here)) return rc;
    size_t used = strlen(text), at = 0;
    while (there[at] && there[at] == here[at]) at++;
    size_t from = at > 60 ? at - 30 : 0; /* in long texts it quotes the part around the first difference */
    snprintf(text + used, size - used, "%s%s is %s%.120s there and %s%.120s here", used ? "; " : "", what, from ? "..." : "",
        there + from, from ? "..." : "", here + from);
    return 0;
}

int situ_status_same_rows(
    const situ_archive *a, const situ_status_row *rows, size_t count, const void *object, char *text, size_t size)
{
    for (size_t i = 0; i < count; i++) {
        char here[24], words[64];
        const char *there, *point = strchr(rows[i].key, '.');
        text_at(&rows[i], object, here, sizeof here);
        int rc = situ_status_get(a, rows[i].key, &there);
        double x, y;
        if (rc) return rc;
        if (!strcmp(there, here)) continue;
        snprintf(words, sizeof words, "%s", point ? point + 1 : rows[i].key);
        size_t used = strlen(text);
        if (rows[i].type == SITU_STATUS_DOUBLE && situ_status_value(there, &x) && situ_status_value(here, &y))
            situ_plain_format(text + used, size - used, "%s%s is %.9g there and %.9g here", used ? "; " : "", words, x, y);
        else snprintf(text + used, size - used, "%s%s is %.24s there and %s here", used ? "; " : "", words, there, here);
    }
    return 0;
}
