/* Folders with IDX files: finds the files of images and labels, and reads them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/dataset.h"
#include "data/idx.h"
#include "device/counted.h"
#include "file/gzip.h"
#include "os/file.h"
#include "os/plain.h"

enum { NAME_BYTES = 256, PATH_BYTES = 4096 };
static const char images_end[] = "images-idx3-ubyte", labels_end[] = "labels-idx1-ubyte";

/* True if name is <prefix> <anything> <end> [.gz]; copies the part before <end>. */
static bool matches(const char *name, const char *prefix, const char *end, char stem[NAME_BYTES])
{
    size_t n = strlen(name), e = strlen(end), p = prefix ? strlen(prefix) : 0;
    if (n > 3 && !strcmp(name + n - 3, ".gz")) n -= 3;
    if (n < e || n - e >= NAME_BYTES || n - e < p || memcmp(name + n - e, end, e) || (p && memcmp(name, prefix, p))) return false;
    memcpy(stem, name, n - e);
    stem[n - e] = 0;
    return true;
}

/* True if `a` is preferred to `b`: "train*" first, then alphabetical order (so plain before .gz). */
static bool earlier(const char *a, const char *b)
{
    bool train_a = !strncmp(a, "train", 5), train_b = !strncmp(b, "train", 5);
    return train_a != train_b ? train_a : strcmp(a, b) < 0;
}

/* Finds the first file of this kind. stem: only files with this stem; if it is empty, it is filled in. Returns an
 * errno for a bad folder. */
static int find(
    const char *folder, const char *prefix, const char *end, const char *wanted_stem, char name[NAME_BYTES], char stem[NAME_BYTES])
{
    situ_folder *d = situ_folder_open(folder);
    if (!d) return errno ? errno : EIO;
    name[0] = 0;
    char part[NAME_BYTES];
    for (const char *file; (file = situ_folder_next(d));) {
        if (strlen(file) >= NAME_BYTES || !matches(file, prefix, end, part) || (wanted_stem && strcmp(part, wanted_stem))) continue;
        if (*name && !earlier(file, name)) continue;
        strcpy(name, file);
        strcpy(stem, part);
    }
    situ_folder_close(d);
    return 0;
}

static int read_idx(const char *folder, const char *name, int ndim, situ_idx *idx, void **data)
{
    char path[PATH_BYTES];
    size_t size;
    int rc = situ_error_code;
    if (rc) return -rc;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return situ_fail(SITU_IO, NULL, "%s/%s: the path is too long", folder, name);
    if ((rc = situ_read_found(path, data, &size))) return rc;
    if ((rc = situ_idx_parse(*data, size, idx))) {
        situ_error e;
        situ_error_take(&e);
        return situ_fail(e.code, NULL, "%s: %s", path, e.message);
    }
    if (idx->dtype == SITU_U8 && idx->ndim == ndim) return 0;
    return situ_fail(SITU_BAD_FORMAT, NULL, "%s: values of %s in %d dimensions; expected u8 in %d", path,
        situ_dtype_name((situ_dtype)idx->dtype), idx->ndim, ndim);
}

static situ_dataset *assemble(const situ_idx *images, const situ_idx *labels, const char *folder, const char *name)
{
    if (images->shape[0] != labels->shape[0]) {
        situ_fail(SITU_BAD_FORMAT, NULL, "%s/%s: %lld images, but %lld labels beside them", folder, name,
            (long long)images->shape[0], (long long)labels->shape[0]);
        return NULL;
    }
    int classes = 1;
    for (int64_t i = 0; i < labels->count; i++)
        if (labels->data[i] >= classes) classes = labels->data[i] + 1;
    situ_shape shape = {.ndim = images->ndim};
    memcpy(shape.dim, images->shape, sizeof(int64_t) * (size_t)images->ndim);
    situ_dataset *data = situ_dataset_make(shape, classes, name);
    if (!data) return NULL;
    for (int64_t i = 0; i < images->count; i++) situ_dataset_values(data)[i] = (float)images->data[i] / 255;
    for (int64_t i = 0; i < labels->count; i++) situ_dataset_label(data)[i] = labels->data[i];
    return data;
}

bool situ_idx_folder_has(const char *folder, const char *prefix)
{
    char images[NAME_BYTES], labels[NAME_BYTES], stem[NAME_BYTES], same[NAME_BYTES];
    if (!folder || find(folder, prefix, images_end, NULL, images, stem) || !*images) return false;
    return !find(folder, NULL, labels_end, stem, labels, same) && *labels;
}

situ_dataset *situ_idx_folder(const char *folder, const char *prefix)
{
    SITU_SPEAK_AT("situ_idx_folder");
    char images[NAME_BYTES] = "", labels[NAME_BYTES] = "", stem[NAME_BYTES] = "", same[NAME_BYTES];
    if (situ_error_code) return NULL;
    if (!folder) {
        situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_idx_folder: no folder is named");
        return NULL;
    }
    int why = find(folder, prefix, images_end, NULL, images, stem);
    if (!why && *images) why = find(folder, NULL, labels_end, stem, labels, same);
    if (why || !*images || !*labels) {
        if (why) situ_fail(SITU_IO, NULL, "\"%s\": %s", folder, situ_plain_reason(why));
        else
            situ_fail(SITU_IO, NULL, "\"%s\": there is no %s%s%s (or with \".gz\" at its end)%s", folder,
                *images    ? stem :
                    prefix ? prefix :
                             "...",
                *images || !prefix ? "" : "...", *images ? labels_end : images_end,
                *images ? ", the labels of the images that are there" : "");
        return NULL;
    }
    situ_idx image = {0}, label = {0};
    void *image_bytes = NULL, *label_bytes = NULL;
    situ_dataset *data = NULL;
    if (!read_idx(folder, images, 3, &image, &image_bytes) && !read_idx(folder, labels, 1, &label, &label_bytes))
        data = assemble(&image, &label, folder, images);
    situ_counted_free(image_bytes);
    situ_counted_free(label_bytes);
    return data;
}
