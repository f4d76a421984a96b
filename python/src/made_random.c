/* situ/random.h for Python. Made by scripts/generate.py from it: change that. */
#include "binding.h"

static const choice words_layout_kind[] = {{"default", SITU_LAYOUT_DEFAULT}, {"original", SITU_ORIGINAL}, {"partitionable", SITU_PARTITIONABLE}, {NULL, 0}};

MADE(key)
{
    TAKE("key", 2, 1, 1, {"seed", "device"}, {NULL});
    int64_t seed_ = arg_int(c, 0, 0);
    situ_key_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.device = arg_device(c, 1);
    return call_end(c, c->failed ? NULL : (situ_key)(seed_, &o, c->site));
}

MADE(key_split)
{
    TAKE("key_split", 4, 2, 4, {"key", "count", "device", "layout"}, {NULL});
    situ_tensor *key_ = arg_tensor(c, 0);
    int64_t count_ = arg_int(c, 1, 0);
    situ_key_split_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.device = arg_device(c, 2);
    o.layout = (situ_layout_kind)arg_word(c, 3, words_layout_kind, 0, "layout");
    return call_end(c, c->failed ? NULL : (situ_key_split)(key_, count_, &o, c->site));
}

MADE(fold_in)
{
    TAKE("fold_in", 2, 2, 2, {"key", "data"}, {NULL});
    situ_tensor *key_ = arg_tensor(c, 0);
    situ_tensor *data_ = arg_tensor(c, 1);
    return call_end(c, c->failed ? NULL : (situ_fold_in)(key_, data_, c->site));
}

MADE(random_bits)
{
    TAKE("bits", 5, 1, 3, {"key", "shape", "dtype", "device", "layout"}, {NULL});
    situ_tensor *key_ = arg_tensor(c, 0);
    situ_shape shape_ = arg_shape_or_none(c, 1);
    situ_draw_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.dtype = arg_dtype(c, 2);
    o.device = arg_device(c, 3);
    o.layout = (situ_layout_kind)arg_word(c, 4, words_layout_kind, 0, "layout");
    return call_end(c, c->failed ? NULL : (situ_random_bits)(key_, shape_, &o, c->site));
}

MADE(uniform)
{
    TAKE("uniform", 7, 1, 5, {"key", "shape", "dtype", "low", "high", "device", "layout"}, {NULL});
    situ_tensor *key_ = arg_tensor(c, 0);
    situ_shape shape_ = arg_shape_or_none(c, 1);
    situ_uniform_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.dtype = arg_dtype(c, 2);
    o.low = arg_double(c, 3, 0);
    o.high = arg_double(c, 4, 1);
    o.device = arg_device(c, 5);
    o.layout = (situ_layout_kind)arg_word(c, 6, words_layout_kind, 0, "layout");
    return call_end(c, c->failed ? NULL : (situ_uniform)(key_, shape_, &o, c->site));
}

MADE(normal)
{
    TAKE("normal", 5, 1, 3, {"key", "shape", "dtype", "device", "layout"}, {NULL});
    situ_tensor *key_ = arg_tensor(c, 0);
    situ_shape shape_ = arg_shape_or_none(c, 1);
    situ_draw_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.dtype = arg_dtype(c, 2);
    o.device = arg_device(c, 3);
    o.layout = (situ_layout_kind)arg_word(c, 4, words_layout_kind, 0, "layout");
    return call_end(c, c->failed ? NULL : (situ_normal)(key_, shape_, &o, c->site));
}

MADE(randint)
{
    TAKE("randint", 8, 4, 5, {"key", "shape", "low", "high", "dtype", "device", "layout", "unbiased"}, {NULL});
    situ_tensor *key_ = arg_tensor(c, 0);
    situ_shape shape_ = arg_shape(c, 1);
    int64_t low_ = arg_int(c, 2, 0);
    int64_t high_ = arg_int(c, 3, 0);
    situ_randint_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.dtype = arg_dtype(c, 4);
    o.device = arg_device(c, 5);
    o.layout = (situ_layout_kind)arg_word(c, 6, words_layout_kind, 0, "layout");
    o.unbiased = arg_bool(c, 7, false);
    return call_end(c, c->failed ? NULL : (situ_randint)(key_, shape_, low_, high_, &o, c->site));
}

MADE(bernoulli)
{
    TAKE("bernoulli", 5, 3, 5, {"key", "p", "shape", "device", "layout"}, {NULL});
    situ_tensor *key_ = arg_tensor(c, 0);
    situ_tensor *p_ = arg_tensor(c, 1);
    situ_shape shape_ = arg_shape(c, 2);
    situ_key_split_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.device = arg_device(c, 3);
    o.layout = (situ_layout_kind)arg_word(c, 4, words_layout_kind, 0, "layout");
    return call_end(c, c->failed ? NULL : (situ_bernoulli)(key_, p_, shape_, &o, c->site));
}

MADE(permutation)
{
    TAKE("permutation", 5, 2, 2, {"key", "n", "device", "layout", "dtype"}, {NULL});
    situ_tensor *key_ = arg_tensor(c, 0);
    int64_t n_ = arg_int(c, 1, 0);
    situ_draw_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.device = arg_device(c, 2);
    o.layout = (situ_layout_kind)arg_word(c, 3, words_layout_kind, 0, "layout");
    o.dtype = arg_dtype(c, 4);
    return call_end(c, c->failed ? NULL : (situ_permutation)(key_, n_, &o, c->site));
}

