#include "codegen/call_text.h"

#include <string.h>

#include "base/error.h"
#include "codegen/cast_text.h"
#include "codegen/el_text.h"
#include "op/complex.h"
#include "codegen/table.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

const situ_call_family *const situ_call_families[] = {situ_call_move, situ_call_matmul, situ_call_conv, situ_call_order,
    situ_call_scan, situ_call_random, situ_call_complex, situ_call_find, situ_call_fft, situ_call_linalg, NULL};

/* False for an operation of the program, which may have any name. */
static bool is_ours(const situ_op *op)
{
    for (int i = 0; i < SITU_TABLE_COUNT; i++)
        if (situ_table[i] == op) return true;
    return false;
}

static const situ_call_family *family_of(const situ_call_desc *c)
{
    if (c->op->kernel) return &situ_call_kernel;
    if (situ_complex_value(c->op)) return &situ_call_complex_value;
    for (int i = 0; situ_call_families[i] && is_ours(c->op); i++)
        for (const situ_call_family *f = situ_call_families[i]; f->op; f++)
            if (!strcmp(f->op, c->op->name)) return f;
    return NULL;
}

bool situ_call_passes(const situ_call_desc *c, const situ_dialect *d, situ_passes *passes)
{
    const situ_call_family *f = family_of(c);
    *passes = (situ_passes){.count = 1};
    if (!f) return false;
    int64_t count = situ_shape_count(c->out.ndim, c->out.dim);
    /* With a check of indices there is work even for an empty result. */
    if (f->passes && (count || c->op->can_fail)) return f->passes(c, d, passes);
    passes->pass[0] = situ_pass_for(count);
    return true;
}

/* ---------------------------------------------------------------- arithmetic of a dtype */

static void write_arithmetic(situ_source *t, const situ_dialect *d, situ_dtype dtype)
{
    const char *name = situ_dtype_name(situ_dtype_compute(dtype));
    bool half = dtype == SITU_F16 || dtype == SITU_BF16;
    situ_source_add(t, "#define E %s\n#define C %s_F\n", d->type[dtype], name);
    if (half) {
        situ_source_add(
            t, "#define LOAD(x) %s_value(x)\n#define STORE(x) ((E)%s_code(x))\n", situ_dtype_name(dtype), situ_dtype_name(dtype));
    } else {
        situ_source_append(t,
            situ_dtype_is_complex(dtype) ? "#define LOAD(x) (x)\n#define STORE(x) (x)\n" :
                                           "#define LOAD(x) ((C)(x))\n#define STORE(x) ((E)(x))\n");
    }
    if (situ_dtype_is_complex(dtype)) {
        situ_source_add(t,
            "FN C own_add(C a, C b) { C s; s.re = a.re + b.re; s.im = a.im + b.im; return s; }\n"
            "FN C own_mul(C a, C b) { C s; s.re = a.re * b.re - a.im * b.im; s.im = a.re * b.im + a.im * b.re; return s; }\n"
            "FN C own_real(double x) { C s; s.re = x; s.im = 0; return s; }\n"
            "#define ADD(a, b) own_add(a, b)\n"
            "#define MULTIPLY(a, b) own_mul(a, b)\n"
            "#define PRODUCT_ADD(s, a, b) own_add(s, own_mul(a, b))\n"
            "#define ZERO own_real(0)\n#define ONE own_real(1)\n");
        return;
    }
    situ_source_append(t, "#define ZERO ((C)0)\n#define ONE ((C)1)\n");
    if (dtype == SITU_BOOL) {
        situ_source_append(t,
            "#define ADD(a, b) ((C)((a) | (b)))\n#define MULTIPLY(a, b) ((C)((a) & (b)))\n"
            "#define PRODUCT_ADD(s, a, b) ((C)((s) | ((a) & (b))))\n");
    } else if (situ_dtype_is_float(dtype)) {
        situ_source_add(t,
            "#define ADD(a, b) ((a) + (b))\n#define MULTIPLY(a, b) ((a) * (b))\n#define PRODUCT_ADD(s, a, b) %s_fma(a, b, s)\n",
            name);
    } else {
        const char *bits = situ_dtype_size(situ_dtype_compute(dtype)) == 4 ? "u32_F" : "u64_F";
        situ_source_add(t,
            "#define ADD(a, b) ((C)((%s)(a) + (%s)(b)))\n#define MULTIPLY(a, b) ((C)((%s)(a) * (%s)(b)))\n"
            "#define PRODUCT_ADD(s, a, b) ((C)((%s)(s) + (%s)(a) * (%s)(b)))\n",
            bits, bits, bits, bits, bits, bits, bits);
    }
}

