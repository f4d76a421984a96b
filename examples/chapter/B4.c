/* B4: the device if it exists, else the next best one. */
#include "chapter.h"

int row_B4(void)
{
    two_gpus();
    char name[32];
    printf("try_gpu(0)     %s\n", situ_device_name(situ_try_gpu(0), name));
    printf("try_gpu(10)    %s\n", situ_device_name(situ_try_gpu(10), name));
    printf("try_tpu_gpu(1) %s\n", situ_device_name(situ_try_tpu_gpu(1), name));
    HOLDS(situ_device_equal(situ_try_gpu(0), situ_gpu(0)));
    HOLDS(situ_device_equal(situ_try_gpu(10), situ_cpu()));
    HOLDS(situ_device_equal(situ_try_tpu_gpu(1), situ_num_tpus() > 1 ? situ_tpu(1) : situ_gpu(1)));
    HOLDS(situ_device_equal(situ_try_tpu_gpu(10), situ_cpu()));

    situ_device all[16];
    int count = situ_try_all_gpus(all, 16);
    for (int i = 0; i < count && i < 16; i++) printf("all_gpus[%d]    %s\n", i, situ_device_name(all[i], name));
    /* Where there is no GPU, one edition of the chapter gives the CPU and the other nothing: */
    HOLDS(situ_try_all_gpus(NULL, 0) == (situ_num_gpus() ? situ_num_gpus() : 1));
    HOLDS(situ_all_gpus(NULL, 0) == situ_num_gpus());
    return row_end();
}
