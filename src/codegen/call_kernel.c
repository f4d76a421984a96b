/* Operations whose one body is in op (op/kernel.h): a work-item for each position. If writes may collide (K.ordered),
 * x is copied and a work-item goes along each line in order; or, with many work-items and not too many results, or
 * where the body says what belongs to a result (MINE), a work-item for each result searches what is written to it. */
#include "codegen/call_text.h"
#include "op/kernel.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

typedef struct kernel {
    int64_t k[SITU_KERNEL_FIELDS];
    situ_domain d;
    int64_t results;
    bool looks;
} kernel;

static kernel kernel_of(const situ_call_desc *c, const situ_dialect *d)
{
    kernel k = {.results = situ_shape_count(c->out.ndim, c->out.dim)};
    situ_kernel_shape(c, k.k);
    memcpy(&k.d, k.k, sizeof k.d);
    k.looks = k.d.ordered == SITU_FROM_ZERO || (k.d.ordered && d->packs && k.results <= 1 << 22);
    return k;
}

static bool passes(const situ_call_desc *c, const situ_dialect *d, situ_passes *p)
{
    kernel k = kernel_of(c, d);
    p->pass[0] = situ_pass_for(k.d.ordered ? k.results : k.d.outer * k.d.rows * k.d.inner);
    if (!k.d.ordered || k.looks) return true;
    p->count = 2;
    p->pass[1] = situ_pass_for(k.d.outer * k.d.inner);
    return true;
}

static const char *missing(situ_dtype d)
{
    if (d == SITU_F16) return "0x7e00u";
    if (d == SITU_BF16) return "0x7fc0u";
    return situ_dtype_is_complex(d)    ? "own_real(f64_not_a_number())" :
        d == SITU_F32 || d == SITU_F64 ? "(E)f64_not_a_number()" :
                                         "0";
}

static void functions(situ_source *t, const situ_call_desc *c, const situ_dialect *d)
{
    bool fails = c->op->can_fail, looks = kernel_of(c, d).looks;
    situ_source_add(t,
        "#undef EACH_J\n#define EACH_J\n#define PER_J(T, name) T name\n#define J(name) name\n#define WORD(k) argument[k]\n#define "
        "MISSING %s\n"
        "#define INDEX(k, n) index_of((i64_F)IN1[k], n, K.from_end, k%s%s)\n#define MINE(all, some) (%s)\n%s",
        missing((situ_dtype)c->out.dtype), fails ? ", fault" : "", looks ? ", mine == 0" : ", 1", looks ? "some" : "all",
        c->op->kernel->words);
    situ_source_append(t,
        looks ? "#define PUT(at, x) if ((at) == mine) own = (x)\n#define ADD_TO(at, x) PUT(at, STORE(ADD(LOAD(own), LOAD(x))))\n" :
                "#define PUT(at, x) OUT[(o * K.n + (at)) * K.inner + j] = (x)\n"
                "#define ADD_TO(at, x) PUT(at, STORE(ADD(LOAD(OUT[(o * K.n + (at)) * K.inner + j]), LOAD(x))))\n");
    if (fails)
        situ_source_append(t,
            "FN i64_F index_of(i64_F given, i64_F n, i64_F from_end, i64_F place, GLOBAL int *fault, int tell)\n"
            "{\n"
            "    i64_F at = from_end && given < 0 ? given + n : given;\n"
            "    if (at >= 0 && at < n) return at;\n"
            "    if (tell) {\n        REFUSE(given, n, place);\n    }\n"
            "    return -1;\n"
            "}\n");
}

/* Writes "    const struct { i64_F outer, ... } K = {...};". */
static void write_fields(situ_source *t, const situ_kernel *of, const int64_t *k)
{
    int length = (int)strlen(of->fields) - 2;
    situ_source_append(t, "    const struct {\n        i64_F outer, rows, inner, n, from_end, ordered, work");
    situ_source_add(t, "%s%.*s;\n    } K = {", length ? ", " : "", length, of->fields + 1);
    for (int i = 0; i < of->count; i++) situ_source_add(t, "%s%lld", i ? ", " : "", (long long)k[i]);
    situ_source_append(t, "};\n");
}

static void body(situ_source *t, const situ_call_desc *c, const situ_dialect *d, int pass)
{
    const char *text = c->op->kernel->text;
    kernel k = kernel_of(c, d);
    long long rows = (long long)k.d.rows, inner = (long long)k.d.inner, n = (long long)k.d.n;
    inner += !inner;
    situ_call_each(t, k.d.ordered && (k.looks || !pass) ? k.results : k.d.outer * k.d.inner * (k.d.ordered ? 1 : k.d.rows));
    if (k.d.ordered && !k.looks && !pass) {
        situ_source_append(t, c->op->can_fail ? "    (void)fault;\n    OUT[p] = IN0[p];\n" : "    OUT[p] = IN0[p];\n");
        return;
    }
    write_fields(t, c->op->kernel, k.k);
    situ_source_add(t, "    i64_F j = (i64_F)(p %% %lldu);\n    (void)K, (void)j;\n", inner);
    if (k.looks)
        situ_source_add(t,
            "    i64_F o = (i64_F)(p / %lldu), mine = (i64_F)(p / %lldu %% %lldu);\n    E own = %s;\n    (void)o;\n"
            "    for (i64_F i = 0, row = o * %lld; i < %lld; i++, row++) %s\n    OUT[p] = own;\n",
            n * inner + !n, inner, n + !n, k.d.ordered == SITU_FROM_ZERO ? "STORE(ZERO)" : "IN0[p]", rows, rows, text);
    else if (k.d.ordered)
        situ_source_add(t, "    i64_F o = (i64_F)(p / %lldu);\n    for (i64_F i = 0, row = o * %lld; i < %lld; i++, row++) %s\n",
            inner, rows, rows, text);
    else
        situ_source_add(t,
            "    i64_F o = (i64_F)(p / %lldu), i = (i64_F)(p / %lldu %% %lldu), row = (i64_F)(p / %lldu);\n    (void)o, (void)i, "
            "(void)row;\n    %s\n",
            rows * inner + !rows, inner, rows + !rows, inner, text);
}

const situ_call_family situ_call_kernel = {NULL, passes, body, functions};
