#include "base/isa.h"
#include "os/env.h"
#include "os/machine.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#ifdef SITU_X86_64
static bool has_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}
#endif
#ifdef SITU_BASELINE
static bool has_baseline(void) { return true; }
#endif
static __attribute__((unused)) bool has_neon(void) { return true; }

#define SET(set) {&#set[1], has##set},
static const struct {
    const char *name;
    bool (*here)(void);
} sets[] = {SITU_EACH_SET(SET, )};
enum { SETS = sizeof sets / sizeof *sets };

static _Atomic int limit = SITU_ISA_AMX;
static _Atomic int detected = -1, tiles = -1;

const char *situ_isa_name(situ_isa isa) { return (unsigned)isa < SETS ? sets[isa].name : isa == SITU_ISA_AMX ? "amx" : "?"; }

const char *situ_isa_names(void)
{
#ifdef SITU_AVX2
    return "baseline, avx2 or avx512";
#elif defined(SITU_AARCH64)
    return "baseline or neon";
#else
    return sets[0].name;
#endif
}

int situ_isa_of(const char *name)
{
    for (int i = SETS; i-- > 0;)
        if (!strcmp(name, sets[i].name)) return i;
    return strcmp(name, "amx") ? -1 : SITU_ISA_AMX;
}

situ_isa situ_isa_machine(void)
{
    int isa = SETS - 1;
    while (isa > 0 && !sets[isa].here()) isa--;
    return isa;
}

bool situ_isa_any(void) { return sets[situ_isa_machine()].here(); }

static int detect(void)
{
    const char *text = situ_env("SITU_ISA");
    int isa = (int)situ_isa_machine(), wish = text ? situ_isa_of(text) : -1;
    if (wish >= 0 && wish < isa) isa = wish;
    atomic_store(&detected, isa);
    return isa;
}

situ_isa situ_isa_get(void)
{
    int isa = atomic_load_explicit(&detected, memory_order_relaxed);
    if (isa < 0) isa = detect();
    int most = atomic_load_explicit(&limit, memory_order_relaxed);
    return (situ_isa)(isa < most ? isa : most);
}

bool situ_isa_tiles(void)
{
    if (atomic_load_explicit(&limit, memory_order_relaxed) < SITU_ISA_AMX || situ_isa_get() < SITU_ISA_AVX512) return false;
    int supported = atomic_load_explicit(&tiles, memory_order_relaxed);
    if (supported < 0) {
        const char *text = situ_env("SITU_ISA");
        int wish = text ? situ_isa_of(text) : -1;
        supported = (wish < 0 || wish == SITU_ISA_AMX) && SITU_KNOWS_TILES && situ_cpu_tiles();
        atomic_store(&tiles, supported);
    }
    return supported;
}

void situ_isa_limit(situ_isa most) { atomic_store(&limit, (int)most); }
