// situ for C++17: the same names in namespace situ, operators, scopes that close themselves, errors as exceptions.
//
//     situ::scope scope;
//     situ::tensor x = situ::ones({2, 3}, situ::make().device(situ::try_gpu(0)));
//     situ::tensor y = situ::exp(x + 2) * x;
//     std::cout << y << "\n";
//
// A situ::tensor is borrowed, like the C pointer: it dies with its scope. situ::kept and situ::variable own theirs.
// x.c() is the C pointer, so that everything in <situ.h> stays in reach.
#ifndef SITU_HPP
#define SITU_HPP

#include <complex>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ.h>

namespace situ {

// ---- errors: thrown by the call that makes them ----------------------------------------------------------------------

struct error : std::runtime_error {
    int code; // a situ_code
    explicit error(const situ_error &e) : std::runtime_error(e.message), code(e.code) {}
};
inline void check()
{
    if (!situ_failed()) return;
    situ_error e;
    situ_error_take(&e);
    throw error(e);
}
template <class T> T checked(T value) { return check(), value; }

// Where a call stands; as a default argument it is the caller's line.
class site {
    situ_site text;

public:
    site(const char *file = __builtin_FILE(), int line = __builtin_LINE()) : text(find(file, line)) {}
    operator situ_site() const { return text; }

private:
    static situ_site find(const char *file, int line)
    {
        struct known { const char *file; int line; situ_site text; };
        static thread_local known cache[256] = {};
        known &k = cache[(reinterpret_cast<std::size_t>(file) / 8 + static_cast<std::size_t>(line)) % 256];
        if (k.file != file || k.line != line)
            k = {file, line, situ_site_intern((std::string(file) + ":" + std::to_string(line)).c_str())};
        return k.text;
    }
};

// What memory of T holds. Other types are no elements.
template <class T> struct dtype_of;
template <> struct dtype_of<bool> { static constexpr situ_dtype value = SITU_BOOL; };
template <> struct dtype_of<float> { static constexpr situ_dtype value = SITU_F32; };
template <> struct dtype_of<double> { static constexpr situ_dtype value = SITU_F64; };
template <> struct dtype_of<std::complex<float>> { static constexpr situ_dtype value = SITU_C64; };
template <> struct dtype_of<std::complex<double>> { static constexpr situ_dtype value = SITU_C128; };
template <class T> struct integer_dtype_of {
    static_assert(std::is_integral<T>::value && sizeof(T) <= 8, "situ: elements are integers, bool, float, double or std::complex of these");
    static constexpr int log2 = sizeof(T) == 8 ? 3 : sizeof(T) == 4 ? 2 : sizeof(T) == 2 ? 1 : 0;
    static constexpr situ_dtype value = static_cast<situ_dtype>((std::is_signed<T>::value ? SITU_I8 : SITU_U8) + log2);
};
template <class T> struct dtype_of : integer_dtype_of<T> {};

// ---- lifetimes --------------------------------------------------------------------------------------------------------

class tensor;
class scope {
    situ_scope *s = situ_scope_open();

public:
    scope() { check(); }
    scope(const scope &) = delete;
    scope &operator=(const scope &) = delete;
    ~scope() { situ_scope_close(s); }
    // Closes it now; the tensor goes to the scope around it: return scope.close_with(y).
    inline tensor close_with(const tensor &t, site at = {});
};

struct shape : situ_shape {
    shape(const situ_shape &c) : situ_shape(c) {}
    shape(std::initializer_list<int64_t> dims) : situ_shape{}
    {
        if (dims.size() > SITU_MAX_DIMS) throw std::length_error("situ::shape: at most 8 dimensions");
        for (int64_t d : dims) dim[ndim++] = d;
    }
};

class tensor {
    situ_tensor *t = nullptr;

public:
    tensor() = default;
    tensor(situ_tensor *c) : t(c) { check(); }
    situ_tensor *c() const { return t; }
    int ndim() const { return situ_ndim(t); }
    int64_t dim(int axis) const { return checked(situ_dim(t, axis)); }
    int64_t count() const { return situ_count(t); }
    situ::shape shape() const { return situ_shape_of(t); }
    situ_dtype dtype() const { return situ_dtype_of(t); }
    situ_device device() const { return situ_device_of(t); }
    // Reading is a barrier.
    double item(site at = {}) const { return checked(situ_item_at(t, at)); }
    template <class T> std::vector<T> read(site at = {}) const
    {
        static_assert(!std::is_same<T, bool>::value, "std::vector<bool> has no memory to read to: use uint8_t");
        std::vector<T> values(static_cast<std::size_t>(count()));
        const std::size_t bytes = values.size() * sizeof(T);
        situ_read_into_at(t, values.data(), bytes, dtype_of<T>::value, bytes, at);
        check();
        return values;
    }
    std::string text(site at = {}) const
    {
        return std::unique_ptr<char, void (*)(void *)>(checked(situ_text_at(t, at)), std::free).get();
    }
};
inline tensor scope::close_with(const tensor &t, site at) { return situ_scope_close_with_at(std::exchange(s, nullptr), t.c(), at); }
inline std::ostream &operator<<(std::ostream &out, const tensor &t)
{
    return out << std::unique_ptr<char, void (*)(void *)>(checked(situ_text_at(t.c(), nullptr)), std::free).get(); // no line of the caller's is known
}

// Handles that own: a value that outlives its scope, and a variable.
class owner {
protected:
    std::unique_ptr<situ_tensor, void (*)(situ_tensor *)> t;
    explicit owner(situ_tensor *c) : t(checked(c), situ_release) {}

public:
    operator tensor() const { return t.get(); }
    tensor operator*() const { return t.get(); }
    situ_tensor *c() const { return t.get(); }
};
struct kept : owner {
    explicit kept(const tensor &value, site at = {}) : owner(situ_keep_at(value.c(), at)) {}
};
struct variable : owner {
    explicit variable(const tensor &value, bool trainable = true, const char *name = nullptr, site at = {})
        : owner(make(value.c(), trainable, name, at)) {}
    void assign(const tensor &value, site at = {}) { situ_assign_at(t.get(), value.c(), at); check(); }

private:
    static situ_tensor *make(situ_tensor *value, bool trainable, const char *name, site at)
    {
        situ_variable_options o = {};
        o.size = sizeof o, o.unnamed = SITU_NAMED, o.trainable = trainable, o.name = name; // every field
        return (situ_variable)(value, &o, at);
    }
};

// An operand: a tensor, an owner or a number, with the line of the call.
struct operand {
    situ_tensor *t;
    site at;
    operand(const tensor &x, site s = {}) : t(x.c()), at(s) {}
    operand(const owner &x, site s = {}) : t(x.c()), at(s) {}
    template <class N, class = std::enable_if_t<std::is_arithmetic<N>::value && !std::is_same<N, long double>::value>> operand(N x, site s = {}) : t(number(x)), at(s) {}

private:
    template <class N> static situ_tensor *number(N x)
    {
        if constexpr (std::is_same<N, bool>::value) return situ_scalar_bool(x);
        else if constexpr (std::is_unsigned<N>::value) return situ_scalar_unsigned(static_cast<uint64_t>(x));
        else if constexpr (std::is_integral<N>::value) return situ_scalar_int(static_cast<int64_t>(x));
        else return situ_scalar_float(static_cast<double>(x));
    }
};

// ---- options: chained; what is not set has C's default -----------------------------------------------------------------

// The defaults are C's own lists. A struct of options without its line here does not compile as options<T>.
template <class T> struct defaults;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic" // designators, before C++20
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wc++20-designator"
#pragma GCC diagnostic ignored "-Wc99-designator"
#else
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wc++20-extensions"
#endif
#define SITU_HPP_DEFAULTS(name, NAME) \
    template <> struct defaults<situ_##name##_options> { \
        static situ_##name##_options make() \
        { \
            return situ_##name##_options{.size = sizeof(situ_##name##_options), .unnamed = SITU_NAMED, SITU_DEFAULTS(SITU_##NAME##_DEFAULTS)}; \
        } \
    };
