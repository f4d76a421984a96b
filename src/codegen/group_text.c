#include "codegen/group_text.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "codegen/cast_text.h"
#include "codegen/el_text.h"
#include "codegen/math_text.h"
#include "codegen/random_text.h"
#include "codegen/text_op.h"
#include "op/reduce_kind.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

typedef struct writer {
    const situ_fused *g;
    const situ_dialect *d;
    const char *name;
    situ_source helpers, body; /* the text before NAME_at, and the rest */
    situ_math math;
    bool cast[SITU_DTYPES][SITU_DTYPES];
    bool narrow; /* positions fit into 32 bits, which divide faster */
    bool four;   /* writes element k of a pack of four, see situ_fused_packs */
    int tile;    /* the axis of situ_fused_tile, or -1 */
} writer;

enum { PACK = 4, PACKED_INSTRUCTIONS = 40 };

static bool is_heavy(const situ_fused *g)
{
    bool heavy = g->ninstruction > PACKED_INSTRUCTIONS;
    for (int i = 0; i < g->ninstruction; i++) heavy |= g->instruction[i].kind == SITU_DO_RANDOM;
    return heavy;
}

bool situ_fused_packs(const situ_fused *g, const situ_dialect *d)
{
    return d->packs && g->reduction < 0 && !is_heavy(g) && situ_fused_tile(g, d) < 0;
}

bool situ_fused_quads(const situ_fused *g, const situ_dialect *d)
{
    bool any = false;
    for (int i = 0; i < g->nload; i++) any |= situ_is_contiguous(g->ndim, g->dim, g->load[i].stride);
    return d->packs && g->reduction >= 0 && g->C == 1 && g->R % PACK == 0 && any && !is_heavy(g);
}

bool situ_fused_is_tiled(const situ_fused *g, int axis, int load)
{
    const int64_t *stride = g->load[load].stride;
    return axis >= 0 && stride[axis] == 1 && stride[g->ndim - 1] != 0 && stride[g->ndim - 1] != 1;
}

int situ_fused_tile(const situ_fused *g, const situ_dialect *d)
{
    enum { LEAST = 16, MOST_BYTES = 24 }; /* limits of a row of tiles: least length, bytes of all loads' elements */
    int last = g->ndim - 1;
    if (!d->packs || g->reduction >= 0 || last < 1 || g->dim[last] < LEAST) return -1;
    for (int axis = 0; axis < last; axis++) {
        size_t bytes = 0;
        for (int i = 0; i < g->nload; i++)
            if (situ_fused_is_tiled(g, axis, i)) bytes += situ_dtype_size((situ_dtype)g->load[i].dtype);
        if (bytes && bytes <= MOST_BYTES && g->dim[axis] >= LEAST) return axis;
    }
    return -1;
}

static bool is_packed(const writer *w, const situ_load *load)
{
    return w->four && situ_is_contiguous(w->g->ndim, w->g->dim, load->stride);
}

/* ---------------------------------------------------------------- values */

static const char *compute_name(situ_dtype d) { return situ_dtype_name(situ_dtype_compute(d)); }

/* Writes a value converted to dtype `to` and rounded; adds the cast function that it needs, if it is not there yet. */
static void converted(writer *w, situ_source *t, const char *value, situ_dtype held, situ_dtype to)
{
    situ_dtype from = situ_dtype_compute(held);
    if (from == to) {
        situ_source_append(t, value);
        return;
    }
    if (!w->cast[from][to]) situ_text_cast(&w->helpers, w->d, from, to);
    w->cast[from][to] = true;
    situ_source_add(t, "cast_%s_%s(%s)", situ_dtype_name(from), situ_dtype_name(to), value);
}

/* Writes the element index of a load at this position; axes that are traversed as one are merged. */
static void load_index(writer *w, const situ_load *load)
{
    int64_t dim[SITU_MAX_DIMS], stride[SITU_MAX_DIMS], inner = 1;
    memcpy(dim, w->g->dim, sizeof dim);
    memcpy(stride, load->stride, sizeof stride);
    int n = situ_collapse(w->g->ndim, dim, 1, stride);
    const char *zero = "0";
    for (int k = n - 1; k >= 0; inner *= dim[k] ? dim[k] : 1, k--) {
        if (!stride[k]) continue;
        situ_source_append(&w->body, *zero ? "" : " + ");
        zero = "";
        situ_source_append(&w->body, "(i64_F)(p");
        if (inner > 1) situ_source_add(&w->body, " / %lldu", (long long)inner);
        if (k > 0) situ_source_add(&w->body, " %% %lldu", (long long)dim[k]);
        situ_source_append(&w->body, ")");
        if (stride[k] != 1) situ_source_add(&w->body, " * %lld", (long long)stride[k]);
    }
    situ_source_append(&w->body, zero);
}

