#include "onnx/model.h"

#include <string.h>

#include "base/byte_order.h"
#include "base/error.h"
#include "base/memory.h"
#include "tensor/dtype.h"
#include "tensor/number.h"
#include "tensor/shape.h"

/* limits: depth of nested graphs (the reader recurses), length of lists */
enum { MOST_NESTED = 64, MOST_LIST = 1 << 26 };

typedef struct reader {
    situ_onnx_model *m;
    situ_site site;
    int depth;
} reader;

static const struct {
    uint8_t number;
    situ_dtype dtype;
} known_dtypes[] = {{1, SITU_F32}, {2, SITU_U8}, {3, SITU_I8}, {4, SITU_U16}, {5, SITU_I16}, {6, SITU_I32}, {7, SITU_I64},
    {9, SITU_BOOL}, {10, SITU_F16}, {11, SITU_F64}, {12, SITU_U32}, {13, SITU_U64}, {14, SITU_C64}, {15, SITU_C128},
    {16, SITU_BF16}};
enum { KNOWN_DTYPES = sizeof known_dtypes / sizeof *known_dtypes };

situ_dtype situ_onnx_dtype(int64_t number)
{
    for (int i = 0; i < KNOWN_DTYPES; i++)
        if (known_dtypes[i].number == number) return known_dtypes[i].dtype;
    return SITU_DTYPE_DEFAULT;
}

int situ_onnx_dtype_number(situ_dtype d)
{
    for (int i = 0; i < KNOWN_DTYPES; i++)
        if (known_dtypes[i].dtype == d) return known_dtypes[i].number;
    return 0;
}

const char *situ_onnx_dtype_text(int64_t number)
{
    static const char *const others[] = {"float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4", "int4",
        "float4e2m1", "float8e8m0", "uint2", "int2"};
    situ_dtype d = situ_onnx_dtype(number);
    if (d != SITU_DTYPE_DEFAULT) return situ_dtype_name(d);
    if (number == 8) return "string";
    return number >= 17 && number < 27 ? others[number - 17] : "unknown";
}

void *situ_onnx_room(situ_onnx_model *m, size_t count, size_t size)
{
    void *p = situ_arena_zeros(&m->arena, count, size);
    if (!p) situ_fail(SITU_NO_MEMORY, NULL, "situ_onnx_load: out of host memory");
    return p;
}

static int bad(const reader *r, const char *what)
{
    return situ_fail(SITU_BAD_FORMAT, r->site, "situ_onnx_load: this is no ONNX file: %s", what);
}

static char *text(const reader *r, const situ_field *f)
{
    size_t n = (size_t)(f->bytes.end - f->bytes.at);
    if (f->type != 2 || memchr(f->bytes.at, 0, n)) {
        bad(r, "a name is no text");
        return NULL;
    }
    char *s = situ_onnx_room(r->m, n + 1, 1);
    if (s) memcpy(s, f->bytes.at, n);
    return s;
}

/* Allocates an array for all fields with this number in a message. */
static void *room_for(const reader *r, situ_wire w, uint32_t number, size_t size, int *count)
{
    situ_field f;
    int n = 0;
    while (situ_wire_next(&w, &f)) n += f.number == number;
    *count = 0;
    return situ_onnx_room(r->m, (size_t)n, size);
}

static bool ended(const reader *r, const situ_wire *w, const char *what)
{
    if (situ_error_code) return false;
    if (!w->broken) return true;
    return bad(r, what), false;
}

/* ---- tensors -------------------------------------------------------------------------------------------------------------- */