SITU_HPP_DEFAULTS(adam, ADAM)
SITU_HPP_DEFAULTS(arg, ARG)
SITU_HPP_DEFAULTS(attention, ATTENTION)
SITU_HPP_DEFAULTS(avg_pool, AVG_POOL)
SITU_HPP_DEFAULTS(axes, AXES)
SITU_HPP_DEFAULTS(axis, AXIS)
SITU_HPP_DEFAULTS(batch_norm, BATCH_NORM)
SITU_HPP_DEFAULTS(batch_norm_layer, BATCH_NORM_LAYER)
SITU_HPP_DEFAULTS(call, CALL)
SITU_HPP_DEFAULTS(categorical, CATEGORICAL)
SITU_HPP_DEFAULTS(cholesky, CHOLESKY)
SITU_HPP_DEFAULTS(conv, CONV)
SITU_HPP_DEFAULTS(conv2d_layer, CONV2D_LAYER)
SITU_HPP_DEFAULTS(diff, DIFF)
SITU_HPP_DEFAULTS(draw, DRAW)
SITU_HPP_DEFAULTS(eig, EIG)
SITU_HPP_DEFAULTS(extreme, EXTREME)
SITU_HPP_DEFAULTS(eye, EYE)
SITU_HPP_DEFAULTS(fft, FFT)
SITU_HPP_DEFAULTS(fftfreq, FFTFREQ)
SITU_HPP_DEFAULTS(fftn, FFTN)
SITU_HPP_DEFAULTS(from_host, FROM_HOST)
SITU_HPP_DEFAULTS(gelu, GELU)
SITU_HPP_DEFAULTS(guard, GUARD)
SITU_HPP_DEFAULTS(isin, ISIN)
SITU_HPP_DEFAULTS(key, KEY)
SITU_HPP_DEFAULTS(last_axis, LAST_AXIS)
SITU_HPP_DEFAULTS(layer_norm, LAYER_NORM)
SITU_HPP_DEFAULTS(layer_norm_layer, LAYER_NORM_LAYER)
SITU_HPP_DEFAULTS(linear, LINEAR)
SITU_HPP_DEFAULTS(linear_scan, LINEAR_SCAN)
SITU_HPP_DEFAULTS(linspace, LINSPACE)
SITU_HPP_DEFAULTS(loader, LOADER)
SITU_HPP_DEFAULTS(loss, LOSS)
SITU_HPP_DEFAULTS(made, MADE)
SITU_HPP_DEFAULTS(matrix_norm, MATRIX_NORM)
SITU_HPP_DEFAULTS(max_pool, MAX_POOL)
SITU_HPP_DEFAULTS(norm, NORM)
SITU_HPP_DEFAULTS(one_hot, ONE_HOT)
SITU_HPP_DEFAULTS(pad, PAD)
SITU_HPP_DEFAULTS(places, PLACES)
SITU_HPP_DEFAULTS(qr, QR)
SITU_HPP_DEFAULTS(randint, RANDINT)
SITU_HPP_DEFAULTS(rank, RANK)
SITU_HPP_DEFAULTS(repeat_each, REPEAT_EACH)
SITU_HPP_DEFAULTS(roll, ROLL)
SITU_HPP_DEFAULTS(scan, SCAN)
SITU_HPP_DEFAULTS(search, SEARCH)
SITU_HPP_DEFAULTS(sgd, SGD)
SITU_HPP_DEFAULTS(slice, SLICE)
SITU_HPP_DEFAULTS(slogdet, SLOGDET)
SITU_HPP_DEFAULTS(softmax, SOFTMAX)
SITU_HPP_DEFAULTS(sort, SORT)
SITU_HPP_DEFAULTS(split, SPLIT)
SITU_HPP_DEFAULTS(split_key, SPLIT_KEY)
SITU_HPP_DEFAULTS(sum, SUM)
SITU_HPP_DEFAULTS(svd, SVD)
SITU_HPP_DEFAULTS(topk, TOPK)
SITU_HPP_DEFAULTS(trainer, TRAINER)
SITU_HPP_DEFAULTS(tune, TUNE)
SITU_HPP_DEFAULTS(uniform, UNIFORM)
SITU_HPP_DEFAULTS(unique, UNIQUE)
SITU_HPP_DEFAULTS(use, USE)
SITU_HPP_DEFAULTS(var, VAR)
SITU_HPP_DEFAULTS(variable, VARIABLE)
#pragma GCC diagnostic pop

