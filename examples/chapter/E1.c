/* E1: operands on two devices are an error at the call, before anything runs; it names both and the copy to write. */
#include "chapter.h"

int row_E1(void)
{
    two_gpus();
    situ_scope *scope = situ_scope_open();
    situ_tensor *X = situ_name(situ_ones(SHAPE(2, 3), .device = situ_try_tpu_gpu(0)), "X");
    situ_tensor *Y = situ_name(situ_uniform(situ_key(0, .device = situ_try_tpu_gpu(1)), SHAPE(2, 3)), "Y");
    situ_device first = situ_try_tpu_gpu(0);
    int64_t kernels = row_kernels(first);

    situ_add(X, Y); /* refused here */
    char x[48], y[48], mend[48];
    snprintf(x, sizeof x, "X = f32[2,3] @%s", row_name(first));
    snprintf(y, sizeof y, "Y = f32[2,3] @%s", row_name(situ_try_tpu_gpu(1)));
    snprintf(mend, sizeof mend, "situ_to(b, %s)", row_name(first));
    HOLDS(REFUSED(SITU_BAD_DEVICE, x, y, "E1.c:8", "E1.c:9", "E1.c:13: add", mend));
    HOLDS(row_kernels(first) == kernels);
    HOLDS(!strcmp(situ_state(X), "pending") && !strcmp(situ_state(Y), "pending"));

    situ_tensor *Z = situ_add(X, situ_to(Y, first)); /* what the message says */
    situ_print(Z);
    HOLDS(situ_device_equal(situ_device_of(Z), first));
    situ_scope_close(scope);
    return row_end();
}
