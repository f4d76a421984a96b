/* take, gather, scatter, scatter_add, index_add. Where equal indices meet, one work-item walks them in order: one for each line,
 * or, where there are many work-items and not too many results, one for each result, which looks for its own. */
#include "codegen/call_text.h"
#include "op/attr.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

static bool counts_from_the_end(const situ_call_desc *c)
{
    return c->in[1].dtype != SITU_U64 && !((const situ_axis_attr *)c->attr)->flag;
}
static int axis_of(const situ_call_desc *c) { return ((const situ_axis_attr *)c->attr)->axis; }

/* "    i64_F at = ...": index `where` of n, counted from the end where negative; -1 with the fault set: out of range. */
static void write_index(situ_source *t, const situ_call_desc *c, const char *where, long long n)
{
    situ_source_add(t, "    i64_F given = (i64_F)IN1[%s], at = given;\n", where);
    if (counts_from_the_end(c)) situ_source_add(t, "    if (at < 0) at += %lld;\n", n);
    situ_source_add(t, "    if (at < 0 || at >= %lld) {\n        REFUSE(given, %lld, %s);\n        at = -1;\n    }\n", n, n, where);
}

static const char *missing(situ_dtype d)
{
    if (d == SITU_F16) return "0x7e00u";
    if (d == SITU_BF16) return "0x7fc0u";
    return situ_dtype_is_complex(d)    ? "own_real(f64_not_a_number())" :
        d == SITU_F32 || d == SITU_F64 ? "(E)f64_not_a_number()" :
                                         "0";
}

/* ---------------------------------------------------------------- reading */

static void take_body(situ_source *t, const situ_call_desc *c, const situ_dialect *d, int pass)
{
    (void)d;
    (void)pass;
    situ_lines r = situ_call_lines(&c->in[0], axis_of(c));
    long long count = (long long)situ_shape_count(c->in[1].ndim, c->in[1].dim);
    situ_call_each(t, situ_shape_count(c->out.ndim, c->out.dim));
    situ_source_add(
        t, "    u64_F o = p / %lldu, i = p / %lldu %% %lldu, j = p %% %lldu;\n", count * r.inner, r.inner, count, r.inner);
    write_index(t, c, "i", r.n);
    situ_source_add(t, "    if (at < 0) OUT[p] = %s;\n    else OUT[p] = IN0[(o * %lldu + at) * %lldu + j];\n",
        missing((situ_dtype)c->out.dtype), r.n, r.inner);
}

static void gather_body(situ_source *t, const situ_call_desc *c, const situ_dialect *d, int pass)
{
    (void)d;
    (void)pass;
    situ_lines r = situ_call_lines(&c->out, axis_of(c));
    long long n = (long long)c->in[0].dim[axis_of(c)];
    situ_call_each(t, situ_shape_count(c->out.ndim, c->out.dim));
    situ_source_add(t, "    u64_F o = p / %lldu, j = p %% %lldu;\n", r.n * r.inner, r.inner);
    write_index(t, c, "p", n);
    situ_source_add(t, "    if (at < 0) OUT[p] = %s;\n    else OUT[p] = IN0[(o * %lldu + at) * %lldu + j];\n",
        missing((situ_dtype)c->out.dtype), n, r.inner);
}

/* ---------------------------------------------------------------- writing: x is copied first */

static void copy_body(situ_source *t, const situ_call_desc *c)
{
    situ_call_each(t, situ_shape_count(c->out.ndim, c->out.dim));
    situ_source_append(t, "    (void)fault;\n    OUT[p] = IN0[p];\n");
}

static int64_t scatter_lines(const situ_call_desc *c)
{
    situ_lines r = situ_call_lines(&c->in[1], axis_of(c));
    return r.outer * r.inner;
}

static bool looks_for_its_own(const situ_call_desc *c, const situ_dialect *d)
{
    return d->packs && situ_shape_count(c->out.ndim, c->out.dim) <= 1 << 22;
}

/* Element p of the result is element j of slice `mine` of o; the indices that may be its own: `count`, the i-th at `where`. */
static void look_body(situ_source *t, const situ_call_desc *c, const char *where, const char *value, bool adds, long long count)
{
    situ_lines r = situ_call_lines(&c->out, axis_of(c));
    situ_call_each(t, situ_shape_count(c->out.ndim, c->out.dim));
    situ_source_add(t,
        "    u64_F o = p / %lldu, j = p %% %lldu;\n    i64_F mine = (i64_F)(p / %lldu %% %lldu);\n    E x = IN0[p];\n"
        "    for (u64_F i = 0; i < %lldu; i++) {\n",
        r.n * r.inner, r.inner, r.inner, r.n, count);
    situ_source_add(t, "    i64_F given = (i64_F)IN1[%s], at = given;\n", where);
    if (counts_from_the_end(c)) situ_source_add(t, "    if (at < 0) at += %lld;\n", r.n);
    situ_source_add(
        t, "    if (mine == 0 && (at < 0 || at >= %lld)) {\n        REFUSE(given, %lld, %s);\n    }\n", r.n, r.n, where);
    situ_source_add(
        t, adds ? "    if (at == mine) x = STORE(ADD(LOAD(x), LOAD(IN2[%s])));\n" : "    if (at == mine) x = IN2[%s];\n", value);
    situ_source_append(t, "    }\n    (void)o, (void)j;\n    OUT[p] = x;\n");
}