template <class T> struct options : T { // T: a struct of <situ.h>
    options() : T(defaults<T>::make()) {}
};
struct make : options<situ_from_host_options> { // for tensors from nothing or from memory
    make &dtype(situ_dtype v) { return situ_from_host_options::dtype = v, *this; }
    make &device(situ_device v) { return situ_from_host_options::device = v, *this; }
    options<situ_made_options> made() const
    {
        options<situ_made_options> o;
        return o.dtype = situ_from_host_options::dtype, o.device = situ_from_host_options::device, o;
    }
};
struct draw : options<situ_uniform_options> { // for random numbers
    draw &dtype(situ_dtype v) { return situ_uniform_options::dtype = v, *this; }
    draw &device(situ_device v) { return situ_uniform_options::device = v, *this; }
    draw &low(double v) { return situ_uniform_options::low = v, *this; }
    draw &high(double v) { return situ_uniform_options::high = v, *this; }
    options<situ_draw_options> plain() const
    {
        options<situ_draw_options> o;
        return o.dtype = situ_uniform_options::dtype, o.device = situ_uniform_options::device, o.layout = layout, o;
    }
};
struct over : options<situ_extreme_options> { // for sums and their like: over({0, -1}).keepdims()
    over() = default;
    over(std::initializer_list<int> list)
    {
        if (list.size() > SITU_MAX_DIMS) throw std::length_error("situ::over: at most 8 axes");
        axes.given = 1, axes.count = 0;
        for (int a : list) axes.axis[axes.count++] = a;
    }
    over &keepdims(bool v = true) { return situ_extreme_options::keepdims = v, *this; }
    over &correction(double v) { return moment = v, *this; }
    over &ord(double v) { return power = v, *this; }
    template <class T> options<T> as() const
    {
        options<T> o;
        o.axes = axes, o.keepdims = situ_extreme_options::keepdims;
        if constexpr (std::is_same<T, situ_var_options>::value) o.correction = moment;
        if constexpr (std::is_same<T, situ_norm_options>::value) o.ord = power;
        return o;
    }

private:
    double moment = 0, power = 2;
};

