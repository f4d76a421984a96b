/* Bytes that may be gzip: unpacked with a zero byte after the end, or an error. */
#include "device/counted.h"
#include "file/gzip.h"
#include "fuzz_file.h"

#include <situ/error.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    void *out = NULL;
    size_t bytes = 0;
    int status = situ_unpack("fuzz", data, size, &out, &bytes);
    if (status) {
        if (situ_error_take(NULL) != -status) abort();
        return 0;
    }
    if (((const char *)out)[bytes]) abort();
    situ_counted_free(out);
    return 0;
}
