/* clang's libFuzzer on the reader of NumPy's files, .npy and .npz. See fuzz_idx.c. */
#include <situ/data.h>
#include <string.h>

#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const situ_numpy_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    situ_dataset *set = (situ_numpy)(fuzz_file(data, size), &o, NULL);
    if (!set != (situ_error_take(NULL) != 0)) abort();
    situ_dataset_free(set);
    return 0;
}
