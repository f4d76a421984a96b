/* Random numbers that depend on a key alone: the same bits on every device, in every run, and JAX's numbers.
 *
 *     situ_tensor *key = situ_key(0);
 *     situ_tensor *x = situ_uniform(key, SHAPE(2, 3));           // 0.57450044, 0.09968603, ...
 *     situ_tensor *pair[2];
 *     situ_split_key(key, 2, pair);                              // two independent keys
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

/* How positions become counters. ORIGINAL: JAX with jax_threefry_partitionable false, two numbers a block.
 * PARTITIONABLE: JAX's default since 0.5, one block a number. */
typedef enum situ_layout_kind {
    SITU_LAYOUT_DEFAULT = 0,
    SITU_ORIGINAL = 1,
    SITU_PARTITIONABLE = 2
} situ_layout_kind;
/* What SITU_LAYOUT_DEFAULT means in this thread, ORIGINAL at first; returns what it meant. */
SITU_API situ_layout_kind situ_random_layout(situ_layout_kind layout);

typedef struct SITU_BY_NAME situ_random_options {
    SITU_OPTION_HEAD;
    situ_dtype dtype;        /* default f32; randint i32; bits u32                  */
    situ_device device;      /* default: the key's; for situ_key the thread's       */
    double low, high;        /* uniform: default 0 and 1                            */
    situ_layout_kind layout;
    int32_t axis;            /* categorical: default the last                       */
    bool unbiased;           /* randint: each number as often as the others         */
} situ_random_options;
#define SITU_RANDOM_DEFAULTS (.dtype = SITU_DTYPE_DEFAULT, .device = SITU_DEVICE_DEFAULT, .high = 1, .axis = -1,)
#ifndef __cplusplus
/* As far as they mean something: to keys, to splits of keys and draws whose dtype is fixed, to draws, to uniform, to categorical. */
#define SITU_RANDOM_FIELDS_(dtype_, low_, high_, layout_, axis_, unbiased_) \
    SITU_OPTION_HEAD; situ_dtype dtype_; situ_device device; double low_, high_; situ_layout_kind layout_; int32_t axis_; bool unbiased_
typedef struct SITU_BY_NAME situ_key_options {
    SITU_RANDOM_FIELDS_(not_an_option_1, not_an_option_2, not_an_option_3, not_an_option_4, not_an_option_5, not_an_option_6);
} situ_key_options;
typedef struct SITU_BY_NAME situ_split_key_options {
    SITU_RANDOM_FIELDS_(not_an_option_1, not_an_option_2, not_an_option_3, layout, not_an_option_5, not_an_option_6);
} situ_split_key_options;
typedef struct SITU_BY_NAME situ_draw_options {
    SITU_RANDOM_FIELDS_(dtype, not_an_option_2, not_an_option_3, layout, not_an_option_5, not_an_option_6);
} situ_draw_options;
typedef struct SITU_BY_NAME situ_randint_options {
    SITU_RANDOM_FIELDS_(dtype, not_an_option_2, not_an_option_3, layout, not_an_option_5, unbiased);
} situ_randint_options;
typedef struct SITU_BY_NAME situ_uniform_options {
    SITU_RANDOM_FIELDS_(dtype, low, high, layout, not_an_option_5, not_an_option_6);
} situ_uniform_options;
typedef struct SITU_BY_NAME situ_categorical_options {
    SITU_RANDOM_FIELDS_(not_an_option_1, not_an_option_2, not_an_option_3, layout, axis, not_an_option_6);
} situ_categorical_options;
#define SITU_KEY_DEFAULTS \
    (.not_an_option_1 = SITU_DTYPE_DEFAULT, .device = SITU_DEVICE_DEFAULT, .not_an_option_3 = 1, .not_an_option_5 = -1,)
#define SITU_SPLIT_KEY_DEFAULTS SITU_KEY_DEFAULTS
#define SITU_DRAW_DEFAULTS (.dtype = SITU_DTYPE_DEFAULT, .device = SITU_DEVICE_DEFAULT, .not_an_option_3 = 1, .not_an_option_5 = -1,)
#define SITU_RANDINT_DEFAULTS SITU_DRAW_DEFAULTS
#define SITU_UNIFORM_DEFAULTS (.dtype = SITU_DTYPE_DEFAULT, .device = SITU_DEVICE_DEFAULT, .high = 1, .not_an_option_5 = -1,)
#define SITU_CATEGORICAL_DEFAULTS (.not_an_option_1 = SITU_DTYPE_DEFAULT, .device = SITU_DEVICE_DEFAULT, .not_an_option_3 = 1, .axis = -1,)
#endif

/* The key of a seed. */
SITU_API situ_tensor *situ_key(int64_t seed, const situ_random_options *options, situ_site site);
/* count new keys, u32[count, 2]; each by itself in out[0..count-1]: 0 or a code. */
SITU_API situ_tensor *situ_split_keys(situ_tensor *key, int64_t count, const situ_random_options *options, situ_site site);
SITU_API int situ_split_key(situ_tensor *key, int count, situ_tensor **out, const situ_random_options *options, situ_site site);
/* A new key from a key and a number (an integer tensor or a number, taken modulo 2^32). */
SITU_API situ_tensor *situ_fold_in(situ_tensor *key, situ_tensor *data, situ_site site);

