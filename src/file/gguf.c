/* GGUF files (https://github.com/ggml-org/ggml, docs/gguf.md), versions 2 and 3, little-endian: counts, metadata,
 * descriptions of tensors, and the aligned values. */
#include "file/gguf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "os/plain.h"

enum { NESTED_MOST = 8 };

/* Sizes of scalars by situ_gguf_type; 0: string and list. */
static const uint8_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
static const char *const type_names[] = {
    "u8", "i8", "u16", "i16", "u32", "i32", "f32", "bool", "string", "list", "u64", "i64", "f64"};
enum { TYPES = sizeof sizes };

typedef struct reader {
    situ_archive *a;
    const uint8_t *p, *end;
    const char *error; /* the first mistake; after it nothing is read */
} reader;

static const uint8_t *take(reader *r, uint64_t size)
{
    if (!r->error && size > (uint64_t)(r->end - r->p)) r->error = "it ends too early";
    if (r->error) return NULL;
    const uint8_t *at = r->p;
    r->p += size;
    return at;
}

static uint64_t take_number(reader *r, int bytes)
{
    const uint8_t *at = take(r, (uint64_t)bytes);
    return at ? situ_little(at, bytes) : 0;
}

/* Reads a name: not empty, without zeros. */
static const char *take_name(reader *r)
{
    uint64_t size = take_number(r, 8);
    const uint8_t *at = take(r, size);
    if (at && (!size || size > 65535 || memchr(at, 0, size)))
        r->error = size ? "a name has more than 65,535 bytes, or a zero in it" : "a name is empty";
    return r->error ? NULL : situ_archive_text(r->a, (const char *)at, size);
}

/* Skips the items of a list; the depth of nested lists is limited. */
static void pass_list(reader *r, uint32_t type, uint64_t count, int depth)
{
    if (type < TYPES && sizes[type]) {
        if (count > (uint64_t)(r->end - r->p) / sizes[type]) r->error = "a list goes beyond its end";
        else take(r, count * sizes[type]);
        for (uint64_t i = 1; !r->error && type == SITU_GGUF_BOOL && i <= count; i++)
            if (r->p[-(int64_t)i] > 1) r->error = "a bool is neither 0 nor 1";
        return;
    }
    if (type >= TYPES) r->error = "a list is of an unknown type";
    else if (count > (uint64_t)(r->end - r->p) / 8) r->error = "a list goes beyond its end";
    else if (type == SITU_GGUF_LIST && depth == NESTED_MOST) r->error = "lists are nested more than 8 deep";
    for (uint64_t i = 0; i < count && !r->error; i++) {
        if (type == SITU_GGUF_TEXT) take(r, take_number(r, 8));
        else {
            uint32_t inner = (uint32_t)take_number(r, 4);
            uint64_t items = take_number(r, 8);
            if (!r->error) pass_list(r, inner, items, depth + 1);
        }
    }
}

/* ---- metadata --------------------------------------------------------------------------------------------------------------- */

/* Implements situ_archive_metadata. */
static const char *text_of(situ_archive *a, const situ_about *about)
{
    char text[64];
    situ_gguf_items v = {(situ_gguf_type)about->type, about->list, about->count, about->data};
    const char *bytes = text;
    size_t size = 0;
    int64_t whole;
    double number;
    if (about->list) size = (size_t)snprintf(text, sizeof text, "[%s x %llu]", type_names[v.type], (unsigned long long)v.count);
    else if (v.type == SITU_GGUF_TEXT) situ_gguf_text(&v, &bytes, &size);
    else if (v.type == SITU_GGUF_BOOL) size = (size_t)snprintf(text, sizeof text, v.data[0] ? "true" : "false");
    else if (v.type == SITU_GGUF_U64)
        size = (size_t)snprintf(text, sizeof text, "%llu", (unsigned long long)situ_little(v.data, 8));
    else if (situ_gguf_integer(&v, &whole)) size = (size_t)snprintf(text, sizeof text, "%lld", (long long)whole);
    else if (situ_gguf_number(&v, &number))
        size = (size_t)situ_plain_format(text, sizeof text, v.type == SITU_GGUF_F32 ? "%.9g" : "%.17g", number);
    return situ_archive_text(a, bytes, size);
}

static int read_pair(reader *r)
{
    const char *key = take_name(r);
    situ_about about = {.key = key, .count = 1, .type = (uint32_t)take_number(r, 4)};
    if (!r->error && about.type >= TYPES) r->error = "a value is of an unknown type";
    if (!r->error && about.type == SITU_GGUF_LIST) {
        about.list = true;
        about.type = (uint32_t)take_number(r, 4);
        about.count = take_number(r, 8);
    }
    about.data = r->p;
    if (!r->error) pass_list(r, about.type, about.count, 0);
    if (situ_error_code) return -situ_error_code;
    if (r->error && key)
        return situ_fail(SITU_BAD_FORMAT, NULL, "gguf: %s: %s, at the value of \"%.80s\"", r->a->path, r->error, key);
    if (r->error) return situ_damaged(r->a, r->error);
    about.value = text_of(r->a, &about);
    if (!about.value || situ_archive_say(r->a, key, about.value)) return -situ_error_code;
    r->a->about[r->a->abouts - 1] = about;
    return 0;
}

