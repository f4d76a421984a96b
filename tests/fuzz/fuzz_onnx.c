/* clang's libFuzzer on the reader of ONNX, which links the whole graph, and on the operators, which get tensors of a
 * few shapes. See fuzz_idx.c. */
#include <situ/create.h>
#include <situ/ledger.h>
#include <situ/onnx.h>
#include <string.h>

#include "fuzz_file.h"

enum { MOST = 6 };

/* A loop counts as far as its file says, and so does what it costs. */
static bool has_loop(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i + 4 <= size; i++)
        if (!memcmp(data + i, "Loop", 4)) return true;
    return false;
}

static void call(situ_module *net, situ_shape shape, situ_dtype dtype)
{
    situ_scope *scope = situ_scope_open();
    const situ_made_options made = {.size = sizeof made, .unnamed = SITU_NAMED, .dtype = dtype, .device = situ_cpu()};
    situ_tensor *in[MOST], *out[MOST] = {NULL};
    int inputs = 0;
    while (inputs < MOST && situ_onnx_input(net, inputs)) in[inputs++] = (situ_ones)(shape, &made, NULL);
    if (!inputs) in[inputs++] = (situ_ones)(shape, &made, NULL);
    int n = (situ_module_call_n)(net, (situ_list){in, inputs}, out, MOST, NULL, NULL);
    if ((n < 0) != (situ_error_take(NULL) != 0)) abort();
    situ_scope_close(scope);
    situ_error_take(NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct {
        situ_shape shape;
        situ_dtype dtype;
    } kind[] = {{{.ndim = 4, .dim = {2, 3, 4, 5}}, SITU_F32}, {{.ndim = 2, .dim = {3, 4}}, SITU_F32}, {{.ndim = 3, .dim = {1, 4, 4}}, SITU_F16},
        {{.ndim = 1, .dim = {2}}, SITU_I64}, {{.ndim = 0}, SITU_BOOL}};
    const situ_onnx_load_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    situ_memory_limit(situ_cpu(), 64 << 20);
    situ_module *net = (situ_onnx_load_bytes)(data, size, &o, NULL);
    if (!net != (situ_error_take(NULL) != 0)) abort();
    for (size_t i = 0; net && i < sizeof kind / sizeof *kind && !has_loop(data, size); i++) call(net, kind[i].shape, kind[i].dtype);
    situ_module_free(net);
    situ_error_take(NULL);
    return 0;
}
