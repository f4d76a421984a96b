/* A thread of the library has room for the library's frames, however small the C library's default stack is. */
#define _GNU_SOURCE /* pthread_setattr_default_np */
#include "test.h"

#include <pthread.h>

#include "os/thread.h"

static void *fill_a_megabyte(void *argument)
{
    volatile char frame[1 << 20];
    for (size_t i = 0; i < sizeof frame; i += 1024) frame[i] = 1;
    return frame[0] ? argument : NULL;
}

TEST(a_thread_has_room_for_a_megabyte)
{
    situ_thread_id thread;
#ifdef __GLIBC__
    pthread_attr_t before, small;
    pthread_getattr_default_np(&before);
    pthread_getattr_default_np(&small);
    CHECK_EQ(pthread_attr_setstacksize(&small, 128 << 10), 0); /* musl's default */
    pthread_setattr_default_np(&small);
#endif
    int made = situ_thread_make(&thread, fill_a_megabyte, NULL);
#ifdef __GLIBC__
    pthread_setattr_default_np(&before);
    pthread_attr_destroy(&small);
    pthread_attr_destroy(&before);
#endif
    if (CHECK_EQ(made, 0)) situ_thread_join(thread);
}
