/* safetensors files (https://github.com/huggingface/safetensors): the size of the header in eight bytes, a JSON
 * header, the values. As its README demands: the header has at most 100 MB, names are unique, values are contiguous. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "file/format.h"
#include "file/json.h"
#include "os/file.h"

enum { HEADER_MOST = 100000000 };
#define BEYOND "go beyond the end of the file; it is cut, or was not downloaded whole"

static const struct {
    const char *name;
    int dtype, bits;
} types[] = {{"BOOL", SITU_BOOL, 8}, {"U8", SITU_U8, 8}, {"I8", SITU_I8, 8}, {"U16", SITU_U16, 16}, {"I16", SITU_I16, 16},
    {"U32", SITU_U32, 32}, {"I32", SITU_I32, 32}, {"U64", SITU_U64, 64}, {"I64", SITU_I64, 64}, {"F16", SITU_F16, 16},
    {"BF16", SITU_BF16, 16}, {"F32", SITU_F32, 32}, {"F64", SITU_F64, 64}, {"C64", SITU_C64, 64},
    /* situ has no such dtypes */
    {"F8_E4M3", -1, 8}, {"F8_E5M2", -1, 8}, {"F8_E8M0", -1, 8}, {"F8_E4M3FNUZ", -1, 8}, {"F8_E5M2FNUZ", -1, 8}, {"F4", -1, 4},
    {"F6_E2M3", -1, 6}, {"F6_E3M2", -1, 6}};

/* ---- reading --------------------------------------------------------------------------------------------------------------- */

static bool is_safetensors(const situ_mapping *m, const char *path)
{
    (void)path;
    return m->size >= 8 && (m->size == 8 || m->bytes[8] == '{' || situ_little(m->bytes, 8) > HEADER_MOST) &&
        situ_little(m->bytes, 8) < UINT64_C(1) << 56;
}

typedef struct header {
    situ_archive *a;
    situ_json j;
    char *space;
    size_t about; /* position of the metadata in the header */
    bool later;   /* not the first shard: its metadata is ignored */
} header;

static void read_metadata(header *h)
{
    if (h->about++) h->j.error = "\"__metadata__\" is there twice";
    if (situ_json_peek(&h->j) == 'n') { /* null: the reference reader treats it as absent */
        const char *from = h->j.p;
        situ_json_skip(&h->j);
        if (h->j.p - from != 4 || memcmp(from, "null", 4)) h->j.error = "\"__metadata__\" holds no texts by name";
        return;
    }
    for (bool more = situ_json_open(&h->j, '{'); more && !h->j.error; more = situ_json_next(&h->j, '}')) {
        const char *key = situ_json_key(&h->j, &h->space), *value = key ? situ_json_string(&h->j, &h->space) : NULL;
        if (value && !h->later && situ_archive_say(h->a, key, value)) return;
    }
}

static void read_shape(situ_json *j, situ_shape *shape)
{
    for (bool more = situ_json_open(j, '['); more && !j->error; more = situ_json_next(j, ']')) {
        int64_t n = (int64_t)situ_json_count(j);
        if (shape->ndim == SITU_MAX_DIMS) {
            j->error = "a tensor has more than 8 dimensions";
            return;
        }
        shape->dim[shape->ndim++] = n;
    }
}

static int read_type(header *h, situ_entry *e)
{
    const char *type = situ_json_string(&h->j, &h->space);
    for (size_t i = 0; type && i < sizeof types / sizeof *types; i++) {
        if (strcmp(type, types[i].name)) continue;
        e->type = types[i].name;
        e->dtype = types[i].dtype;
        return types[i].bits;
    }
    if (type)
        situ_fail(SITU_BAD_FORMAT, NULL, "safetensors: %s: \"%.80s\" has the unknown dtype \"%.20s\"", h->a->path, e->name, type);
    return 0;
}

