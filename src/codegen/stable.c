/* Operations of StableHLO as text, in MLIR's generic form. */
#include "codegen/stable.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "op/reduce_kind.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

/* ---- syntax ---- */

static const char *type_name(int type)
{
    static const char *const names[SITU_DTYPES] = {[SITU_BOOL] = "i1",
        [SITU_U8] = "ui8",
        [SITU_U16] = "ui16",
        [SITU_U32] = "ui32",
        [SITU_U64] = "ui64",
        [SITU_I8] = "i8",
        [SITU_I16] = "i16",
        [SITU_I32] = "i32",
        [SITU_I64] = "i64",
        [SITU_F16] = "f16",
        [SITU_BF16] = "bf16",
        [SITU_F32] = "f32",
        [SITU_F64] = "f64",
        [SITU_C64] = "complex<f32>",
        [SITU_C128] = "complex<f64>"};
    return names[type];
}

void situ_stable_type(situ_source *s, int type, int ndim, const int64_t *dim)
{
    situ_source_append(s, "tensor<");
    for (int i = 0; i < ndim; i++) situ_source_add(s, "%lldx", (long long)dim[i]);
    situ_source_add(s, "%s>", type_name(type));
}

void situ_stable_name(situ_stable *t, situ_wire a) { situ_source_add(&t->text, "%%%d", a.id); }

situ_wire situ_stable_new(situ_stable *t, int type, int ndim, const int64_t *dim)
{
    situ_wire w = {.id = t->next++, .type = (uint8_t)type, .ndim = (uint8_t)ndim};
    if (ndim) memcpy(w.dim, dim, 8 * (size_t)ndim);
    return w;
}

static void types(situ_stable *t, const situ_wire *in, int n)
{
    for (int i = 0; i < n; i++) {
        if (i) situ_source_append(&t->text, ", ");
        situ_stable_type(&t->text, in[i].type, in[i].ndim, in[i].dim);
    }
}

void situ_stable_signature(situ_stable *t, const situ_wire *in, int n, const situ_wire *out, int results)
{
    situ_source_append(&t->text, " : (");
    types(t, in, n);
    situ_source_append(&t->text, ") -> (");
    types(t, out, results);
    situ_source_append(&t->text, ")\n");
}

void situ_stable_numbers(situ_stable *t, const char *name, int n, const int64_t *number)
{
    situ_source_add(&t->text, "%s = array<i64", name);
    for (int i = 0; i < n; i++) situ_source_add(&t->text, "%s%lld", i ? ", " : ": ", (long long)number[i]);
    situ_source_append(&t->text, ">");
}

/* Begins an operation: %5 = "stablehlo.add"(%3, %4) */
static void begin(situ_stable *t, situ_wire out, const char *dialect, const char *operation, const situ_wire *in, int n)
{
    situ_source_add(&t->text, "  %%%d = \"%s.%s\"(", out.id, dialect, operation);
    for (int i = 0; i < n; i++) situ_source_add(&t->text, i ? ", %%%d" : "%%%d", in[i].id);
    situ_source_append(&t->text, ")");
}

static situ_wire plain(
    situ_stable *t, const char *dialect, const char *operation, const situ_wire *in, int n, int type, const situ_wire *like)
{
    situ_wire out = situ_stable_new(t, type, like->ndim, like->dim);
    begin(t, out, dialect, operation, in, n);
    situ_stable_signature(t, in, n, &out, 1);
    return out;
}

situ_wire situ_stable_1(situ_stable *t, const char *operation, situ_wire a)
{
    int type = !strcmp(operation, "real") || !strcmp(operation, "imag") || (!strcmp(operation, "abs") && a.type >= SITU_C64) ?
        (int)situ_dtype_real((situ_dtype)a.type) :
        !strcmp(operation, "is_finite") ? SITU_BOOL :
                                          a.type;
    return plain(t, "stablehlo", operation, &a, 1, type, &a);
}

situ_wire situ_stable_chlo(situ_stable *t, const char *operation, situ_wire a)
{
    return plain(t, "chlo", operation, &a, 1, a.type, &a);
}

