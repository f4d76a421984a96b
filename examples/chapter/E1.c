/* E1: operands on two devices are an error at the call, which names both tensors and the copy to write. */
#include "chapter.h"

int row_E1(void)
{
    two_gpus();
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_name(situ_ones(SHAPE(2, 3), .device = situ_gpu(0)), "X");
    situ_tensor *y = situ_name(situ_ones(SHAPE(2, 3), .device = situ_gpu(1)), "Y");
    situ_add(x, y); /* refused here, before anything runs */
    HOLDS(REFUSED(SITU_BAD_DEVICE, "X", "Y", "gpu(0)", "gpu(1)", "E1.c", "situ_to"));
    HOLDS(!strcmp(situ_state(x), "pending") && !strcmp(situ_state(y), "pending"));

    situ_tensor *sum = situ_add(situ_to(x, situ_gpu(1)), y);
    situ_print(sum);
    HOLDS(situ_device_equal(situ_device_of(sum), situ_gpu(1)));
    situ_scope_close(scope);
    return row_end();
}
