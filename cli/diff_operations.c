/* situ diff --operations: runs every operation of the library on a device and on the CPU, and shows which bits are
 * equal, and how far apart the others are. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "base/cache.h"
#include "base/memory.h"
#include "command.h"
#include "diff.h"
#include "operations.h"
#include "os/plain.h"
#include "tensor/dtype.h"

enum { MOST = 1024, KEPT = 300 };

/* A downloaded result. */
typedef struct value {
    situ_dtype dtype;
    int64_t count;
    char *data;
    int code; /* code of an error, if there is one instead */
    char message[512];
} value;

static value value_on(const cli_operation *o, situ_device d)
{
    value v = {0};
    situ_scope *scope = situ_scope_open();
    situ_tensor *y = cli_record(o, d);
    situ_error e;
    v.dtype = situ_dtype_of(y);
    v.count = situ_failed() ? 0 : situ_count(y);
    size_t bytes = (size_t)v.count * situ_dtype_size(v.dtype);
    v.data = calloc(bytes + 1, 1);
    if (!situ_failed() && v.data) situ_read(y, v.data, bytes);
    situ_scope_close(scope);
    v.code = situ_error_take(&e);
    if (v.code) snprintf(v.message, sizeof v.message, "%.500s", e.message);
    return v;
}

/* ---- distances ---- */

typedef struct distance {
    int64_t differing;
    double most; /* in units of the last place; for structured operations relative to the largest element */
} distance;

static double unit_at(double size, situ_dtype d)
{
    int digits = d == SITU_F64 ? 53 : d == SITU_F16 ? 11 : d == SITU_BF16 ? 8 : 24, exponent;
    frexp(size, &exponent);
    return ldexp(1, (exponent < -1000 ? -1000 : exponent) - digits);
}

/* For real numbers; complex ones count as two. */
static distance distance_of(const value *a, const value *b, bool elementwise)
{
    distance r = {0};
    situ_dtype part = situ_dtype_real(a->dtype);
    size_t size = situ_dtype_size(part);
    int64_t n = a->count * (int64_t)(situ_dtype_size(a->dtype) / size);
    bool floats = part >= SITU_F16 && part <= SITU_F64;
    double largest = 0;
    for (int64_t i = 0; i < n && floats; i++) {
        double x = cli_element(part, a->data + (size_t)i * size);
        if (isfinite(x)) largest = fmax(largest, fabs(x));
    }
    for (int64_t i = 0; i < n; i++) {
        const char *p = a->data + (size_t)i * size, *q = b->data + (size_t)i * size;
        if (!memcmp(p, q, size)) continue;
        double x = floats ? cli_element(part, p) : 0, y = floats ? cli_element(part, q) : INFINITY;
        if (isnan(x) && isnan(y)) continue;
        r.differing++;
        double apart = x == y ? 0 : fabs(x - y) / unit_at(elementwise ? fabs(x) : largest, part);
        r.most = isnan(apart) ? INFINITY : fmax(r.most, apart);
    }
    return r;
}

/* ---- the table ---- */

typedef struct tally {
    int rows, equal, near, refused, other;
    double most;
    char farthest[48];
} tally;

static void tell_refusal(const cli_operation *o, const value *v, tally *t)
{
    bool refused = v->code == SITU_UNSUPPORTED;
    *(refused ? &t->refused : &t->other) += 1;
    const char *why = strstr(v->message, o->name), *end;
    why = why ? why : v->message;
    end = strchr(why, ';');
    printf("%-20s %-5s %s: %.*s\n", o->name, "", refused ? "refused" : "FAILED", end ? (int)(end - why) : 200, why);
}

static void compare(const cli_operation *o, situ_device d, tally *t)
{
    value a = value_on(o, situ_cpu()), b = value_on(o, d);
    const char *dtype = situ_dtype_name(a.dtype);
    t->rows++;
    if (a.code || b.code) {
        tell_refusal(o, b.code ? &b : &a, t);
    } else if (a.dtype != b.dtype || a.count != b.count) {
        printf("%-20s %-5s FAILED: another dtype or shape\n", o->name, dtype);
        t->other++;
    } else {
        distance r = distance_of(&a, &b, o->elementwise);
        if (!r.differing) printf("%-20s %-5s equal\n", o->name, dtype);
        else
            situ_plain_print(stdout, "%-20s %-5s %.3g %% differ, by %.3g units in the last place%s at most\n", o->name, dtype,
                100 * (double)r.differing / (double)a.count, r.most, o->elementwise ? "" : " of the largest");
        *(r.differing ? &t->near : &t->equal) += 1;
        if (r.most > t->most) snprintf(t->farthest, sizeof t->farthest, "%s %s", o->name, dtype);
        t->most = fmax(t->most, r.most);
    }
    free(a.data);
    free(b.data);
}

static situ_hash key_of(const situ_device_info *info)
{
    situ_hash h = situ_hash_start(11);
    situ_hash_bytes(&h, info->backend, strlen(info->backend));
    situ_hash_bytes(&h, info->name, strlen(info->name));
    situ_hash_bytes(&h, info->driver, strlen(info->driver));
    return situ_hash_end(&h);
}

bool cli_diff_known(const situ_device_info *info, char *text, size_t size)
{
    size_t bytes;
    unsigned char *data = situ_cache_read("diff", key_of(info), &bytes);
    if (data) snprintf(text, size, "%.*s", (int)(bytes < KEPT ? bytes : KEPT), (const char *)data);
    situ_free(data);
    return data != NULL;
}

int cli_diff_operations(situ_device d)
{
    static cli_operation operation[MOST];
    int n = cli_operations(operation, MOST), missing = 0;
    tally t = {0};
    situ_device_info info;
    char name[32], text[KEPT];
    if (situ_device_describe(d, &info)) return cli_fail("diff");
    for (int i = 0; i < n; i++) {
        if (operation[i].sample) compare(&operation[i], d, &t);
        else printf("%-20s %-5s not measured\n", operation[i].name, ""), missing++;
        fflush(stdout);
    }
    situ_plain_print(stdout,
        "%s (%s, %s) beside the CPU: of %d operations %d have the same bits, %d differ by %.3g units in the last place at most "
        "(%s), %d are refused, "
        "%d failed, %d are not measured\n",
        situ_device_name(d, name), info.name, info.driver, t.rows + missing, t.equal, t.near, t.most, t.farthest, t.refused,
        t.other, missing);
    situ_plain_format(text, sizeof text, "%d of %d operations bit-equal, the others within %.3g units (%s)", t.equal,
        t.rows - t.refused, t.most, t.farthest);
    if (!t.other) situ_cache_write("diff", key_of(&info), (const unsigned char *)text, strlen(text));
    return t.other ? EXIT_FAILED : EXIT_DONE;
}