static int by_key(const void *a, const void *b)
{
    return strcmp((*(const situ_about *const *)a)->key, (*(const situ_about *const *)b)->key);
}

static int refuse_twins(const situ_archive *a)
{
    size_t n = (size_t)a->abouts;
    const situ_about **sorted = situ_malloc(n * sizeof *sorted + 1);
    if (!sorted) return situ_fail(SITU_NO_MEMORY, NULL, "%s: no host memory for its metadata", a->path);
    for (size_t i = 0; i < n; i++) sorted[i] = &a->about[i];
    qsort(sorted, n, sizeof *sorted, by_key);
    int rc = 0;
    for (size_t i = 1; i < n && !rc; i++)
        if (!strcmp(sorted[i]->key, sorted[i - 1]->key))
            rc = situ_fail(SITU_BAD_FORMAT, NULL, "gguf: %s: the key \"%.80s\" is there twice", a->path, sorted[i]->key);
    situ_free(sorted);
    return rc;
}

static uint64_t alignment(situ_archive *a)
{
    situ_gguf_items v;
    if (!situ_gguf_find(a, "general.alignment", &v)) return 32;
    uint64_t n = v.type == SITU_GGUF_U32 && !v.list ? situ_little(v.data, 4) : 0;
    return n % 8 ? 0 : n;
}

/* ---- tensors ---------------------------------------------------------------------------------------------------------------- */

static int unpack(const situ_entry *e, const char *path, void *out)
{
    (void)path;
    const situ_block *b = &situ_blocks[e->detail[0]];
    const uint8_t *end = e->data + e->size;
    float *value = out;
    for (const uint8_t *at = e->data; at < end; at += b->bytes, value += b->values) b->unpack(at, value);
    return 0;
}

/* Reads a shape. Rows have to be whole blocks; the order of axes is reversed. */
static const char *read_shape(reader *r, situ_entry *e)
{
    uint64_t number = 0, bytes, ndim = take_number(r, 4);
    if (!r->error && ndim > SITU_MAX_DIMS) return "has more than 8 dimensions";
    e->shape.ndim = (int)ndim;
    for (int d = (int)ndim - 1; d >= 0; d--) {
        uint64_t n = take_number(r, 8);
        if (n > INT64_MAX) return "has a dimension beyond 2^63";
        e->shape.dim[d] = (int64_t)n;
    }
    int at = situ_block_at((uint32_t)(number = take_number(r, 4)));
    uint64_t offset = take_number(r, 8);
    if (r->error) return NULL;
    if (at < 0) return "is of an unknown type";
    const situ_block *b = &situ_blocks[at];
    situ_shape blocks = e->shape;
    if (b->values > 1) {
        if (!ndim || e->shape.dim[ndim - 1] % b->values) return "has rows that are no whole number of blocks";
        blocks.dim[ndim - 1] /= b->values;
    }
    if (!situ_entry_bytes(&e->shape, 32, &bytes) || !situ_entry_bytes(&blocks, 8 * b->bytes, &bytes)) return "is too large";
    e->type = b->name;
    e->dtype = b->dtype;
    e->detail[0] = (uint32_t)at;
    if (b->unpack) e->unpack = unpack;
    else situ_entry_is_little(e);
    e->size = (size_t)bytes;
    e->data = (const uint8_t *)(uintptr_t)offset; /* replaced by an address later */
    return NULL;
}

static int read_tensor(reader *r)
{
    situ_entry *e = situ_archive_more_entries(r->a);
    if (!e || !(e->name = take_name(r))) return situ_error_code ? -situ_error_code : situ_damaged(r->a, r->error);
    const char *wrong = read_shape(r, e);
    if (wrong) return situ_fail(SITU_BAD_FORMAT, NULL, "gguf: %s: \"%.80s\" %s", r->a->path, e->name, wrong);
    return r->error ? situ_damaged(r->a, r->error) : 0;
}

static int by_place(const void *a, const void *b)
{
    const situ_entry *x = *(const situ_entry *const *)a, *y = *(const situ_entry *const *)b;
    uintptr_t p = (uintptr_t)x->data, q = (uintptr_t)y->data;
    return p != q ? (p < q ? -1 : 1) : (x->size > y->size) - (x->size < y->size);
}

