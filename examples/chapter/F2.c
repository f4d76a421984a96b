/* F2: reading is the one way out of a device, and a barrier; the ledger has its line and its bytes. */
#include "chapter.h"

int row_F2(void)
{
    two_gpus();
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_ones(SHAPE(2, 3), .device = situ_try_tpu_gpu(1));
    situ_ledger_record(16);
    float values[6];
    situ_print(x);
    situ_read(x, values, sizeof values);

    situ_ledger_entry list[16];
    int count = situ_ledger_list(list, 16), downloads = 0;
    for (int i = 0; i < count; i++) {
        const situ_ledger_entry *e = &list[i];
        printf("  %-9s %-7s %4lld bytes, asked for at %s\n", situ_transfer_name(e->transfer), situ_reason_name(e->reason),
               (long long)e->bytes, e->site ? e->site : "?");
        if (e->transfer != SITU_TRANSFER_DOWNLOAD) continue;
        downloads++;
        HOLDS(e->bytes == 24 && strstr(e->site, downloads == 1 ? "F2.c:11" : "F2.c:12"));
    }
    situ_ledger_record(0);
    HOLDS(downloads == 2);

    situ_guard guard = situ_guard_open(.to_host = 0); /* from here on, no copy to the host */
    situ_print(x);
    HOLDS(REFUSED(SITU_BUDGET, "F2.c:"));
    HOLDS(situ_guard_close(guard) == 1);
    situ_scope_close(scope);
    return row_end();
}
