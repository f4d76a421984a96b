// situ/fft.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/fft.h: change that.
#ifndef SITU_CALL_FFT_HPP
#define SITU_CALL_FFT_HPP

namespace situ {

struct fft_options : options<situ_fft_options> {
    fft_options &n(int64_t v) { return situ_fft_options::n = v, *this; }
    fft_options &axis(int32_t v) { return situ_fft_options::axis = v, *this; }
    fft_options &norm(situ_fft_norm v) { return situ_fft_options::norm = v, *this; }
};
struct fftn_options : options<situ_fftn_options> {
    fftn_options() = default;
    fftn_options(std::initializer_list<int> list) { situ_fftn_options::axes = situ::axes(list); }
    fftn_options &s(const situ::shape &v) { return situ_fftn_options::s = v, *this; }
    fftn_options &s(int64_t each) { return situ_fftn_options::s.dim[0] = each, *this; }
    fftn_options &axes(const situ::axes &v) { return situ_fftn_options::axes = v, *this; }
    fftn_options &norm(situ_fft_norm v) { return situ_fftn_options::norm = v, *this; }
};
struct fftfreq_options : options<situ_fftfreq_options> {
    fftfreq_options &d(double v) { return situ_fftfreq_options::d = v, *this; }
    fftfreq_options &dtype(situ_dtype v) { return situ_fftfreq_options::dtype = v, *this; }
    fftfreq_options &device(situ_device v) { return situ_fftfreq_options::device = v, *this; }
};
inline tensor fft(operand x, const fft_options &o = {}) { return situ_fft(x.t, &o, x.at); }
inline tensor ifft(operand x, const fft_options &o = {}) { return situ_ifft(x.t, &o, x.at); }
inline tensor rfft(operand x, const fft_options &o = {}) { return situ_rfft(x.t, &o, x.at); }
inline tensor irfft(operand x, const fft_options &o = {}) { return situ_irfft(x.t, &o, x.at); }
inline tensor hfft(operand x, const fft_options &o = {}) { return situ_hfft(x.t, &o, x.at); }
inline tensor ihfft(operand x, const fft_options &o = {}) { return situ_ihfft(x.t, &o, x.at); }
inline tensor fftn(operand x, const fftn_options &o = {}) { return situ_fftn(x.t, &o, x.at); }
inline tensor ifftn(operand x, const fftn_options &o = {}) { return situ_ifftn(x.t, &o, x.at); }
inline tensor rfftn(operand x, const fftn_options &o = {}) { return situ_rfftn(x.t, &o, x.at); }
inline tensor irfftn(operand x, const fftn_options &o = {}) { return situ_irfftn(x.t, &o, x.at); }
inline tensor fftfreq(int64_t n, const fftfreq_options &o = {}, site at = {}) { return situ_fftfreq(n, &o, at); }
inline tensor rfftfreq(int64_t n, const fftfreq_options &o = {}, site at = {}) { return situ_rfftfreq(n, &o, at); }
inline tensor fftshift(operand x, const axes_options &o = {}) { return situ_fftshift(x.t, &o, x.at); }
inline tensor ifftshift(operand x, const axes_options &o = {}) { return situ_ifftshift(x.t, &o, x.at); }

} // namespace situ
#endif