situ_wire situ_stable_2(situ_stable *t, const char *operation, situ_wire a, situ_wire b)
{
    const situ_wire in[2] = {a, b};
    int type = !strcmp(operation, "complex") ? (int)situ_dtype_complex((situ_dtype)a.type) : a.type;
    return plain(t, "stablehlo", operation, in, 2, type, &a);
}

situ_wire situ_stable_compare(situ_stable *t, const char *how, situ_wire a, situ_wire b)
{
    const situ_wire in[2] = {a, b};
    situ_wire out = situ_stable_new(t, SITU_BOOL, a.ndim, a.dim);
    begin(t, out, "stablehlo", "compare", in, 2);
    situ_source_add(&t->text, " {comparison_direction = #stablehlo<comparison_direction %s>}", how);
    situ_stable_signature(t, in, 2, &out, 1);
    return out;
}

situ_wire situ_stable_select(situ_stable *t, situ_wire mask, situ_wire a, situ_wire b)
{
    const situ_wire in[3] = {mask, a, b};
    return plain(t, "stablehlo", "select", in, 3, a.type, &a);
}

/* ---- numbers ---- */

static situ_wire spread(situ_stable *t, situ_wire scalar, const situ_wire *like)
{
    return like && like->ndim ? situ_stable_broadcast(t, scalar, like->ndim, like->dim, NULL) : scalar;
}

static situ_wire constant(situ_stable *t, int type, const char *value, const situ_wire *like)
{
    situ_wire out = situ_stable_new(t, type, 0, NULL);
    situ_source_add(&t->text, "  %%%d = \"stablehlo.constant\"() {value = dense<%s> : tensor<%s>} : () -> tensor<%s>\n", out.id,
        value, type_name(type), type_name(type));
    return spread(t, out, like);
}

situ_wire situ_stable_integer(situ_stable *t, int type, int64_t value, const situ_wire *like)
{
    char text[32];
    if (situ_dtype_is_float((situ_dtype)type)) return situ_stable_number(t, type, (double)value, like);
    if (type == SITU_BOOL) return constant(t, type, value ? "true" : "false", like);
    if (type == SITU_U64) snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    else snprintf(text, sizeof text, "%lld", (long long)value);
    return constant(t, type, text, like);
}

situ_wire situ_stable_number(situ_stable *t, int type, double value, const situ_wire *like)
{
    char text[48];
    uint64_t bits;
    if (situ_dtype_is_complex((situ_dtype)type)) {
        situ_wire re = situ_stable_number(t, situ_dtype_real((situ_dtype)type), value, like);
        return situ_stable_2(t, "complex", re, situ_stable_number(t, re.type, 0, like));
    }
    if (!situ_dtype_is_float((situ_dtype)type)) return situ_stable_integer(t, type, (int64_t)value, like);
    float f = (float)value;
    uint32_t low;
    memcpy(&bits, &value, 8);
    memcpy(&low, &f, 4);
    if (type == SITU_F64) snprintf(text, sizeof text, "0x%016llX", (unsigned long long)bits);
    else if (type == SITU_F32) snprintf(text, sizeof text, "0x%08X", low);
    else snprintf(text, sizeof text, "0x%04X", type == SITU_F16 ? situ_f32_to_f16(f) : situ_f32_to_bf16(f));
    return constant(t, type, text, like);
}

situ_wire situ_stable_neutral(situ_stable *t, int type, int kind)
{
    bool floating = situ_dtype_is_float((situ_dtype)type), is_signed = situ_dtype_is_signed((situ_dtype)type);
    int bits = 8 * (int)situ_dtype_size((situ_dtype)type);
    if (kind == SITU_REDUCE_SUM || kind == SITU_REDUCE_ANY) return situ_stable_number(t, type, 0, NULL);
    if (kind == SITU_REDUCE_PROD || kind == SITU_REDUCE_ALL) return situ_stable_number(t, type, 1, NULL);
    bool lowest = kind == SITU_REDUCE_MAX;
    if (floating) return situ_stable_number(t, type, lowest ? -INFINITY : INFINITY, NULL);
    if (type == SITU_BOOL) return situ_stable_integer(t, type, !lowest, NULL);
    int64_t least = is_signed ? -(int64_t)((uint64_t)1 << (bits - 1)) : 0;
    uint64_t most = is_signed ? ((uint64_t)1 << (bits - 1)) - 1 : bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    return situ_stable_integer(t, type, lowest ? least : (int64_t)most, NULL);
}

