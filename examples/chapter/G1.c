/* G1: layers infer their input size at the first call; parameters are on the named device; one mirrored copy per device. */
#include "chapter.h"

int row_G1(void)
{
    two_gpus();
    situ_scope *scope = situ_scope_open();
    situ_module *net = situ_sequential(situ_linear_layer(1));
    situ_module_to(net, situ_try_tpu_gpu(0));
    situ_module_init(net, situ_key(0));

    situ_tensor *x = situ_ones(SHAPE(2, 3), .device = situ_try_tpu_gpu(0));
    situ_print(situ_module_call(net, x)); /* the first call tells that there are 3 inputs */
    situ_tensor *weight = situ_module_find(net, "0.weight");
    situ_print(weight);
    HOLDS(situ_dim(weight, 0) == 1 && situ_dim(weight, 1) == 3);
    HOLDS(situ_device_equal(situ_device_of(weight), situ_try_tpu_gpu(0)));

    situ_device both[] = {situ_try_tpu_gpu(0), situ_try_tpu_gpu(1)};
    situ_module_mirror(net, both, 2); /* one copy of every parameter on each device */
    for (int d = 0; d < 2; d++) {
        situ_tensor *copy = situ_module_copy(net, 0, both[d]);
        situ_print(copy);
        HOLDS(situ_device_equal(situ_device_of(copy), both[d]));
    }
    float a[3], b[3];
    situ_read(situ_module_copy(net, 0, both[0]), a, sizeof a);
    situ_read(situ_module_copy(net, 0, both[1]), b, sizeof b);
    HOLDS(!memcmp(a, b, sizeof a));
    situ_module_free(net);
    situ_scope_close(scope);
    return row_end();
}
