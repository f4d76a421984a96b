/* The binary files of CIFAR-10 and CIFAR-100 (A. Krizhevsky, Learning multiple layers of features from tiny images,
 * 2009): a row is one or two bytes of labels and 3072 bytes of pixels. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/dataset.h"
#include "device/counted.h"
#include "file/gzip.h"
#include "op/support.h"
#include "os/file.h"

enum { PIXELS = 3 * 32 * 32, FILES = 5, PATH_BYTES = 4096 };

typedef struct files {
    void *bytes[FILES];
    int64_t rows[FILES], all;
} files;

/* Reads those of the named files that exist; they must contain whole rows, with this many labels. 0 or a negative
 * code. */
static int read_files(files *f, const char *folder, const char *const *name, int labels)
{
    size_t row = PIXELS + (size_t)labels, size;
    for (int i = 0; i < FILES && name[i]; i++) {
        char path[PATH_BYTES];
        if (snprintf(path, sizeof path, "%s/%s", folder, name[i]) >= (int)sizeof path || !situ_file_exists(path)) continue;
        int rc = situ_read_found(path, &f->bytes[i], &size);
        if (rc) return rc;
        if (!size || size % row)
            return situ_fail(SITU_BAD_FORMAT, NULL, "situ_cifar: %s: %zu bytes are no whole rows of %zu", path, size, row);
        f->all += f->rows[i] = (int64_t)(size / row);
    }
    return 0;
}

static situ_dataset *assemble(const files *f, int labels, const char *name)
{
    static char image_name[] = "images", label_name[] = "labels";
    const situ_column field[2] = {
        {.name = image_name, .dtype = SITU_U8, .shape = SHAPE(3, 32, 32), .pixels = true}, {.name = label_name, .dtype = SITU_I32}};
    situ_dataset *data = situ_dataset_frame(f->all, field, 2, 1, labels > 1 ? 100 : 10, name);
    for (int64_t i = 0, at = 0; data && i < FILES; i++)
        for (int64_t k = 0; k < f->rows[i]; k++, at++) {
            const uint8_t *row = (const uint8_t *)f->bytes[i] + k * (PIXELS + labels);
            situ_dataset_label(data)[at] = row[labels - 1];
            memcpy(data->field[0].data + at * PIXELS, row + labels, PIXELS);
        }
    return situ_dataset_checked(data, "situ_cifar");
}

situ_dataset *(situ_cifar)(const char *folder, const situ_cifar_options *options, situ_site site)
{
    static const char *const ten[2][FILES] = {
        {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin"}, {"test_batch.bin"}};
    static const char *const hundred[2][FILES] = {{"train.bin"}, {"test.bin"}};
    SITU_SPEAK("situ_cifar", site);
    situ_cifar_options o = {SITU_DEFAULTS(SITU_CIFAR_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_cifar", site)) return NULL;
    files f = {{NULL}, {0}, 0};
    int labels = 1,
        rc = folder ? read_files(&f, folder, ten[o.test], 1) : situ_fail(SITU_BAD_ARGUMENT, site, "situ_cifar: no folder is named");
    if (!rc && !f.all) rc = read_files(&f, folder, hundred[o.test], labels = 2);
    if (!rc && !f.all)
        rc = situ_fail(SITU_IO, site, "situ_cifar: \"%s\": there is neither %s nor %s", folder, ten[o.test][0], hundred[o.test][0]);
    situ_dataset *data = rc ? NULL : assemble(&f, labels, folder);
    for (int i = 0; i < FILES; i++) situ_counted_free(f.bytes[i]);
    return data;
}
