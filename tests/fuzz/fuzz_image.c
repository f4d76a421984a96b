/* clang's libFuzzer on images and folders of them: two bytes choose a size; whatever the rest, an image of that size,
 * or an error. See fuzz_idx.c. */
#include <situ/data.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz_file.h"

static char folder[32], class_folder[64], image[96];

static void remove_folder(void)
{
    unlink(image);
    rmdir(class_folder);
    rmdir(folder);
}

/* A folder of one class with one image, a link to the file of the bytes. 100 bytes of a JPEG may say 50 million
 * pixels, which a sanitizer needs more than the time of a run for: such images are refused. */
static void make_folder(const char *path)
{
    setenv("SITU_CPU_MEMORY", "64M", 1);
    snprintf(folder, sizeof folder, "%s", "/tmp/situ-fuzz-XXXXXX");
    if (!mkdtemp(folder)) abort();
    snprintf(class_folder, sizeof class_folder, "%s/class", folder);
    snprintf(image, sizeof image, "%s/image.png", class_folder);
    if (mkdir(class_folder, 0700) || symlink(path, image)) abort();
    atexit(remove_folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    const char *path = fuzz_file(data + 2, size - 2);
    if (!*folder) make_folder(path);
    const int32_t height = data[0] % 40, width = height ? 1 + data[1] % 40 : 0;
    const situ_image_folder_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .height = height, .width = width,
        .crop = height && (data[0] & 64), .grey = data[0] & 128};
    situ_dataset *set = (situ_image_folder)(folder, &o, NULL);
    if (!set != (situ_error_take(NULL) != 0)) abort();
    situ_field field[2];
    if (set && (situ_dataset_fields(set, field, 2) != 2 || situ_dataset_count(set) != 1)) abort();
    if (set && height && (field[0].shape.dim[2] != height || field[0].shape.dim[3] != width)) abort();
    int64_t sum = 0;
    for (int64_t i = 0; set && i < field[0].shape.dim[1] * field[0].shape.dim[2] * field[0].shape.dim[3]; i++)
        sum += ((const uint8_t *)field[0].data)[i];
    situ_dataset_free(set);
    return sum == INT64_MAX;
}
