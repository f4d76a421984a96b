/* Starting one kernel on a stream. */
#include "backend/cuda/convolution.h"
#include "backend/cuda/kernel.h"
#include "backend/cuda/matmul.h"
#include "base/memory.h"

int situ_cuda_library_start(situ_cuda *s, const situ_cuda_kernel *k, const uint64_t *value, cu_stream stream)
{
    return k->matmul ? situ_cuda_matmul_run(s, k->matmul, value, stream) :
                       situ_cuda_convolution_start(s, k->convolution, value, stream);
}

int situ_cuda_start(situ_cuda *s, const situ_cuda_kernel *k, const uint64_t *value)
{
    if (situ_cuda_by_library(k)) return situ_cuda_library_start(s, k, value, s->compute);
    s->updating |= k->guarded;
    const situ_cuda_api *cu = situ_cuda_driver();
    void *few[128], **parameter = few;
    int code = 0, n = situ_cuda_parameters(k);
    if (n > 128 && !(parameter = situ_malloc((size_t)n * sizeof *parameter))) return -SITU_NO_MEMORY;
    for (int i = 0; i < n; i++) parameter[i] = (void *)(uintptr_t)&value[i];
    for (int i = 0; i < k->passes.count && !code; i++) {
        const situ_pass *p = &k->passes.pass[i];
        if (p->blocks)
            code =
                cu->LaunchKernel(k->pass[i], (unsigned)p->blocks, 1, 1, (unsigned)p->threads, 1, 1, 0, s->compute, parameter, NULL);
    }
    if (parameter != few) situ_free(parameter);
    return situ_cuda_code(s, code, "cuLaunchKernel");
}