static bool look_passes(const situ_call_desc *c, situ_passes *p)
{
    p->count = 1;
    p->pass[0] = situ_pass_for(situ_shape_count(c->out.ndim, c->out.dim));
    return true;
}

static bool scatter_passes(const situ_call_desc *c, const situ_dialect *d, situ_passes *p)
{
    if (looks_for_its_own(c, d)) return look_passes(c, p);
    p->count = 2;
    p->pass[0] = situ_pass_for(situ_shape_count(c->out.ndim, c->out.dim));
    p->pass[1] = situ_pass_for(scatter_lines(c));
    return true;
}

static void scatter_body(situ_source *t, const situ_call_desc *c, const situ_dialect *d, int pass)
{
    situ_lines r = situ_call_lines(&c->in[1], axis_of(c));
    long long n = (long long)c->out.dim[axis_of(c)];
    char where[64];
    if (looks_for_its_own(c, d)) {
        snprintf(where, sizeof where, "(o * %lldu + i) * %lldu + j", r.n, r.inner);
        look_body(t, c, where, where, c->op->code, r.n);
        return;
    }
    if (!pass) {
        copy_body(t, c);
        return;
    }
    situ_call_each(t, scatter_lines(c));
    situ_source_add(t,
        "    u64_F o = p / %lldu, j = p %% %lldu;\n    for (u64_F k = 0; k < %lldu; k++) {\n    u64_F i = (o * %lldu + k) * %lldu "
        "+ j;\n",
        r.inner + !r.inner, r.inner + !r.inner, r.n, r.n, r.inner);
    write_index(t, c, "i", n);
    situ_source_add(t, "    if (at < 0) continue;\n    u64_F to = (o * %lldu + at) * %lldu + j;\n", n, r.inner);
    situ_source_append(
        t, c->op->code ? "    OUT[to] = STORE(ADD(LOAD(OUT[to]), LOAD(IN2[i])));\n    }\n" : "    OUT[to] = IN2[i];\n    }\n");
}

static bool index_add_passes(const situ_call_desc *c, const situ_dialect *d, situ_passes *p)
{
    if (looks_for_its_own(c, d)) return look_passes(c, p);
    situ_lines r = situ_call_lines(&c->out, axis_of(c));
    p->count = 2;
    p->pass[0] = situ_pass_for(situ_shape_count(c->out.ndim, c->out.dim));
    p->pass[1] = situ_pass_for(r.outer * r.inner);
    return true;
}

static void index_add_body(situ_source *t, const situ_call_desc *c, const situ_dialect *d, int pass)
{
    situ_lines r = situ_call_lines(&c->out, axis_of(c));
    long long count = (long long)situ_shape_count(c->in[1].ndim, c->in[1].dim);
    char value[64];
    if (looks_for_its_own(c, d)) {
        snprintf(value, sizeof value, "(o * %lldu + i) * %lldu + j", count, r.inner);
        look_body(t, c, "i", value, true, count);
        return;
    }
    if (!pass) {
        copy_body(t, c);
        return;
    }
    situ_call_each(t, r.outer * r.inner);
    situ_source_add(t, "    u64_F o = p / %lldu, j = p %% %lldu;\n    for (u64_F i = 0; i < %lldu; i++) {\n", r.inner + !r.inner,
        r.inner + !r.inner, count);
    write_index(t, c, "i", r.n);
    situ_source_add(t,
        "    if (at < 0) continue;\n"
        "    u64_F to = (o * %lldu + at) * %lldu + j;\n"
        "    OUT[to] = STORE(ADD(LOAD(OUT[to]), LOAD(IN2[(o * %lldu + i) * %lldu + j])));\n    }\n",
        r.n, r.inner, count, r.inner);
}

const situ_call_family situ_call_index[] = {
    {"take", NULL, take_body, NULL},
    {"gather", NULL, gather_body, NULL},
    {"scatter", scatter_passes, scatter_body, NULL},
    {"scatter_add", scatter_passes, scatter_body, NULL},
    {"index_add", index_add_passes, index_add_body, NULL},
    {NULL, NULL, NULL, NULL},
};
