#include "test.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

#include <situ/dtype.h>
#include <situ/ledger.h>
#include <situ/runtime.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/cpu.h"
#include "base/memory.h"
#include "base/queue.h"
#include "device/pages.h"
#include "os/memory.h"
#include "support/settled.h"

enum { KB = 1024, MB = 1024 * 1024 };

/* The null device takes no memory and is nobody else's: its counts are this file's alone. */
static situ_dev *device(void)
{
    situ_dev *d = situ_dev_open(situ_null(), NULL);
    CHECK_EQ(situ_memory_limit(situ_null(), 0), 0);
    CHECK_EQ(situ_memory_trim(situ_null()), 0);
    CHECK_EQ(situ_memory_reset_peak(situ_null()), 0);
    return d;
}

static situ_memory memory(void)
{
    situ_memory m;
    CHECK_EQ(situ_memory_of(situ_null(), &m), 0);
    return m;
}

TEST(classes_waste_at_most_an_eighth)
{
    int last = 0;
    for (size_t bytes = 1; bytes < 40 * MB; bytes += 1 + bytes / 97) {
        size_t capacity, again;
        int class = situ_page_class(bytes, &capacity);
        if (!CHECK(capacity >= bytes && capacity % 64 == 0)) return;
        if (!CHECK(capacity - bytes < 64 || capacity - bytes <= bytes / 8)) return;
        if (!CHECK(class >= last && class <= SITU_CLASS_BIG)) return;
        if (!CHECK(situ_page_class(capacity, &again) == class && again == capacity)) return;
        last = class;
    }
    CHECK_EQ(last, SITU_CLASS_BIG);
}

TEST(statistics_are_exact)
{
    situ_dev *d = device();
    if (!CHECK(d)) return;
    situ_memory before = memory();
    situ_buffer *a = situ_buffer_new(d, 1000, NULL, NULL), *b = situ_buffer_new(d, 3 * MB, NULL, NULL);
    if (!CHECK(a && b)) return;
    situ_memory m = memory();
    CHECK_EQ(m.in_use - before.in_use, 1000 + 3 * MB);
    CHECK_EQ(m.peak, m.in_use);
    CHECK_EQ(m.reserved - before.reserved, 1024 + 3 * MB);
    CHECK_EQ(m.allocations - before.allocations, 2);
    situ_buffer_unref(b);
    m = memory();
    CHECK_EQ(m.in_use - before.in_use, 1000);
    CHECK_EQ(m.peak - before.in_use, 1000 + 3 * MB);
    CHECK_EQ(m.reserved - before.reserved, 1024 + 3 * MB); /* kept */
    CHECK_EQ(situ_memory_trim(situ_null()), 0);
    CHECK_EQ(memory().reserved - before.reserved, 1024);
    situ_buffer_unref(a);
    CHECK_EQ(memory().in_use, before.in_use);
    CHECK_EQ(situ_memory_reset_peak(situ_null()), 0);
    CHECK_EQ(memory().peak, before.in_use);
}

TEST(last_freed_is_first_reused)
{
    situ_dev *d = device();
    static const size_t sizes[] = {1, 64, 5000, 3 * MB, 20 * MB};
    for (int i = 0; i < 5; i++) {
        situ_buffer *a = situ_buffer_new(d, sizes[i], NULL, NULL), *b = situ_buffer_new(d, sizes[i], NULL, NULL);
        if (!CHECK(a && b)) return;
        char *address = b->address;
        situ_buffer_unref(a);
        situ_buffer_unref(b);
        b = situ_buffer_new(d, sizes[i] - (sizes[i] > 64) * (sizes[i] / 100), NULL, NULL);
        CHECK(b && b->address == address);
        situ_buffer_unref(b);
    }
}