/* Reads an entry. Its begin and end are checked when all entries are known. */
static int read_entry(header *h, const char *name)
{
    uint64_t bounds[2] = {0, 0}, needed;
    int bits = 0;
    bool seen[3] = {false, false, false};
    situ_entry *e = situ_archive_more_entries(h->a);
    if (!e) return -situ_error_code;
    e->name = name;
    for (bool more = situ_json_open(&h->j, '{'); more && !h->j.error; more = situ_json_next(&h->j, '}')) {
        const char *key = situ_json_key(&h->j, &h->space);
        int which = !key ? -1 : !strcmp(key, "dtype") ? 0 : !strcmp(key, "shape") ? 1 : !strcmp(key, "data_offsets") ? 2 : -1;
        if (which < 0 || seen[which]) {
            if (!h->j.error)
                h->j.error = which < 0 ? "a tensor has a key other than dtype, shape and data_offsets" : "a tensor has a key twice";
            break;
        }
        seen[which] = true;
        if (which == 0 && !(bits = read_type(h, e)) && situ_error_code) return -situ_error_code;
        if (which == 1) read_shape(&h->j, &e->shape);
        for (int i = 0; which == 2 && i < 2; i++) {
            if (i ? !situ_json_next(&h->j, ']') : !situ_json_open(&h->j, '['))
                h->j.error = h->j.error ? h->j.error : "data_offsets are not two";
            bounds[i] = situ_json_count(&h->j);
        }
        if (which == 2 && situ_json_next(&h->j, ']')) h->j.error = "data_offsets are not two";
    }
    if (h->j.error) return 0;
    if (!seen[0] || !seen[1] || !seen[2]) h->j.error = "a tensor lacks dtype, shape or data_offsets";
    else if (!situ_entry_bytes(&e->shape, bits, &needed) || bounds[1] < bounds[0] || bounds[1] - bounds[0] != needed)
        return situ_fail(SITU_BAD_FORMAT, NULL, "safetensors: %s: \"%.80s\" has bytes %llu to %llu, which does not match its shape",
            h->a->path, name, (unsigned long long)bounds[0], (unsigned long long)bounds[1]);
    e->size = (size_t)(bounds[1] - bounds[0]);
    e->data = (const uint8_t *)(uintptr_t)bounds[0]; /* replaced by an address later */
    return 0;
}

static int by_place(const void *a, const void *b)
{
    const situ_entry *x = *(const situ_entry *const *)a, *y = *(const situ_entry *const *)b;
    uintptr_t p = (uintptr_t)x->data, q = (uintptr_t)y->data;
    return p != q ? (p < q ? -1 : 1) : (x->size > y->size) - (x->size < y->size);
}

/* Checks that the values are contiguous, from 0 to the end of the file. */
static int place_entries(situ_archive *a, int64_t first, int file, const uint8_t *data, size_t size)
{
    int64_t n = a->entries - first;
    situ_entry **sorted = situ_malloc((size_t)n * sizeof *sorted + 1);
    if (!sorted) return situ_fail(SITU_NO_MEMORY, NULL, "%s: no host memory for the names", a->path);
    for (int64_t i = 0; i < n; i++) sorted[i] = &a->entry[first + i];
    qsort(sorted, (size_t)n, sizeof *sorted, by_place);
    size_t at = 0;
    int rc = 0;
    for (int64_t i = 0; i < n && !rc; i++) {
        if ((uintptr_t)sorted[i]->data != at || sorted[i]->size > size - at)
            rc = situ_fail(SITU_BAD_FORMAT, NULL, "safetensors: %s: the values of \"%.80s\" %s", a->path, sorted[i]->name,
                (uintptr_t)sorted[i]->data != at ? "overlap others or follow a hole" : BEYOND);
        at += sorted[i]->size;
    }
    if (!rc && at != size)
        rc = situ_fail(SITU_BAD_FORMAT, NULL, "safetensors: %s: %zu bytes follow the last tensor's", a->path, size - at);
    for (int64_t i = 0; i < n && !rc; i++) {
        sorted[i]->data = data + (uintptr_t)sorted[i]->data;
        sorted[i]->file = file;
        situ_entry_is_little(sorted[i]);
    }
    situ_free(sorted);
    return rc;
}

static int read_file(situ_archive *a, int file)
{
    const situ_mapping *m = a->file[file];
    int64_t first = a->entries;
    if (!is_safetensors(m, a->path))
        return situ_fail(SITU_BAD_FORMAT, NULL, "%s is no file of safetensors%s", a->path, situ_mapping_guess(m));
    if (m->size < 8) return situ_damaged(a, "fewer than 8 bytes");
    uint64_t size = situ_little(m->bytes, 8);
    if (size > HEADER_MOST) return situ_damaged(a, "the header claims to have more than 100 MB");
    if (size > m->size - 8)
        return situ_fail(SITU_BAD_FORMAT, NULL,
            "safetensors: %s: the header claims to have %llu bytes, but there are only %zu; the file is cut, or was not downloaded "
            "whole",
            a->path, (unsigned long long)size, m->size - 8);
    if (!size || m->bytes[8] != '{') return situ_damaged(a, "the header does not begin with {");
    header h = {
        .a = a, .j = situ_json_of(m->bytes + 8, (size_t)size), .space = situ_archive_room(a, (size_t)size + 1), .later = file > 1};
    if (!h.space) return -situ_error_code;
    for (bool more = situ_json_open(&h.j, '{'); more && !h.j.error; more = situ_json_next(&h.j, '}')) {
        const char *name = situ_json_key(&h.j, &h.space);
        if (!name) break;
        if (!strcmp(name, "__metadata__")) read_metadata(&h);
        else if (read_entry(&h, name)) return -situ_error_code;
        if (situ_error_code) return -situ_error_code;
    }
    if (!situ_json_end(&h.j)) return situ_damaged(a, h.j.error);
    return place_entries(a, first, file, m->bytes + 8 + size, m->size - 8 - (size_t)size);
}

