#include "os/plain.h"

#include <locale.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifndef __wasi__
#include <dlfcn.h>
#endif
#ifdef __APPLE__
#include <xlocale.h>
#endif

/* The C locale as an object. In glibc and musl it is one static object, so nothing is allocated or freed. */
static locale_t c_locale(void)
{
    static _Atomic(locale_t) kept;
    locale_t c = atomic_load_explicit(&kept, memory_order_acquire);
    if (c) return c;
    c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    atomic_store_explicit(&kept, c, memory_order_release);
    return c;
}

/* Between `enter` and `leave`, the calling thread's locale is the C locale; other threads and setlocale are
 * unaffected. */
static locale_t enter(void) { return uselocale(c_locale()); }
static void leave(locale_t before) { uselocale(before); }

double situ_plain_number(const char *text, char **end)
{
    locale_t before = enter();
    double value = strtod(text, end);
    leave(before);
    return value;
}

int situ_plain_list(char *out, size_t size, const char *format, va_list values)
{
    locale_t before = enter();
    int n = vsnprintf(out, size, format, values);
    leave(before);
    return n;
}

int situ_plain_print_list(FILE *file, const char *format, va_list values)
{
    locale_t before = enter();
    int n = vfprintf(file, format, values);
    leave(before);
    return n;
}

int situ_plain_format(char *out, size_t size, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int n = situ_plain_list(out, size, format, values);
    va_end(values);
    return n;
}

int situ_plain_print(FILE *file, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int n = situ_plain_print_list(file, format, values);
    va_end(values);
    return n;
}

void situ_plain_shortest(char text[static SITU_SHORTEST], int least, double value)
{
    for (int digits = least; digits <= 17; digits++) {
        situ_plain_format(text, SITU_SHORTEST, "%.*g", digits, value);
        if (situ_plain_number(text, NULL) == value) return;
    }
}

const char *situ_plain_reason(int code)
{
    locale_t before = enter();
    const char *reason = strerror(code);
    leave(before);
    return reason;
}

#ifdef __wasi__
const char *situ_plain_library_reason(void) { return NULL; }
#else
const char *situ_plain_library_reason(void)
{
    locale_t before = enter();
    const char *reason = dlerror();
    leave(before);
    return reason;
}
#endif

bool situ_beginnings_differ(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (situ_lower(a[i]) != situ_lower(b[i])) return true;
        if (!a[i]) return false;
    }
    return false;
}

bool situ_differ_without_case(const char *a, const char *b) { return situ_beginnings_differ(a, b, SIZE_MAX); }
