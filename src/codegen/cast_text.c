#include "codegen/cast_text.h"

#include "tensor/dtype.h"

const char situ_text_complex[] = "#ifndef SITU_COMPLEX\n"
                                 "#define SITU_COMPLEX\n"
                                 "typedef struct { f32_F re, im; } c64_F;\n"
                                 "typedef struct { f64_F re, im; } c128_F;\n"
                                 "#endif\n";

/* A half is stored in the low 16 bits of a u32. Adding and subtracting a power of two aligns subnormals. odd_f32 keeps
 * what a double or a 64-bit integer loses in f32 as a sticky last bit, so that the second rounding gives the right
 * result. */
const char situ_text_halves[] =
    "#ifndef SITU_HALVES\n"
    "#define SITU_HALVES\n"
    "FN f32_F f16_value(u32_F h)\n"
    "{\n"
    "    u32_F s = (h & 0x8000u) << 16, e = h >> 10 & 31u, m = h & 1023u;\n"
    "    if (e == 31u) return f32_from_bits(s | 0x7f800000u | m << 13);\n"
    "    if (e == 0u) return f32_from_bits(s | f32_bits((f32_F)m * f32_from_bits(0x33800000u)));\n"
    "    return f32_from_bits(s | (e + 112u) << 23 | m << 13);\n"
    "}\n"
    "FN u32_F f16_code(f32_F x)\n"
    "{\n"
    "    u32_F u = f32_bits(x), s = u >> 16 & 0x8000u, a = u & 0x7fffffffu;\n"
    "    if (a > 0x7f800000u) return s | 0x7e00u;\n"
    "    if (a >= 0x477ff000u) return s | 0x7c00u;\n"
    "    if (a < 0x38800000u) return s | (f32_bits(f32_from_bits(a) + f32_from_bits(0x3f000000u)) - 0x3f000000u);\n"
    "    return s | (a - 0x38000000u + 0xfffu + (a >> 13 & 1u)) >> 13;\n"
    "}\n"
    "FN f32_F bf16_value(u32_F h) { return f32_from_bits(h << 16); }\n"
    "FN u32_F bf16_code(f32_F x)\n"
    "{\n"
    "    u32_F u = f32_bits(x);\n"
    "    if ((u & 0x7fffffffu) > 0x7f800000u) return u >> 16 | 0x40u;\n"
    "    return (u + 0x7fffu + (u >> 16 & 1u)) >> 16;\n"
    "}\n"
    "FN f32_F odd_f32(f64_F x)\n"
    "{\n"
    "    f32_F f = (f32_F)x;\n"
    "    if ((f64_F)f == x || x != x) return f;\n"
    "    f64_F a = x < 0 ? -x : x, b = f < 0 ? -(f64_F)f : (f64_F)f;\n"
    "    u32_F u = f32_bits(f);\n"
    "    return f32_from_bits((b > a ? u - 1u : u) | 1u);\n"
    "}\n"
    "FN f64_F sticky_u64(u64_F x) { return (f64_F)(x >> 32 ? (x >> 16 | ((x & 0xffffu) != 0)) << 16 : x); }\n"
    "FN f64_F sticky_i64(i64_F x) { return x < 0 ? -sticky_u64(0u - (u64_F)x) : sticky_u64((u64_F)x); }\n"
    "#endif\n";

/* Float to integer: from `limit` on the largest integer, up to `lowest` the smallest. */
typedef struct range {
    situ_dtype to;
    const char *limit, *highest, *lowest, *least;
} range;
static const range ranges[] = {
    {SITU_U8, "256.0", "255u", "0.0", "0u"},
    {SITU_U16, "65536.0", "65535u", "0.0", "0u"},
    {SITU_U32, "4294967296.0", "4294967295u", "0.0", "0u"},
    {SITU_U64, "18446744073709551616.0", "18446744073709551615u", "0.0", "0u"},
    {SITU_I8, "128.0", "127", "-128.0", "-128"},
    {SITU_I16, "32768.0", "32767", "-32768.0", "-32768"},
    {SITU_I32, "2147483648.0", "2147483647", "-2147483648.0", "-2147483647 - 1"},
    {SITU_I64, "9223372036854775808.0", "9223372036854775807", "-9223372036854775808.0", "-9223372036854775807 - 1"},
};

static void saturate(situ_source *t, situ_dtype from, situ_dtype to)
{
    const char *f = from == SITU_F32 ? "f" : "", *type = situ_dtype_name(situ_dtype_compute(to));
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        const range *r = &ranges[i];
        if (r->to != to) continue;
        situ_source_add(t,
            "    if (x != x) return 0;\n"
            "    if (x >= %s%s) return %s;\n"
            "    if (x <= %s%s) return %s;\n"
            "    return (%s_F)x;\n",
            r->limit, f, r->highest, r->lowest, f, r->least, type);
    }
}

/* The value as an f32 or f64 that rounds to 16 bits like the original. */
static const char *before_half(situ_dtype from)
{
    switch (from) {
    case SITU_F32: return "x";
    case SITU_F64: return "odd_f32(x)";
    case SITU_U64: return "odd_f32(sticky_u64(x))";
    case SITU_I64: return "odd_f32(sticky_i64(x))";
    default: return "odd_f32((f64_F)x)";
    }
}

static void complex_cast(situ_source *t, situ_dtype from, situ_dtype to)
{
    const char *part = to == SITU_C64 ? "f32_F" : "f64_F", *type = situ_dtype_name(to);
    if (situ_dtype_is_complex(from)) situ_source_add(t, "    %s_F y = {(%s)x.re, (%s)x.im};\n    return y;\n", type, part, part);
    else situ_source_add(t, "    %s_F y = {(%s)x, 0};\n    return y;\n", type, part);
}

static void real_cast(situ_source *t, const situ_dialect *d, situ_dtype from, situ_dtype to)
{
    const char *type = situ_dtype_name(situ_dtype_compute(to));
    if (to == SITU_BOOL) situ_source_append(t, "    return x != 0;\n");
    else if (to == SITU_F16 || to == SITU_BF16)
        situ_source_add(t, "    return %s_value(%s_code(%s));\n", situ_dtype_name(to), situ_dtype_name(to), before_half(from));
    else if (situ_dtype_is_float(from) && situ_dtype_is_integer(to)) saturate(t, from, to);
    else situ_source_add(t, "    return (%s_F)(%s)x;\n", type, d->type[to]);
}

void situ_text_cast(situ_source *t, const situ_dialect *d, situ_dtype from, situ_dtype to)
{
    const char *a = situ_dtype_name(from), *b = situ_dtype_name(to);
    situ_source_add(t, "#ifndef SITU_CAST_%s_%s\n#define SITU_CAST_%s_%s\n", a, b, a, b);
    situ_source_add(t, "FN %s_F cast_%s_%s(%s_F %s)\n{\n", situ_dtype_name(situ_dtype_compute(to)), a, b, a,
        situ_dtype_is_complex(from) && !situ_dtype_is_complex(to) ? "z" : "x");
    if (situ_dtype_is_complex(to)) {
        complex_cast(t, from, to);
    } else if (situ_dtype_is_complex(from)) {
        if (to == SITU_BOOL) {
            situ_source_append(t, "    return z.re != 0 || z.im != 0;\n");
        } else {
            situ_source_add(t, "    %s_F x = z.re;\n", situ_dtype_name(situ_dtype_real(from)));
            real_cast(t, d, situ_dtype_real(from), to);
        }
    } else {
        real_cast(t, d, from, to);
    }
    situ_source_append(t, "}\n#endif\n");
}
