/* Equal operations of one plan are computed once; the ledger and the trace tell how many were not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <situ/ledger.h>
#include <situ/profile.h>

#include "support/sim_devices.h"
#include "values.h"

static situ_tensor *square(situ_device d)
{
    situ_tensor *x = situ_uniform(situ_key(1, .device = d), SHAPE(16, 16));
    situ_wait(x);
    return x;
}

static int64_t merged_by(situ_tensor *t)
{
    int64_t before = situ_ledger_merged();
    situ_wait(t);
    return situ_ledger_merged() - before;
}

TEST_IN_SCOPE(a_thousand_equal_products_are_one)
{
    enum { MANY = 1000 };
    situ_device d = sim_device(0);
    situ_tensor *x = square(d), *y[MANY];
    int64_t kernels = sim_kernels(d), before = situ_ledger_merged();
    for (int run = 0; run < 2; run++) { /* a new plan, and the plan found again */
        CHECK_EQ(situ_ledger_record(16), 0);
        CHECK_EQ(situ_profile_start(0), 0);
        for (int i = 0; i < MANY; i++) y[i] = situ_matmul(x, x);
        situ_eval(TENSORS_OF(y, MANY));
        situ_wait(NULL);
        CHECK_EQ(sim_kernels(d), kernels += 1);
        CHECK_EQ(situ_ledger_merged(), before += MANY - 1);
        situ_ledger_entry e[16];
        int n = situ_ledger_list(e, 16), found = 0;
        for (int i = 0; i < n; i++) {
            if (e[i].transfer != SITU_TRANSFER_MERGE) continue;
            found++;
            CHECK(e[i].bytes == MANY - 1 && e[i].reason == SITU_REASON_EQUAL && situ_device_equal(e[i].from, d));
            CHECK(e[i].site && strstr(e[i].site, "test_merged.c:35"));
            CHECK_STR(situ_transfer_name(e[i].transfer), "merge");
            CHECK_STR(situ_reason_name(e[i].reason), "equal");
        }
        CHECK_EQ(found, 1); /* one entry for the line */
        const char *path = test_path("merged.json");
        CHECK_EQ(situ_profile_save(path), 0);
        situ_profile_stop();
        FILE *f = fopen(path, "rb");
        char *text = calloc(1, 1 << 20);
        if (f && text) CHECK(fread(text, 1, (1 << 20) - 1, f) > 0 && strstr(text, "matmul, also for 999 equal\""));
        if (f) fclose(f);
        free(text);
    }
    CHECK_EQ(situ_ledger_record(0), 0);
    situ_ledger_reset();
    CHECK_EQ(situ_ledger_merged(), 0);
}

TEST_IN_SCOPE(only_work_that_was_saved_counts)
{
    situ_tensor *x = square(situ_cpu()), *y = square(situ_cpu());
    CHECK_EQ(merged_by(situ_add(situ_matmul(x, y), situ_matmul(y, x))), 0); /* they differ */
    CHECK_EQ(merged_by(situ_add(situ_transpose(x), situ_transpose(x))), 0); /* a view is no work */
    CHECK_EQ(merged_by(situ_add(situ_cast(x, SITU_F32), situ_reshape(x, SHAPE(16, 16)))), 0);
    CHECK_EQ(merged_by(situ_add(situ_exp(x), situ_exp(x))), 1);
    CHECK_EQ(merged_by(situ_add(situ_softmax(x), situ_softmax(x))), 1); /* a function counts as one, however many parts it has */
    CHECK_EQ(merged_by(situ_mul(situ_add(situ_exp(y), 1), situ_add(situ_exp(y), 1))), 1); /* numbers may differ from run to run */
    situ_tensor *a = situ_sum(situ_exp(x)), *b = situ_sum(situ_exp(x));
    CHECK_EQ(merged_by(situ_sub(a, b)), 2);
    situ_wait(a = situ_log(x));
    CHECK_EQ(merged_by(situ_log(x)), 0); /* another plan: it is computed again */
}
