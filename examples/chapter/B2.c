/* B2: gpu(), gpu(0), gpu(1): one card each. Naming one never fails; using an absent one is an error that says why. */
#include "chapter.h"

int row_B2(void)
{
    two_gpus();
    situ_scope *scope = situ_scope_open();
    char name[32], other[32];
    printf("gpu() is %s, gpu(1) is %s\n", situ_device_name(situ_gpu(), name), situ_device_name(situ_gpu(1), other));
    HOLDS(situ_device_equal(situ_gpu(), situ_gpu(0)));
    HOLDS(!situ_device_equal(situ_gpu(0), situ_gpu(1)));

    situ_device absent = situ_gpu(99);
    printf("%s\n", situ_device_name(absent, name));
    HOLDS(!situ_failed());
    situ_print(situ_ones(SHAPE(2), .device = absent));
    HOLDS(REFUSED(SITU_NO_DEVICE, "gpu(99)", "gpu(0), gpu(1)", "B2.c:"));

    situ_print(situ_ones(SHAPE(2), .device = situ_tpu()));
    HOLDS(situ_num_tpus() ? !situ_failed() : REFUSED(SITU_NO_DEVICE, "tpu(0)", "there is no TPU"));
    situ_scope_close(scope);
    return row_end();
}