static void write_load(writer *w, int index)
{
    const situ_load *load = &w->g->load[index];
    const char *before = "", *after = "";
    if (load->dtype == SITU_BOOL) after = " != 0";
    else if (load->dtype == SITU_F16) before = "f16_value(", after = ")";
    else if (load->dtype == SITU_BF16) before = "bf16_value(", after = ")";
    if (is_packed(w, load)) {
        situ_source_add(&w->body, "%sx%d.at[k]%s", before, index, after);
        return;
    }
    if (situ_fused_is_tiled(w->g, w->tile, index)) {
        situ_source_add(&w->body, "%sx%d%s", before, index, after);
        return;
    }
    situ_source_add(&w->body, "%sl%d[", before, index);
    load_index(w, load);
    situ_source_add(&w->body, "]%s", after);
}

/* Writes a value as it is stored; it is in its compute dtype and already rounded. */
static void write_stored(writer *w, situ_source *t, const char *value, situ_dtype held, situ_dtype to)
{
    situ_dtype compute = situ_dtype_compute(to);
    bool half = to == SITU_F16 || to == SITU_BF16;
    if (half) situ_source_add(t, "(%s)%s_code(", w->d->type[to], situ_dtype_name(to));
    else if (compute != to) situ_source_add(t, "(%s)", w->d->type[to]);
    /* a store rounds, so a value of its compute dtype needs no cast before */
    converted(w, t, value, held, situ_dtype_compute(held) == compute ? compute : to);
    if (half) situ_source_append(t, ")");
}

/* ---------------------------------------------------------------- instructions */

static void write_argument(writer *w, const situ_instruction *in)
{
    char word[64];
    snprintf(word, sizeof word, in->b ? "f64_from_bits(argument[%d])" : "(i64_F)argument[%d]", in->a);
    converted(w, &w->body, word, in->b ? SITU_F64 : SITU_I64, (situ_dtype)in->dtype);
}

static void write_iota(writer *w, const situ_instruction *in)
{
    char position[96];
    snprintf(position, sizeof position, "(i64_F)(p / %lldu %% %lldu)", (long long)(in->p > 0 ? in->p : 1),
        (long long)(in->q > 0 ? in->q : 1));
    converted(w, &w->body, position, SITU_I64, (situ_dtype)in->dtype);
}

static void write_random(writer *w, const situ_instruction *in)
{
    static const char *const name[2][2] = {{"random_32", "random_64"}, {"random_part_32", "random_part_64"}};
    situ_source_add(
        &w->body, "%s(l%d[0], l%d[1], p, %llu)", name[in->p != 0][in->dtype == SITU_U64], in->a, in->a, (unsigned long long)in->q);
}

/* Writes the function of an operation, with a guard, because several texts may be in one file. */
static void write_operation(writer *w, situ_el op, situ_dtype d)
{
    char buffer[2048];
    const char *type = situ_dtype_name(d), *name = situ_el_rows[op].name;
    int length = situ_text_op(buffer, sizeof buffer, op, d);
    if (length < 0 || (size_t)length >= sizeof buffer) w->helpers.failed = true;
    situ_math_need(&w->math, d, situ_el_rows[op].value);
    situ_source_add(&w->helpers, "#ifndef SITU_%s_%s_OP\n#define SITU_%s_%s_OP\n", type, name, type, name);
    situ_source_append(&w->helpers, buffer);
    situ_source_append(&w->helpers, "#endif\n");
}

static void write_element(writer *w, int i)
{
    const situ_instruction *in = &w->g->instruction[i];
    const situ_el_row *row = &situ_el_rows[in->el];
    const uint8_t operand[3] = {in->a, in->b, in->c};
    bool known = false;
    for (int k = 0; k < i; k++) {
        const situ_instruction *other = &w->g->instruction[k];
        known |= other->kind == SITU_DO_ELEMENT && other->el == in->el && other->from == in->from;
    }
    if (!known) write_operation(w, (situ_el)in->el, (situ_dtype)in->from);
    situ_source_add(&w->body, "%s_%s_op(", situ_dtype_name((situ_dtype)in->from), row->name);
    for (int k = 0; k < row->arity; k++) situ_source_add(&w->body, k ? ", r%d" : "r%d", operand[k]);
    situ_source_append(&w->body, ")");
}

