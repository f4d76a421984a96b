/* D1: a tensor made on a device takes memory of that device alone; the same key gives the same bits on every device. */
#include "chapter.h"

static int64_t used(situ_device d)
{
    situ_memory memory = {0};
    situ_memory_of(d, &memory);
    return memory.in_use;
}

int row_D1(void)
{
    two_gpus();
    situ_scope *scope = situ_scope_open();
    int64_t cpu = used(situ_cpu()), gpu0 = used(situ_try_tpu_gpu(0)), gpu1 = used(situ_try_tpu_gpu(1));
    situ_tensor *x = situ_ones(SHAPE(2, 3), .device = situ_try_tpu_gpu(0));
    situ_tensor *big = situ_uniform(situ_key(1, .device = situ_try_tpu_gpu(1)), SHAPE(1000, 1000));
    situ_eval(TENSORS(big));
    situ_wait(big);
    printf("memory in use: cpu %+lld, %s %+lld, %s %+lld bytes\n", (long long)(used(situ_cpu()) - cpu), row_name(situ_try_tpu_gpu(0)),
           (long long)(used(situ_try_tpu_gpu(0)) - gpu0), row_name(situ_try_tpu_gpu(1)), (long long)(used(situ_try_tpu_gpu(1)) - gpu1));
    HOLDS(used(situ_try_tpu_gpu(1)) - gpu1 >= 4000000);
    HOLDS(used(situ_try_tpu_gpu(0)) == gpu0);
    HOLDS(used(situ_cpu()) == cpu);
    situ_print(x);

    float there[6], here[6];
    static const float jax[6] = {0.57450044f, 0.09968603f, 0.7419659f, 0.8941783f, 0.59656656f, 0.45325184f};
    situ_tensor *y = situ_uniform(situ_key(0, .device = situ_try_tpu_gpu(1)), SHAPE(2, 3));
    situ_print(y);
    situ_read(y, there, sizeof there);
    situ_read(situ_uniform(situ_key(0), SHAPE(2, 3)), here, sizeof here);
    HOLDS(!memcmp(there, here, sizeof here));
    HOLDS(!memcmp(here, jax, sizeof jax)); /* the figures that the chapter prints */
    situ_scope_close(scope);
    return row_end();
}
