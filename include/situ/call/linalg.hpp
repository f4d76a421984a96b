// situ/linalg.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/linalg.h: change that.
#ifndef SITU_CALL_LINALG_HPP
#define SITU_CALL_LINALG_HPP

namespace situ {

struct cholesky_options : options<situ_cholesky_options> {
    cholesky_options &upper(bool v = true) { return situ_cholesky_options::upper = v, *this; }
};
struct triangular_options : options<situ_triangular_options> {
    triangular_options &upper(bool v = true) { return situ_triangular_options::upper = v, *this; }
    triangular_options &transposed(bool v = true) { return situ_triangular_options::transposed = v, *this; }
    triangular_options &unit_diagonal(bool v = true) { return situ_triangular_options::unit_diagonal = v, *this; }
};
struct lu_options : options<situ_lu_options> {
    lu_options &lower(situ_tensor **v) { return situ_lu_options::lower = v, *this; }
    lu_options &upper(situ_tensor **v) { return situ_lu_options::upper = v, *this; }
};
struct slogdet_options : options<situ_slogdet_options> {
    slogdet_options &log(situ_tensor **v) { return situ_slogdet_options::log = v, *this; }
};
struct qr_options : options<situ_qr_options> {
    qr_options &complete(bool v = true) { return situ_qr_options::complete = v, *this; }
    qr_options &r(situ_tensor **v) { return situ_qr_options::r = v, *this; }
};
struct eig_options : options<situ_eig_options> {
    eig_options &vectors(situ_tensor **v) { return situ_eig_options::vectors = v, *this; }
};
struct svd_options : options<situ_svd_options> {
    svd_options &full(bool v = true) { return situ_svd_options::full = v, *this; }
    svd_options &u(situ_tensor **v) { return situ_svd_options::u = v, *this; }
    svd_options &vh(situ_tensor **v) { return situ_svd_options::vh = v, *this; }
};
struct rank_options : options<situ_rank_options> {
    rank_options &rtol(double v) { return situ_rank_options::rtol = v, *this; }
};
struct lstsq_options : options<situ_lstsq_options> {
    lstsq_options &rtol(double v) { return situ_lstsq_options::rtol = v, *this; }
    lstsq_options &residuals(situ_tensor **v) { return situ_lstsq_options::residuals = v, *this; }
    lstsq_options &rank(situ_tensor **v) { return situ_lstsq_options::rank = v, *this; }
    lstsq_options &values(situ_tensor **v) { return situ_lstsq_options::values = v, *this; }
};
struct matrix_norm_options : options<situ_matrix_norm_options> {
    matrix_norm_options &order(situ_matrix_order v) { return situ_matrix_norm_options::order = v, *this; }
    matrix_norm_options &keepdims(bool v = true) { return situ_matrix_norm_options::keepdims = v, *this; }
    matrix_norm_options &ord(double v) { return situ_matrix_norm_options::ord = v, *this; }
};
struct matrix_cond_options : options<situ_matrix_cond_options> {
    matrix_cond_options &order(situ_matrix_order v) { return situ_matrix_cond_options::order = v, *this; }
    matrix_cond_options &ord(double v) { return situ_matrix_cond_options::ord = v, *this; }
};
inline tensor cholesky(operand x, const cholesky_options &o = {}) { return situ_cholesky(x.t, &o, x.at); }
inline tensor solve(operand a, operand b) { return situ_solve(a.t, b.t, a.at); }
inline tensor solve_triangular(operand a, operand b, const triangular_options &o = {})
{
    return situ_solve_triangular(a.t, b.t, &o, a.at);
}
inline tensor lu(operand x, const lu_options &o = {}) { return situ_lu(x.t, &o, x.at); }
inline tensor inv(operand x) { return situ_inv(x.t, x.at); }
inline tensor det(operand x) { return situ_det(x.t, x.at); }
inline tensor slogdet(operand x, const slogdet_options &o = {}) { return situ_slogdet(x.t, &o, x.at); }
inline tensor qr(operand x, const qr_options &o = {}) { return situ_qr(x.t, &o, x.at); }
inline tensor eigh(operand x, const eig_options &o = {}) { return situ_eigh(x.t, &o, x.at); }
inline tensor eig(operand x, const eig_options &o = {}) { return situ_eig(x.t, &o, x.at); }
inline tensor svd(operand x, const svd_options &o = {}) { return situ_svd(x.t, &o, x.at); }
inline tensor matrix_rank(operand x, const rank_options &o = {}) { return situ_matrix_rank(x.t, &o, x.at); }
inline tensor pinv(operand x, const rank_options &o = {}) { return situ_pinv(x.t, &o, x.at); }
inline tensor lstsq(operand a, operand b, const lstsq_options &o = {}) { return situ_lstsq(a.t, b.t, &o, a.at); }
inline tensor matrix_power(operand x, int64_t n) { return situ_matrix_power(x.t, n, x.at); }
inline tensor matrix_norm(operand x, const matrix_norm_options &o = {}) { return situ_matrix_norm(x.t, &o, x.at); }
inline tensor cond(operand x, const matrix_cond_options &o = {}) { return situ_cond(x.t, &o, x.at); }
inline tensor cross(operand a, operand b, const last_axis_options &o = {}) { return situ_cross(a.t, b.t, &o, a.at); }
inline tensor vecdot(operand a, operand b, const last_axis_options &o = {})
{
    return situ_vecdot(a.t, b.t, &o, a.at);
}
inline tensor tensordot(operand a, operand b, const situ::axes &axes_a, const situ::axes &axes_b)
{
    return situ_tensordot(a.t, b.t, axes_a, axes_b, a.at);
}

} // namespace situ
#endif