MADE(gumbel)
{
    TAKE("gumbel", 5, 1, 3, {"key", "shape", "dtype", "device", "layout"}, {NULL});
    situ_tensor *key_ = arg_tensor(c, 0);
    situ_shape shape_ = arg_shape_or_none(c, 1);
    situ_draw_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.dtype = arg_dtype(c, 2);
    o.device = arg_device(c, 3);
    o.layout = (situ_layout_kind)arg_word(c, 4, words_layout_kind, 0, "layout");
    return call_end(c, c->failed ? NULL : (situ_gumbel)(key_, shape_, &o, c->site));
}

MADE(categorical)
{
    TAKE("categorical", 5, 2, 3, {"key", "logits", "axis", "device", "layout"}, {NULL});
    situ_tensor *key_ = arg_tensor(c, 0);
    situ_tensor *logits_ = arg_tensor(c, 1);
    situ_categorical_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axis = arg_int32(c, 2, -1);
    o.device = arg_device(c, 3);
    o.layout = (situ_layout_kind)arg_word(c, 4, words_layout_kind, 0, "layout");
    return call_end(c, c->failed ? NULL : (situ_categorical)(key_, logits_, &o, c->site));
}

PyMethodDef made_random_methods[] = {
    MADE_ROW(key, key,
        "key(seed, *, device=None)\n--\n\nThe key of a seed.\n\ndevice: where the key is made; default: the "
        "thread's default device"),
    MADE_ROW(key_split, key_split,
        "key_split(key, count, device=None, layout='default')\n--\n\ncount new keys, u32[count, 2]; the other: each "
        "separately in out[0..count-1], 0 or a code.\n\ndevice: where the numbers are made; default: the key's\n"
        "layout: how positions become counters"),
    MADE_ROW(fold_in, fold_in,
        "fold_in(key, data)\n--\n\nA new key from a key and a number (an integer tensor or a number, taken modulo "
        "2^32)."),
    MADE_ROW(bits, random_bits,
        "bits(key, shape=(), dtype=None, *, device=None, layout='default')\n--\n\nUniform bits: u8, u16, u32 or "
        "u64.\n\ndtype: dtype of the numbers; default: f32, for random_bits u32\ndevice: where the numbers are "
        "made; default: the key's\nlayout: how positions become counters"),
    MADE_ROW(uniform, uniform,
        "uniform(key, shape=(), dtype=None, low=0.0, high=1.0, *, device=None, layout='default')\n--\n\nUniform in "
        "[low, high); the dtype must hold the ends and their difference. If the range is narrow for the dtype, "
        "rounding may\ngive high, too.\n\ndtype: dtype of the numbers\nlow: start of the range\nhigh: end of the "
        "range\ndevice: where the numbers are made; default: the key's\nlayout: how positions become counters"),
    MADE_ROW(normal, normal,
        "normal(key, shape=(), dtype=None, *, device=None, layout='default')\n--\n\nNormal with mean 0 and variance "
        "1.\n\ndtype: dtype of the numbers; default: f32, for random_bits u32\ndevice: where the numbers are made; "
        "default: the key's\nlayout: how positions become counters"),
    MADE_ROW(randint, randint,
        "randint(key, shape, low, high, dtype=None, *, device=None, layout='default', unbiased=False)\n--\n\n"
        "Integers low <= y < high, which the dtype must hold (high may be one larger); low if the range is empty, "
        "as in JAX. They are\nJAX's numbers, bits modulo the width of the range, so in a range wider than 2^30 "
        "(i32; 2^62 for i64) some come up more often.\nWith unbiased they are other numbers, the same on every "
        "device: the integer part of (random fraction of twice the width) times\nthe range. Probabilities of two "
        "numbers then differ by less than 2^-32 (i64: 2^-64), relatively, for every range.\n\ndtype: dtype of the "
        "numbers\ndevice: where the numbers are made; default: the key's\nlayout: how positions become counters\n"
        "unbiased: gives each number the same probability"),
    MADE_ROW(bernoulli, bernoulli,
        "bernoulli(key, p, shape, device=None, layout='default')\n--\n\nTrue with probability p (a number, or a "
        "tensor that broadcasts to the shape).\n\ndevice: where the numbers are made; default: the key's\nlayout: "
        "how positions become counters"),
    MADE_ROW(permutation, permutation,
        "permutation(key, n, *, device=None, layout='default', dtype=None)\n--\n\n0 ... n-1 in random order, i64.\n"
        "\ndevice: where the numbers are made; default: the key's\nlayout: how positions become counters\ndtype: "
        "dtype of the numbers; default: f32, for random_bits u32"),
    MADE_ROW(gumbel, gumbel,
        "gumbel(key, shape=(), dtype=None, *, device=None, layout='default')\n--\n\n-log(-log(u)): the Gumbel "
        "distribution.\n\ndtype: dtype of the numbers; default: f32, for random_bits u32\ndevice: where the numbers "
        "are made; default: the key's\nlayout: how positions become counters"),
    MADE_ROW(categorical, categorical,
        "categorical(key, logits, axis=-1, *, device=None, layout='default')\n--\n\nOne index along axis for each "
        "distribution softmax(logits), i64.\n\naxis: axis of the distributions; -1 is the last\ndevice: where the "
        "numbers are made; default: the key's\nlayout: how positions become counters"),
    {NULL, NULL, 0, NULL}};
