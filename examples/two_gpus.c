/* Two GPUs (simulated ones where there are no real ones): nothing moves unless it is told to, every move is in the
 * ledger, and a guard turns an unwanted one into an error that names its line. */
#include <situ.h>

static void print_error(void)
{
    situ_error error;
    if (situ_error_take(&error)) printf("error %d: %s\n\n", error.code, error.message);
}

int main(void)
{
    if (situ_num_gpus() < 2) situ_sim_gpus(2);
    situ_scope *scope = situ_scope_open();
    situ_ledger_record(32);
    situ_tensor *x = situ_name(situ_ones(SHAPE(1000), .device = situ_gpu(0)), "x");
    situ_tensor *y = situ_name(situ_uniform(situ_key(0, .device = situ_gpu(1)), SHAPE(1000)), "y");

    situ_add(x, y); /* refused here, before anything runs */
    print_error();

    situ_tensor *z = situ_add(x, situ_to(y, situ_gpu(0)));
    printf("sum %.4f\n", situ_item(situ_sum(z)));

    situ_guard guard = situ_guard_open(.to_host = 0);
    situ_item(situ_max(z)); /* a copy to the host where none is allowed */
    print_error();
    situ_guard_close(guard);

    situ_ledger_entry entry[32];
    int count = situ_ledger_list(entry, 32);
    printf("the ledger:\n");
    for (int i = 0; i < count; i++) {
        char from[32], to[32];
        printf("  %-9s %-7s %s -> %s %6lld bytes, %s\n", situ_transfer_name(entry[i].transfer), situ_reason_name(entry[i].reason),
               situ_device_name(entry[i].from, from), situ_device_name(entry[i].to, to), (long long)entry[i].bytes,
               entry[i].site ? entry[i].site : "");
    }
    for (int i = 0; i < 2; i++) {
        situ_memory memory;
        if (!situ_memory_of(situ_gpu(i), &memory))
            printf("gpu(%d): %lld bytes in use, %lld at most\n", i, (long long)memory.in_use, (long long)memory.peak);
    }
    situ_scope_close(scope);
    if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());
    return situ_failed();
}
