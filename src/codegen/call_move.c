/* place, update_slice, concat: each element of the result computes where it comes from. */
#include "codegen/call_text.h"
#include "codegen/cast_text.h"
#include "op/attr.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

/* Writes the coordinates of p relative to the region at words first, first + 1, ...: `inside`, and `from`, its element
 * there. */
static void write_region(situ_source *t, const situ_call_desc *c, const situ_layout *x, int first, const int64_t *step)
{
    long long inner = 1;
    situ_source_append(t, "    i64_F from = 0;\n    int inside = 1;\n");
    for (int k = c->out.ndim - 1; k >= 0; inner *= (long long)c->out.dim[k], k--) {
        long long by = step ? (long long)step[k] : 1;
        situ_source_add(t, "    i64_F q%d = (i64_F)(p / %lldu %% %lldu) - (i64_F)argument[%d];\n", k, inner,
            (long long)c->out.dim[k], first + k);
        situ_source_add(
            t, "    inside &= q%d >= 0 && q%d %% %lld == 0 && q%d / %lld < %lld;\n", k, k, by, k, by, (long long)x->dim[k]);
        situ_source_add(t, "    from += q%d / %lld * %lld;\n", k, by, (long long)x->stride[k]);
    }
}

/* The fill value is a float to be converted to an integer, as casts do it. */
static bool fills_by_cast(const situ_call_desc *c)
{
    return ((const situ_place_attr *)c->attr)->floating && situ_dtype_is_integer((situ_dtype)c->out.dtype);
}

static void place_functions(situ_source *t, const situ_call_desc *c, const situ_dialect *d)
{
    if (fills_by_cast(c)) situ_text_cast(t, d, SITU_F64, (situ_dtype)c->out.dtype);
}

static void place_body(situ_source *t, const situ_call_desc *c, const situ_dialect *d, int pass)
{
    (void)d;
    (void)pass;
    const situ_place_attr *a = c->attr;
    situ_dtype dtype = (situ_dtype)c->out.dtype;
    situ_call_each(t, situ_shape_count(c->out.ndim, c->out.dim));
    write_region(t, c, &c->in[0], 1, a->step);
    const char *word = a->floating ? "f64_from_bits(argument[0])" : "(i64_F)argument[0]";
    situ_source_add(t, "    if (inside) OUT[p] = IN0[from];\n    else OUT[p] = ");
    if (situ_dtype_is_complex(dtype)) situ_source_add(t, "own_real((f64_F)%s);\n", word);
    else if (dtype == SITU_BOOL) situ_source_add(t, "%s != 0;\n", word);
    else if (fills_by_cast(c)) situ_source_add(t, "STORE(cast_f64_%s(%s));\n", situ_dtype_name(dtype), word);
    else if (!situ_dtype_is_float(dtype) || situ_dtype_compute(dtype) == dtype) situ_source_add(t, "STORE((C)%s);\n", word);
    else situ_source_add(t, "STORE(odd_f32(%s(%s)));\n", a->floating ? "" : "sticky_i64", word);
}

static int64_t update_items(const situ_call_desc *c)
{
    const situ_layout *walked = c->over ? &c->in[1] : &c->out;
    return situ_shape_count(walked->ndim, walked->dim);
}

static bool update_passes(const situ_call_desc *c, const situ_dialect *d, situ_passes *passes)
{
    (void)d;
    *passes = (situ_passes){.count = 1, .pass = {situ_pass_for(update_items(c))}};
    return true;
}

/* If the rest is in place already: copies each element of the part to its position. */
static void write_part(situ_source *t, const situ_call_desc *c)
{
    const situ_layout *x = &c->in[1];
    long long inner = 1;
    situ_call_strided(t, "AT1", x);
    situ_call_each(t, update_items(c));
    situ_source_append(t, "    i64_F to = 0;\n");
    for (int k = x->ndim - 1; k >= 0; inner *= (long long)x->dim[k], k--)
        situ_source_add(t, "    to += ((i64_F)(p / %lldu %% %lldu) + (i64_F)argument[%d]) * %lld;\n", inner, (long long)x->dim[k],
            k, (long long)c->out.stride[k]);
    situ_source_append(t, "    OUT[to] = IN1[AT1(p)];\n");
}

static void update_body(situ_source *t, const situ_call_desc *c, const situ_dialect *d, int pass)
{
    (void)d;
    (void)pass;
    if (c->over && update_items(c)) {
        write_part(t, c);
        return;
    }
    situ_call_strided(t, "AT0", &c->in[0]);
    situ_call_each(t, update_items(c));
    write_region(t, c, &c->in[1], 0, NULL);
    situ_source_append(t, "    if (inside) OUT[p] = IN1[from];\n    else OUT[p] = IN0[AT0(p)];\n");
}

static void concat_body(situ_source *t, const situ_call_desc *c, const situ_dialect *d, int pass)
{
    (void)d;
    (void)pass;
    int axis = *(const int32_t *)c->attr;
    situ_lines r = situ_call_lines(&c->out, axis);
    char name[16];
    for (int i = 0; i < c->nin; i++) {
        snprintf(name, sizeof name, "AT%d", i);
        situ_call_strided(t, name, &c->in[i]);
    }
    situ_call_each(t, situ_shape_count(c->out.ndim, c->out.dim));
    situ_source_add(t, "    u64_F o = p / %lldu, k = p / %lldu %% %lldu, j = p %% %lldu;\n", r.n * r.inner, r.inner, r.n, r.inner);
    long long before = 0;
    for (int i = 0; i < c->nin; i++) {
        long long n = (long long)c->in[i].dim[axis];
        situ_source_add(t, "    %sif (k < %lldu) OUT[p] = IN%d[AT%d((o * %lldu + k - %lldu) * %lldu + j)];\n", i ? "else " : "",
            before + n, i, i, n, before, r.inner);
        before += n;
    }
}

const situ_call_family situ_call_move[] = {
    {"place", NULL, place_body, place_functions},
    {"update_slice", update_passes, update_body, NULL},
    {"concat", NULL, concat_body, NULL},
    {NULL, NULL, NULL, NULL},
};
