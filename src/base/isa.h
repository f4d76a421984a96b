/* The instruction set that the CPU kernels use. All sets give the same bits, only the speed differs. The exception is
 * products of bf16 by AMX tiles. */
#ifndef SITU_BASE_ISA_H
#define SITU_BASE_ISA_H

#include <stdbool.h>

#include "os/processor.h"

/* The one list of instruction sets with kernels, slowest first. CMake asks the preprocessor for those of this
 * architecture (cmake/sources.cmake). A file *_kernels.c is compiled once for each, with SITU_SET defined as its name;
 * simd/NAME.h has its vectors. */
/* clang-format off */
#define SITU_EACH_SET(declare, name) \
    SITU_WHERE(SITU_BASELINE)(declare(name##_baseline)) \
    SITU_WHERE(SITU_AVX2)(declare(name##_avx2)) \
    SITU_WHERE(SITU_AVX512)(declare(name##_avx512)) \
    SITU_WHERE(SITU_ONLY_AVX2)(declare(name##_avx2) declare(name##_avx2)) \
    SITU_WHERE(SITU_ONLY_AVX512)(declare(name##_avx512) declare(name##_avx512) declare(name##_avx512)) \
    SITU_WHERE(SITU_AARCH64)(declare(name##_neon)) \
    /* the last */
/* clang-format on */

/* -DSITU_SETS=native defines one of SITU_ONLY_AVX2 and SITU_ONLY_AVX512: that set stands at the places of slower ones, too. */
#if !defined(SITU_ONLY_AVX2) && !defined(SITU_ONLY_AVX512)
#define SITU_BASELINE 1
#ifdef SITU_X86_64
#define SITU_AVX2 1
#define SITU_AVX512 1
#endif
#endif

/* SITU_WHERE(x)(text): the text where the compiler defines x as 1, else nothing. */
#define SITU_WHERE(x) SITU_WHERE_(x)
#define SITU_WHERE_(x) SITU_WHERE_PICK(SITU_WHERE_IS_##x SITU_WHERE_KEEP, SITU_WHERE_DROP, )
#define SITU_WHERE_IS_1 ,
#define SITU_WHERE_PICK(...) SITU_WHERE_PICK_(__VA_ARGS__)
#define SITU_WHERE_PICK_(first, second, ...) second
#define SITU_WHERE_KEEP(...) __VA_ARGS__
#define SITU_WHERE_DROP(...)

/* Index into this list. */
typedef enum situ_isa {
    SITU_ISA_BASELINE = 0,
    SITU_ISA_NEON = 1,
    SITU_ISA_AVX2 = 1,   /* with FMA and F16C */
    SITU_ISA_AVX512 = 2, /* F, DQ, VL and BW */
    SITU_ISA_AMX = 15    /* only as a limit: AVX-512 and AMX tiles */
} situ_isa;

/* The best set that this machine has, limited by SITU_ISA of the environment (a name, or "amx") and by situ_isa_limit. */
situ_isa situ_isa_get(void);
/* The best that this machine has. */
situ_isa situ_isa_machine(void);
/* Whether it has any: false only of a library for another processor alone (-DSITU_SETS=native). */
bool situ_isa_any(void);
/* Whether AMX tiles for bf16 and int8 exist, the system lets this process use them, and no limit excludes them. */
bool situ_isa_tiles(void);
/* Whether the compiler supports AMX. */
#if defined(__clang__) ? __clang_major__ >= 12 : __GNUC__ >= 11
#define SITU_KNOWS_TILES 1
#else
#define SITU_KNOWS_TILES 0
#endif
/* For tests: sets an upper bound; SITU_ISA_AMX: no bound. */
void situ_isa_limit(situ_isa limit);
const char *situ_isa_name(situ_isa isa);
/* All that this library has, as an error names them: "baseline, avx2 or avx512". */
const char *situ_isa_names(void);
/* The set with this name; -1 if this library has none. */
int situ_isa_of(const char *name);

/* SITU_FOR_ISA(name): name_baseline, name_avx2, ... of the set in use. */
#define SITU_FOR_ISA(name) \
    ({ \
        static const __typeof__(SITU_DECAYED(SITU_EACH_SET(SITU_ELEMENT, name))) each_[] = {SITU_EACH_SET(SITU_ELEMENT, name)}; \
        each_[situ_isa_get()]; \
    })
#define SITU_ELEMENT(x) x,
/* The first, an array as a pointer. */
#define SITU_DECAYED(...) SITU_DECAYED_(__VA_ARGS__)
#define SITU_DECAYED_(first, ...) 1 ? first : first
/* In a file that is compiled for each set: name_avx2 where SITU_SET is avx2. */
#define SITU_OF_SET(name) SITU_OF_SET_(name, SITU_SET)
#define SITU_OF_SET_(name, set) SITU_OF_SET__(name, set)
#define SITU_OF_SET__(name, set) name##_##set
#define SITU_SET_NAME SITU_SET_TEXT(SITU_SET)
#define SITU_SET_TEXT(set) SITU_SET_TEXT_(set)
#define SITU_SET_TEXT_(set) #set

#endif