/* Values that are not in raw_data: fields 4 float, 5 int32, 7 int64, 10 double, 11 uint64. */
static int typed_values(const reader *r, situ_wire w, situ_onnx_host *t)
{
    situ_kind kind = situ_dtype_kind(t->dtype);
    bool complex = kind == SITU_KIND_COMPLEX;
    situ_dtype each = complex ? situ_dtype_real(t->dtype) : t->dtype;
    size_t size = situ_dtype_size(each), wanted = (size_t)t->count * (complex ? 2 : 1), n = 0;
    uint32_t number = each == SITU_F32       ? 4 :
        each == SITU_F64                     ? 10 :
        each == SITU_I64                     ? 7 :
        each == SITU_U32 || each == SITU_U64 ? 11 :
                                               5;
    uint8_t type = number == 4 ? 5 : number == 10 ? 1 : 0;
    bool bits = each == SITU_F16 || each == SITU_BF16 || type;
    situ_field f = {.number = 0};
    situ_wire again = w;
    while (situ_wire_next(&again, &f))
        if (f.number == number) n += situ_wire_count(&f, type);
    if (n != wanted) return bad(r, "a tensor has more or fewer values than its shape says");
    uint8_t *to = situ_onnx_room(r->m, n, size);
    t->data = to;
    uint64_t value;
    for (size_t k = 0; to && situ_wire_next(&w, &f);) {
        if (f.number != number) continue;
        if (f.type != 2 && f.type != type) return bad(r, "values of a tensor have another type");
        for (bool one = true; k < n && (f.type == 2 ? situ_wire_packed(&f.bytes, type, &value) : one); one = false) {
            if (f.type != 2) value = f.value;
            if (bits) situ_put_bits(to + k++ * size, value, size);
            else situ_element_set_i64(each, to + k++ * size, (int64_t)value);
        }
        if (f.bytes.broken) return bad(r, "a packed list ends in a number");
    }
    return situ_error_code ? -situ_error_code : 0;
}

int situ_onnx_take_little(situ_onnx_model *m, situ_onnx_host *t, const uint8_t *bytes)
{
    size_t width = situ_dtype_number_size(t->dtype), size = (size_t)t->count * situ_dtype_size(t->dtype);
    t->data = bytes;
    if (!SITU_BIG_ENDIAN || width == 1 || !size) return 0;
    uint8_t *room = situ_onnx_room(m, size, 1);
    if (!room) return -situ_error_code;
    situ_reverse_numbers(room, bytes, size, width);
    t->data = room;
    return 0;
}

static int raw_values(const reader *r, const situ_wire *raw, situ_onnx_host *t)
{
    size_t size = situ_dtype_size(t->dtype), there = (size_t)(raw->end - raw->at);
    if (there / size != (size_t)t->count || there % size) return bad(r, "a tensor has more or fewer bytes than its shape says");
    return situ_onnx_take_little(r->m, t, raw->at);
}

static int tensor_shape(const reader *r, const situ_field *f, situ_onnx_host *t)
{
    situ_wire list = f->bytes;
    uint64_t value = f->value;
    for (bool one = true; f->type == 2 ? situ_wire_packed(&list, 0, &value) : one; one = false) {
        if (t->ndim == SITU_MAX_DIMS)
            return situ_fail(SITU_UNSUPPORTED, r->site, "situ_onnx_load: a tensor of more than %d axes", SITU_MAX_DIMS);
        t->dim[t->ndim++] = (int64_t)value;
    }
    return list.broken && f->type == 2 ? bad(r, "a shape is broken off") : 0;
}

/* An entry of a tensor's external data, which describes where the values are. */
static void external_entry(const reader *r, situ_wire w, situ_onnx_external *e)
{
    situ_field f;
    const char *key = NULL, *value = NULL;
    while (!situ_error_code && situ_wire_next(&w, &f)) {
        if (f.number == 1) key = text(r, &f);
        if (f.number == 2) value = text(r, &f);
    }
    if (!ended(r, &w, "the place of a tensor is broken off") || !key) return;
    if (!strcmp(key, "location")) e->location = value;
    if (!strcmp(key, "offset")) e->offset = value;
    if (!strcmp(key, "length")) e->length = value;
}

