/* Random numbers that depend on a key alone: the same bits on every device, in every run, and JAX's numbers.
 *
 *     situ_tensor *key = situ_key(0);
 *     situ_tensor *x = situ_uniform(key, SHAPE(2, 3));           // 0.57450044, 0.09968603, ...
 *     situ_tensor *pair[2];
 *     situ_key_split_into(key, 2, pair);                              // two independent keys
 *
 * A key is a u32[2] tensor (JAX's key data for Threefry-2x32). Numbers are made where the key is; .device makes them
 * elsewhere and moves the key. Use a key once: split it for more.
 */
#ifndef SITU_RANDOM_H
#define SITU_RANDOM_H

#include <situ/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How positions become counters. ORIGINAL: JAX with jax_threefry_partitionable false, two numbers for each block. PARTITIONABLE:
 * JAX's default since 0.5, a block for each number. */
typedef enum situ_layout_kind { SITU_LAYOUT_DEFAULT = 0, SITU_ORIGINAL = 1, SITU_PARTITIONABLE = 2 } situ_layout_kind;
/* Sets what SITU_LAYOUT_DEFAULT means in this thread (initially ORIGINAL); returns the previous setting. */
SITU_API situ_layout_kind situ_random_layout(situ_layout_kind layout);

typedef struct SITU_BY_NAME situ_key_options {
    SITU_OPTION_HEAD;
    situ_device device; /* = default: where the key is made; default: the thread's default device */
} situ_key_options;

typedef struct SITU_BY_NAME situ_key_split_options {
    SITU_OPTION_HEAD;
    situ_device device;      /* = default: where the numbers are made; default: the key's */
    situ_layout_kind layout; /* = SITU_LAYOUT_DEFAULT: how positions become counters */
} situ_key_split_options;

typedef struct SITU_BY_NAME situ_draw_options {
    SITU_OPTION_HEAD;
    situ_device device;      /* = default: where the numbers are made; default: the key's */
    situ_layout_kind layout; /* = SITU_LAYOUT_DEFAULT: how positions become counters */
    situ_dtype dtype;        /* = default: dtype of the numbers; default: f32, for situ_random_bits u32 */
} situ_draw_options;

typedef struct SITU_BY_NAME situ_randint_options {
    SITU_OPTION_HEAD;
    situ_device device;      /* = default: where the numbers are made; default: the key's */
    situ_layout_kind layout; /* = SITU_LAYOUT_DEFAULT: how positions become counters */
    situ_dtype dtype;        /* = default i32: dtype of the numbers */
    bool unbiased;           /* = false: gives each number the same probability */
} situ_randint_options;

typedef struct SITU_BY_NAME situ_uniform_options {
    SITU_OPTION_HEAD;
    situ_device device;      /* = default: where the numbers are made; default: the key's */
    situ_layout_kind layout; /* = SITU_LAYOUT_DEFAULT: how positions become counters */
    situ_dtype dtype;        /* = default f32: dtype of the numbers */
    double low;              /* = 0: start of the range */
    double high;             /* = 1: end of the range */
} situ_uniform_options;

typedef struct SITU_BY_NAME situ_categorical_options {
    SITU_OPTION_HEAD;
    situ_device device;      /* = default: where the numbers are made; default: the key's */
    situ_layout_kind layout; /* = SITU_LAYOUT_DEFAULT: how positions become counters */
    int32_t axis;            /* = -1: axis of the distributions; -1 is the last */
} situ_categorical_options;

/* The key of a seed. */
SITU_API situ_tensor *situ_key(int64_t seed, const situ_key_options *options, situ_site site);
/* count new keys, u32[count, 2]; the other: each separately in out[0..count-1], 0 or a code. */
SITU_API situ_tensor *situ_key_split(situ_tensor *key, int64_t count, const situ_key_split_options *options, situ_site site);
SITU_API int situ_key_split_into(
    situ_tensor *key, int count, situ_tensor **out, const situ_key_split_options *options, situ_site site);
/* A new key from a key and a number (an integer tensor or a number, taken modulo 2^32). */
SITU_API situ_tensor *situ_fold_in(situ_tensor *key, situ_tensor *data, situ_site site);

/* Uniform bits: u8, u16, u32 or u64. */
SITU_API situ_tensor *situ_random_bits(situ_tensor *key, situ_shape shape, const situ_draw_options *options, situ_site site);
/* Uniform in [low, high); the dtype must hold the ends and their difference. If the range is narrow for the dtype, rounding may
 * give high, too. */
SITU_API situ_tensor *situ_uniform(situ_tensor *key, situ_shape shape, const situ_uniform_options *options, situ_site site);
/* Normal with mean 0 and variance 1. */
SITU_API situ_tensor *situ_normal(situ_tensor *key, situ_shape shape, const situ_draw_options *options, situ_site site);
/* Integers low <= y < high, which the dtype must hold (high may be one larger); low if the range is empty, as in JAX. They are
 * JAX's numbers, bits modulo the width of the range, so in a range wider than 2^30 (i32; 2^62 for i64) some come up more often.
 * With .unbiased they are other numbers, the same on every device: the integer part of (random fraction of twice the width) times
 * the range. Probabilities of two numbers then differ by less than 2^-32 (i64: 2^-64), relatively, for every range. */
SITU_API situ_tensor *situ_randint(
    situ_tensor *key, situ_shape shape, int64_t low, int64_t high, const situ_randint_options *options, situ_site site);
/* true with probability p (a number, or a tensor that broadcasts to the shape). */
SITU_API situ_tensor *situ_bernoulli(
    situ_tensor *key, situ_tensor *p, situ_shape shape, const situ_key_split_options *options, situ_site site);
/* 0 ... n-1 in random order, i64. */
SITU_API situ_tensor *situ_permutation(situ_tensor *key, int64_t n, const situ_draw_options *options, situ_site site);
/* -log(-log(u)): the Gumbel distribution. */
SITU_API situ_tensor *situ_gumbel(situ_tensor *key, situ_shape shape, const situ_draw_options *options, situ_site site);
/* One index along .axis for each distribution softmax(logits), i64. */
SITU_API situ_tensor *situ_categorical(
    situ_tensor *key, situ_tensor *logits, const situ_categorical_options *options, situ_site site);

#ifdef __cplusplus
}
#endif

#include <situ/call/random.h>

#endif
