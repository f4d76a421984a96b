/* clang's libFuzzer on the IDX reader: whatever the bytes, a result that can be read in full, or an error.
 *
 *     cmake -S . -B build-fuzz -DCMAKE_C_COMPILER=clang -DSITU_BUILD_FUZZERS=ON -DSITU_SANITIZE=address,undefined
 *     cmake --build build-fuzz && build-fuzz/fuzz/fuzz_idx -max_total_time=60 */
#include "data/idx.h"

#include <situ/error.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    situ_idx idx;
    int status = situ_idx_parse(data, size, &idx);
    if (status) {
        if (situ_error_take(NULL) != -status) abort();
        return 0;
    }
    void *values = malloc((size_t)idx.count * idx.item_size + 1);
    if (!values || situ_idx_read(&idx, 0, idx.count, values)) abort();
    free(values);
    return 0;
}