// ---- devices and tensors ------------------------------------------------------------------------------------------------

inline situ_device cpu(int i = 0) { return situ_cpu_at(i); }
inline situ_device gpu(int i = 0) { return situ_gpu_at(i); }
inline situ_device try_gpu(int i = 0) { return situ_try_gpu(i); }

inline tensor zeros(const shape &s, const make &o = {}, site at = {})
{
    const auto m = o.made();
    return situ_zeros(s, &m, at);
}
inline tensor ones(const shape &s, const make &o = {}, site at = {})
{
    const auto m = o.made();
    return situ_ones(s, &m, at);
}
inline tensor full(const shape &s, operand value, const make &o = {})
{
    const auto m = o.made();
    return situ_full(s, value.t, &m, value.at);
}
inline tensor arange(operand a, operand b, operand step = 1, const make &o = {})
{
    const auto m = o.made();
    return situ_arange(a.t, b.t, step.t, &m, a.at);
}
// Values of the host, copied: of T's dtype, or of one that memory of T may hold (uint16_t: f16 and bf16).
template <class T> tensor from_host(const std::vector<T> &values, const shape &s, make o = {}, site at = {})
{
    static_assert(!std::is_same<T, bool>::value, "std::vector<bool> has no memory to read from: use uint8_t and dtype(SITU_BOOL)");
    std::size_t count = 1;
    bool is_shape = true; // else C says what is wrong
    for (int64_t i = 0; i < s.ndim; i++) count *= static_cast<std::size_t>(s.dim[i]), is_shape &= s.dim[i] >= 0;
    if (is_shape && values.size() != count)
        throw std::length_error("situ::from_host: " + std::to_string(values.size()) + " values for a shape of " + std::to_string(count));
    o.pointed = 1 + static_cast<int32_t>(dtype_of<T>::value), o.room = values.size() * sizeof(T);
    return situ_from_host(values.data(), s, &o, at);
}
inline tensor key(int64_t seed, const draw &o = {}, site at = {})
{
    options<situ_key_options> k;
    k.device = o.situ_uniform_options::device;
    return situ_key(seed, &k, at);
}
inline tensor uniform(operand k, const shape &s, const draw &o = {}) { return situ_uniform(k.t, s, &o, k.at); }
inline tensor normal(operand k, const shape &s, const draw &o = {})
{
    const auto plain = o.plain();
    return situ_normal(k.t, s, &plain, k.at);
}

inline tensor to(operand x, situ_device d) { return situ_to(x.t, d, x.at); }
inline tensor copy_to(operand x, situ_device d) { return situ_copy_to(x.t, d, x.at); }
inline tensor cast(operand x, situ_dtype d) { return situ_cast(x.t, d, x.at); }
inline tensor reshape(operand x, const shape &s) { return situ_reshape(x.t, s, x.at); }
inline tensor transpose(operand x) { return situ_transpose(x.t, x.at); }

// ---- operations ---------------------------------------------------------------------------------------------------------

#define SITU_HPP_1(name) inline tensor name(operand a) { return situ_##name(a.t, a.at); }
#define SITU_HPP_2(name) inline tensor name(operand a, operand b) { return situ_##name(a.t, b.t, a.at); }
#define SITU_HPP_3(name) inline tensor name(operand a, operand b, operand c) { return situ_##name(a.t, b.t, c.t, a.at); }
#define SITU_HPP_OVER(name, set) \
    inline tensor name(operand x, const over &o = {}) \
    { \
        const auto taken = o.as<situ_##set##_options>(); \
        return situ_##name(x.t, &taken, x.at); \
    }