situ_wire situ_stable_convert(situ_stable *t, situ_wire a, int type)
{
    return a.type == type ? a : plain(t, "stablehlo", "convert", &a, 1, type, &a);
}

situ_wire situ_stable_bits(situ_stable *t, situ_wire a, int type)
{
    return a.type == type ? a : plain(t, "stablehlo", "bitcast_convert", &a, 1, type, &a);
}

situ_wire situ_stable_word(situ_stable *t, int i, int type)
{
    situ_wire words = {.id = -1, .type = SITU_U64, .ndim = 1, .dim = {t->words}};
    situ_wire out = situ_stable_new(t, SITU_U64, 1, (int64_t[]){1});
    situ_source_add(&t->text, "  %%%d = \"stablehlo.slice\"(%%words) {", out.id);
    situ_stable_numbers(t, "start_indices", 1, (int64_t[]){i});
    situ_stable_numbers(t, ", limit_indices", 1, (int64_t[]){i + 1});
    situ_stable_numbers(t, ", strides", 1, (int64_t[]){1});
    situ_source_append(&t->text, "}");
    situ_stable_signature(t, &words, 1, &out, 1);
    return situ_stable_bits(t, situ_stable_reshape(t, out, 0, NULL), type);
}

/* ---- shapes ---- */

situ_wire situ_stable_argument(int index, int type, int64_t count)
{
    return (situ_wire){.id = index, .type = (uint8_t)(type == SITU_BOOL ? SITU_U8 : type), .ndim = 1, .dim = {count}};
}

static int64_t count_of(situ_wire a) { return situ_shape_count(a.ndim, a.dim); }

static bool same_shape(situ_wire a, int ndim, const int64_t *dim)
{
    return a.ndim == ndim && (!ndim || !memcmp(a.dim, dim, 8 * (size_t)ndim));
}

situ_wire situ_stable_reshape(situ_stable *t, situ_wire a, int ndim, const int64_t *dim)
{
    if (same_shape(a, ndim, dim)) return a;
    situ_wire like = {.ndim = (uint8_t)ndim};
    if (ndim) memcpy(like.dim, dim, 8 * (size_t)ndim);
    return plain(t, "stablehlo", "reshape", &a, 1, a.type, &like);
}

situ_wire situ_stable_flat(situ_stable *t, situ_wire a) { return situ_stable_reshape(t, a, 1, (int64_t[]){count_of(a)}); }

situ_wire situ_stable_broadcast(situ_stable *t, situ_wire a, int ndim, const int64_t *dim, const int64_t *axis)
{
    situ_wire out = situ_stable_new(t, a.type, ndim, dim);
    begin(t, out, "stablehlo", "broadcast_in_dim", &a, 1);
    situ_stable_numbers(t, " {broadcast_dimensions", a.ndim, axis);
    situ_source_append(&t->text, "}");
    situ_stable_signature(t, &a, 1, &out, 1);
    return out;
}

situ_wire situ_stable_transpose(situ_stable *t, situ_wire a, const int64_t *order)
{
    int64_t dim[SITU_WIRE_DIMS];
    bool moves = false;
    for (int i = 0; i < a.ndim; i++) {
        dim[i] = a.dim[order[i]];
        moves |= order[i] != i;
    }
    if (!moves) return a;
    situ_wire out = situ_stable_new(t, a.type, a.ndim, dim);
    begin(t, out, "stablehlo", "transpose", &a, 1);
    situ_stable_numbers(t, " {permutation", a.ndim, order);
    situ_source_append(&t->text, "}");
    situ_stable_signature(t, &a, 1, &out, 1);
    return out;
}