/* Writes "register = value". */
static void write_instruction(writer *w, int i)
{
    const situ_instruction *in = &w->g->instruction[i];
    situ_source_add(&w->body, "    %s_F r%d = ", compute_name(situ_fused_register(w->g, i)), i);
    switch (in->kind) {
    case SITU_DO_LOAD: write_load(w, in->a); break;
    case SITU_DO_ARGUMENT: write_argument(w, in); break;
    case SITU_DO_IOTA: write_iota(w, in); break;
    case SITU_DO_RANDOM: write_random(w, in); break;
    case SITU_DO_ELEMENT: write_element(w, i); break;
    default: {
        char value[16];
        snprintf(value, sizeof value, "r%d", in->a);
        converted(w, &w->body, value, (situ_dtype)in->from, (situ_dtype)in->dtype);
    }
    }
    situ_source_append(&w->body, ";\n");
}

/* ---------------------------------------------------------------- the whole text */

/* Writes the parameters of NAME_at, except the position. */
static void write_parameters(situ_source *t, const situ_dialect *d, const situ_fused *g)
{
    for (int i = 0; i < g->nstore; i++) situ_source_add(t, "%s%s *s%d, ", d->global, d->type[g->store[i].dtype], i);
    for (int i = 0; i < g->nload; i++) situ_source_add(t, "%sconst %s *l%d, ", d->global, d->type[g->load[i].dtype], i);
    situ_source_add(t, "const %s *argument, ", d->type[SITU_U64]);
}

/* Writes the instructions at position p, and their stores. */
static void write_position(writer *w)
{
    const situ_fused *g = w->g;
    char value[16];
    for (int i = 0; i < g->ninstruction; i++) write_instruction(w, i);
    for (int i = 0; i < g->nstore; i++) {
        int r = g->store[i].from_register;
        snprintf(value, sizeof value, "r%d", r);
        situ_source_add(&w->body, w->four ? "    y%d.at[k] = " : "    s%d[p] = ", i);
        write_stored(w, &w->body, value, situ_fused_register(g, r), (situ_dtype)g->store[i].dtype);
        situ_source_append(&w->body, ";\n");
    }
}

static void write_at(writer *w)
{
    const situ_fused *g = w->g;
    const char *result = g->reduction >= 0 ? compute_name((situ_dtype)g->reduce_dtype) : NULL;
    char value[16];
    situ_source_add(&w->body, "FN %s%s %s_at(", result ? result : "void", result ? "_F" : "", w->name);
    write_parameters(&w->body, w->d, g);
    situ_source_add(&w->body, "u64_F at)\n{\n    %s_F p = (%s_F)at;\n    (void)argument, (void)p;\n", w->narrow ? "u32" : "u64",
        w->narrow ? "u32" : "u64");
    write_position(w);
    if (result) {
        snprintf(value, sizeof value, "r%d", g->reduce_register);
        situ_source_append(&w->body, "    return ");
        converted(w, &w->body, value, situ_fused_register(g, g->reduce_register), situ_dtype_compute((situ_dtype)g->reduce_dtype));
        situ_source_append(&w->body, ";\n");
    }
    situ_source_append(&w->body, "}\n");
}

/* Writes the type pack_f16, aligned for a single access where possible. */
static void write_pack(writer *w, situ_dtype d)
{
    const char *name = situ_dtype_name(d);
    size_t bytes = PACK * situ_dtype_size(d);
    situ_source_add(&w->helpers,
        "#ifndef SITU_PACK_%s\n#define SITU_PACK_%s\n"
        "typedef struct __attribute__((aligned(%zu))) { %s at[%d]; } pack_%s;\n#endif\n",
        name, name, bytes < 16 ? bytes : 16, w->d->type[d], PACK, name);
}

