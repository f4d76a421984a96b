/* C1: the device of a tensor; the default is the CPU, and a default-device scope nests and belongs to its thread. */
#include "chapter.h"

#include <pthread.h>

static void *default_of_another_thread(void *out)
{
    *(situ_device *)out = situ_default_device();
    return NULL;
}

int row_C1(void)
{
    two_gpus();
    char name[32];
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_from_host(((float[]){1, 2, 3}), SHAPE(3));
    printf("x is on %s\n", situ_device_name(situ_device_of(x), name));
    HOLDS(situ_device_equal(situ_device_of(x), situ_cpu()));

    situ_push_device(situ_try_tpu_gpu(0));
    situ_tensor *y = situ_ones(SHAPE(3));
    situ_push_device(situ_try_tpu_gpu(1));
    situ_tensor *z = situ_ones(SHAPE(3));
    situ_device elsewhere = {0, 0};
    pthread_t thread;
    if (!pthread_create(&thread, NULL, default_of_another_thread, &elsewhere)) pthread_join(thread, NULL);
    situ_pop_device();
    printf("y is on %s\n", situ_device_name(situ_device_of(y), name));
    printf("z is on %s\n", situ_device_name(situ_device_of(z), name));
    HOLDS(situ_device_equal(situ_device_of(y), situ_try_tpu_gpu(0)));
    HOLDS(situ_device_equal(situ_device_of(z), situ_try_tpu_gpu(1)));
    HOLDS(situ_device_equal(situ_default_device(), situ_try_tpu_gpu(0)));
    HOLDS(situ_device_equal(elsewhere, situ_cpu()));
    situ_pop_device();
    HOLDS(situ_device_equal(situ_default_device(), situ_cpu()));

    situ_strict(true); /* in strict mode there is no default: a forgotten .device is an error */
    situ_zeros(SHAPE(3));
    situ_strict(false);
    HOLDS(REFUSED(SITU_BAD_DEVICE, "C1.c:", ".device = situ_cpu()"));
    situ_scope_close(scope);
    return row_end();
}