TEST(big_blocks_are_reused_within_an_eighth)
{
    situ_dev *d = device();
    situ_buffer *big = situ_buffer_new(d, 64 * MB, NULL, NULL), *fit = situ_buffer_new(d, 36 * MB, NULL, NULL);
    if (!CHECK(big && fit)) return;
    char *big_address = big->address, *fit_address = fit->address;
    situ_buffer_unref(fit);
    situ_buffer_unref(big);
    situ_buffer *a = situ_buffer_new(d, 34 * MB, NULL, NULL), *b = situ_buffer_new(d, 34 * MB, NULL, NULL);
    CHECK(a && a->address == fit_address);
    CHECK(b && b->address != big_address);
    situ_buffer_unref(a);
    situ_buffer_unref(b);
}

TEST(limit_is_hard_and_kept_blocks_make_room)
{
    situ_dev *d = device();
    int64_t base = memory().reserved;
    CHECK_EQ(situ_memory_limit(situ_null(), base + 10 * MB), 0);
    situ_buffer *a = situ_buffer_new(d, 6 * MB, NULL, NULL);
    CHECK(a && !situ_buffer_new(d, 5 * MB, NULL, NULL));
    CHECK_CODE(SITU_DEVICE_MEMORY);
    situ_buffer_unref(a);
    CHECK_EQ(memory().reserved, base + 6 * MB);
    a = situ_buffer_new(d, 10 * MB, NULL, NULL); /* gives the 6 MB back first */
    CHECK(a != NULL);
    CHECK(memory().reserved <= base + 10 * MB);
    situ_buffer_unref(a);
    a = situ_buffer_new(d, 10 * MB - 17, NULL, NULL);
    CHECK(a != NULL);
    situ_buffer_unref(a);
    CHECK_EQ(situ_memory_limit(situ_null(), base + 1000), 0);
    CHECK(memory().reserved <= base + 1000);
    a = situ_buffer_new(d, 1000, NULL, NULL); /* a size class above the limit is cut down to it */
    CHECK(a != NULL);
    situ_buffer_unref(a);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_memory_limit(situ_null(), -1));
    CHECK_EQ(situ_memory_limit(situ_null(), 0), 0);
}

static situ_buffer *named(situ_dev *d, const char *name, int64_t rows, situ_site site)
{
    situ_label label = {.name = name, .site = site, .dtype = SITU_F32, .ndim = 2, .dim = {rows, 256}};
    return situ_buffer_new(d, (size_t)rows * 256 * 4, &label, site);
}

TEST(shortage_names_the_largest)
{
    situ_dev *d = device();
    situ_buffer *live[7];
    static const char *const names[] = {"b1", "b2", "b3", "b4", "b5", "b6", NULL};
    int64_t base = memory().reserved;
    CHECK_EQ(situ_memory_limit(situ_null(), base + 29 * MB), 0);
    for (int i = 0; i < 7; i++) live[i] = named(d, names[i], 1024 * (i + 1), i == 6 ? NULL : "main.c:12");
    CHECK(!named(d, "weights", 4096, "train.c:33"));
    const char *message = situ_error_message();
    CHECK(strstr(message, "train.c:33: out of memory on null: 4 MiB asked for by \"weights\" f32[4096,256]"));
    CHECK(strstr(message, "the limit is "));
    CHECK(strstr(message, "1 MiB would fit"));
    CHECK(strstr(message, "unnamed f32[7168,256] 7 MiB\n"));
    CHECK(strstr(message, "\"b6\" f32[6144,256] 6 MiB, made at main.c:12\n"));
    CHECK(strstr(message, "\"b3\" f32[3072,256] 3 MiB"));
    CHECK(!strstr(message, "\"b2\""));
    CHECK(strstr(message, "situ_memory_limit()"));
    CHECK_CODE(SITU_DEVICE_MEMORY);
    for (int i = 0; i < 7; i++) situ_buffer_unref(live[i]);
    CHECK_EQ(situ_memory_limit(situ_null(), 0), 0);
}

TEST(too_large_is_an_error_not_a_crash)
{
    situ_dev *d = situ_dev_open(situ_cpu(), NULL);
    if (!CHECK(d)) return;
    CHECK_FAILS(SITU_DEVICE_MEMORY, situ_buffer_new(d, SIZE_MAX, NULL, NULL));
    CHECK_FAILS(SITU_DEVICE_MEMORY, situ_buffer_new(d, (size_t)1 << 60, NULL, NULL), "1 EiB asked for");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_memory_of(situ_cpu(), NULL));
    situ_buffer_unref(NULL);
}