static situ_onnx_host *read_tensor(const reader *r, situ_wire w, const char **name)
{
    situ_onnx_host *t = situ_onnx_room(r->m, 1, sizeof *t);
    situ_wire all = w, raw = {0};
    situ_field f;
    situ_onnx_external outside = {.location = NULL};
    bool elsewhere = false;
    const char *own = NULL;
    int64_t number = 0;
    while (t && !situ_error_code && situ_wire_next(&w, &f)) {
        if (f.number == 1) tensor_shape(r, &f, t);
        else if (f.number == 2 && !f.type) number = (int64_t)f.value;
        else if (f.number == 8) own = text(r, &f);
        else if (f.number == 9 && f.type == 2) raw = f.bytes;
        else if (f.number == 13 && f.type == 2) external_entry(r, f.bytes, &outside);
        else if (f.number == 14) elsewhere = f.value == 1;
    }
    if (name && own) *name = own;
    if (!t || !ended(r, &w, "a tensor is broken off")) return NULL;
    t->dtype = situ_onnx_dtype(number);
    if (t->dtype == SITU_DTYPE_DEFAULT) {
        situ_fail(SITU_UNSUPPORTED, r->site, "situ_onnx_load: tensors of %s (type %lld) are not read", situ_onnx_dtype_text(number),
            (long long)number);
        return NULL;
    }
    t->count = situ_shape_count(t->ndim, t->dim);
    if (t->count < 0 || t->count > INT64_MAX / 32) return bad(r, "a shape has no size"), NULL;
    int rc = elsewhere ? situ_onnx_read_external(r->m, &outside, t, own, r->site) :
        raw.at         ? raw_values(r, &raw, t) :
                         typed_values(r, all, t);
    return rc ? NULL : t;
}

/* ---- nodes and graphs ----------------------------------------------------------------------------------------------------- */

static situ_onnx_graph *read_graph(reader *r, situ_wire w);

/* Appends to a list of floats (wire type 5) or integers. */
static void more_numbers(const reader *r, const situ_field *f, situ_onnx_attribute *a, bool floats)
{
    situ_wire list = f->bytes;
    uint64_t value = f->value;
    for (bool one = true; f->type == 2 ? situ_wire_packed(&list, floats ? 5 : 0, &value) : one; one = false) {
        uint32_t bits = (uint32_t)value;
        float number;
        memcpy(&number, &bits, 4);
        if (floats) a->floats[a->count++] = (double)number;
        else a->ints[a->count++] = (int64_t)value;
    }
    if (f->type == 2 && list.broken) bad(r, "a list of numbers is broken off");
}

static int lists_of(const reader *r, situ_wire w, situ_onnx_attribute *a)
{
    situ_field f;
    size_t floats = 0, ints = 0, strings = 0;
    while (situ_wire_next(&w, &f)) {
        if (f.number == 7) floats += situ_wire_count(&f, 5);
        if (f.number == 8) ints += situ_wire_count(&f, 0);
        strings += f.number == 9;
    }
    if ((floats != 0) + (ints != 0) + (strings != 0) > 1) return bad(r, "an attribute is of two kinds");
    if (floats + ints + strings > MOST_LIST) return bad(r, "an attribute has too many values");
    a->floats = floats ? situ_onnx_room(r->m, floats, 8) : NULL;
    a->ints = ints ? situ_onnx_room(r->m, ints, 8) : NULL;
    a->strings = strings ? situ_onnx_room(r->m, strings, sizeof(char *)) : NULL;
    return situ_error_code ? -situ_error_code : 0;
}

