/* E1: operands on two devices are an error at the call, before anything runs; it names both and the copy to write. */
#include "chapter.h"

int row_E1(void)
{
    two_gpus();
    situ_scope *scope = situ_scope_open();
    situ_tensor *X = situ_name(situ_ones(SHAPE(2, 3), .device = situ_gpu(0)), "X");
    situ_tensor *Y = situ_name(situ_uniform(situ_key(0, .device = situ_gpu(1)), SHAPE(2, 3)), "Y");
    situ_sim_counters before = {0}, after = {0};
    situ_sim_count(situ_gpu(0), &before);

    situ_add(X, Y); /* refused here */
    HOLDS(REFUSED(SITU_BAD_DEVICE, "X = f32[2,3] @gpu(0)", "Y = f32[2,3] @gpu(1)", "E1.c:8", "E1.c:9", "E1.c:13: add",
                  "situ_to(b, gpu(0))"));
    situ_sim_count(situ_gpu(0), &after);
    HOLDS(after.kernels == before.kernels);
    HOLDS(!strcmp(situ_state(X), "pending") && !strcmp(situ_state(Y), "pending"));

    situ_tensor *Z = situ_add(X, situ_to(Y, situ_gpu(0))); /* what the message says */
    situ_print(Z);
    HOLDS(situ_device_equal(situ_device_of(Z), situ_gpu(0)));
    situ_scope_close(scope);
    return row_end();
}
