#include "base/hint.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "os/lock.h"
#include "os/plain.h"

enum { MOST = 256, LENGTH = 1024 }; /* MOST: hints of one program, further ones are dropped; LENGTH: bytes of one */

SITU_LOCK(lock);
static struct {
    const char *format;
    situ_site site;
} told[MOST];
static int tolds;

static bool is_same(situ_site a, situ_site b) { return a == b || (a && b && !strcmp(a, b)); }

/* Whether this hint is new; remembers it. */
static bool note(const char *format, situ_site site)
{
    bool fresh = true;
    situ_mutex_lock(&lock);
    for (int i = 0; i < tolds && fresh; i++) fresh = told[i].format != format || !is_same(told[i].site, site);
    fresh &= tolds < MOST;
    if (fresh) told[tolds].format = format, told[tolds++].site = site;
    situ_mutex_unlock(&lock);
    return fresh;
}

void situ_hint(situ_site site, const char *format, ...)
{
    char text[LENGTH];
    va_list values;
    if (!note(format, site)) return;
    va_start(values, format);
    situ_plain_list(text, sizeof text, format, values);
    va_end(values);
    situ_say(text);
    fprintf(stderr, "situ: hint: %s%s%s\n", site ? site : "", site ? ": " : "", text);
}
