/* clang's libFuzzer on the readers of NumPy's files, .npy and .npz: as a data set, and each array of an archive. See fuzz_idx.c. */
#include <situ/data.h>
#include <situ/file.h>
#include <string.h>

#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const situ_numpy_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    const char *path = fuzz_file(data, size);
    situ_dataset *set = (situ_numpy)(path, &o, NULL);
    if (!set != (situ_error_take(NULL) != 0)) abort();
    situ_dataset_free(set);
    situ_archive *a = situ_archive_open(path, .map = size % 2 == 0);
    if (!a != (situ_error_take(NULL) != 0)) abort();
    situ_scope *scope = situ_scope_open();
    for (int64_t i = 0; i < situ_archive_count(a) && i < 8; i++) {
        situ_tensor *t = situ_archive_get(a, situ_archive_name(a, i));
        if (!situ_failed()) (situ_wait)(t, NULL);
        situ_error_take(NULL);
    }
    situ_scope_close(scope);
    situ_archive_close(a);
    situ_error_take(NULL);
    return 0;
}