/* Checks that values come after the header, aligned, within the file and without overlaps. */
static int place_tensors(situ_archive *a, size_t header)
{
    const situ_mapping *m = a->file[0];
    uint64_t unit = alignment(a), start, end = 0;
    size_t n = (size_t)a->entries;
    if (!unit) return situ_damaged(a, "general.alignment is no u32 that is a multiple of 8");
    start = (header + unit - 1) / unit * unit;
    uint64_t capacity = start < m->size ? m->size - start : 0;
    situ_entry **sorted = situ_malloc(n * sizeof *sorted + 1);
    if (!sorted) return situ_fail(SITU_NO_MEMORY, NULL, "%s: no host memory for the names", a->path);
    for (size_t i = 0; i < n; i++) sorted[i] = &a->entry[i];
    qsort(sorted, n, sizeof *sorted, by_place);
    int rc = 0;
    for (size_t i = 0; i < n && !rc; i++) {
        uint64_t at = (uintptr_t)sorted[i]->data;
        const char *wrong = at % unit                        ? "are not at a multiple of the alignment" :
            at > capacity || sorted[i]->size > capacity - at ? "go beyond the end of the file" :
            at < end                                         ? "overlap another's" :
                                                               NULL;
        if (wrong) rc = situ_fail(SITU_BAD_FORMAT, NULL, "gguf: %s: the values of \"%.80s\" %s", a->path, sorted[i]->name, wrong);
        if (wrong) break;
        end = at + sorted[i]->size;
        sorted[i]->data = capacity ? m->bytes + start + at : m->bytes;
    }
    situ_free(sorted);
    return rc;
}

/* ---- the whole file --------------------------------------------------------------------------------------------------------- */

static bool is_gguf(const situ_mapping *m, const char *path)
{
    (void)path;
    return m->size >= 4 && !memcmp(m->bytes, "GGUF", 4);
}

static int read_gguf(situ_archive *a)
{
    const situ_mapping *m = a->file[0];
    reader r = {a, m->bytes + 4, m->bytes + m->size, NULL};
    uint32_t version = (uint32_t)take_number(&r, 4);
    if (!r.error && version != 2 && version != 3)
        return situ_fail(SITU_BAD_FORMAT, NULL, "gguf: %s: version %u%s is not read; 2 and 3 are", a->path,
            version & 0xffff ? version : __builtin_bswap32(version), version & 0xffff ? "" : " in big-endian order");
    uint64_t tensors = take_number(&r, 8), pairs = take_number(&r, 8), left = (uint64_t)(r.end - r.p);
    if (r.error) return situ_damaged(a, r.error);
    if (tensors > left / 25 || pairs > left / 14) /* the least number of bytes of an entry, with a name of one letter */
        return situ_fail(SITU_BAD_FORMAT, NULL, "gguf: %s: %llu tensors and %llu keys are promised, for which it is too short",
            a->path, (unsigned long long)tensors, (unsigned long long)pairs);
    for (uint64_t i = 0; i < pairs; i++)
        if (read_pair(&r)) return -situ_error_code;
    if (refuse_twins(a)) return -situ_error_code;
    for (uint64_t i = 0; i < tensors; i++)
        if (read_tensor(&r)) return -situ_error_code;
    return place_tensors(a, (size_t)(r.p - m->bytes));
}

const situ_file_format situ_format_gguf = {"gguf", is_gguf, read_gguf};

/* ---- typed metadata --------------------------------------------------------------------------------------------------------- */

bool situ_gguf_find(const situ_archive *a, const char *key, situ_gguf_items *items)
{
    for (int64_t i = 0; i < a->abouts; i++) {
        const situ_about *about = &a->about[i];
        if (!about->data || strcmp(about->key, key)) continue;
        *items = (situ_gguf_items){(situ_gguf_type)about->type, about->list, about->count, about->data};
        return true;
    }
    return false;
}

bool situ_gguf_text(situ_gguf_items *v, const char **text, size_t *size)
{
    if (!v->count || v->type != SITU_GGUF_TEXT) return false;
    *size = (size_t)situ_little(v->data, 8);
    *text = (const char *)v->data + 8;
    v->data += 8 + *size;
    v->count--;
    return true;
}

bool situ_gguf_integer(situ_gguf_items *v, int64_t *value)
{
    int bytes = sizes[v->type];
    if (!v->count || !bytes || v->type == SITU_GGUF_F32 || v->type == SITU_GGUF_F64) return false;
    uint64_t bits = situ_little(v->data, bytes);
    if (v->type == SITU_GGUF_U64 && bits > INT64_MAX) return false;
    bool is_signed = v->type == SITU_GGUF_I8 || v->type == SITU_GGUF_I16 || v->type == SITU_GGUF_I32;
    *value = is_signed ? (int64_t)(bits << (64 - 8 * bytes)) >> (64 - 8 * bytes) : (int64_t)bits;
    v->data += bytes;
    v->count--;
    return true;
}

bool situ_gguf_number(situ_gguf_items *v, double *value)
{
    int64_t whole;
    if (situ_gguf_integer(v, &whole)) return *value = (double)whole, true;
    if (!v->count || !sizes[v->type]) return false;
    uint64_t bits = situ_little(v->data, sizes[v->type]);
    uint32_t word = (uint32_t)bits;
    float f;
    memcpy(&f, &word, 4);
    memcpy(value, &bits, 8);
    if (v->type == SITU_GGUF_F32) *value = f;
    if (v->type == SITU_GGUF_U64) *value = (double)bits;
    v->data += sizes[v->type];
    v->count--;
    return true;
}

double situ_gguf_value(const situ_archive *a, const char *key, double otherwise)
{
    situ_gguf_items v;
    double value;
    return situ_gguf_find(a, key, &v) && !v.list && situ_gguf_number(&v, &value) ? value : otherwise;
}