static int read_safetensors(situ_archive *a) { return read_file(a, 0); }

const situ_file_format situ_format_safetensors = {"safetensors", is_safetensors, read_safetensors};

/* ---- shards ------------------------------------------------------------------------------------------------------------------ */

static bool is_index(const situ_mapping *m, const char *path)
{
    return situ_file_ends(path, ".json") && m->size && (m->bytes[0] == '{' || m->bytes[0] <= ' ');
}

/* True for a plain file name: shards are in the folder of their index. */
static bool is_plain(const char *name)
{
    return *name && !strchr(name, '/') && strcmp(name, ".") && strcmp(name, "..") && strlen(name) < 256;
}

typedef struct place {
    const char *name, *shard;
    bool open; /* this shard has been opened */
} place;

/* Opens a shard; errors name it. */
static int open_shard(situ_archive *a, const char *name)
{
    char path[4096], *index = a->path, *slash = strrchr(index, '/');
    if (!is_plain(name))
        return situ_fail(
            SITU_BAD_FORMAT, NULL, "safetensors: %s: a shard named \"%.80s\" does not lie beside the index", index, name);
    if (snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - index) + 1 : 0, index, name) >= (int)sizeof path)
        return situ_damaged(a, "the name of a shard is too long");
    int file = situ_archive_more(a, path);
    a->path = path;
    int rc = file < 0 ? file : read_file(a, file);
    a->path = index;
    return rc;
}

/* Opens all shards. The index is read before and after: if it did not change, the shards belong to it, since whoever
 * replaces shards removes the index first. */
static int open_shards(situ_archive *a, place *p, int64_t n)
{
    situ_file_about before, after;
    bool there = situ_file_inspect(a->path, &before);
    for (int64_t i = 0; i < n; i++) {
        if (p[i].open) continue;
        if (open_shard(a, p[i].shard)) return -situ_error_code;
        for (int64_t k = i; k < n; k++) p[k].open |= !strcmp(p[k].shard, p[i].shard);
    }
    if (situ_archive_sort(a)) return -situ_error_code;
    for (int64_t i = 0; i < n; i++)
        if (situ_archive_at(a, p[i].name) < 0)
            return situ_fail(SITU_BAD_FORMAT, NULL, "safetensors: %s: \"%.80s\" is not in %s", a->path, p[i].name, p[i].shard);
    if (!there || !situ_file_inspect(a->path, &after) || memcmp(&before, &after, sizeof before))
        return situ_fail(SITU_IO, NULL, "%s: it was written anew meanwhile; open it again", a->path);
    return a->entries == n ? 0 : situ_damaged(a, "the shards hold tensors that the index does not name");
}

static int read_index(situ_archive *a)
{
    const situ_mapping *m = a->file[0];
    situ_json j = situ_json_of(m->bytes, m->size);
    char *space = situ_archive_room(a, m->size + 1);
    if (!space) return -situ_error_code;
    place *p = NULL;
    int64_t n = 0, most = 0;
    bool there = false;
    for (bool more = situ_json_open(&j, '{'); more && !j.error; more = situ_json_next(&j, '}')) {
        const char *key = situ_json_key(&j, &space);
        if (!key || strcmp(key, "weight_map") || there) {
            situ_json_skip(&j);
            continue;
        }
        there = true;
        for (more = situ_json_open(&j, '{'); more && !j.error; more = situ_json_next(&j, '}')) {
            if (n == most) {
                place *grown = situ_realloc(p, (size_t)(most = most ? 2 * most : 64) * sizeof *p);
                if (!grown) return situ_free(p), situ_fail(SITU_NO_MEMORY, NULL, "%s: no host memory for the names", a->path);
                p = grown;
            }
            p[n] = (place){.name = situ_json_key(&j, &space)};
            p[n].shard = p[n].name ? situ_json_string(&j, &space) : NULL;
            n += p[n].shard != NULL;
        }
    }
    int rc = !situ_json_end(&j) ? situ_damaged(a, j.error) :
        !there                  ? situ_damaged(a, "it has no \"weight_map\", as the index of safetensors has") :
                                  open_shards(a, p, n);
    situ_free(p);
    return rc;
}

