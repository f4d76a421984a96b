/* clang's libFuzzer on the reader of CSV: the first byte chooses options; whatever the rest, a set that can be read in
 * full, or an error. See fuzz_idx.c. */
#include <situ/data.h>

#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    const situ_csv_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .header = data[0] & 1, .skip_empty = data[0] & 2,
        .separator = data[0] & 4 ? ";" : NULL, .categories = data[0] & 8 ? "0" : NULL};
    situ_dataset *set = (situ_csv)(fuzz_bytes(data + 1, size - 1), &o, NULL);
    if (!set != (situ_error_take(NULL) != 0)) abort();
    situ_field field[SITU_FIELDS];
    int64_t sum = 0;
    for (int i = 0, n = situ_dataset_fields(set, field, SITU_FIELDS); i < n; i++)
        for (int64_t k = 0; k < situ_dataset_count(set) * (field[i].shape.ndim > 1 ? field[i].shape.dim[1] : 1); k++)
            sum += ((const int32_t *)field[i].data)[k];
    situ_dataset_free(set);
    return sum == 0x7fffffffffff ? 1 : 0;
}