/* The keys of situ_host_keys: a < b as numbers exactly if KEY(a) < KEY(b); NaN last. */
static void write_keys(situ_source *t, situ_dtype dtype)
{
    situ_source_append(t,
        "FN u64_F float_key(u64_F u, u64_F sign, u64_F infinite)\n"
        "{\n"
        "    u64_F magnitude = u & (sign - 1);\n"
        "    if (magnitude > infinite) return 0xffffffffffffffffu;\n"
        "    return u & sign ? sign - magnitude : sign + magnitude;\n"
        "}\n");
    switch (dtype) {
    case SITU_F16: situ_source_append(t, "#define KEY(x) float_key(x, 0x8000u, 0x7c00u)\n"); break;
    case SITU_BF16: situ_source_append(t, "#define KEY(x) float_key(x, 0x8000u, 0x7f80u)\n"); break;
    case SITU_F32: situ_source_append(t, "#define KEY(x) float_key(f32_bits(x), 0x80000000u, 0x7f800000u)\n"); break;
    case SITU_F64:
        situ_source_append(t, "#define KEY(x) float_key(f64_bits(x), 0x8000000000000000u, 0x7ff0000000000000u)\n");
        break;
    case SITU_I8:
    case SITU_I16:
    case SITU_I32:
    case SITU_I64: situ_source_append(t, "#define KEY(x) ((u64_F)(i64_F)(x) + 0x8000000000000000u)\n"); break;
    default: situ_source_append(t, "#define KEY(x) ((u64_F)(x))\n");
    }
}

/* ---------------------------------------------------------------- the whole text */

static void write_names(situ_source *t, const situ_call_desc *c, const situ_dialect *d)
{
    situ_source_add(t, "#define OUT ((GLOBAL %s *)ADDRESS(0))\n", d->type[c->out.dtype]);
    for (int i = 0; i < c->nin; i++)
        situ_source_add(t, "#define IN%d ((GLOBAL const %s *)ADDRESS(%d))\n", i, d->type[c->in[i].dtype], i + 1);
    situ_source_add(t, "#define WORKSPACE ADDRESS(%d)\n", c->nin + 1);
    if (!c->op->can_fail) return;
    situ_source_append(t,
        "#define REFUSE(value, bound, place) \\\n"
        "    if (CLAIM(fault)) ((GLOBAL i64_F *)fault)[1] = (value), ((GLOBAL i64_F *)fault)[2] = (bound), ((GLOBAL i64_F "
        "*)fault)[3] = (place) + 1\n"
        "#define REFUSE_AS(code, value) \\\n"
        "    if (CLAIM(fault)) fault[1] = (code), ((GLOBAL i64_F *)fault)[1] = (value)\n");
}

void situ_call_front(situ_source *t, const situ_call_desc *c, const situ_dialect *d)
{
    const situ_call_family *f = family_of(c);
    write_arithmetic(t, d, (situ_dtype)c->out.dtype);
    if (c->nin) write_keys(t, (situ_dtype)c->in[0].dtype);
    write_names(t, c, d);
    if (f && f->functions) f->functions(t, c, d);
}

void situ_call_pass(situ_source *t, const situ_call_desc *c, const situ_dialect *d, int pass)
{
    const situ_call_family *f = family_of(c);
    if (f) f->body(t, c, d, pass);
}

char *situ_call_text(const situ_call_desc *c, int nargument, const char *name, const situ_dialect *d)
{
    situ_passes passes;
    situ_source t = {0};
    if (!situ_call_passes(c, d, &passes))
        return situ_fail(SITU_UNSUPPORTED, NULL, "%s has no text of %s", c->op->name, d->name), NULL;
    situ_source_append(&t, d->words);
    situ_source_append(&t, situ_text_words_scalar);
    situ_source_append(&t, situ_text_complex);
    situ_source_append(&t, situ_text_halves);
    situ_call_front(&t, c, d);
    for (int i = 0; i < passes.count; i++) {
        situ_parallel_open(
            &t, d, name, i, passes.pass[i].threads, c->nin + 1 + (passes.workspace > 0), nargument, c->op->can_fail || c->guarded);
        if (c->guarded) situ_source_append(&t, "    if (*fault) return;\n");
        situ_call_pass(&t, c, d, i);
        situ_source_append(&t, "}\n");
    }
    return situ_source_take(&t);
}
