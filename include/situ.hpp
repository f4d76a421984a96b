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
    double item(site at = {}) const { return checked((situ_item)(t, at)); }
    template <class T> std::vector<T> read(site at = {}) const
    {
        static_assert(!std::is_same<T, bool>::value, "std::vector<bool> has no memory to read to: use uint8_t");
        std::vector<T> values(static_cast<std::size_t>(count()));
        const std::size_t bytes = values.size() * sizeof(T);
        (situ_read_into)(t, values.data(), bytes, dtype_of<T>::value, bytes, at);
        check();
        return values;
    }
    std::string text(site at = {}) const
    {
        return std::unique_ptr<char, void (*)(void *)>(checked((situ_text)(t, at)), std::free).get();
    }
};
inline tensor scope::close_with(const tensor &t, site at) { return (situ_scope_close_with)(std::exchange(s, nullptr), t.c(), at); }
inline std::ostream &operator<<(std::ostream &out, const tensor &t)
{
    return out << std::unique_ptr<char, void (*)(void *)>(checked((situ_text)(t.c(), nullptr)), std::free).get(); // no line of the caller's is known
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
    explicit kept(const tensor &value, site at = {}) : owner((situ_keep)(value.c(), at)) {}
};
struct variable : owner {
    explicit variable(const tensor &value, bool trainable = true, const char *name = nullptr, site at = {})
        : owner(make(value.c(), trainable, name, at)) {}
    void assign(const tensor &value, site at = {}) { (situ_assign)(t.get(), value.c(), at); check(); }

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

// The defaults of each options struct, from the same lists as the macros of C (situ/call/defaults.hpp). A struct that is not in
// that file does not compile as options<T>.
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
#include <situ/call/defaults.hpp>
#pragma GCC diagnostic pop

template <class T> struct options : T { // T: a struct of <situ.h>
    options() : T(defaults<T>::make()) {}
};
// Axes: {0, -1}, or one number; a list of tensors: {x, y}.
struct axes : situ_axes {
    axes(const situ_axes &c) : situ_axes(c) {}
    axes(int a) : axes({a}) {}
    axes(std::initializer_list<int> list) : situ_axes{}
    {
        if (list.size() > SITU_MAX_DIMS) throw std::length_error("situ::axes: at most 8 axes");
        given = 1;
        for (int a : list) axis[count++] = a;
    }
};
class list {
    std::vector<situ_tensor *> t;

public:
    list(std::initializer_list<tensor> tensors) { for (const tensor &x : tensors) t.push_back(x.c()); }
    list(const std::vector<tensor> &tensors) { for (const tensor &x : tensors) t.push_back(x.c()); }
    operator situ_list() const { return {t.data(), static_cast<int>(t.size())}; }
};

} // namespace situ

// ---- every function of situ.h, and the setters of its options -------------------------------------------------------------

#include <situ/call/error.hpp>
#include <situ/call/device.hpp>
#include <situ/call/sim.hpp>
#include <situ/call/dtype.hpp>
#include <situ/call/tensor.hpp>
#include <situ/call/create.hpp>
#include <situ/call/move.hpp>
#include <situ/call/custom.hpp>
#include <situ/call/data.hpp>
#include <situ/call/elementwise.hpp>
#include <situ/call/fft.hpp>
#include <situ/call/reduce.hpp>
#include <situ/call/function.hpp>
#include <situ/call/grad.hpp>
#include <situ/call/index.hpp>
#include <situ/call/ledger.hpp>
#include <situ/call/linalg.hpp>
#include <situ/call/metric.hpp>
#include <situ/call/group.hpp>
#include <situ/call/network.hpp>
#include <situ/call/nn.hpp>
#include <situ/call/session.hpp>
#include <situ/call/activation.hpp>
#include <situ/call/file.hpp>
#include <situ/call/onnx.hpp>
#include <situ/call/emit.hpp>
#include <situ/call/models.hpp>
#include <situ/call/text.hpp>
#include <situ/call/sequence.hpp>
#include <situ/call/window.hpp>
#include <situ/call/random.hpp>
#include <situ/call/optim.hpp>
#include <situ/call/checkpoint.hpp>
#include <situ/call/proof.hpp>
#include <situ/call/runtime.hpp>
#include <situ/call/profile.hpp>
#include <situ/call/train.hpp>
#include <situ/call/tune.hpp>

