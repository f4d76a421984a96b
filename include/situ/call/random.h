/* Calls of situ/random.h. Made by scripts/generate.py from include/situ/random.h: change that. */
#ifndef SITU_CALL_RANDOM_H
#define SITU_CALL_RANDOM_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#define SITU_KEY_DEFAULTS (.device = SITU_DEVICE_DEFAULT,)
#define SITU_KEY_SPLIT_DEFAULTS (.device = SITU_DEVICE_DEFAULT,)
#define SITU_DRAW_DEFAULTS (.device = SITU_DEVICE_DEFAULT, .dtype = SITU_DTYPE_DEFAULT,)
#define SITU_RANDINT_DEFAULTS (.device = SITU_DEVICE_DEFAULT, .dtype = SITU_DTYPE_DEFAULT,)
#define SITU_UNIFORM_DEFAULTS (.device = SITU_DEVICE_DEFAULT, .dtype = SITU_DTYPE_DEFAULT, .high = 1,)
#define SITU_CATEGORICAL_DEFAULTS (.device = SITU_DEVICE_DEFAULT, .axis = -1,)

#ifndef __cplusplus
#define situ_key(...) situ_key_(__VA_ARGS__, )
#define situ_key_(seed, ...) \
    SITU_OPTIONS_(situ_key_options, SITU_KEY_DEFAULTS, situ_key, (SITU_INTEGER(seed),), \
    "situ_key(seed, .device = ...)", __VA_ARGS__)
#define situ_key_split(...) situ_key_split_(__VA_ARGS__, )
#define situ_key_split_(key, count, ...) \
    SITU_OPTIONS_(situ_key_split_options, SITU_KEY_SPLIT_DEFAULTS, situ_key_split, (SITU_OPERAND(key), \
    SITU_INTEGER(count),), "situ_key_split(key, count, .device = ..., .layout = ...)", __VA_ARGS__)
#define situ_key_split_into(...) situ_key_split_into_(__VA_ARGS__, )
#define situ_key_split_into_(key, count, out, ...) \
    SITU_OPTIONS_(situ_key_split_options, SITU_KEY_SPLIT_DEFAULTS, situ_key_split_into, (SITU_TENSOR(key), \
    SITU_INTEGER(count), (out),), "situ_key_split_into(key, count, out, .device = ..., .layout = ...)", __VA_ARGS__)
#define situ_fold_in(key, data) (situ_fold_in)(SITU_OPERAND(key), SITU_OPERAND(data), SITU_HERE)
#define situ_random_bits(...) situ_random_bits_(__VA_ARGS__, )
#define situ_random_bits_(key, shape, ...) \
    SITU_OPTIONS_(situ_draw_options, SITU_DRAW_DEFAULTS, situ_random_bits, (SITU_OPERAND(key), SITU_OF(situ_shape, \
    SITU_SHAPE_IS_, shape),), "situ_random_bits(key, SHAPE(2, 3), .device = ..., .layout = ..., .dtype = ...)", \
    __VA_ARGS__)
#define situ_uniform(...) situ_uniform_(__VA_ARGS__, )
#define situ_uniform_(key, shape, ...) \
    SITU_OPTIONS_(situ_uniform_options, SITU_UNIFORM_DEFAULTS, situ_uniform, (SITU_OPERAND(key), SITU_OF(situ_shape, \
    SITU_SHAPE_IS_, shape),), "situ_uniform(key, SHAPE(2, 3), .device = ..., .layout = ..., .dtype = ..., ...)", \
    __VA_ARGS__)
#define situ_normal(...) situ_normal_(__VA_ARGS__, )
#define situ_normal_(key, shape, ...) \
    SITU_OPTIONS_(situ_draw_options, SITU_DRAW_DEFAULTS, situ_normal, (SITU_OPERAND(key), SITU_OF(situ_shape, \
    SITU_SHAPE_IS_, shape),), "situ_normal(key, SHAPE(2, 3), .device = ..., .layout = ..., .dtype = ...)", \
    __VA_ARGS__)
#define situ_randint(...) situ_randint_(__VA_ARGS__, )
#define situ_randint_(key, shape, low, high, ...) \
    SITU_OPTIONS_(situ_randint_options, SITU_RANDINT_DEFAULTS, situ_randint, (SITU_OPERAND(key), SITU_OF(situ_shape, \
    SITU_SHAPE_IS_, shape), SITU_INTEGER(low), SITU_INTEGER(high),), \
    "situ_randint(key, SHAPE(2, 3), low, high, .device = ..., .layout = ..., .dtype = ..., ...)", __VA_ARGS__)
#define situ_bernoulli(...) situ_bernoulli_(__VA_ARGS__, )
#define situ_bernoulli_(key, p, shape, ...) \
    SITU_OPTIONS_(situ_key_split_options, SITU_KEY_SPLIT_DEFAULTS, situ_bernoulli, (SITU_OPERAND(key), \
    SITU_OPERAND(p), SITU_OF(situ_shape, SITU_SHAPE_IS_, shape),), \
    "situ_bernoulli(key, p, SHAPE(2, 3), .device = ..., .layout = ...)", __VA_ARGS__)
#define situ_permutation(...) situ_permutation_(__VA_ARGS__, )
#define situ_permutation_(key, n, ...) \
    SITU_OPTIONS_(situ_draw_options, SITU_DRAW_DEFAULTS, situ_permutation, (SITU_OPERAND(key), SITU_INTEGER(n),), \
    "situ_permutation(key, n, .device = ..., .layout = ..., .dtype = ...)", __VA_ARGS__)
#define situ_gumbel(...) situ_gumbel_(__VA_ARGS__, )
#define situ_gumbel_(key, shape, ...) \
    SITU_OPTIONS_(situ_draw_options, SITU_DRAW_DEFAULTS, situ_gumbel, (SITU_OPERAND(key), SITU_OF(situ_shape, \
    SITU_SHAPE_IS_, shape),), "situ_gumbel(key, SHAPE(2, 3), .device = ..., .layout = ..., .dtype = ...)", \
    __VA_ARGS__)
#define situ_categorical(...) situ_categorical_(__VA_ARGS__, )
#define situ_categorical_(key, logits, ...) \
    SITU_OPTIONS_(situ_categorical_options, SITU_CATEGORICAL_DEFAULTS, situ_categorical, (SITU_OPERAND(key), \
    SITU_OPERAND(logits),), "situ_categorical(key, logits, .device = ..., .layout = ..., .axis = ...)", __VA_ARGS__)
#endif

#endif
