#include "nn/hyper.h"

#include <string.h>

#include "base/error.h"

double situ_hyper_get(const situ_hyper *row, const void *options)
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

void situ_hyper_set(const situ_hyper *row, void *options, double value)
{
    char *at = (char *)options + row->offset;
    switch (row->type) {
    case SITU_HYPER_DOUBLE: memcpy(at, &value, sizeof value); return;
    case SITU_HYPER_INT: memcpy(at, &(int32_t){(int32_t)value}, sizeof(int32_t)); return;
    case SITU_HYPER_INT64: memcpy(at, &(int64_t){(int64_t)value}, sizeof(int64_t)); return;
    default: memcpy(at, &(bool){value != 0}, sizeof(bool)); return;
    }
}

const situ_hyper *situ_hyper_find(const situ_hyper *rows, int count, const char *name, situ_hyper_type type)
{
    for (int i = 0; i < count; i++)
        if (rows[i].type == type && !strcmp(rows[i].name, name)) return &rows[i];
    return NULL;
}

int situ_hyper_check(const situ_hyper *rows, int count, const void *options, const char *operation, situ_site site)
{
    for (int i = 0; i < count; i++) {
        const situ_hyper *r = &rows[i];
        double value = situ_hyper_get(r, options);
        if (value >= r->least && (r->open ? value < r->most : value <= r->most)) continue;
        return situ_fail(SITU_BAD_OPTION, site, "%s: .%s = %g is out of its range, %g to %g%s (%s; default %g)", operation, r->name,
            value, r->least, r->most, r->open ? " exclusive" : "", r->help, r->value);
    }
    return 0;
}

int situ_hyper_list(const situ_hyper *rows, int count, const void *options, situ_hyper *out, int most)
{
    for (int i = 0; out && i < count && i < most; i++) {
        out[i] = rows[i];
        out[i].value = situ_hyper_get(&rows[i], options);
    }
    return count;
}
