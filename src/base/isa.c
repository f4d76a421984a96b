#define _GNU_SOURCE
#include "base/isa.h"
#include "base/env.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

static _Atomic int limit = SITU_ISA_AMX;
static _Atomic int detected = -1, tiles = -1;

const char *situ_isa_name(situ_isa isa)
{
    static const char *const names[] = {"baseline", "avx2", "avx512", "amx"};
    return (unsigned)isa < 4 ? names[isa] : "?";
}

int situ_isa_of(const char *name)
{
    for (int i = SITU_ISA_BASELINE; i <= SITU_ISA_AMX; i++)
        if (!strcmp(name, situ_isa_name((situ_isa)i))) return i;
    return -1;
}

situ_isa situ_isa_machine(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return SITU_ISA_BASELINE;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw"))
        return SITU_ISA_AVX512;
    return SITU_ISA_AVX2;
#else
    return SITU_ISA_BASELINE;
#endif
}

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

/* The processor has them, the system keeps their registers, and this process may use them: Linux wants to be asked first. */
static bool has_tiles(void)
{
#if defined(__x86_64__) && defined(__linux__)
    enum { ASK_FOR_STATE = 0x1023, TILE_DATA = 18, SAVED = 1 << 27, TILES = 1 << 24 | 1 << 22 | 1 << 25 };
    unsigned a, b, c, d, low, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & SAVED) || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || (d & TILES) != TILES)
        return false;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low >> 17 & 3) == 3 && !syscall(SYS_arch_prctl, ASK_FOR_STATE, TILE_DATA);
#else
    return false;
#endif
}

bool situ_isa_tiles(void)
{
    if (atomic_load_explicit(&limit, memory_order_relaxed) < SITU_ISA_AMX || situ_isa_get() < SITU_ISA_AVX512) return false;
    int there = atomic_load_explicit(&tiles, memory_order_relaxed);
    if (there < 0) {
        const char *text = situ_env("SITU_ISA");
        int wish = text ? situ_isa_of(text) : -1;
        there = (wish < 0 || wish == SITU_ISA_AMX) && has_tiles();
        atomic_store(&tiles, there);
    }
    return there;
}

void situ_isa_limit(situ_isa most) { atomic_store(&limit, (int)most); }
