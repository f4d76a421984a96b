/* Writing tensors to one file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/byte_order.h"
#include "base/memory.h"
#include "file/format.h"
#include "file/json.h"
#include "os/file.h"
#include "run/borrow.h"
#include "tensor/dtype.h"
#include "tensor/number.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* The destination of values: raw bytes (safetensors, part of an ONNX file), or an array of a NumPy file. */
typedef struct sink {
    FILE *file;
    situ_zip *zip;
    bool npy;
} sink;

static int put_little(const sink *to, const situ_written *w, const void *data)
{
    if (to->zip) return situ_zip_put(to->zip, to->file, w, data);
    return to->npy ? situ_npy_put(to->file, w, data) : fwrite(data, 1, w->size, to->file) != w->size;
}

static int put(const sink *to, const situ_written *w, const void *data)
{
    size_t width = situ_dtype_number_size(w->dtype);
    if (!SITU_BIG_ENDIAN || width == 1 || !w->size) return put_little(to, w, data);
    void *little = situ_malloc(w->size);
    if (!little) return situ_fail(SITU_NO_MEMORY, NULL, "no host memory for the bytes of \"%.80s\" in a file's order", w->name);
    situ_reverse_numbers(little, data, w->size, width);
    int rc = put_little(to, w, little);
    situ_free(little);
    return rc;
}

/* Writes values directly from memory on the CPU, else through a host copy. 0; 1: the file accepts no more; or a
 * negative code. */
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
    situ_written w = {.name = name, .tensor = tensor, .dtype = situ_dtype_of(tensor), .size = size};
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

void situ_file_sort_by_size(const situ_written *w, int64_t n, situ_written *out)
{
    for (size_t size = 16; size; size /= 2)
        for (int64_t i = 0; i < n; i++)
            if (situ_dtype_size(w[i].dtype) == size) *out++ = w[i];
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const situ_written *)a)->name, ((const situ_written *)b)->name);
}

int situ_file_check_names(situ_written *w, int64_t n, const char *function, situ_site site)
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

int situ_file_put(FILE *file, situ_written *w, int64_t n, const situ_about *about, int64_t abouts, const char *path,
    situ_reason reason, situ_site site)
{
    int rc = situ_safetensors_begin(file, w, n, about, abouts, path);
    for (int64_t i = 0; i < n && !rc; i++) rc = write_values(&(sink){.file = file}, &w[i], reason, site);
    return rc;
}

static int write_all(const char *path, situ_written *w, int64_t n, const situ_about *about, int64_t abouts, situ_reason reason,
    const char *function, situ_site site)
{
    situ_file f;
    FILE *file = situ_file_begin(&f, path, false);
    if (!file) return situ_fail(SITU_IO, site, "%s: %s: %s", function, path, situ_file_why(errno));
    errno = 0;
    sink to = {.file = file, .npy = situ_file_ends(path, ".npy"), .zip = situ_file_ends(path, ".npz") ? situ_zip_new() : NULL};
    int rc = 0;
    if (situ_file_ends(path, ".npz") && !to.zip) rc = situ_fail(SITU_NO_MEMORY, site, "%s: out of host memory", function);
    else if (!to.npy && !to.zip) rc = situ_file_put(file, w, n, about, abouts, path, reason, site);
    for (int64_t i = 0; i < n && !rc && (to.npy || to.zip); i++) rc = write_values(&to, &w[i], reason, site);
    if (!rc && to.zip) rc = situ_zip_end(to.zip, file);
    situ_zip_free(to.zip);
    int code = rc > 0 ? errno : 0, end = situ_file_end(&f, !rc);
    if (rc < 0) return rc;
    code = code ? code : end;
    return rc || code ? situ_fail(SITU_IO, site, "%s: %s: %s", function, path, situ_file_why(code ? code : EIO)) : 0;
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
    situ_written *copy = situ_malloc((size_t)n * sizeof *copy + 1);
    if (copy) memcpy(copy, w, (size_t)n * sizeof *copy);
    int rc =
        copy ? situ_file_check_names(copy, n, function, site) : situ_fail(SITU_NO_MEMORY, site, "%s: out of host memory", function);
    bool one = situ_file_ends(path, ".npy");
    if (!rc && !one && !situ_file_ends(path, ".npz")) situ_file_sort_by_size(copy, n, w);
    else if (!rc) rc = situ_npy_check(w, n, one, path); /* keeps the given order, as NumPy does */
    situ_free(copy);
    if (!rc && abouts && (one || situ_file_ends(path, ".npz")))
        rc = situ_fail(SITU_BAD_OPTION, site, "%s: NumPy's files have no metadata; a file of safetensors has", function);
    return rc ? rc : write_all(path, w, n, about, abouts, reason, function, site);
}
