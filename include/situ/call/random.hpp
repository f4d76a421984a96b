// situ/random.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/random.h: change that.
#ifndef SITU_CALL_RANDOM_HPP
#define SITU_CALL_RANDOM_HPP

namespace situ {

struct key_options : options<situ_key_options> {
    key_options &device(situ_device v) { return situ_key_options::device = v, *this; }
};
struct key_split_options : options<situ_key_split_options> {
    key_split_options &device(situ_device v) { return situ_key_split_options::device = v, *this; }
    key_split_options &layout(situ_layout_kind v) { return situ_key_split_options::layout = v, *this; }
};
struct draw_options : options<situ_draw_options> {
    draw_options &device(situ_device v) { return situ_draw_options::device = v, *this; }
    draw_options &layout(situ_layout_kind v) { return situ_draw_options::layout = v, *this; }
    draw_options &dtype(situ_dtype v) { return situ_draw_options::dtype = v, *this; }
};
struct randint_options : options<situ_randint_options> {
    randint_options &device(situ_device v) { return situ_randint_options::device = v, *this; }
    randint_options &layout(situ_layout_kind v) { return situ_randint_options::layout = v, *this; }
    randint_options &dtype(situ_dtype v) { return situ_randint_options::dtype = v, *this; }
    randint_options &unbiased(bool v = true) { return situ_randint_options::unbiased = v, *this; }
};
struct uniform_options : options<situ_uniform_options> {
    uniform_options &device(situ_device v) { return situ_uniform_options::device = v, *this; }
    uniform_options &layout(situ_layout_kind v) { return situ_uniform_options::layout = v, *this; }
    uniform_options &dtype(situ_dtype v) { return situ_uniform_options::dtype = v, *this; }
    uniform_options &low(double v) { return situ_uniform_options::low = v, *this; }
    uniform_options &high(double v) { return situ_uniform_options::high = v, *this; }
};
struct categorical_options : options<situ_categorical_options> {
    categorical_options &device(situ_device v) { return situ_categorical_options::device = v, *this; }
    categorical_options &layout(situ_layout_kind v) { return situ_categorical_options::layout = v, *this; }
    categorical_options &axis(int32_t v) { return situ_categorical_options::axis = v, *this; }
};
inline situ_layout_kind random_layout(situ_layout_kind layout) { return checked(situ_random_layout(layout)); }
inline tensor key(int64_t seed, const key_options &o = {}, site at = {}) { return situ_key(seed, &o, at); }
inline tensor key_split(operand key, int64_t count, const key_split_options &o = {})
{
    return situ_key_split(key.t, count, &o, key.at);
}
inline int key_split_into(operand key, int count, situ_tensor **out, const key_split_options &o = {})
{
    return checked(situ_key_split_into(key.t, count, out, &o, key.at));
}
inline tensor fold_in(operand key, operand data) { return situ_fold_in(key.t, data.t, key.at); }
inline tensor random_bits(operand key, const situ::shape &shape, const draw_options &o = {})
{
    return situ_random_bits(key.t, shape, &o, key.at);
}
inline tensor uniform(operand key, const situ::shape &shape, const uniform_options &o = {})
{
    return situ_uniform(key.t, shape, &o, key.at);
}
inline tensor normal(operand key, const situ::shape &shape, const draw_options &o = {})
{
    return situ_normal(key.t, shape, &o, key.at);
}
inline tensor randint(operand key, const situ::shape &shape, int64_t low, int64_t high, const randint_options &o = {})
{
    return situ_randint(key.t, shape, low, high, &o, key.at);
}
inline tensor bernoulli(operand key, operand p, const situ::shape &shape, const key_split_options &o = {})
{
    return situ_bernoulli(key.t, p.t, shape, &o, key.at);
}
inline tensor permutation(operand key, int64_t n, const draw_options &o = {})
{
    return situ_permutation(key.t, n, &o, key.at);
}
inline tensor gumbel(operand key, const situ::shape &shape, const draw_options &o = {})
{
    return situ_gumbel(key.t, shape, &o, key.at);
}
inline tensor categorical(operand key, operand logits, const categorical_options &o = {})
{
    return situ_categorical(key.t, logits.t, &o, key.at);
}

} // namespace situ
#endif