static void read_attribute(reader *r, situ_wire w, situ_onnx_attribute *a)
{
    situ_field f;
    if (lists_of(r, w, a)) return;
    while (!situ_error_code && situ_wire_next(&w, &f)) {
        uint32_t bits = (uint32_t)f.value;
        float number;
        memcpy(&number, &bits, 4);
        switch (f.number) {
        case 1: a->name = text(r, &f); break;
        case 2: a->f = (double)number, a->type = a->type ? a->type : 1; break;
        case 3: a->i = (int64_t)f.value, a->type = a->type ? a->type : 2; break;
        case 4: a->s = text(r, &f), a->type = a->type ? a->type : 3; break;
        case 5: a->t = f.type == 2 ? read_tensor(r, f.bytes, NULL) : NULL; break;
        case 6: a->g = f.type == 2 ? read_graph(r, f.bytes) : NULL; break;
        case 7: more_numbers(r, &f, a, true); break;
        case 8: more_numbers(r, &f, a, false); break;
        case 9: a->strings[a->count++] = text(r, &f); break;
        case 20: a->type = (int)(f.value & 31); break;
        default: break;
        }
    }
    if (ended(r, &w, "an attribute is broken off") && !a->name) bad(r, "an attribute has no name");
}

static void read_node(reader *r, situ_wire w, situ_onnx_node *n)
{
    situ_field f;
    n->type = n->name = n->domain = "";
    n->parameter = -1;
    n->in_name = room_for(r, w, 1, sizeof(char *), &n->ins);
    n->out_name = room_for(r, w, 2, sizeof(char *), &n->outs);
    n->attribute = room_for(r, w, 5, sizeof *n->attribute, &n->attributes);
    while (!situ_error_code && situ_wire_next(&w, &f)) {
        switch (f.number) {
        case 1: n->in_name[n->ins++] = text(r, &f); break;
        case 2: n->out_name[n->outs++] = text(r, &f); break;
        case 3: n->name = text(r, &f); break;
        case 4: n->type = text(r, &f); break;
        case 5:
            if (f.type == 2) read_attribute(r, f.bytes, &n->attribute[n->attributes++]);
            else bad(r, "an attribute is a number");
            break;
        case 7: n->domain = text(r, &f); break;
        default: break;
        }
    }
    if (!ended(r, &w, "a node is broken off")) return;
    n->in = situ_onnx_room(r->m, (size_t)n->ins, sizeof *n->in);
    n->out = situ_onnx_room(r->m, (size_t)n->outs, sizeof *n->out);
}

static const char broken_type[] = "the type of a result is broken off";

/* One axis of a shape. */
static int64_t read_dim(const reader *r, situ_wire w)
{
    situ_field f;
    int64_t dim = -1;
    while (!situ_error_code && situ_wire_next(&w, &f))
        if (f.number == 1 && !f.type) dim = (int64_t)f.value;
    return ended(r, &w, broken_type) ? dim : -1;
}

static void read_shape(const reader *r, situ_wire w, situ_onnx_type *t)
{
    situ_field f;
    t->ndim = 0;
    while (!situ_error_code && situ_wire_next(&w, &f)) {
        if (f.number != 1 || f.type != 2) continue;
        if (t->ndim == SITU_MAX_DIMS) {
            t->ndim = -1;
            return;
        }
        t->dim[t->ndim++] = read_dim(r, f.bytes);
    }
    ended(r, &w, broken_type);
}

/* A tensor type; NULL for another kind of type, and with an error. */
static situ_onnx_type *read_type(const reader *r, situ_wire w)
{
    situ_field f;
    situ_wire tensor = {0};
    situ_onnx_type *t = situ_onnx_room(r->m, 1, sizeof *t);
    while (t && !situ_error_code && situ_wire_next(&w, &f))
        if (f.number == 1 && f.type == 2) tensor = f.bytes;
    if (!t || !ended(r, &w, broken_type) || !tensor.at) return NULL;
    t->ndim = -1;
    while (!situ_error_code && situ_wire_next(&tensor, &f)) {
        if (f.number == 1 && !f.type) t->dtype = (int64_t)f.value;
        if (f.number == 2 && f.type == 2) read_shape(r, f.bytes, t);
    }
    return ended(r, &tensor, broken_type) ? t : NULL;
}