namespace situ {

// ---- conveniences -----------------------------------------------------------------------------------------------------------

using make = made_options; // for tensors from nothing and from memory of the host
struct draw : options<situ_uniform_options> { // for all random numbers
    draw &dtype(situ_dtype v) { return situ_uniform_options::dtype = v, *this; }
    draw &device(situ_device v) { return situ_uniform_options::device = v, *this; }
    draw &low(double v) { return situ_uniform_options::low = v, *this; }
    draw &high(double v) { return situ_uniform_options::high = v, *this; }
    operator key_options() const { return key_options().device(situ_uniform_options::device); }
    operator draw_options() const { return draw_options().dtype(situ_uniform_options::dtype).device(situ_uniform_options::device).layout(layout); }
    operator uniform_options() const
    {
        uniform_options o;
        static_cast<situ_uniform_options &>(o) = *this;
        return o;
    }
};
struct over : options<situ_extreme_options> { // for all reductions: over({0, -1}).keepdims()
    over() = default;
    over(std::initializer_list<int> list) { axes = situ::axes(list); }
    over &keepdims(bool v = true) { return situ_extreme_options::keepdims = v, *this; }
    over &correction(double v) { return moment = v, *this; }
    over &ord(double v) { return power = v, *this; }
    operator extreme_options() const { return extreme_options().axes(axes).keepdims(situ_extreme_options::keepdims); }
    operator sum_options() const { return sum_options().axes(axes).keepdims(situ_extreme_options::keepdims); }
    operator var_options() const { return var_options().axes(axes).keepdims(situ_extreme_options::keepdims).correction(moment); }
    operator norm_options() const { return norm_options().axes(axes).keepdims(situ_extreme_options::keepdims).ord(power); }

private:
    double moment = 0, power = 2;
};

inline situ_device try_gpu(int i = 0) { return situ_try_gpu(i); }
inline tensor arange(operand a, operand b) { return situ::arange(a, b, operand(1, a.at)); }
// Values of the host, copied: of T's dtype, or of one that memory of T may hold (uint16_t: f16 and bf16).
template <class T> tensor from_host(const std::vector<T> &values, const shape &s, const make &options = {}, site at = {})
{
    static_assert(!std::is_same<T, bool>::value, "std::vector<bool> has no memory to read from: use uint8_t and dtype(SITU_BOOL)");
    std::size_t count = 1;
    bool is_shape = true; // else C says what is wrong
    for (int64_t i = 0; i < s.ndim; i++) count *= static_cast<std::size_t>(s.dim[i]), is_shape &= s.dim[i] >= 0;
    if (is_shape && values.size() != count)
        throw std::length_error("situ::from_host: " + std::to_string(values.size()) + " values for a shape of " + std::to_string(count));
    from_host_options o;
    o.dtype(options.situ_made_options::dtype).device(options.situ_made_options::device);
    o.situ_from_host_options::pointed = 1 + static_cast<int32_t>(dtype_of<T>::value), o.situ_from_host_options::room = values.size() * sizeof(T);
    return situ_from_host(values.data(), s, &o, at);
}

inline tensor operator+(operand a, operand b) { return add(a, b); }
inline tensor operator-(operand a, operand b) { return sub(a, b); }
inline tensor operator*(operand a, operand b) { return mul(a, b); }
inline tensor operator/(operand a, operand b) { return div(a, b); }
inline tensor operator-(operand a) { return negative(a); }

// d y / d wrt[i] for a scalar y.
inline std::vector<tensor> grad(const tensor &y, const list &wrt, site at = {})
{
    std::vector<situ_tensor *> out(static_cast<std::size_t>(situ_list(wrt).count));
    situ_grad(y.c(), wrt, out.data(), at);
    check();
    return std::vector<tensor>(out.begin(), out.end());
}

} // namespace situ
#endif