TEST(cpu_memory_is_aligned_and_writable)
{
    situ_dev *d = situ_dev_open(situ_cpu(), NULL);
    static const size_t sizes[] = {0, 1, 63, 65, 4097, 2 * MB - 1, 2 * MB, 2 * MB + 1, 5 * MB + 12345};
    if (!CHECK(d)) return;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        situ_buffer *b = situ_buffer_new(d, sizes[i], NULL, NULL);
        if (!CHECK(b)) return;
        CHECK_EQ((uintptr_t)b->address % (sizes[i] >= 2 * MB ? 4096 : 64), 0);
        if (sizes[i] >= 2 * MB) {
            void *huge = situ_huge_alloc(sizes[i]);
            CHECK_EQ(huge ? (uintptr_t)huge % (2 * MB) : 1, 0);
            if (huge) situ_huge_free(huge, sizes[i]);
        }
        memset(b->address, 1, b->bytes);
        situ_buffer_unref(b);
    }
}

/* What the system has back may be somebody else's at once: a library's that is opened, say. */
TEST(memory_given_back_is_not_guarded)
{
#if defined(__SANITIZE_ADDRESS__)
    situ_dev *d = situ_dev_open(situ_cpu(), NULL);
    situ_buffer *b = situ_buffer_new(d, 6 * MB, NULL, NULL);
    if (!CHECK(b)) return;
    char *address = b->address;
    CHECK(!__asan_region_is_poisoned(address, 6 * MB));
    situ_buffer_unref(b);
    CHECK(__asan_region_is_poisoned(address, 6 * MB)); /* kept */
    CHECK_EQ(situ_memory_trim(situ_cpu()), 0);
    CHECK(!__asan_region_is_poisoned(address, 6 * MB));
    CHECK_OK();
#else
    SKIP("only address sanitizer guards memory");
#endif
}

TEST(each_failing_allocation_is_an_error)
{
    situ_dev *d = device();
    int64_t live = settled_buffers();
    situ_test_fail_device_alloc(2);
    situ_buffer *a = situ_buffer_new(d, 100, NULL, NULL);
    CHECK(a && !situ_buffer_new(d, 100, NULL, NULL));
    CHECK(situ_test_fail_device_struck());
    CHECK_CODE(SITU_DEVICE_MEMORY);
    situ_buffer *b = situ_buffer_new(d, 100, NULL, NULL);
    CHECK(b != NULL);
    CHECK_EQ(situ_test_live_buffers() - live, 2);
    situ_buffer_unref(a);
    situ_buffer_unref(b);
    CHECK_EQ(situ_test_live_buffers(), live);
    CHECK_EQ(situ_memory_trim(situ_null()), 0);
    situ_test_fail_alloc(1);
    CHECK(!situ_buffer_new(d, 100, NULL, NULL));
    situ_test_fail_alloc(0);
    CHECK_CODE(SITU_NO_MEMORY);
}

TEST(a_buffer_may_outlive_the_shutdown)
{
    situ_device g = situ_try_gpu(0);
    situ_dev *d = situ_dev_open(g, NULL), *cpu = situ_dev_open(situ_cpu(), NULL);
    if (!CHECK(d && cpu)) return;
    situ_buffer *a = situ_buffer_new(d, 5 * MB, NULL, NULL), *b = situ_buffer_new(cpu, 5 * MB, NULL, NULL);
    if (!CHECK(a && b)) return;
    situ_shutdown();
    int64_t live = situ_test_live_buffers(); /* those of earlier tests that something still held are gone */
    memset(b->address, 1, b->bytes);
    situ_dev *again = situ_dev_open(situ_cpu(), NULL);
    CHECK(again && again != cpu);
    situ_buffer_unref(b);
    situ_buffer_unref(a);
    CHECK_EQ(situ_test_live_buffers(), live - 2);
    situ_buffer_unref(situ_buffer_new(again, 5 * MB, NULL, NULL));
    situ_shutdown();
}

static void count_release(void *self) { ++*(int *)self; }