situ_wire situ_stable_slice(situ_stable *t, situ_wire a, const int64_t *start, const int64_t *limit, const int64_t *step)
{
    int64_t dim[SITU_WIRE_DIMS], ones[SITU_WIRE_DIMS];
    for (int i = 0; i < a.ndim; i++) {
        ones[i] = step ? step[i] : 1;
        dim[i] = limit[i] > start[i] ? (limit[i] - start[i] + ones[i] - 1) / ones[i] : 0;
    }
    if (same_shape(a, a.ndim, dim)) return a;
    situ_wire out = situ_stable_new(t, a.type, a.ndim, dim);
    begin(t, out, "stablehlo", "slice", &a, 1);
    situ_stable_numbers(t, " {start_indices", a.ndim, start);
    situ_stable_numbers(t, ", limit_indices", a.ndim, limit);
    situ_stable_numbers(t, ", strides", a.ndim, ones);
    situ_source_append(&t->text, "}");
    situ_stable_signature(t, &a, 1, &out, 1);
    return out;
}

situ_wire situ_stable_part(situ_stable *t, situ_wire a, int axis, int64_t start, int64_t limit)
{
    int64_t from[SITU_WIRE_DIMS] = {0}, to[SITU_WIRE_DIMS];
    memcpy(to, a.dim, sizeof to);
    from[axis] = start;
    to[axis] = limit;
    return situ_stable_slice(t, a, from, to, NULL);
}

situ_wire situ_stable_pad(
    situ_stable *t, situ_wire a, situ_wire value, const int64_t *low, const int64_t *high, const int64_t *inside)
{
    int64_t dim[SITU_WIRE_DIMS], zero[SITU_WIRE_DIMS] = {0};
    if (!inside) inside = zero;
    for (int i = 0; i < a.ndim; i++) dim[i] = low[i] + high[i] + a.dim[i] + (a.dim[i] > 1 ? (a.dim[i] - 1) * inside[i] : 0);
    if (same_shape(a, a.ndim, dim) && !memcmp(low, zero, 8 * (size_t)a.ndim)) return a;
    const situ_wire in[2] = {a, value};
    situ_wire out = situ_stable_new(t, a.type, a.ndim, dim);
    begin(t, out, "stablehlo", "pad", in, 2);
    situ_stable_numbers(t, " {edge_padding_low", a.ndim, low);
    situ_stable_numbers(t, ", edge_padding_high", a.ndim, high);
    situ_stable_numbers(t, ", interior_padding", a.ndim, inside);
    situ_source_append(&t->text, "}");
    situ_stable_signature(t, in, 2, &out, 1);
    return out;
}

situ_wire situ_stable_reverse(situ_stable *t, situ_wire a, unsigned axes)
{
    int64_t axis[SITU_WIRE_DIMS];
    int n = 0;
    for (int i = 0; i < a.ndim; i++)
        if (axes >> i & 1) axis[n++] = i;
    if (!n) return a;
    situ_wire out = situ_stable_new(t, a.type, a.ndim, a.dim);
    begin(t, out, "stablehlo", "reverse", &a, 1);
    situ_stable_numbers(t, " {dimensions", n, axis);
    situ_source_append(&t->text, "}");
    situ_stable_signature(t, &a, 1, &out, 1);
    return out;
}

situ_wire situ_stable_iota(situ_stable *t, int type, int ndim, const int64_t *dim, int axis)
{
    situ_wire out = situ_stable_new(t, type, ndim, dim);
    begin(t, out, "stablehlo", "iota", NULL, 0);
    situ_source_add(&t->text, " {iota_dimension = %d : i64}", axis);
    situ_stable_signature(t, NULL, 0, &out, 1);
    return out;
}

situ_wire situ_stable_concat(situ_stable *t, const situ_wire *part, int parts, int axis)
{
    if (parts == 1) return part[0];
    situ_wire like = part[0];
    for (int i = 1; i < parts; i++) like.dim[axis] += part[i].dim[axis];
    situ_wire out = situ_stable_new(t, like.type, like.ndim, like.dim);
    begin(t, out, "stablehlo", "concatenate", part, parts);
    situ_source_add(&t->text, " {dimension = %d : i64}", axis);
    situ_stable_signature(t, part, parts, &out, 1);
    return out;
}

/* One step of a reduction: the value so far, %first, and the next element. XLA's own CPU kernels for maximum and
 * minimum lose NaN, whatever options say. So for floats it is written as a selection that keeps the value so far if it
 * is NaN. */
