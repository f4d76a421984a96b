#include "test.h"

#include <situ/ledger.h>

#include <pthread.h>
#include <string.h>

#include "device/device.h"

static void add(situ_transfer t, int64_t bytes)
{
    situ_ledger_add(&(situ_ledger_entry){.transfer = t, .reason = SITU_REASON_COPY, .from = situ_cpu(), .to = situ_gpu(),
                                         .bytes = bytes, .site = "main.c:5"});
}

TEST(totals_count_each_kind)
{
    situ_ledger_reset();
    add(SITU_TRANSFER_LOCAL, 1);
    add(SITU_TRANSFER_UPLOAD, 10);
    add(SITU_TRANSFER_UPLOAD, 20);
    add(SITU_TRANSFER_DOWNLOAD, 300);
    add(SITU_TRANSFER_PEER, 4000);
    add(SITU_TRANSFER_RECOMPUTE, 0);
    situ_ledger_add(&(situ_ledger_entry){.transfer = SITU_TRANSFER_WAIT, .reason = SITU_REASON_WAIT, .seconds = 0.5});
    situ_ledger_totals t = situ_ledger_sum();
    CHECK(t.local_count == 1 && t.local_bytes == 1);
    CHECK(t.upload_count == 2 && t.upload_bytes == 30);
    CHECK(t.download_count == 1 && t.download_bytes == 300);
    CHECK(t.peer_count == 1 && t.peer_bytes == 4000);
    CHECK(t.wait_count == 1 && t.recompute_count == 1);
    CHECK_NEAR(t.wait_seconds, 0.5, 1e-12);
    situ_ledger_reset();
    CHECK_EQ(situ_ledger_sum().upload_count, 0);
}

static void *add_many(void *count)
{
    for (int64_t i = 0; i < *(int64_t *)count; i++) add(SITU_TRANSFER_UPLOAD, 2);
    return NULL;
}

TEST(counters_outlive_their_thread)
{
    pthread_t thread[4];
    int64_t count = 10000;
    situ_ledger_reset();
    for (int i = 0; i < 4; i++) pthread_create(&thread[i], NULL, add_many, &count);
    for (int i = 0; i < 100; i++) CHECK(situ_ledger_sum().upload_count <= 4 * count); /* while they count */
    for (int i = 0; i < 4; i++) pthread_join(thread[i], NULL);
    add_many(&count);
    CHECK_EQ(situ_ledger_sum().upload_count, 5 * count);
    CHECK_EQ(situ_ledger_sum().upload_bytes, 10 * count);
}

TEST(list_is_a_ring)
{
    situ_ledger_entry e[8];
    CHECK_EQ(situ_ledger_record(4), 0);
    CHECK_EQ(situ_ledger_list(e, 8), 0);
    for (int i = 1; i <= 6; i++) add(SITU_TRANSFER_DOWNLOAD, i);
    CHECK_EQ(situ_ledger_list(e, 8), 4);
    CHECK(e[0].bytes == 3 && e[3].bytes == 6);
    CHECK_STR(e[3].site, "main.c:5");
    CHECK(e[3].thread == situ_thread_number());
    CHECK(e[0].time > 0 && e[3].time >= e[0].time);
    CHECK_EQ(situ_ledger_list(e, 2), 2);
    CHECK(e[0].bytes == 5 && e[1].bytes == 6);
    CHECK_EQ(situ_ledger_list(NULL, 2), 0);
    CHECK_EQ(situ_ledger_record(0), 0);
    add(SITU_TRANSFER_DOWNLOAD, 7);
    CHECK_EQ(situ_ledger_list(e, 8), 0);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_ledger_record(-1));
}

/* What a caller does: ask, then copy, then record. */
static int transfer(situ_transfer t, int64_t bytes)
{
    int code = situ_ledger_allow(t, 1, bytes, "main.c:9");
    if (!code) add(t, bytes);
    return code;
}

TEST(guard_fails_what_exceeds_it)
{
    situ_guard g = situ_guard_open(.to_host = 1);
    CHECK_EQ(transfer(SITU_TRANSFER_DOWNLOAD, 4), 0);
    CHECK_EQ(transfer(SITU_TRANSFER_LOCAL, 4), 0);
    CHECK_EQ(transfer(SITU_TRANSFER_UPLOAD, 4), 0);
    CHECK_EQ(transfer(SITU_TRANSFER_DOWNLOAD, 4), -SITU_BUDGET);
    CHECK(strstr(situ_error_message(), "main.c:9: a guard allows 1 copies to the host here (.to_host = 1)"));
    CHECK_CODE(SITU_BUDGET);
    CHECK_EQ(situ_guard_close(g), 1);
    CHECK_EQ(transfer(SITU_TRANSFER_DOWNLOAD, 4), 0);
}

