/* Tensors as text: [[1, 2], [3, 4]] f32[2,2] @cpu(0); only the edges of large ones. */
#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <situ/ops.h>

#include "base/memory.h"
#include "graph/record.h"
#include "op/support.h"
#include "os/plain.h"
#include "run/read.h"
#include "run/text.h"
#include "tensor/dtype.h"

enum { ALL_BELOW = 1000, EDGE = 3 };

typedef struct text {
    char *at;
    size_t used, capacity;
    bool failed;
} text;

static void put(text *t, const char *format, ...) SITU_PRINTF(2, 3);
static void put(text *t, const char *format, ...)
{
    char one[256];
    va_list values;
    va_start(values, format);
    int n = situ_plain_list(one, sizeof one, format, values);
    va_end(values);
    if (n < 0 || t->failed) return;
    if (t->used + (size_t)n + 1 > t->capacity) {
        size_t more = (t->capacity + (size_t)n) * 2 + 256;
        char *grown = realloc(t->at, more); /* the caller frees it with free() */
        if (!grown) {
            t->failed = true;
            return;
        }
        t->at = grown;
        t->capacity = more;
    }
    memcpy(t->at + t->used, one, (size_t)n + 1);
    t->used += (size_t)n;
}

static _Atomic int most_digits; /* 0: the default of put_element */

int situ_set_print_digits(int digits)
{
    SITU_SPEAK_AT("situ_set_print_digits");
    if (digits < 0 || digits > 17)
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_set_print_digits: %d digits; 1 to 17, or 0 for the usual ones", digits);
    atomic_store(&most_digits, digits);
    return 0;
}

/* Does the text, parsed as a number of that dtype, give the same element? */
static bool reads_back(situ_dtype d, const char *digits, double v)
{
    double back = situ_plain_number(digits, NULL);
    if (d == SITU_F64 || d == SITU_C128) return back == v;
    if (d == SITU_F32 || d == SITU_C64) return (float)back == (float)v;
    char bits[8];
    situ_element_set_f64(d, bits, back);
    return situ_element_get_f64(d, bits) == v;
}

static void put_real(text *t, situ_dtype d, double v, int usual)
{
    char digits[40];
    int most = atomic_load_explicit(&most_digits, memory_order_relaxed);
    if (isnan(v)) put(t, "nan");
    else if (isinf(v)) put(t, v < 0 ? "-inf" : "inf");
    else if (v == floor(v) && fabs(v) < 1e6) put(t, "%.0f.", v);
    else if (!most) put(t, "%.*g", usual, v);
    else {
        int n = 0;
        do situ_plain_format(digits, sizeof digits, "%.*g", ++n, v);
        while (n < most && !reads_back(d, digits, v));
        put(t, "%s", digits);
    }
}

static void put_element(text *t, situ_dtype d, const void *p)
{
    int digits = d == SITU_F64 || d == SITU_C128 ? 8 : d == SITU_F16 || d == SITU_BF16 ? 4 : 6;
    if (d == SITU_BOOL) {
        put(t, *(const uint8_t *)p ? "true" : "false");
    } else if (situ_dtype_is_complex(d)) {
        situ_c128 z = situ_element_get_c128(d, p);
        put_real(t, d, z.re, digits);
        put(t, z.im < 0 || (z.im == 0 && signbit(z.im)) ? "-" : "+");
        put_real(t, d, fabs(z.im), digits);
        put(t, "j");
    } else if (situ_dtype_is_float(d)) {
        put_real(t, d, situ_element_get_f64(d, p), digits);
    } else if (d == SITU_U64) {
        uint64_t v;
        memcpy(&v, p, 8);
        put(t, "%llu", (unsigned long long)v);
    } else {
        put(t, "%lld", (long long)situ_element_get_i64(d, p));
    }
}

/* Recursive by axis, at most 8 deep. */
static void put_axis(text *t, const situ_shown *l, int axis, int64_t at)
{
    if (axis == l->ndim) {
        put_element(t, l->dtype, l->data + (size_t)at * situ_dtype_size(l->dtype));
        return;
    }
    put(t, "[");
    for (int64_t i = 0; i < l->dim[axis]; i++) {
        if (i) {
            if (axis == l->ndim - 1) put(t, ", ");
            else put(t, ",\n%*s", axis + 1, "");
        }
        if (l->cut[axis] && i == EDGE) {
            if (axis == l->ndim - 1) put(t, "..., ");
            else put(t, "...,\n%*s", axis + 1, "");
        }
        put_axis(t, l, axis + 1, at * l->dim[axis] + i);
    }
    put(t, "]");
}

