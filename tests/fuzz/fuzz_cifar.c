/* clang's libFuzzer on the reader of CIFAR's files: the bytes are those of all of them; a set that can be read in
 * full, or an error. See fuzz_idx.c. */
#include <situ/data.h>

#include "fuzz_file.h"

/* A folder whose five files, and those of CIFAR-100, are links to the file of the bytes; which of the two is there,
 * `hundred` says. */
static const char *folder_of(const char *path, bool hundred)
{
    static char folder[2][32];
    if (!*folder[hundred]) {
        char name[64];
        snprintf(folder[hundred], sizeof *folder, "%s", "/tmp/situ-fuzz-XXXXXX");
        if (!mkdtemp(folder[hundred])) abort();
        snprintf(name, sizeof name, "%s/%s", folder[hundred], hundred ? "train.bin" : "data_batch_2.bin");
        if (symlink(path, name)) abort();
    }
    return folder[hundred];
}

static void remove_folders(void)
{
    for (int hundred = 0; hundred < 2; hundred++) {
        char name[64];
        const char *folder = folder_of("/dev/null", hundred);
        snprintf(name, sizeof name, "%s/%s", folder, hundred ? "train.bin" : "data_batch_2.bin");
        unlink(name);
        rmdir(folder);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool registered;
    if (!registered) atexit(remove_folders);
    registered = true;
    if (!size) return 0;
    /* A short input stands for rows: its bytes again and again. */
    size_t rows = data[0] % 5, bytes = rows * 3074;
    uint8_t *all = malloc(bytes + size);
    if (!all) abort();
    for (size_t i = 0; i < bytes; i++) all[i] = size > 1 ? data[1 + i % (size - 1)] : 0;
    if (data[0] & 8) bytes = rows * 3073;
    if (data[0] & 16) bytes += size / 2;
    situ_dataset *set = (situ_cifar)(folder_of(fuzz_file(all, bytes), data[0] & 32), NULL, NULL);
    free(all);
    if (!set != (situ_error_take(NULL) != 0)) abort();
    situ_field field[2];
    int64_t sum = 0;
    if (set && situ_dataset_fields(set, field, 2) != 2) abort();
    for (int64_t i = 0; set && i < situ_dataset_count(set); i++) {
        int32_t label = ((const int32_t *)field[1].data)[i];
        if (label < 0 || label >= situ_dataset_classes(set)) abort();
        for (int k = 0; k < 3072; k++) sum += ((const uint8_t *)field[0].data)[i * 3072 + k];
    }
    situ_dataset_free(set);
    return sum == INT64_MAX;
}
