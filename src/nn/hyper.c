#include "nn/hyper.h"

#include <string.h>

#include "base/error.h"

double situ_hyper_get(const situ_hyper_row *row, const void *options)
{
    const char *at = (const char *)options + row->offset;
    double d;
    int32_t i;
    int64_t l;
    bool b;
    switch (row->type) {
    case SITU_HYPER_DOUBLE: memcpy(&d, at, sizeof d); return d;
    case SITU_HYPER_INT: memcpy(&i, at, sizeof i); return i;
    case SITU_HYPER_INT64: memcpy(&l, at, sizeof l); return (double)l;
    default: memcpy(&b, at, sizeof b); return b;
    }
}

int situ_hyper_check(const situ_hyper_row *rows, int count, const void *options, const char *operation, situ_site site)
{
    for (int i = 0; i < count; i++) {
        const situ_hyper_row *r = &rows[i];
        double value = situ_hyper_get(r, options);
        if (value >= r->least && (r->open ? value < r->most : value <= r->most)) continue;
        return situ_fail(SITU_BAD_OPTION, site, "%s: .%s = %g is out of its range, %g to %g%s (%s; default %g)", operation, r->name,
            value, r->least, r->most, r->open ? " exclusive" : "", r->help, r->initial);
    }
    return 0;
}

int situ_hyper_list(const situ_hyper_row *rows, int count, const void *options, situ_hyper *out, int most)
{
    for (int i = 0; out && i < count && i < most; i++)
        out[i] = (situ_hyper){rows[i].name, rows[i].help, situ_hyper_get(&rows[i], options), rows[i].least, rows[i].most};
    return count;
}
