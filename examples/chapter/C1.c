/* C1: a tensor knows its device. The default is the CPU; a scope of another default nests and is per thread. */
#include "row.h"

#include <pthread.h>

static void *in_another_thread(void *out)
{
    *(situ_device *)out = situ_default_device();
    return NULL;
}

int row_C1(void)
{
    two_gpus();
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_from_host(((float[]){1, 2, 3}), SHAPE(3));
    HOLDS(situ_device_equal(situ_device_of(x), situ_cpu()));

    situ_push_device(situ_gpu(0));
    situ_tensor *on_gpu0 = situ_zeros(SHAPE(3));
    situ_push_device(situ_gpu(1));
    situ_tensor *on_gpu1 = situ_zeros(SHAPE(3));
    situ_device elsewhere;
    pthread_t thread;
    HOLDS(pthread_create(&thread, NULL, in_another_thread, &elsewhere) == 0 && pthread_join(thread, NULL) == 0);
    situ_pop_device();
    HOLDS(situ_device_equal(situ_default_device(), situ_gpu(0)));
    situ_pop_device();
    HOLDS(situ_device_equal(situ_default_device(), situ_cpu()));

    situ_print(x);
    situ_print(on_gpu0);
    situ_print(on_gpu1);
    HOLDS(situ_device_equal(situ_device_of(on_gpu0), situ_gpu(0)));
    HOLDS(situ_device_equal(situ_device_of(on_gpu1), situ_gpu(1)));
    HOLDS(situ_device_equal(elsewhere, situ_cpu()));

    situ_strict(true); /* in strict mode there is no default: a forgotten .device is an error */
    situ_tensor *forgotten = situ_zeros(SHAPE(3));
    situ_strict(false);
    HOLDS(forgotten != NULL);
    HOLDS(REFUSED(SITU_BAD_DEVICE, "C1.c:"));
    situ_scope_close(scope);
    return row_end();
}