static void write_four(writer *w)
{
    const situ_fused *g = w->g;
    w->four = true;
    situ_source_add(&w->body, "FN void %s_four(", w->name);
    write_parameters(&w->body, w->d, g);
    bool reductions = g->reduction >= 0;
    situ_source_append(&w->body, "u64_F first");
    if (reductions) situ_source_add(&w->body, ", %s_F *result", compute_name((situ_dtype)g->reduce_dtype));
    situ_source_append(&w->body, ")\n{\n");
    for (int i = 0; i < g->nload; i++) {
        const char *type = situ_dtype_name((situ_dtype)g->load[i].dtype);
        if (!is_packed(w, &g->load[i])) continue;
        write_pack(w, (situ_dtype)g->load[i].dtype);
        situ_source_add(&w->body, "    pack_%s x%d = *(%sconst pack_%s *)(l%d + first);\n", type, i, w->d->global, type, i);
    }
    for (int i = 0; i < g->nstore; i++) {
        write_pack(w, (situ_dtype)g->store[i].dtype);
        situ_source_add(&w->body, "    pack_%s y%d;\n", situ_dtype_name((situ_dtype)g->store[i].dtype), i);
    }
    situ_source_add(&w->body, "#pragma unroll\n    for (int k = 0; k < %d; k++) {\n    %s_F p = (%s_F)first + k;\n", PACK,
        w->narrow ? "u32" : "u64", w->narrow ? "u32" : "u64");
    write_position(w);
    if (reductions) {
        char value[16];
        snprintf(value, sizeof value, "r%d", g->reduce_register);
        situ_source_append(&w->body, "    result[k] = ");
        converted(w, &w->body, value, situ_fused_register(g, g->reduce_register), situ_dtype_compute((situ_dtype)g->reduce_dtype));
        situ_source_append(&w->body, ";\n");
    }
    situ_source_append(&w->body, "    }\n");
    for (int i = 0; i < g->nstore; i++)
        situ_source_add(&w->body, "    *(%spack_%s *)(s%d + first) = y%d;\n", w->d->global,
            situ_dtype_name((situ_dtype)g->store[i].dtype), i, i);
    situ_source_append(&w->body, "}\n");
    w->four = false;
}

static void write_tiled(writer *w)
{
    const situ_fused *g = w->g;
    const char *position = w->narrow ? "u32" : "u64";
    int axis = situ_fused_tile(g, w->d);
    for (int i = 0; i < g->nload; i++) {
        const char *type = w->d->type[g->load[i].dtype];
        if (!situ_fused_is_tiled(g, axis, i)) continue;
        situ_source_add(&w->body, "FN %s %s_load%d(%sconst %s *l%d, u64_F at)\n{\n    %s_F p = (%s_F)at;\n    return l%d[", type,
            w->name, i, w->d->global, type, i, position, position, i);
        load_index(w, &g->load[i]);
        situ_source_append(&w->body, "];\n}\n");
    }
    w->tile = axis;
    situ_source_add(&w->body, "FN void %s_tiled(", w->name);
    write_parameters(&w->body, w->d, g);
    situ_source_append(&w->body, "u64_F at");
    for (int i = 0; i < g->nload; i++)
        if (situ_fused_is_tiled(g, axis, i)) situ_source_add(&w->body, ", %s x%d", w->d->type[g->load[i].dtype], i);
    situ_source_add(&w->body, ")\n{\n    %s_F p = (%s_F)at;\n", position, position);
    write_position(w);
    situ_source_append(&w->body, "}\n");
    w->tile = -1;
}

/* Writes NAME_neutral, NAME_reduce and NAME_out: the start of a reduction, one step, and its result as stored. */
static void write_reduce(writer *w)
{
    static const char *const lowest[SITU_DTYPES] = {[SITU_BOOL] = "0",
        [SITU_I32] = "-2147483647 - 1",
        [SITU_U32] = "0",
        [SITU_I64] = "-9223372036854775807 - 1",
        [SITU_U64] = "0",
        [SITU_F32] = "-f32_infinity()",
        [SITU_F64] = "-f64_infinity()"};
    static const char *const highest[SITU_DTYPES] = {[SITU_BOOL] = "1",
        [SITU_I32] = "2147483647",
        [SITU_U32] = "4294967295u",
        [SITU_I64] = "9223372036854775807",
        [SITU_U64] = "18446744073709551615u",
        [SITU_F32] = "f32_infinity()",
        [SITU_F64] = "f64_infinity()"};
    const situ_fused *g = w->g;
    situ_dtype d = situ_dtype_compute((situ_dtype)g->reduce_dtype);
    const char *type = situ_dtype_name(d);
    const char *const neutral[SITU_REDUCE_KINDS] = {"0", "1", lowest[d], highest[d], "0", "1"};
    static const char *const step[SITU_REDUCE_KINDS] = {
        "a + b", "a * b", "a == a ? a > b ? a : b : a", "a == a ? a < b ? a : b : a", "a | b", "a & b"};
    situ_source_add(&w->body, "FN %s_F %s_neutral(void) { return %s; }\n", type, w->name, neutral[g->reduction]);
    bool wraps = (d == SITU_I32 || d == SITU_I64) && g->reduction <= SITU_REDUCE_PROD; /* computed as unsigned numbers */
    situ_source_add(&w->body, "FN %s_F %s_reduce(%s_F a, %s_F b) { return (%s_F)(%s%s); }\n", type, w->name, type, type, type,
        !wraps            ? "" :
            d == SITU_I32 ? "(u32_F)" :
                            "(u64_F)",
        step[g->reduction]);
    situ_source_add(&w->body, "FN %s %s_out(%s_F x) { return ", w->d->type[g->reduce_out], w->name, type);
    write_stored(w, &w->body, "x", d, (situ_dtype)g->reduce_out);
    situ_source_append(&w->body, "; }\n");
}

