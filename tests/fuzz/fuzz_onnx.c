/* clang's libFuzzer on the reader of ONNX, which links the whole graph. See fuzz_idx.c. */
#include <situ/onnx.h>

#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const situ_onnx_load_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    situ_module *net = (situ_onnx_load_bytes)(data, size, &o, NULL);
    if (!net != (situ_error_take(NULL) != 0)) abort();
    situ_module_free(net);
    situ_error_take(NULL);
    return 0;
}