static void reduce_step(situ_stable *t, int type, int kind, int first, bool lossy)
{
    static const char *const step[SITU_REDUCE_KINDS] = {"add", "multiply", "maximum", "minimum", "or", "and"};
    const char *name = type_name(type);
    int has = first, next = first + 1, given = first + 2;
    situ_source_add(&t->text, " ({\n  ^bb0(%%%d: tensor<%s>, %%%d: tensor<%s>):\n", has, name, next, name);
    if (!lossy && (kind == SITU_REDUCE_MAX || kind == SITU_REDUCE_MIN) && situ_dtype_is_float((situ_dtype)type)) {
        for (int i = 0; i < 2; i++)
            situ_source_add(&t->text,
                "    %%%d = \"stablehlo.compare\"(%%%d, %%%d) {comparison_direction = #stablehlo<comparison_direction %s>} : "
                "(tensor<%s>, tensor<%s>) -> tensor<i1>\n",
                first + 3 + i, has, i ? has : next,
                i                           ? "NE" :
                    kind == SITU_REDUCE_MAX ? "GT" :
                                              "LT",
                name, name);
        situ_source_add(&t->text,
            "    %%%d = \"stablehlo.or\"(%%%d, %%%d) : (tensor<i1>, tensor<i1>) -> tensor<i1>\n    %%%d = "
            "\"stablehlo.select\"(%%%d, %%%d, %%%d) : (tensor<i1>, tensor<%s>, tensor<%s>) -> tensor<%s>\n",
            first + 5, first + 3, first + 4, given, first + 5, has, next, name, name, name);
    } else {
        situ_source_add(&t->text, "    %%%d = \"stablehlo.%s\"(%%%d, %%%d) : (tensor<%s>, tensor<%s>) -> tensor<%s>\n", given,
            step[kind], has, next, name, name, name);
    }
    situ_source_add(&t->text, "    \"stablehlo.return\"(%%%d) : (tensor<%s>) -> ()\n  })", given, name);
}

static situ_wire reduce(situ_stable *t, situ_wire a, int kind, unsigned axes, bool lossy)
{
    int64_t axis[SITU_WIRE_DIMS], dim[SITU_WIRE_DIMS];
    int n = 0, ndim = 0;
    for (int i = 0; i < a.ndim; i++) {
        if (axes >> i & 1) axis[n++] = i;
        else dim[ndim++] = a.dim[i];
    }
    const situ_wire in[2] = {a, situ_stable_neutral(t, a.type, kind)};
    int first = t->next;
    t->next += 6;
    situ_wire out = situ_stable_new(t, a.type, ndim, dim);
    begin(t, out, "stablehlo", "reduce", in, 2);
    reduce_step(t, a.type, kind, first, lossy);
    situ_stable_numbers(t, " {dimensions", n, axis);
    situ_source_append(&t->text, "}");
    situ_stable_signature(t, in, 2, &out, 1);
    return out;
}

situ_wire situ_stable_reduce(situ_stable *t, situ_wire a, int kind, unsigned axes) { return reduce(t, a, kind, axes, false); }
situ_wire situ_stable_reduce_plainly(situ_stable *t, situ_wire a, int kind, unsigned axes)
{
    return reduce(t, a, kind, axes, true);
}

situ_wire situ_stable_gather(situ_stable *t, situ_wire vector, situ_wire place)
{
    int64_t dim[SITU_WIRE_DIMS];
    memcpy(dim, place.dim, sizeof dim);
    dim[place.ndim] = 1;
    const situ_wire in[2] = {vector, situ_stable_reshape(t, place, place.ndim + 1, dim)};
    situ_wire out = situ_stable_new(t, vector.type, place.ndim, place.dim);
    begin(t, out, "stablehlo", "gather", in, 2);
    situ_source_add(&t->text,
        " {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = %d>, "
        "indices_are_sorted = false, slice_sizes = array<i64: 1>}",
        place.ndim);
    situ_stable_signature(t, in, 2, &out, 1);
    return out;
}

/* ---- strided views ---- */

void situ_stable_range(int ndim, const int64_t *dim, const int64_t *stride, int64_t *low, int64_t *extent)
{
    int64_t high = 0;
    *low = 0;
    for (int i = 0; i < ndim; i++) {
        if (!dim[i]) {
            *extent = 0;
            return;
        }
        if (stride[i] < 0) *low += (dim[i] - 1) * stride[i];
        else high += (dim[i] - 1) * stride[i];
    }
    *extent = high - *low + 1;
}

