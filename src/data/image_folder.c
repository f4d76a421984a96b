/* Image data sets: a folder with one subfolder for each class. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/dataset.h"
#include "data/image.h"
#include "device/counted.h"
#include "file/gzip.h"
#include "op/support.h"
#include "os/file.h"
#include "os/plain.h"

enum { PATH_BYTES = 4096, MOST_DEPTH = 16, MOST_SIDE = 1 << 16 };

/* Paths, sorted by their bytes. */
typedef struct names {
    char **path;
    int64_t count, capacity;
} names;

static void drop(names *n)
{
    for (int64_t i = 0; i < n->count; i++) situ_free(n->path[i]);
    situ_free(n->path);
}

static bool add(names *n, const char *path)
{
    if (n->count == n->capacity) {
        int64_t capacity = n->capacity ? 2 * n->capacity : 64;
        char **p = situ_realloc(n->path, (size_t)capacity * sizeof *p);
        if (!p) return false;
        n->path = p;
        n->capacity = capacity;
    }
    n->path[n->count] = situ_strdup(path);
    return n->path[n->count] && ++n->count;
}

static int by_bytes(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* By the file name: 1: an image; -1: an image of an unsupported kind; 0: something else. */
static int kind_of(const char *name)
{
    static const char *const read[] = {".png", ".jpg", ".jpeg", ".jpe", ".jfif"},
                             *const others[] = {".bmp", ".gif", ".webp", ".tif", ".tiff", ".ppm", ".pgm", ".avif", ".heic"};
    const char *end = strrchr(name, '.');
    for (size_t i = 0; end && i < sizeof read / sizeof *read; i++)
        if (!situ_differ_without_case(end, read[i])) return 1;
    for (size_t i = 0; end && i < sizeof others / sizeof *others; i++)
        if (!situ_differ_without_case(end, others[i])) return -1;
    return 0;
}

/* Adds the subfolders (depth 0), or the images in this folder and below it, without hidden ones. 0 or a negative code. */
static int list(const char *folder, int depth, names *out)
{
    situ_folder *d = situ_folder_open(folder);
    if (!d) return situ_fail(SITU_IO, NULL, "situ_image_folder: \"%s\": %s", folder, situ_plain_reason(errno));
    int rc = 0;
    for (const char *file; !rc && (file = situ_folder_next(d));) {
        char path[PATH_BYTES];
        if (*file == '.') continue;
        if (snprintf(path, sizeof path, "%s/%s", folder, file) >= (int)sizeof path)
            rc = situ_fail(SITU_IO, NULL, "situ_image_folder: %s/%s: the path is too long", folder, file);
        if (rc) break;
        situ_file_kind kind = situ_file_inspect(path, NULL);
        bool within = kind == SITU_FILE_FOLDER;
        if (!kind) rc = situ_fail(SITU_IO, NULL, "situ_image_folder: %s: %s", path, situ_plain_reason(errno));
        else if (within && depth == MOST_DEPTH)
            rc = situ_fail(
                SITU_IO, NULL, "situ_image_folder: %s: folders within folders, %d deep; does a link lead back?", path, depth);
        else if (within && depth) rc = list(path, depth + 1, out);
        else if (!within && kind_of(path) < 0)
            rc = situ_fail(SITU_BAD_FORMAT, NULL,
                "situ_image_folder: %s is of a kind that is not read; convert it to PNG or JPEG, or take it out", path);
        else if ((!depth ? within : kind_of(path) > 0) && !add(out, path))
            rc = situ_fail(SITU_NO_MEMORY, NULL, "situ_image_folder: no host memory for the names in %s", folder);
    }
    situ_folder_close(d);
    return rc;
}

typedef struct reading {
    situ_image_folder_options o;
    const char *first; /* path of the image that determines the size */
} reading;

static int read_image(reading *r, const char *path, situ_image *out)
{
    void *bytes;
    size_t size;
    int rc = situ_read_found(path, &bytes, &size);
    if (!rc) rc = situ_image_read(path, bytes, size, out);
    situ_counted_free(bytes);
    if (rc) return rc;
    if (!r->o.height) {
        r->o.height = (int32_t)out->height;
        r->o.width = (int32_t)out->width;
        r->first = path;
    }
    bool same = out->height == r->o.height && out->width == r->o.width;
    if (!same && r->first)
        rc = situ_fail(SITU_BAD_SHAPE, NULL,
            "situ_image_folder: %s has %d by %d pixels, but %s has %d by %d; " SITU_SAY(
                ".height = and .width =", "height= and width=") " bring all to one size",
            r->first, r->o.width, r->o.height, path, (int)out->width, (int)out->height);
    else if (!same) rc = situ_image_resize(path, out, r->o.height, r->o.width, r->o.crop);
    if (rc) situ_counted_free(out->rgb);
    return rc;
}

/* Writes the channels one after the other. Grey is the luma of ITU-R BT.601, computed in thousandths. */
static void keep(const situ_image *image, bool grey, uint8_t *to)
{
    int64_t n = image->height * image->width;
    const uint8_t *p = image->rgb;
    for (int64_t i = 0; i < n; i++, p += 3) {
        if (grey) to[i] = (uint8_t)((299 * p[0] + 587 * p[1] + 114 * p[2] + 500) / 1000);
        for (int k = 0; !grey && k < 3; k++) to[k * n + i] = p[k];
    }
}

/* Reads all images, in the order of classes; those of class c begin at first[c]. */
static situ_dataset *read_all(const char *folder, const names *classes, const names *images, const int64_t *first, reading *r)
{
    static char image_name[] = "images", label_name[] = "labels";
    situ_dataset *data = NULL;
    int label = 0;
    for (int64_t i = 0; i < images->count; i++) {
        situ_image image;
        if (read_image(r, images->path[i], &image)) break;
        if (!data) {
            const situ_column field[2] = {
                {.name = image_name, .dtype = SITU_U8, .pixels = true, .shape = SHAPE(r->o.grey ? 1 : 3, r->o.height, r->o.width)},
                {.name = label_name, .dtype = SITU_I32}};
            data = situ_dataset_frame(images->count, field, 2, 1, (int)classes->count, folder);
        }
        if (data) keep(&image, r->o.grey, (uint8_t *)data->field[0].data + i * data->field[0].bytes);
        situ_counted_free(image.rgb);
        if (!data) break;
        while (i >= first[label + 1]) label++;
        situ_dataset_label(data)[i] = label;
    }
    if (data && !situ_error_code && situ_dataset_names(data, classes->path, (int)classes->count)) return data;
    situ_dataset_free(data);
    return NULL;
}

static situ_dataset *read_folder(const char *folder, names *classes, names *images, reading *r)
{
    if (list(folder, 0, classes)) return NULL;
    if (!classes->count) {
        situ_fail(SITU_IO, NULL, "situ_image_folder: \"%s\" has no folders; it needs one for each class, with its images", folder);
        return NULL;
    }
    qsort(classes->path, (size_t)classes->count, sizeof *classes->path, by_bytes);
    int64_t *first = situ_calloc((size_t)classes->count + 1, sizeof *first);
    if (!first) situ_fail(SITU_NO_MEMORY, NULL, "situ_image_folder: no host memory for the classes in %s", folder);
    for (int64_t c = 0; first && c < classes->count; c++) {
        if (list(classes->path[c], 1, images)) break;
        first[c + 1] = images->count;
        if (first[c + 1] == first[c]) {
            situ_fail(SITU_IO, NULL, "situ_image_folder: %s has no PNG or JPEG image; take the folder out if that is no class",
                classes->path[c]);
            break;
        }
        qsort(images->path + first[c], (size_t)(images->count - first[c]), sizeof *images->path, by_bytes);
    }
    situ_dataset *data = situ_error_code ? NULL : read_all(folder, classes, images, first, r);
    situ_free(first);
    return data;
}

situ_dataset *(situ_image_folder)(const char *folder, const situ_image_folder_options *options, situ_site site)
{
    SITU_SPEAK("situ_image_folder", site);
    reading r = {.o = {SITU_DEFAULTS(SITU_IMAGE_FOLDER_DEFAULTS)}};
    if (situ_error_code || !SITU_TAKE_OPTIONS(r.o, options, "situ_image_folder", site)) return NULL;
    if (!folder || r.o.height < 0 || r.o.width < 0 || r.o.height > MOST_SIDE || r.o.width > MOST_SIDE ||
        !r.o.height != !r.o.width || (r.o.crop && !r.o.height)) {
        situ_fail(folder ? SITU_BAD_OPTION : SITU_BAD_ARGUMENT, site, "situ_image_folder: %s",
            !folder ? "no folder is named" : "height and width are 0, or both from 1 to 65536; to crop, there has to be a size");
        return NULL;
    }
    names classes = {0}, images = {0};
    situ_dataset *data = read_folder(folder, &classes, &images, &r);
    drop(&classes);
    drop(&images);
    return data;
}
