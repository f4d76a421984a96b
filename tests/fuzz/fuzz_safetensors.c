/* clang's libFuzzer on the reader of safetensors; every tensor of a file that opens is read. See fuzz_idx.c. */
#include "fuzz_archive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    situ_archive *a = fuzz_archive(fuzz_bytes(data, size), size);
    fuzz_tensors(a, SITU_F32);
    situ_archive_close(a);
    situ_error_take(NULL);
    return 0;
}
