/* E2: a copy is always new memory, also on the same device. */
#include "chapter.h"

static int64_t blocks(situ_device d)
{
    situ_memory memory = {0};
    situ_memory_of(d, &memory);
    return memory.in_use;
}

int row_E2(void)
{
    two_gpus();
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_ones(SHAPE(1024), .device = situ_try_tpu_gpu(1));
    situ_eval(TENSORS(x));
    situ_wait(x);

    situ_wait(NULL); /* what came before has given its memory back */
    int64_t before = blocks(situ_try_tpu_gpu(1));
    situ_tensor *here = situ_copy_to(x, situ_try_tpu_gpu(1)), *there = situ_copy_to(x, situ_try_tpu_gpu(0));
    situ_eval(TENSORS(here, there));
    situ_wait(here);
    situ_wait(there);
    printf("%s holds %lld bytes more\n", row_name(situ_try_tpu_gpu(1)), (long long)(blocks(situ_try_tpu_gpu(1)) - before));
    HOLDS(here != x && there != x);
    HOLDS(blocks(situ_try_tpu_gpu(1)) - before >= 4096);
    HOLDS(situ_device_equal(situ_device_of(here), situ_try_tpu_gpu(1)));
    HOLDS(situ_device_equal(situ_device_of(there), situ_try_tpu_gpu(0)));
    HOLDS(situ_item(situ_sum(here)) == 1024 && situ_item(situ_sum(there)) == 1024);

    /* Writing to one of two variables that began as copies leaves the other alone. */
    situ_tensor *a = situ_variable(x), *b = situ_variable(situ_copy_to(a, situ_try_tpu_gpu(1)));
    situ_assign(a, situ_mul(a, 5));
    HOLDS(situ_item(situ_sum(a)) == 5120);
    HOLDS(situ_item(situ_sum(b)) == 1024);
    situ_release(a);
    situ_release(b);
    situ_scope_close(scope);
    return row_end();
}
