/* What each statement is as a call of the library: transforms, linear algebra, recurrences, parts of complex numbers. */
#include "function_kinds.h"
#include "record.h"

RECORD(fft)
{
    static situ_tensor *(*const functions[])(situ_tensor *, const situ_fft_options *, situ_site) = {
        [T_FFT] = (situ_fft), [T_IFFT] = (situ_ifft), [T_RFFT] = (situ_rfft), [T_IRFFT] = (situ_irfft), [T_HFFT] = (situ_hfft), [T_IHFFT] = (situ_ihfft)};
    situ_fft_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .n = s->attr[0], .axis = (int32_t)s->attr[1], .norm = (int32_t)s->attr[2]};
    return functions[rows[s->row].variant](in[0], &o, site);
}

RECORD(linear_scan)
{
    situ_linear_scan_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .axis = (int32_t)s->attr[0], .reverse = s->attr[1], .dtype = SITU_DTYPE_DEFAULT};
    return (situ_linear_scan)(in[0], in[1], &o, site);
}

static situ_tensor *factor(const statement *s, situ_tensor *x, situ_site site)
{
    situ_tensor *other = NULL;
    situ_cholesky_options cholesky = {.size = sizeof cholesky, .unnamed = SITU_NAMED, .upper = s->attr[0]};
    situ_slogdet_options log = {.size = sizeof log, .unnamed = SITU_NAMED, .log = &other};
    situ_qr_options qr = {.size = sizeof qr, .unnamed = SITU_NAMED, .complete = s->attr[0], .r = &other};
    situ_eig_options eig = {.size = sizeof eig, .unnamed = SITU_NAMED, .vectors = &other};
    situ_svd_options svd = {.size = sizeof svd, .unnamed = SITU_NAMED, .full = s->attr[0]};
    int kind = rows[s->row].variant;
    if (kind == L_U) svd.u = &other;
    if (kind == L_VH) svd.vh = &other;
    switch (kind) {
    case L_CHOLESKY: return (situ_cholesky)(x, &cholesky, site);
    case L_SIGN: return (situ_slogdet)(x, NULL, site);
    case L_LOG: return (situ_slogdet)(x, &log, site), other;
    case L_Q: return (situ_qr)(x, &qr, site);
    case L_R: return (situ_qr)(x, &qr, site), other;
    case L_EIGH: return (situ_eigh)(x, NULL, site);
    case L_VECTORS: return (situ_eigh)(x, &eig, site), other;
    case L_SVD: return (situ_svd)(x, NULL, site);
    default: return (situ_svd)(x, &svd, site), other;
    }
}

RECORD(matrix)
{
    switch (rows[s->row].variant) {
    case L_SOLVE: return (situ_solve)(in[0], in[1], site);
    case L_INV: return (situ_inv)(in[0], site);
    case L_DET: return (situ_det)(in[0], site);
    case L_PINV: return (situ_pinv)(in[0], NULL, site);
    case L_RANK: return (situ_matrix_rank)(in[0], NULL, site);
    case L_POWER: return (situ_matrix_power)(in[0], s->attr[0], site);
    default: return factor(s, in[0], site);
    }
}

RECORD(part)
{
    situ_tensor *(*function)(situ_tensor *, situ_site) = rows[s->row].variant == 0 ? (situ_real) : rows[s->row].variant == 1 ? (situ_imag) : (situ_conj);
    return function(in[0], site);
}

RECORD(pair)
{
    (void)s;
    return (situ_complex)(in[0], in[1], site);
}
