/* run bits: some steps of each network, and the bits of their losses and weights. run blas: which library multiplies
 * matrices. */
#include <stdio.h>

#include <situ.h>

#include "backend/cpu/gemm/gemm.h"
#include "base/isa.h"
#include "bench.h"

enum { STEPS = 3 };

static uint64_t hash(uint64_t h, const void *data, size_t n)
{
    for (const unsigned char *p = data; n--; p++) h = (h ^ *p) * 1099511628211u;
    return h;
}

int bench_bits(void)
{
    for (const bench_work *w = bench_networks; w->name; w++) {
        if (w->prepare(0)) return 1;
        uint64_t h = 14695981039346656037u;
        for (int s = 0; s < STEPS; s++) {
            if (w->run(s)) return 1;
            double loss = bench_last_loss();
            h = hash(h, &loss, sizeof loss);
        }
        printf("bits %-7s loss %.9g hash %016llx\n", w->name, bench_last_loss(), (unsigned long long)h);
    }
    return -situ_failed();
}

int bench_blas(void)
{
    printf("blas %s\n", situ_gemm_library());
    return 0;
}

int bench_isa(void)
{
    printf("isa %s\n", situ_isa_name(situ_isa_get()));
    return 0;
}
