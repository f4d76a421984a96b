/* Writing tensors to a file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "file/format.h"
#include "file/json.h"
#include "graph/record.h"
#include "op/support.h"
#include "run/borrow.h"
#include "tensor/dtype.h"
/* last */
#include "op/here.h"

/* Where values go: bare (a tensor of safetensors, part of an ONNX file), or an array of NumPy's. */
typedef struct sink {
    FILE *file;
    situ_zip *zip;
    bool npy;
} sink;

static int put(const sink *to, const situ_written *w, const void *data)
{
    if (to->zip) return situ_zip_put(to->zip, to->file, w, data);
    return to->npy ? situ_npy_put(to->file, w, data) : fwrite(data, 1, w->size, to->file) != w->size;
}

/* Values in place on the CPU, else by way of the host. 0; 1: the file takes no more; or a negative code. */
static int write_values(const sink *to, situ_written *w, situ_reason reason, situ_site site)
{
    situ_borrow *b = &w->borrow;
    if (!w->size) return put(to, w, "");
    int rc = b->buffer ? 0 : situ_borrow_open(w->tensor, true, b, site);
    if (rc) return rc;
    if (b->device.kind == SITU_CPU) {
        rc = situ_borrow_wait(b, site);
        if (!rc) situ_borrow_note(b, reason, site);
        if (!rc) rc = put(to, w, b->data);
    } else {
        void *bytes = situ_malloc(w->size);
        rc = bytes ? situ_borrow_read(b, bytes, reason, site) :
                     situ_fail(SITU_NO_MEMORY, site, "no host memory for \"%.80s\"", w->name);
        if (!rc) rc = put(to, w, bytes);
        situ_free(bytes);
    }
    situ_file_give_back(w, 1);
    return rc;
}

int situ_write_values(FILE *file, situ_tensor *tensor, uint64_t size, const char *name, situ_site site)
{
    situ_written w = {.name = name, .tensor = tensor, .size = size};
    return write_values(&(sink){.file = file}, &w, SITU_REASON_READ, site);
}

int situ_file_borrow(situ_written *w, int64_t n, situ_site site)
{
    int rc = 0;
    for (int64_t i = 0; i < n && !rc; i++)
        if (w[i].size) rc = situ_borrow_open(w[i].tensor, true, &w[i].borrow, site);
    if (rc) situ_file_give_back(w, n);
    return rc;
}

void situ_file_give_back(situ_written *w, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (w[i].borrow.buffer) situ_borrow_close(&w[i].borrow);
}

int64_t situ_take_metadata(char *text, situ_about *about, const char *function, situ_site site)
{
    int64_t n = 0;
    for (char *line = text; line && *line;) {
        char *end = strchr(line, '\n'), *equals;
        if (end) *end++ = 0;
        if (*line) {
            if (!(equals = strchr(line, '=')))
                return situ_fail(
                    SITU_BAD_OPTION, site, "%s: .metadata has the line \"%.80s\"; its lines are key=value", function, line);
            if (!situ_json_is_text(line))
                return situ_fail(SITU_BAD_OPTION, site, "%s: .metadata has the line \"%.80s\", which is not UTF-8", function, line);
            *equals = 0;
            about[n++] = (situ_about){.key = line, .value = equals + 1};
        }
        line = end;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < i; k++)
            if (!strcmp(about[i].key, about[k].key))
                return situ_fail(SITU_BAD_OPTION, site, "%s: .metadata has the key \"%.80s\" twice", function, about[i].key);
    return n;
}

/* Larger elements first, so that each lies where its dtype wants it. */
static void sort_by_size(const situ_written *w, int64_t n, situ_written *out)
{
    for (size_t size = 16; size; size /= 2)
        for (int64_t i = 0; i < n; i++)
            if (situ_dtype_size(w[i].dtype) == size) *out++ = w[i];
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const situ_written *)a)->name, ((const situ_written *)b)->name);
}

static int check_names(situ_written *w, int64_t n, const char *function, situ_site site)
{
    if (n) qsort(w, (size_t)n, sizeof *w, by_name);
    for (int64_t i = 0; i < n; i++) {
        if (!strcmp(w[i].name, "__metadata__"))
            return situ_fail(SITU_BAD_ARGUMENT, site, "%s: safetensors keeps the name __metadata__ for itself", function);
        if (!situ_json_is_text(w[i].name))
            return situ_fail(SITU_BAD_ARGUMENT, site, "%s: the name \"%.80s\" is not UTF-8", function, w[i].name);
        if (i && !strcmp(w[i].name, w[i - 1].name))
            return situ_fail(SITU_BAD_ARGUMENT, site, "%s: two tensors are named \"%.80s\"", function, w[i].name);
    }
    return 0;
}

static bool ends(const char *path, const char *with)
{
    size_t n = strlen(path), k = strlen(with);
    return n >= k && !strcmp(path + n - k, with);
}

static int write_all(const char *path, situ_written *w, int64_t n, const situ_about *about, int64_t abouts, situ_reason reason,
    const char *function, situ_site site)
{
    situ_file f;
    FILE *file = situ_file_begin(&f, path, false);
    if (!file) return situ_fail(SITU_IO, site, "%s: %s: %s", function, path, strerror(errno));
    errno = 0;
    sink to = {.file = file, .npy = ends(path, ".npy"), .zip = ends(path, ".npz") ? situ_zip_new() : NULL};
    int rc = 0;
    if (ends(path, ".npz") && !to.zip) rc = situ_fail(SITU_NO_MEMORY, site, "%s: out of host memory", function);
    else if (!to.npy && !to.zip) rc = situ_safetensors_begin(file, w, n, about, abouts, path);
    for (int64_t i = 0; i < n && !rc; i++) rc = write_values(&to, &w[i], reason, site);
    if (!rc && to.zip) rc = situ_zip_end(to.zip, file);
    situ_zip_free(to.zip);
    int code = rc > 0 ? errno : 0, end = situ_file_end(&f, !rc);
    if (rc < 0) return rc;
    code = code ? code : end;
    return rc || code ? situ_fail(SITU_IO, site, "%s: %s: %s", function, path, strerror(code ? code : EIO)) : 0;
}

