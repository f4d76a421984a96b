/* Copies in both directions on gpu(0), some in several pieces; prints what the ledger says of them. Nothing here can
 * fail for its data, so no error words travel beside. */
#include <situ.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    static const int64_t sizes[] = {1, 1000, 1 << 20, 3000001};
    for (int i = 0; i < 4; i++) {
        int64_t n = sizes[i];
        float *host = malloc((size_t)n * 4);
        if (!host) return 1;
        for (int64_t k = 0; k < n; k++) host[k] = (float)(k % 1000);
        situ_scope *scope = situ_scope_open();
        situ_tensor *x = situ_from_host(host, SHAPE(n), .device = situ_gpu());
        situ_tensor *y = situ_add(situ_mul(x, 2), 1);
        situ_read(y, host, (size_t)n * 4);
        for (int64_t k = 0; k < n; k++)
            if (host[k] != 2 * (float)(k % 1000) + 1) return fprintf(stderr, "element %lld of %lld is %g\n", (long long)k, (long long)n, (double)host[k]), 1;
        if (situ_item(situ_max(y)) != (n == 1 ? 1 : 1999)) return fprintf(stderr, "the largest is wrong\n"), 1;
        situ_scope_close(scope);
        free(host);
    }
    if (situ_failed()) return fprintf(stderr, "%s\n", situ_error_message()), 1;
    situ_ledger_totals t = situ_ledger_sum();
    printf("upload %lld download %lld\n", (long long)t.upload_bytes, (long long)t.download_bytes);
    situ_shutdown();
    return 0;
}