TEST(borrowed_memory_is_released_once)
{
    situ_dev *d = situ_dev_open(situ_cpu(), NULL);
    char memory_of_user[100];
    int released = 0;
    situ_memory before, after;
    CHECK_EQ(situ_memory_of(situ_cpu(), &before), 0);
    situ_buffer *b = situ_buffer_borrow(d, memory_of_user, sizeof memory_of_user, count_release, &released);
    if (!CHECK(b)) return;
    CHECK(b->borrowed && b->address == memory_of_user && b->bytes == 100);
    situ_buffer_ref(b);
    situ_buffer_unref(b);
    CHECK_EQ(released, 0);
    CHECK_EQ(situ_memory_of(situ_cpu(), &after), 0);
    CHECK_EQ(after.in_use, before.in_use);
    situ_buffer_unref(b);
    CHECK_EQ(released, 1);
}

/* A shortage waits for the work that still holds memory. */
static void unref_later(void *buffer)
{
    double until = situ_seconds() + 0.02;
    while (situ_seconds() < until) continue;
    situ_buffer_unref(buffer);
}

TEST(shortage_waits_for_work_under_way)
{
    situ_dev *d = device();
    CHECK_EQ(situ_memory_limit(situ_null(), memory().reserved + 4 * MB), 0);
    for (int i = 0; i < 3; i++) {
        situ_buffer *b = situ_buffer_new(d, 3 * MB, NULL, NULL);
        if (!CHECK(b)) break;
        CHECK_EQ(situ_queue_push(d->queue, unref_later, b, NULL), 0);
    }
    situ_queue_wait(d->queue, situ_queue_last(d->queue));
    CHECK_EQ(situ_memory_limit(situ_null(), 0), 0);
}

static void *churn(void *seed)
{
    situ_dev *d = situ_dev_open(situ_cpu(), NULL);
    situ_buffer *b[16] = {NULL};
    unsigned state = *(unsigned *)seed;
    for (int i = 0; i < 3000; i++) {
        state = state * 1664525 + 1013904223;
        int at = (state >> 8) % 16;
        if (b[at]) CHECK(b[at]->address[0] == at && b[at]->address[b[at]->bytes - 1] == at);
        situ_buffer_unref(b[at]);
        b[at] = situ_buffer_new(d, (state >> 12) % 20000, NULL, NULL);
        if (!CHECK(b[at])) return NULL;
        b[at]->address[0] = b[at]->address[b[at]->bytes - 1] = (char)at;
    }
    for (int i = 0; i < 16; i++) situ_buffer_unref(b[i]);
    return NULL;
}

TEST(threads_share_a_device)
{
    pthread_t thread[4];
    unsigned seed[4] = {1, 2, 3, 4};
    int64_t live = settled_buffers();
    for (int i = 0; i < 4; i++) pthread_create(&thread[i], NULL, churn, &seed[i]);
    for (int i = 0; i < 4; i++) pthread_join(thread[i], NULL);
    CHECK_EQ(situ_test_live_buffers(), live);
}

TEST(sizes_are_written_and_read_for_people)
{
    char text[24];
    int64_t bytes = 0;
    CHECK_STR(situ_bytes_text(0, text), "0 B");
    CHECK_STR(situ_bytes_text(1536, text), "1.5 KiB");
    CHECK_STR(situ_bytes_text((int64_t)8 << 30, text), "8 GiB");
    CHECK(situ_bytes_parse("1000000", &bytes) && bytes == 1000000);
    CHECK(situ_bytes_parse("512M", &bytes) && bytes == 512 * MB);
    CHECK(situ_bytes_parse("1.5 KiB", &bytes) && bytes == 1536);
    CHECK(situ_bytes_parse("8gb", &bytes) && bytes == (int64_t)8 << 30);
    CHECK(!situ_bytes_parse("lots", &bytes) && !situ_bytes_parse("-1", &bytes) && !situ_bytes_parse("1X", &bytes));
    CHECK(!situ_bytes_parse("1e30", &bytes) && !situ_bytes_parse("nan", &bytes) && !situ_bytes_parse("", &bytes));
}