/* Uniform bits: u8, u16, u32 or u64. */
SITU_API situ_tensor *situ_random_bits(situ_tensor *key, situ_shape shape, const situ_random_options *options, situ_site site);
/* Uniform in [low, high), whose ends and width the dtype must hold; where the two lie close beside each other for the dtype, rounding gives high, too. */
SITU_API situ_tensor *situ_uniform(situ_tensor *key, situ_shape shape, const situ_random_options *options, situ_site site);
/* Normal with mean 0 and variance 1. */
SITU_API situ_tensor *situ_normal(situ_tensor *key, situ_shape shape, const situ_random_options *options, situ_site site);
/* Integers low <= y < high, which the dtype must hold (high may be the next one); low where that is no range, as in JAX. They are JAX's numbers, bits modulo the width of the range, so
 * that some of a range wider than 2^30 (i32; 2^62 for i64) come up more often than others. With .unbiased they are other numbers, the same on every device: random bits of twice the width
 * times the range, without what lies behind the point, so that two numbers differ in probability by less than 2^-32 (i64: 2^-64)
 * of it, whatever the range. */
SITU_API situ_tensor *situ_randint(situ_tensor *key, situ_shape shape, int64_t low, int64_t high,
                                   const situ_random_options *options, situ_site site);
/* true with probability p (a number, or a tensor that broadcasts to the shape). */
SITU_API situ_tensor *situ_bernoulli(situ_tensor *key, situ_tensor *p, situ_shape shape, const situ_random_options *options,
                                     situ_site site);
/* 0 ... n-1 in random order, i64. */
SITU_API situ_tensor *situ_permutation(situ_tensor *key, int64_t n, const situ_random_options *options, situ_site site);
/* -log(-log(u)): the Gumbel distribution. */
SITU_API situ_tensor *situ_gumbel(situ_tensor *key, situ_shape shape, const situ_random_options *options, situ_site site);
/* One index along .axis for each distribution softmax(logits), i64. */
SITU_API situ_tensor *situ_categorical(situ_tensor *key, situ_tensor *logits, const situ_random_options *options, situ_site site);

#ifndef __cplusplus
#define SITU_RANDOM_(set, SET, name, first, ...) \
    SITU_OPTIONS_AS_(situ_##set##_options, situ_random_options, SITU_##SET##_DEFAULTS, name, first, __VA_ARGS__)
#define situ_key(...) situ_key_(__VA_ARGS__, )
#define situ_key_(seed, ...) SITU_RANDOM_(key, KEY, situ_key, (SITU_INTEGER(seed)), __VA_ARGS__)
#define situ_split_keys(key, ...) situ_split_keys_(key, __VA_ARGS__, )
#define situ_split_keys_(key_, count, ...) \
    SITU_RANDOM_(split_key, SPLIT_KEY, situ_split_keys, (SITU_OPERAND(key_), SITU_INTEGER(count)), __VA_ARGS__)
#define situ_split_key(key, count, ...) situ_split_key_(key, count, __VA_ARGS__, )
#define situ_split_key_(key_, count, out, ...) \
    SITU_RANDOM_(split_key, SPLIT_KEY, situ_split_key, (SITU_OPERAND(key_), SITU_INTEGER(count), (out)), __VA_ARGS__)
#define situ_fold_in(key, data) (situ_fold_in)(SITU_OPERAND(key), SITU_OPERAND(data), SITU_HERE)
#define SITU_RANDOM_SHAPE_(set, SET, name, key_, shape, ...) SITU_RANDOM_(set, SET, name, (SITU_OPERAND(key_), (shape)), __VA_ARGS__)
#define situ_random_bits(key, ...) SITU_RANDOM_SHAPE_(draw, DRAW, situ_random_bits, key, __VA_ARGS__, )
#define situ_uniform(key, ...) SITU_RANDOM_SHAPE_(uniform, UNIFORM, situ_uniform, key, __VA_ARGS__, )
#define situ_normal(key, ...) SITU_RANDOM_SHAPE_(draw, DRAW, situ_normal, key, __VA_ARGS__, )
#define situ_gumbel(key, ...) SITU_RANDOM_SHAPE_(draw, DRAW, situ_gumbel, key, __VA_ARGS__, )
#define situ_randint(key, shape, low, ...) situ_randint_(key, shape, low, __VA_ARGS__, )
#define situ_randint_(key_, shape, low_, high_, ...) \
    SITU_RANDOM_(randint, RANDINT, situ_randint, (SITU_OPERAND(key_), (shape), SITU_INTEGER(low_), SITU_INTEGER(high_)), __VA_ARGS__)
#define situ_bernoulli(key, p, ...) situ_bernoulli_(key, p, __VA_ARGS__, )
#define situ_bernoulli_(key_, p, shape, ...) \
    SITU_RANDOM_(split_key, SPLIT_KEY, situ_bernoulli, (SITU_OPERAND(key_), SITU_OPERAND(p), (shape)), __VA_ARGS__)
#define situ_permutation(key, ...) situ_permutation_(key, __VA_ARGS__, )
#define situ_permutation_(key_, n, ...) \
    SITU_RANDOM_(draw, DRAW, situ_permutation, (SITU_OPERAND(key_), SITU_INTEGER(n)), __VA_ARGS__)
#define situ_categorical(key, ...) situ_categorical_(key, __VA_ARGS__, )
#define situ_categorical_(key_, logits, ...) \
    SITU_RANDOM_(categorical, CATEGORICAL, situ_categorical, (SITU_OPERAND(key_), SITU_OPERAND(logits)), __VA_ARGS__)
#endif

#ifdef __cplusplus
}
#endif
#endif
