/* clang's libFuzzer on the readers of NumPy's files, .npy and .npz: as a data set, and each array of an archive. See
 * fuzz_idx.c. */
#include <situ/data.h>
#include <string.h>

#include "fuzz_archive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const situ_numpy_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    const char *path = fuzz_bytes(data, size);
    situ_dataset *set = (situ_numpy)(path, &o, NULL);
    if (!set != (situ_error_take(NULL) != 0)) abort();
    situ_dataset_free(set);
    situ_archive *a = fuzz_archive(path, size);
    fuzz_tensors(a, SITU_DTYPE_DEFAULT);
    situ_archive_close(a);
    situ_error_take(NULL);
    return 0;
}