int situ_file_compute(situ_written *w, int64_t n, const char *function, situ_site site)
{
    situ_tensor **all = situ_malloc((size_t)n * sizeof *all + 1);
    if (!all) return situ_fail(SITU_NO_MEMORY, site, "%s: out of host memory", function);
    for (int64_t i = 0; i < n; i++) {
        w[i].dtype = situ_dtype_of(w[i].tensor);
        w[i].shape = situ_shape_of(w[i].tensor);
        w[i].size = (uint64_t)situ_count(w[i].tensor) * situ_dtype_size(w[i].dtype);
        all[i] = w[i].tensor;
    }
    int rc = n ? (situ_eval)(TENSORS_OF(all, (int)n), site) : -situ_error_code;
    situ_free(all);
    return rc;
}

int situ_file_write(const char *path, situ_written *w, int64_t n, const situ_about *about, int64_t abouts, situ_reason reason,
    const char *function, situ_site site)
{
    situ_written *room = situ_malloc((size_t)n * sizeof *room + 1);
    if (room) memcpy(room, w, (size_t)n * sizeof *room);
    int rc = room ? check_names(room, n, function, site) : situ_fail(SITU_NO_MEMORY, site, "%s: out of host memory", function);
    bool one = ends(path, ".npy");
    if (!rc && !one && !ends(path, ".npz")) sort_by_size(room, n, w);
    else if (!rc) rc = situ_npy_check(w, n, one, path); /* in the order given, which NumPy keeps */
    situ_free(room);
    if (!rc && abouts && (one || ends(path, ".npz")))
        rc = situ_fail(SITU_BAD_OPTION, site, "%s: NumPy's files have no metadata; a file of safetensors has", function);
    return rc ? rc : write_all(path, w, n, about, abouts, reason, function, site);
}

int situ_file_save(const char *path, situ_written *w, int64_t n, const char *metadata, const char *function, situ_site site)
{
    size_t length = metadata ? strlen(metadata) : 0;
    situ_about *about = situ_malloc((length / 2 + 1) * sizeof *about);
    char *text = situ_malloc(length + 1);
    int rc = about && text ? 0 : situ_fail(SITU_NO_MEMORY, site, "%s: out of host memory", function);
    if (text) memcpy(text, metadata ? metadata : "", length + 1);
    int64_t abouts = rc ? 0 : situ_take_metadata(text, about, function, site);
    if (!rc && abouts < 0) rc = (int)abouts;
    if (!rc) rc = situ_file_compute(w, n, function, site);
    if (!rc) rc = situ_file_write(path, w, n, about, abouts, SITU_REASON_READ, function, site);
    situ_free(about);
    situ_free(text);
    return rc;
}

/* Ends the name at the next comma that has no backslash in front, and takes such backslashes out; NULL: it is the last one. */
static char *next_name(char *name)
{
    char *to = name, *p = name;
    for (; *p && *p != ','; p++) {
        if (*p == '\\' && (p[1] == ',' || p[1] == '\\')) p++;
        *to++ = *p;
    }
    char *next = *p ? p + 1 : NULL;
    *to = 0;
    return next;
}

/* Names from the list, or each tensor's own (of one alone none is needed); cut out of `text`. */
static int name_all(situ_written *w, situ_list tensors, char *text, bool one, situ_site site)
{
    char *next = text;
    for (int i = 0; i < tensors.count; i++) {
        w[i].tensor = tensors.tensor[i];
        if (text) {
            w[i].name = next;
            next = next ? next_name(next) : NULL;
        } else w[i].name = one ? "array" : situ_name_of(tensors.tensor[i]);
        if (!w[i].name || !*w[i].name)
            return situ_fail(SITU_BAD_ARGUMENT, site,
                "situ_save: tensor %d has no name; give it one by " SITU_SAY(".names or situ_name", "names"), i);
    }
    return next ? situ_fail(SITU_BAD_OPTION, site, "situ_save: .names has more names than the %d tensors", tensors.count) : 0;
}

int(situ_save)(const char *path, situ_list tensors, const situ_save_options *options, situ_site site)
{
    SITU_SPEAK("situ_save", site);
    situ_save_options o = {SITU_DEFAULTS(SITU_SAVE_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_save", site)) return -situ_error_code;
    if (!path || tensors.count < 0 || (tensors.count && !tensors.tensor))
        return situ_fail(SITU_BAD_ARGUMENT, site, "situ_save: %s", path ? "the list of tensors is NULL" : "no file is named");
    if (tensors.count && !situ_usable(tensors.tensor, tensors.count, "situ_save", site)) return -situ_error_code;
    situ_written *w = situ_calloc((size_t)tensors.count + 1, sizeof *w);
    char *text = situ_strdup(o.names);
    int rc = w && (text || !o.names) ? name_all(w, tensors, text, ends(path, ".npy"), site) :
                                       situ_fail(SITU_NO_MEMORY, site, "situ_save: out of host memory");
    if (!rc) rc = situ_file_save(path, w, tensors.count, o.metadata, "situ_save", site);
    situ_free(text);
    situ_free(w);
    return rc;
}