static bool reductions(int reduction, situ_dtype d)
{
    bool logic = reduction == SITU_REDUCE_ANY || reduction == SITU_REDUCE_ALL;
    if (d == SITU_BOOL) return logic || reduction == SITU_REDUCE_MAX || reduction == SITU_REDUCE_MIN;
    return !logic && !situ_dtype_is_complex(d);
}

/* Writes everything that is not specific to this group, with definitions before uses. */
static void write_shared(writer *w, situ_source *t)
{
    const situ_fused *g = w->g;
    bool random = false;
    for (int i = 0; i < g->ninstruction; i++) random |= g->instruction[i].kind == SITU_DO_RANDOM;
    situ_source_append(t, "#ifndef SITU_WORDS\n#define SITU_WORDS\n");
    situ_source_append(t, w->d->words);
    situ_source_append(t, "#endif\n");
    situ_source_append(t, situ_text_words_scalar);
    situ_source_append(t, situ_text_complex);
    situ_source_append(t, situ_text_halves);
    if (random) situ_source_append(t, situ_text_random);
    situ_math_write(&w->math, t);
}

static int refuse(const situ_fused *g)
{
    const char *fault = situ_fused_fault(g);
    if (fault)
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "a fused group is not well formed: %s; this is an error in the planner", fault);
    if (g->reduction >= SITU_REDUCE_KINDS ||
        (g->reduction >= 0 && !reductions(g->reduction, situ_dtype_compute((situ_dtype)g->reduce_dtype))))
        return situ_fail(SITU_UNSUPPORTED, NULL, "a reduction has no rule for %s; cast its operand first",
            situ_dtype_name((situ_dtype)g->reduce_dtype));
    return 0;
}

/* What there is to say about this group; NULL with an error. */
static writer *write_group(const situ_fused *g, const char *function_name, const situ_dialect *d)
{
    if (!g || !function_name || !d) {
        situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_fused_text needs a group, a name and a dialect, not NULL");
        return NULL;
    }
    if (refuse(g)) return NULL;
    writer *w = situ_calloc(1, sizeof *w);
    if (!w) {
        situ_fail(SITU_NO_MEMORY, NULL, "out of host memory while writing a kernel's source text");
        return NULL;
    }
    w->g = g;
    w->d = d;
    w->name = function_name;
    w->tile = -1;
    w->narrow = situ_shape_count(g->ndim, g->dim) <= UINT32_MAX;
    situ_math_open(&w->math);
    write_at(w);
    if (situ_fused_packs(g, d) || (situ_fused_quads(g, d) && d->kernel)) write_four(w);
    if (situ_fused_tile(g, d) >= 0 && d->kernel) write_tiled(w);
    if (g->reduction >= 0) write_reduce(w);
    if (d->kernel) d->kernel(&w->body, d, g, function_name);
    return w;
}

/* Appends the two texts of w and frees it. */
static void take_texts(writer *w, situ_source *helpers, situ_source *body)
{
    char *first = situ_source_take(&w->helpers), *second = situ_source_take(&w->body);
    if (first) situ_source_append(helpers, first);
    if (second) situ_source_append(body, second);
    body->failed |= !first || !second;
    situ_free(first);
    situ_free(second);
    situ_free(w);
}

char *situ_fused_text(const situ_fused *g, const char *function_name, const situ_dialect *d)
{
    writer *w = write_group(g, function_name, d);
    if (!w) return NULL;
    situ_source all = {0};
    write_shared(w, &all);
    take_texts(w, &all, &all);
    return situ_source_take(&all);
}

int situ_fused_parts(
    const situ_fused *g, const char *function_name, const situ_dialect *d, situ_math *math, situ_source *helpers, situ_source *body)
{
    writer *w = write_group(g, function_name, d);
    if (!w) return -situ_error_code;
    situ_math_join(math, &w->math);
    take_texts(w, helpers, body);
    return 0;
}