/* The first three and last three elements along every long axis. */
static situ_tensor *edges(situ_tensor *t, situ_shown *l, situ_site site)
{
    for (int axis = 0; axis < l->ndim; axis++) {
        if (l->dim[axis] <= 2 * EDGE) continue;
        situ_tensor *part[2];
        for (int side = 0; side < 2; side++) {
            situ_slice_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
            o.start.ndim = o.stop.ndim = o.step.ndim = l->ndim;
            for (int i = 0; i < l->ndim; i++) {
                o.start.dim[i] = 0;
                o.stop.dim[i] = l->dim[i];
                o.step.dim[i] = 1;
            }
            o.start.dim[axis] = side ? l->dim[axis] - EDGE : 0;
            o.stop.dim[axis] = side ? l->dim[axis] : EDGE;
            part[side] = (situ_slice)(t, &o, site);
        }
        situ_axis_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .axis = axis};
        t = (situ_concat)(TENSORS_OF(part, 2), &o, site);
        l->dim[axis] = 2 * EDGE;
        l->cut[axis] = true;
    }
    return t;
}

situ_tensor *situ_shown_part(situ_tensor *t, situ_shown *l, situ_site site)
{
    *l = (situ_shown){.ndim = t->ndim, .dtype = (situ_dtype)t->dtype, .of = situ_shape_of(t), .device = t->device};
    memcpy(l->dim, t->dim, 8 * (size_t)t->ndim);
    if (situ_node_count(t) > ALL_BELOW) t = edges(t, l, site);
    l->bytes = situ_dtype_size(l->dtype);
    for (int i = 0; i < l->ndim; i++) l->bytes *= (size_t)l->dim[i];
    return t;
}

char *situ_shown_text(situ_shown *l, const void *data, situ_site site)
{
    char shape[192], device[32];
    text out = {0};
    l->data = data;
    if (l->bytes) put_axis(&out, l, 0, 0);
    else put(&out, "[]"); /* one pair of brackets for any number of empty rows */
    put(&out, " %s%s @%s", situ_dtype_name(l->dtype), situ_shape_text(l->of.ndim, l->of.dim, shape, sizeof shape),
        situ_device_name(l->device.kind ? l->device : situ_default_device(), device));
    if (!out.failed) return out.at;
    free(out.at);
    situ_fail(SITU_NO_MEMORY, site, "situ_print: out of host memory");
    return NULL;
}

char *(situ_text)(situ_tensor *t, situ_site site)
{
    SITU_SPEAK("situ_text", site);
    if (!(t = situ_take_operand(situ_thread_get(), t, "situ_print", site))) return NULL;
    situ_scope *scope = situ_scope_open();
    situ_shown l;
    situ_tensor *part = situ_shown_part(t, &l, site);
    char *data = situ_malloc(l.bytes + !l.bytes), *out = NULL;
    int rc = data ? situ_fetch(part, data, l.bytes, SITU_REASON_PRINT, site) :
                    situ_fail(SITU_NO_MEMORY, site, "situ_print: out of host memory");
    if (!rc) out = situ_shown_text(&l, data, site);
    situ_free(data);
    situ_scope_close(scope);
    return out;
}

int(situ_fprint)(FILE *file, situ_tensor *t, situ_site site)
{
    SITU_SPEAK("situ_fprint", site);
    if (!file) return situ_fail(SITU_BAD_ARGUMENT, site, "situ_fprint: the file is NULL");
    char *s = (situ_text)(t, site);
    if (!s) {
        fprintf(file, "no value: %s\n", situ_error_message()); /* a print is asked for, and the program may never ask why not */
        return -situ_error_code;
    }
    int rc = fprintf(file, "%s\n", s) < 0 ? situ_fail(SITU_IO, site, "situ_print: the text could not be written") : 0;
    free(s);
    return rc;
}

int(situ_print)(situ_tensor *t, situ_site site)
{
    SITU_SPEAK("situ_print", site);
    return (situ_fprint)(stdout, t, site);
}