TEST(zero_is_a_budget)
{
    situ_guard g = situ_guard_open(.to_device = 0, .peer = 0, .waits = 0);
    CHECK_EQ(transfer(SITU_TRANSFER_UPLOAD, 1), -SITU_BUDGET);
    CHECK_CODE(SITU_BUDGET);
    CHECK_EQ(transfer(SITU_TRANSFER_PEER, 1), -SITU_BUDGET);
    CHECK_CODE(SITU_BUDGET);
    CHECK_EQ(transfer(SITU_TRANSFER_WAIT, 0), -SITU_BUDGET);
    CHECK_CODE(SITU_BUDGET);
    CHECK_EQ(transfer(SITU_TRANSFER_DOWNLOAD, 1), 0);
    CHECK_EQ(situ_guard_close(g), 3);
}

TEST(bytes_budget_is_over_all_copies)
{
    situ_guard g = situ_guard_open(.bytes = 100);
    CHECK_EQ(transfer(SITU_TRANSFER_UPLOAD, 60), 0);
    CHECK_EQ(transfer(SITU_TRANSFER_LOCAL, 1000), 0);
    CHECK_EQ(transfer(SITU_TRANSFER_PEER, 40), 0);
    CHECK_EQ(transfer(SITU_TRANSFER_DOWNLOAD, 1), -SITU_BUDGET);
    CHECK(strstr(situ_error_message(), "100 bytes"));
    CHECK_CODE(SITU_BUDGET);
    CHECK_EQ(situ_guard_close(g), 1);
}

TEST(guards_nest_and_count_for_themselves)
{
    situ_guard outer = situ_guard_open(.to_host = 3);
    situ_guard inner = situ_guard_open(.to_host = 0, .mode = SITU_GUARD_LOG);
    for (int i = 0; i < 3; i++) CHECK_EQ(transfer(SITU_TRANSFER_DOWNLOAD, 1), 0);
    CHECK_EQ(transfer(SITU_TRANSFER_DOWNLOAD, 1), -SITU_BUDGET);
    CHECK_CODE(SITU_BUDGET);
    CHECK_EQ(situ_guard_close(inner), 3);
    situ_guard forgotten = situ_guard_open(.waits = 0);
    CHECK_EQ(situ_guard_close(outer), 1);
    CHECK_EQ(situ_guard_close(forgotten), 0);
    CHECK_EQ(transfer(SITU_TRANSFER_WAIT, 0), 0);
    CHECK_EQ(situ_guard_close((situ_guard){0}), 0);
    CHECK_EQ(situ_guard_close((situ_guard){-5}), 0);
}

static void *transfer_in_thread(void *code)
{
    *(int *)code = transfer(SITU_TRANSFER_DOWNLOAD, 1);
    return NULL;
}

TEST(guards_belong_to_their_thread)
{
    pthread_t thread;
    int code = -1;
    situ_guard g = situ_guard_open(.to_host = 0);
    pthread_create(&thread, NULL, transfer_in_thread, &code);
    pthread_join(thread, NULL);
    CHECK_EQ(code, 0);
    CHECK_EQ(situ_guard_close(g), 0);
}

TEST(too_many_guards_is_an_error)
{
    situ_guard first = situ_guard_open(.waits = 0), last = first;
    while (last.depth) last = situ_guard_open(.waits = 0);
    CHECK(strstr(situ_error_message(), "situ_guard_close()"));
    CHECK_CODE(SITU_BAD_ARGUMENT);
    situ_guard_close(first);
    CHECK_EQ(transfer(SITU_TRANSFER_WAIT, 0), 0);
    CHECK_EQ(situ_guard_open(.mode = (situ_guard_mode)7).depth, 0);
    CHECK_CODE(SITU_BAD_OPTION);
}

TEST(names_of_transfers_and_reasons)
{
    CHECK_STR(situ_transfer_name(SITU_TRANSFER_DOWNLOAD), "download");
    CHECK_STR(situ_transfer_name((situ_transfer)9), "?");
    CHECK_STR(situ_reason_name(SITU_REASON_CREATE), "create");
    CHECK_STR(situ_reason_name((situ_reason)-1), "?");
}
