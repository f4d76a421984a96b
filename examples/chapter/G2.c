/* G2: net(X) is computed where X is; parameters by name with their devices. */
#include "chapter.h"

int row_G2(void)
{
    two_gpus();
    situ_scope *scope = situ_scope_open();
    situ_module *net = situ_sequential(situ_linear_layer(4), situ_relu_layer(), situ_linear_layer(1));
    situ_device devices[] = {situ_try_tpu_gpu(0), situ_try_tpu_gpu(1)};
    situ_module_mirror(net, devices, 2);

    for (int d = 0; d < 2; d++) {
        situ_tensor *y = situ_module_call(net, situ_ones(SHAPE(2, 3), .device = devices[d]));
        situ_print(y);
        HOLDS(situ_device_equal(situ_device_of(y), devices[d]));
    }
    for (int i = 0; i < situ_module_count(net); i++)
        for (int d = 0; d < 2; d++) {
            char name[32];
            situ_tensor *p = situ_module_copy(net, i, devices[d]);
            printf("%-10s %3lld numbers @%s\n", situ_module_name(net, i), (long long)situ_count(p),
                   situ_device_name(situ_device_of(p), name));
            if (!situ_device_equal(situ_device_of(p), devices[d])) row_holds(false, situ_module_name(net, i));
        }
    HOLDS(situ_module_count(net) == 4);

    situ_module_call(net, situ_ones(SHAPE(2, 3))); /* there is no copy on the CPU, and nothing is moved for you */
    HOLDS(REFUSED(SITU_BAD_DEVICE, "cpu(0)", row_name(devices[0]), "G2.c:"));
    situ_module_free(net);
    situ_scope_close(scope);
    return row_end();
}