/* Reads the name and type of an input or result. */
static void read_value(const reader *r, situ_wire w, situ_onnx_name *v)
{
    situ_field f;
    while (!situ_error_code && situ_wire_next(&w, &f))
        if (f.number == 1) v->name = text(r, &f);
        else if (f.number == 2 && f.type == 2) v->type = read_type(r, f.bytes);
    if (ended(r, &w, "an input or a result is broken off") && !v->name) bad(r, "an input or a result has no name");
}

static void read_initializer(const reader *r, situ_wire w, situ_onnx_name *v)
{
    v->parameter = -1;
    v->host = read_tensor(r, w, &v->name);
    if (!situ_error_code && !v->name) bad(r, "an initializer has no name");
}

static void graph_field(reader *r, const situ_field *f, situ_onnx_graph *g)
{
    bool message = f->number == 1 || f->number == 5 || f->number == 11 || f->number == 12;
    if (message && f->type != 2) bad(r, "a part of a graph is a number");
    else if (f->number == 1) read_node(r, f->bytes, &g->node[g->nodes++]);
    else if (f->number == 5) read_initializer(r, f->bytes, &g->constant[g->constants++]);
    else if (f->number == 11) read_value(r, f->bytes, &g->input[g->inputs++]);
    else if (f->number == 12) read_value(r, f->bytes, &g->result[g->results++]);
    else if (f->number == 15) situ_fail(SITU_UNSUPPORTED, r->site, "situ_onnx_load: sparse initializers are not read");
}

static situ_onnx_graph *read_graph(reader *r, situ_wire w)
{
    situ_field f;
    if (r->depth == MOST_NESTED) return bad(r, "graphs lie more than 64 deep in each other"), NULL;
    r->depth++;
    situ_onnx_graph *g = situ_onnx_room(r->m, 1, sizeof *g);
    if (!g) return NULL;
    g->node = room_for(r, w, 1, sizeof *g->node, &g->nodes);
    g->constant = room_for(r, w, 5, sizeof *g->constant, &g->constants);
    g->input = room_for(r, w, 11, sizeof *g->input, &g->inputs);
    g->result = room_for(r, w, 12, sizeof *g->result, &g->results);
    while (!situ_error_code && situ_wire_next(&w, &f)) graph_field(r, &f, g);
    r->depth--;
    return ended(r, &w, "a graph is broken off") ? g : NULL;
}

static void read_opset(reader *r, situ_wire w)
{
    situ_field f;
    int64_t version = 0;
    const char *domain = "";
    while (!situ_error_code && situ_wire_next(&w, &f)) {
        if (f.number == 1) domain = text(r, &f);
        if (f.number == 2) version = (int64_t)f.value;
    }
    if (!ended(r, &w, "an opset is broken off")) return;
    if (!*domain || !strcmp(domain, "ai.onnx")) r->m->opset = version;
    else if (!r->m->opset) r->m->opset = SITU_ONNX_OPSET; /* if a file names only other domains, assume the newest ONNX opset */
}

int situ_onnx_parse(situ_onnx_model *m, const uint8_t *bytes, size_t size, situ_site site)
{
    reader r = {m, site, 0};
    situ_wire w = {bytes, bytes + size, false};
    situ_field f;
    uint64_t form = 0;
    while (!situ_error_code && situ_wire_next(&w, &f)) {
        if (f.number == 1 && !f.type) form = f.value;
        if (f.number == 7 && f.type == 2 && !m->graph) m->graph = read_graph(&r, f.bytes);
        else if (f.number == 8 && f.type == 2) read_opset(&r, f.bytes);
        else if (f.number == 25) m->functions++;
    }
    if (!ended(&r, &w, "it is broken off, or something else")) return -situ_error_code;
    if (!m->graph) return bad(&r, "it has no graph");
    if (!m->opset && (form == 1 || form == 2)) m->opset = 1; /* files of these old IR versions do not store the opset */
    return 0;
}
