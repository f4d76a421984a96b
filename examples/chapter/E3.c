/* E3: moving a tensor to where it lives is free: the same pointer, no memory, no copy. */
#include "chapter.h"

int row_E3(void)
{
    two_gpus();
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_ones(SHAPE(1024), .device = situ_try_tpu_gpu(1));
    situ_eval(TENSORS(x));
    situ_wait(x);
    situ_memory before, after;
    situ_memory_of(situ_try_tpu_gpu(1), &before);
    situ_ledger_totals totals = situ_ledger_sum();

    situ_tensor *same = situ_to(x, situ_try_tpu_gpu(1));
    situ_eval(TENSORS(same));
    situ_memory_of(situ_try_tpu_gpu(1), &after);
    printf("situ_to(x, %s) is x: %d; %lld bytes and %lld allocations more\n", row_name(situ_try_tpu_gpu(1)), same == x, (long long)(after.in_use - before.in_use),
           (long long)(after.allocations - before.allocations));
    HOLDS(same == x);
    HOLDS(after.in_use == before.in_use && after.allocations == before.allocations);
    HOLDS(situ_ledger_sum().peer_count == totals.peer_count);

    situ_tensor *moved = situ_to(x, situ_try_tpu_gpu(0));
    printf("situ_to(x, %s) is x: %d\n", row_name(situ_try_tpu_gpu(0)), moved == x);
    HOLDS(moved != x);
    situ_print(situ_slice(moved, .stop = SHAPE(3)));
    HOLDS(situ_ledger_sum().peer_count == totals.peer_count + 1);
    situ_scope_close(scope);
    return row_end();
}
