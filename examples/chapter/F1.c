/* F1: (z + 2).exp() * y is computed and kept on the device of its inputs. */
#include "chapter.h"

int row_F1(void)
{
    two_gpus();
    situ_scope *scope = situ_scope_open();
    situ_device gpu = situ_try_tpu_gpu(1);
    situ_tensor *z = situ_ones(SHAPE(2, 3), .device = gpu);
    situ_tensor *y = situ_uniform(situ_key(0, .device = gpu), SHAPE(2, 3));
    situ_ledger_totals before = situ_ledger_sum();
    int64_t kernels = row_kernels(gpu), other = row_kernels(situ_try_tpu_gpu(0));

    situ_tensor *w = situ_mul(situ_exp(situ_add(z, 2)), y);
    situ_eval(TENSORS(w));
    situ_wait(w);
    char name[32];
    printf("w is on %s; %lld copies to the host\n", situ_device_name(situ_device_of(w), name),
           (long long)(situ_ledger_sum().download_count - before.download_count));
    HOLDS(situ_device_equal(situ_device_of(w), gpu));
    HOLDS(situ_ledger_sum().download_count == before.download_count);
    if (row_kernels(gpu)) HOLDS(row_kernels(gpu) > kernels && row_kernels(situ_try_tpu_gpu(0)) == other);
    situ_print(w);
    HOLDS(fabs(situ_item(situ_select(situ_reshape(w, SHAPE(6)), 0, 0)) - 0.57450044 * exp(3)) < 1e-5);
    situ_scope_close(scope);
    return row_end();
}
