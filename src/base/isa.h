/* Which instruction set the CPU kernels use. All of them give the same bits, only the speed differs; but for products of bf16 by
 * tiles, where there are such. */
#ifndef SITU_BASE_ISA_H
#define SITU_BASE_ISA_H

#include <stdbool.h>

/* Instruction sets that there are kernels for on this processor, the slowest first. A file *_kernels.c is compiled once for each
 * (cmake/sources.cmake); there SITU_SET is the set's name. */
#if defined(__x86_64__)
#define SITU_EACH_SET(declare, name) declare(name##_baseline) declare(name##_avx2) declare(name##_avx512)
#elif defined(__aarch64__)
#define SITU_EACH_SET(declare, name) declare(name##_baseline) declare(name##_neon)
#else
#define SITU_EACH_SET(declare, name) declare(name##_baseline)
#endif

/* The place of one of them in this list. */
typedef enum situ_isa {
    SITU_ISA_BASELINE = 0,
    SITU_ISA_NEON = 1,
    SITU_ISA_AVX2 = 1,   /* with FMA and F16C */
    SITU_ISA_AVX512 = 2, /* F, DQ, VL and BW */
    SITU_ISA_AMX = 15    /* as a limit alone: AVX-512 and the tiles */
} situ_isa;

/* The best that this machine has, at most SITU_ISA of the environment (a name, or "amx") and at most the limit below. */
situ_isa situ_isa_get(void);
/* The best that this machine has. */
situ_isa situ_isa_machine(void);
/* Are there tiles of bf16 and int8 (AMX), which the system lets this process use, and does no limit forbid them? */
bool situ_isa_tiles(void);
/* Does the compiler know them? */
#if defined(__clang__) ? __clang_major__ >= 12 : __GNUC__ >= 11
#define SITU_KNOWS_TILES 1
#else
#define SITU_KNOWS_TILES 0
#endif
/* For tests: an upper bound from now on; SITU_ISA_AMX: no bound. */
void situ_isa_limit(situ_isa limit);
const char *situ_isa_name(situ_isa isa);
/* The one of this name; -1: none. */
int situ_isa_of(const char *name);

/* The one of name_baseline, name_avx2, ... for the set in use. */
#define SITU_FOR_ISA(name) \
    ({ \
        static const __typeof__(1 ? name##_baseline : name##_baseline) each_[] = {SITU_EACH_SET(SITU_ELEMENT, name)}; \
        each_[situ_isa_get()]; \
    })
#define SITU_ELEMENT(x) x,
/* The same where AVX-512 has none. */
#if defined(__x86_64__)
#define SITU_FOR_ISA_TO_AVX2(name) (situ_isa_get() >= SITU_ISA_AVX2 ? name##_avx2 : name##_baseline)
#else
#define SITU_FOR_ISA_TO_AVX2(name) SITU_FOR_ISA(name)
#endif
/* In such a file: name_avx2 where SITU_SET is avx2. */
#define SITU_OF_SET(name) SITU_OF_SET_(name, SITU_SET)
#define SITU_OF_SET_(name, set) SITU_OF_SET__(name, set)
#define SITU_OF_SET__(name, set) name##_##set
#define SITU_SET_NAME SITU_SET_TEXT(SITU_SET)
#define SITU_SET_TEXT(set) SITU_SET_TEXT_(set)
#define SITU_SET_TEXT_(set) #set

#endif
