#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "os/plain.h"

/* Reserves memory for n more characters and a terminating 0. */
static bool reserve(situ_source *t, size_t n)
{
    if (t->failed) return false;
    if (t->length + n < t->size) return true;
    size_t size = t->size ? 2 * t->size : 4096;
    while (size <= t->length + n) size *= 2;
    char *text = situ_realloc(t->text, size);
    if (!text) {
        t->failed = true;
        return false;
    }
    t->text = text;
    t->size = size;
    return true;
}

void situ_source_add(situ_source *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = situ_plain_list(NULL, 0, format, arguments);
    va_end(arguments);
    if (n < 0) {
        t->failed = true;
        return;
    }
    if (!reserve(t, (size_t)n)) return;
    va_start(arguments, format);
    situ_plain_list(t->text + t->length, t->size - t->length, format, arguments);
    va_end(arguments);
    t->length += (size_t)n;
}

void situ_source_append(situ_source *t, const char *text)
{
    size_t n = strlen(text);
    if (!reserve(t, n)) return;
    memcpy(t->text + t->length, text, n + 1);
    t->length += n;
}

char *situ_source_take(situ_source *t)
{
    reserve(t, 0);
    if (t->failed) {
        situ_source_drop(t);
        situ_fail(SITU_NO_MEMORY, NULL, "out of host memory while writing a kernel's source text");
        return NULL;
    }
    char *text = t->text;
    text[t->length] = 0;
    *t = (situ_source){0};
    return text;
}

void situ_source_drop(situ_source *t)
{
    situ_free(t->text);
    *t = (situ_source){0};
}