/* An axis of a strided view; sorted by decreasing step. */
typedef struct walk {
    int axis;
    int64_t dim, step;
    bool back;
} walk;

static int walks_of(int ndim, const int64_t *dim, const int64_t *stride, walk *w)
{
    int n = 0;
    for (int i = 0; i < ndim; i++) {
        if (dim[i] == 1 || !stride[i]) continue;
        walk one = {i, dim[i], stride[i] < 0 ? -stride[i] : stride[i], stride[i] < 0};
        int k = n++;
        for (; k && w[k - 1].step < one.step; k--) w[k] = w[k - 1];
        w[k] = one;
    }
    return n;
}

/* True if each step exceeds everything that smaller ones reach: then the view is a part of a larger array. */
static bool nests(const walk *w, int n)
{
    for (int k = 0; k + 1 < n; k++)
        if (w[k].step % w[k + 1].step || w[k].step / w[k + 1].step < w[k + 1].dim) return false;
    return true;
}

/* Computes the positions of elements, for windows that overlap. */
static situ_wire view_by_places(
    situ_stable *t, situ_wire vector, int64_t first, int ndim, const int64_t *dim, const int64_t *stride)
{
    situ_wire like = {.ndim = (uint8_t)ndim};
    memcpy(like.dim, dim, 8 * (size_t)ndim);
    situ_wire place = situ_stable_integer(t, SITU_I64, first, &like);
    for (int i = 0; i < ndim; i++) {
        if (dim[i] == 1 || !stride[i]) continue;
        situ_wire step = situ_stable_integer(t, SITU_I64, stride[i], &like);
        place = situ_stable_2(t, "add", place, situ_stable_2(t, "multiply", situ_stable_iota(t, SITU_I64, ndim, dim, i), step));
    }
    return situ_stable_gather(t, vector, place);
}

situ_wire situ_stable_view(situ_stable *t, situ_wire vector, int64_t first, int ndim, const int64_t *dim, const int64_t *stride)
{
    walk w[SITU_WIRE_DIMS];
    int64_t low, extent, room[SITU_WIRE_DIMS], limit[SITU_WIRE_DIMS], zero[SITU_WIRE_DIMS] = {0}, order[SITU_WIRE_DIMS];
    situ_stable_range(ndim, dim, stride, &low, &extent);
    if (!extent) return situ_stable_broadcast(t, situ_stable_number(t, vector.type, 0, NULL), ndim, dim, NULL);
    int n = walks_of(ndim, dim, stride, w);
    if (!nests(w, n)) return view_by_places(t, vector, first, ndim, dim, stride);
    situ_wire x = situ_stable_part(t, vector, 0, first + low, first + low + extent);
    int64_t whole = n ? w[0].dim * w[0].step : 1;
    x = situ_stable_pad(t, x, situ_stable_number(t, x.type, 0, NULL), zero, (int64_t[]){whole - extent}, NULL);
    for (int k = 0; k < n; k++) {
        room[k] = k ? w[k - 1].step / w[k].step : w[0].dim;
        limit[k] = w[k].dim;
    }
    int last = n;
    if (n && w[n - 1].step > 1) {
        room[last] = w[n - 1].step;
        limit[last++] = 1;
    }
    x = situ_stable_slice(t, situ_stable_reshape(t, x, last, room), zero, limit, NULL);
    x = situ_stable_reshape(t, x, n, limit);
    unsigned back = 0;
    for (int k = 0; k < n; k++) back |= (unsigned)w[k].back << k;
    x = situ_stable_reverse(t, x, back);
    /* in the view's order of axes, followed by axes without a step */
    int64_t axis[SITU_WIRE_DIMS];
    int at = 0;
    for (int i = 0; i < ndim; i++)
        for (int k = 0; k < n; k++)
            if (w[k].axis == i) {
                order[at] = k;
                axis[at++] = i;
            }
    x = situ_stable_transpose(t, x, order);
    return same_shape(x, ndim, dim) ? x : situ_stable_broadcast(t, x, ndim, dim, axis);
}