const situ_file_format situ_format_index = {"safetensors", is_index, read_index};

/* ---- writing --------------------------------------------------------------------------------------------------------------- */

static const char *type_of(situ_dtype dtype)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].dtype == (int)dtype) return types[i].name;
    return NULL;
}

/* Appends the header to `to` (NULL: only counts), without its size. */
static size_t put_header(char *to, const situ_written *w, int64_t n, const situ_about *about, int64_t abouts)
{
    size_t used = 0;
    char none[1];
#define PUT(...) used += (size_t)snprintf(to ? to + used : none, to ? 512 : 1, __VA_ARGS__)
#define QUOTE(text) used += situ_json_quote(to ? to + used : NULL, text)
    PUT("{");
    for (int64_t i = 0; i < abouts; i++) {
        PUT(i ? "," : "\"__metadata__\":{");
        QUOTE(about[i].key);
        PUT(":");
        QUOTE(about[i].value);
    }
    if (abouts) PUT(n ? "}," : "}");
    uint64_t at = 0;
    for (int64_t i = 0; i < n; i++) {
        if (i) PUT(",");
        QUOTE(w[i].name);
        PUT(":{\"dtype\":\"%s\",\"shape\":[", type_of(w[i].dtype));
        for (int d = 0; d < w[i].shape.ndim; d++) PUT(d ? ",%lld" : "%lld", (long long)w[i].shape.dim[d]);
        PUT("],\"data_offsets\":[%llu,%llu]}", (unsigned long long)at, (unsigned long long)(at + w[i].size));
        at += w[i].size;
    }
    PUT("}");
    while (used % 8) PUT(" ");
#undef QUOTE
#undef PUT
    return used;
}

char *situ_safetensors_header(
    const situ_written *w, int64_t n, const situ_about *about, int64_t abouts, const char *path, size_t *size)
{
    const char *none = NULL;
    for (int64_t i = 0; i < n && !none; i++)
        if (!type_of(w[i].dtype))
            none = w[i].name,
            situ_fail(
                SITU_BAD_DTYPE, NULL, "%s: safetensors has no dtype for \"%.80s\" (%s)", path, none, situ_dtype_name(w[i].dtype));
    *size = none ? 0 : put_header(NULL, w, n, about, abouts);
    if (*size > HEADER_MOST) situ_fail(SITU_BAD_ARGUMENT, NULL, "%s: the names take more than 100 MB", path);
    char *text = none || *size > HEADER_MOST ? NULL : situ_malloc(*size + 512);
    if (text) put_header(text, w, n, about, abouts);
    else situ_fail(SITU_NO_MEMORY, NULL, "%s: no host memory for the names", path);
    return text;
}

int situ_safetensors_begin(FILE *file, const situ_written *w, int64_t n, const situ_about *about, int64_t abouts, const char *path)
{
    size_t size;
    char *text = situ_safetensors_header(w, n, about, abouts, path, &size);
    if (!text) return -situ_error_code;
    uint8_t front[8];
    for (int i = 0; i < 8; i++) front[i] = (uint8_t)((uint64_t)size >> (8 * i));
    bool good = fwrite(front, 1, 8, file) == 8 && fwrite(text, 1, size, file) == size;
    situ_free(text);
    return good ? 0 : 1;
}

int situ_shard_name(char *to, size_t space, const char *stem, int64_t i, int64_t shards)
{
    return snprintf(to, space, "%s-%05lld-of-%05lld.safetensors", stem, (long long)i + 1, (long long)shards);
}

int situ_safetensors_index(FILE *file, const situ_written *w, const int64_t *shard, int64_t n, int64_t shards, const char *stem)
{
    char name[512], quoted[6 * sizeof name];
    uint64_t total = 0;
    for (int64_t i = 0; i < n; i++) total += w[i].size;
    bool good = fprintf(file, "{\n  \"metadata\": {\"total_size\": %llu},\n  \"weight_map\": {", (unsigned long long)total) > 0;
    for (int64_t i = 0; i < n && good; i++) {
        char *text = situ_malloc(situ_json_quote(NULL, w[i].name) + 1);
        if (!text) return situ_fail(SITU_NO_MEMORY, NULL, "no host memory for the names");
        text[situ_json_quote(text, w[i].name)] = 0;
        situ_shard_name(name, sizeof name, stem, shard[i], shards);
        quoted[situ_json_quote(quoted, name)] = 0;
        good = fprintf(file, "%s\n    %s: %s", i ? "," : "", text, quoted) > 0;
        situ_free(text);
    }
    return good && fputs("\n  }\n}\n", file) >= 0 ? 0 : 1;
}
