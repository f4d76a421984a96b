// situ/create.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/create.h: change that.
#ifndef SITU_CALL_CREATE_HPP
#define SITU_CALL_CREATE_HPP

namespace situ {

struct made_options : options<situ_made_options> {
    made_options &dtype(situ_dtype v) { return situ_made_options::dtype = v, *this; }
    made_options &device(situ_device v) { return situ_made_options::device = v, *this; }
};
struct linspace_options : options<situ_linspace_options> {
    linspace_options &dtype(situ_dtype v) { return situ_linspace_options::dtype = v, *this; }
    linspace_options &device(situ_device v) { return situ_linspace_options::device = v, *this; }
    linspace_options &endpoint(bool v = true) { return situ_linspace_options::endpoint = v, *this; }
};
struct eye_options : options<situ_eye_options> {
    eye_options &dtype(situ_dtype v) { return situ_eye_options::dtype = v, *this; }
    eye_options &device(situ_device v) { return situ_eye_options::device = v, *this; }
    eye_options &columns(int64_t v) { return situ_eye_options::columns = v, *this; }
    eye_options &diagonal(int64_t v) { return situ_eye_options::diagonal = v, *this; }
};
inline tensor zeros(const situ::shape &shape, const made_options &o = {}, site at = {})
{
    return situ_zeros(shape, &o, at);
}
inline tensor ones(const situ::shape &shape, const made_options &o = {}, site at = {})
{
    return situ_ones(shape, &o, at);
}
inline tensor full(const situ::shape &shape, operand value, const made_options &o = {})
{
    return situ_full(shape, value.t, &o, value.at);
}
inline tensor zeros_like(operand x, const made_options &o = {}) { return situ_zeros_like(x.t, &o, x.at); }
inline tensor ones_like(operand x, const made_options &o = {}) { return situ_ones_like(x.t, &o, x.at); }
inline tensor full_like(operand x, operand value, const made_options &o = {})
{
    return situ_full_like(x.t, value.t, &o, x.at);
}
inline tensor arange(operand start, operand stop, operand step, const made_options &o = {})
{
    return situ_arange(start.t, stop.t, step.t, &o, start.at);
}
inline tensor linspace(double start, double stop, int64_t n, const linspace_options &o = {}, site at = {})
{
    return situ_linspace(start, stop, n, &o, at);
}
inline tensor eye(int64_t rows, const eye_options &o = {}, site at = {}) { return situ_eye(rows, &o, at); }
inline tensor tri(int64_t rows, const eye_options &o = {}, site at = {}) { return situ_tri(rows, &o, at); }
inline tensor tril(operand x, int64_t diagonal) { return situ_tril(x.t, diagonal, x.at); }
inline tensor triu(operand x, int64_t diagonal) { return situ_triu(x.t, diagonal, x.at); }
inline tensor cast(operand x, situ_dtype dtype) { return situ_cast(x.t, dtype, x.at); }
inline tensor complex(operand re, operand im) { return situ_complex(re.t, im.t, re.at); }
inline tensor real(operand x) { return situ_real(x.t, x.at); }
inline tensor imag(operand x) { return situ_imag(x.t, x.at); }
inline tensor conj(operand x) { return situ_conj(x.t, x.at); }
inline tensor to(operand x, situ_device device) { return situ_to(x.t, device, x.at); }
inline tensor copy_to(operand x, situ_device device) { return situ_copy_to(x.t, device, x.at); }
inline tensor stop_gradient(operand x) { return situ_stop_gradient(x.t, x.at); }

} // namespace situ
#endif