SITU_HPP_1(negative) SITU_HPP_1(positive) SITU_HPP_1(abs) SITU_HPP_1(sign) SITU_HPP_1(square) SITU_HPP_1(reciprocal)
SITU_HPP_1(sqrt) SITU_HPP_1(pow_half) SITU_HPP_1(rsqrt) SITU_HPP_1(cbrt) SITU_HPP_1(exp) SITU_HPP_1(exp2)
SITU_HPP_1(expm1) SITU_HPP_1(log) SITU_HPP_1(log2) SITU_HPP_1(log10) SITU_HPP_1(log1p) SITU_HPP_1(sin) SITU_HPP_1(cos)
SITU_HPP_1(tan) SITU_HPP_1(asin) SITU_HPP_1(acos) SITU_HPP_1(atan) SITU_HPP_1(sinh) SITU_HPP_1(cosh) SITU_HPP_1(tanh)
SITU_HPP_1(asinh) SITU_HPP_1(acosh) SITU_HPP_1(atanh) SITU_HPP_1(erf) SITU_HPP_1(erfc) SITU_HPP_1(erfinv)
SITU_HPP_1(sigmoid) SITU_HPP_1(relu) SITU_HPP_1(softplus) SITU_HPP_1(floor) SITU_HPP_1(ceil) SITU_HPP_1(round)
SITU_HPP_1(trunc) SITU_HPP_1(isnan) SITU_HPP_1(isinf) SITU_HPP_1(isfinite) SITU_HPP_1(signbit) SITU_HPP_1(logical_not)
SITU_HPP_1(bitwise_invert) SITU_HPP_1(bitcast_f32) SITU_HPP_1(bitcast_u32) SITU_HPP_1(bitcast_f64)
SITU_HPP_1(bitcast_u64)
SITU_HPP_2(add) SITU_HPP_2(sub) SITU_HPP_2(mul) SITU_HPP_2(div) SITU_HPP_2(floor_divide) SITU_HPP_2(remainder)
SITU_HPP_2(fmod) SITU_HPP_2(pow) SITU_HPP_2(hypot) SITU_HPP_2(logaddexp) SITU_HPP_2(atan2) SITU_HPP_2(maximum)
SITU_HPP_2(minimum) SITU_HPP_2(copysign) SITU_HPP_2(nextafter) SITU_HPP_2(equal) SITU_HPP_2(not_equal)
SITU_HPP_2(less) SITU_HPP_2(less_equal) SITU_HPP_2(greater) SITU_HPP_2(greater_equal) SITU_HPP_2(logical_and)
SITU_HPP_2(logical_or) SITU_HPP_2(logical_xor) SITU_HPP_2(bitwise_and) SITU_HPP_2(bitwise_or) SITU_HPP_2(bitwise_xor)
SITU_HPP_2(bitwise_left_shift) SITU_HPP_2(bitwise_right_shift)
SITU_HPP_3(fma) SITU_HPP_3(clip) SITU_HPP_3(where)
SITU_HPP_1(silu) SITU_HPP_1(mish) SITU_HPP_1(stop_gradient)
SITU_HPP_2(matmul) SITU_HPP_2(dot) SITU_HPP_2(outer)
SITU_HPP_OVER(sum, sum) SITU_HPP_OVER(prod, sum) SITU_HPP_OVER(max, extreme) SITU_HPP_OVER(min, extreme) SITU_HPP_OVER(any, extreme) SITU_HPP_OVER(all, extreme)
SITU_HPP_OVER(mean, sum) SITU_HPP_OVER(var, var) SITU_HPP_OVER(std, var) SITU_HPP_OVER(logsumexp, sum) SITU_HPP_OVER(norm, norm)

inline tensor operator+(operand a, operand b) { return add(a, b); }
inline tensor operator-(operand a, operand b) { return sub(a, b); }
inline tensor operator*(operand a, operand b) { return mul(a, b); }
inline tensor operator/(operand a, operand b) { return div(a, b); }
inline tensor operator-(operand a) { return negative(a); }

// d y / d wrt[i] for a scalar y.
inline std::vector<tensor> grad(const tensor &y, std::initializer_list<tensor> wrt, site at = {})
{
    std::vector<situ_tensor *> in, out(wrt.size());
    for (const tensor &x : wrt) in.push_back(x.c());
    situ_grad_at(y.c(), in.data(), static_cast<int>(in.size()), out.data(), at);
    check();
    return std::vector<tensor>(out.begin(), out.end());
}

} // namespace situ
#endif
