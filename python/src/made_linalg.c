/* situ/linalg.h for Python. Made by scripts/generate.py from it: change that. */
#include "binding.h"

static const choice words_matrix_order[] = {{"frobenius", SITU_FROBENIUS}, {"nuclear", SITU_NUCLEAR}, {"induced", SITU_INDUCED}, {NULL, 0}};

MADE(cholesky)
{
    TAKE("cholesky", 2, 1, 1, {"x", "upper"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_cholesky_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.upper = arg_bool(c, 1, false);
    return call_end(c, c->failed ? NULL : (situ_cholesky)(x_, &o, c->site));
}

MADE(solve)
{
    TAKE("solve", 2, 2, 2, {"x1", "x2"}, {NULL});
    situ_tensor *a_ = arg_tensor(c, 0);
    situ_tensor *b_ = arg_tensor(c, 1);
    return call_end(c, c->failed ? NULL : (situ_solve)(a_, b_, c->site));
}

MADE(solve_triangular)
{
    TAKE("solve_triangular", 5, 2, 2, {"a", "b", "upper", "transposed", "unit_diagonal"}, {NULL});
    situ_tensor *a_ = arg_tensor(c, 0);
    situ_tensor *b_ = arg_tensor(c, 1);
    situ_triangular_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.upper = arg_bool(c, 2, false);
    o.transposed = arg_bool(c, 3, false);
    o.unit_diagonal = arg_bool(c, 4, false);
    return call_end(c, c->failed ? NULL : (situ_solve_triangular)(a_, b_, &o, c->site));
}

MADE(lu)
{
    TAKE("lu", 1, 1, 1, {"x"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *part[3] = {NULL};
    situ_lu_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .lower = &part[1], .upper = &part[2]};
    if (!c->failed) part[0] = (situ_lu)(x_, &o, c->site);
    return call_end_tuple(c, part, 3);
}

MADE(inv)
{
    TAKE("inv", 1, 1, 1, {"x"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    return call_end(c, c->failed ? NULL : (situ_inv)(x_, c->site));
}

MADE(det)
{
    TAKE("det", 1, 1, 1, {"x"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    return call_end(c, c->failed ? NULL : (situ_det)(x_, c->site));
}

MADE(slogdet)
{
    TAKE("slogdet", 1, 1, 1, {"x"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *part[2] = {NULL};
    situ_slogdet_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .log = &part[1]};
    if (!c->failed) part[0] = (situ_slogdet)(x_, &o, c->site);
    situ_tensor *named_part[] = {part[0], part[1]};
    return call_end_named(c, named_part, 2, "situ._made.linalg", "SlogdetResult");
}

MADE(qr)
{
    TAKE("qr", 2, 1, 2, {"x", "complete"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *part[2] = {NULL};
    situ_qr_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .r = &part[1]};
    o.complete = arg_bool(c, 1, false);
    if (!c->failed) part[0] = (situ_qr)(x_, &o, c->site);
    return call_end_tuple(c, part, 2);
}

MADE(eigh)
{
    TAKE("eigh", 1, 1, 1, {"x"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *part[2] = {NULL};
    situ_eig_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .vectors = &part[1]};
    if (!c->failed) part[0] = (situ_eigh)(x_, &o, c->site);
    situ_tensor *named_part[] = {part[0], part[1]};
    return call_end_named(c, named_part, 2, "situ._made.linalg", "EighResult");
}

MADE(eig)
{
    TAKE("eig", 1, 1, 1, {"x"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *part[2] = {NULL};
    situ_eig_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .vectors = &part[1]};
    if (!c->failed) part[0] = (situ_eig)(x_, &o, c->site);
    situ_tensor *named_part[] = {part[0], part[1]};
    return call_end_named(c, named_part, 2, "situ._made.linalg", "EigResult");
}

MADE(svd)
{
    TAKE("svd", 2, 1, 1, {"x", "full_matrices"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *part[3] = {NULL};
    situ_svd_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .u = &part[1], .vh = &part[2]};
    o.full = arg_bool(c, 1, true);
    if (!c->failed) part[0] = (situ_svd)(x_, &o, c->site);
    situ_tensor *named_part[] = {part[1], part[0], part[2]};
    return call_end_named(c, named_part, 3, "situ._made.linalg", "SVDResult");
}

MADE(matrix_rank)
{
    TAKE("matrix_rank", 2, 1, 2, {"x", "rtol"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_rank_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.rtol = arg_double(c, 1, -1);
    return call_end(c, c->failed ? NULL : (situ_matrix_rank)(x_, &o, c->site));
}

MADE(pinv)
{
    TAKE("pinv", 2, 1, 2, {"x", "rtol"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_rank_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.rtol = arg_double(c, 1, -1);
    return call_end(c, c->failed ? NULL : (situ_pinv)(x_, &o, c->site));
}

MADE(lstsq)
{
    TAKE("lstsq", 3, 2, 3, {"a", "b", "rtol"}, {NULL});
    situ_tensor *a_ = arg_tensor(c, 0);
    situ_tensor *b_ = arg_tensor(c, 1);
    situ_tensor *part[4] = {NULL};
    situ_lstsq_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .residuals = &part[1], .rank = &part[2], .values = &part[3]};
    o.rtol = arg_double(c, 2, -1);
    if (!c->failed) part[0] = (situ_lstsq)(a_, b_, &o, c->site);
    return call_end_tuple(c, part, 4);
}

MADE(matrix_power)
{
    TAKE("matrix_power", 2, 2, 2, {"x", "n"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    int64_t n_ = arg_int(c, 1, 0);
    return call_end(c, c->failed ? NULL : (situ_matrix_power)(x_, n_, c->site));
}

MADE(matrix_norm)
{
    TAKE("matrix_norm", 4, 1, 4, {"x", "order", "keepdims", "ord"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_matrix_norm_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.order = (situ_matrix_order)arg_word(c, 1, words_matrix_order, 0, "order");
    o.keepdims = arg_bool(c, 2, false);
    o.ord = arg_double(c, 3, 2);
    return call_end(c, c->failed ? NULL : (situ_matrix_norm)(x_, &o, c->site));
}

MADE(cond)
{
    TAKE("cond", 3, 1, 3, {"x", "order", "ord"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_matrix_cond_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.order = (situ_matrix_order)arg_word(c, 1, words_matrix_order, SITU_INDUCED, "order");
    o.ord = arg_double(c, 2, 2);
    return call_end(c, c->failed ? NULL : (situ_cond)(x_, &o, c->site));
}

MADE(cross)
{
    TAKE("cross", 3, 2, 2, {"x1", "x2", "axis"}, {NULL});
    situ_tensor *a_ = arg_tensor(c, 0);
    situ_tensor *b_ = arg_tensor(c, 1);
    situ_last_axis_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axis = arg_int32(c, 2, -1);
    return call_end(c, c->failed ? NULL : (situ_cross)(a_, b_, &o, c->site));
}

MADE(vecdot)
{
    TAKE("vecdot", 3, 2, 3, {"a", "b", "axis"}, {NULL});
    situ_tensor *a_ = arg_tensor(c, 0);
    situ_tensor *b_ = arg_tensor(c, 1);
    situ_last_axis_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axis = arg_int32(c, 2, -1);
    return call_end(c, c->failed ? NULL : (situ_vecdot)(a_, b_, &o, c->site));
}

MADE(tensordot)
{
    TAKE("tensordot", 4, 4, 4, {"a", "b", "axes_a", "axes_b"}, {NULL});
    situ_tensor *a_ = arg_tensor(c, 0);
    situ_tensor *b_ = arg_tensor(c, 1);
    situ_axes axes_a_ = arg_axes(c, 2);
    situ_axes axes_b_ = arg_axes(c, 3);
    return call_end(c, c->failed ? NULL : (situ_tensordot)(a_, b_, axes_a_, axes_b_, c->site));
}

PyMethodDef made_linalg_methods[] = {
    MADE_ROW(cholesky, cholesky,
        "cholesky(x, *, upper=False)\n--\n\nThe lower triangular L with x = L L^H, for a Hermitian positive "
        "definite x (only its lower triangle is read).\n\nupper: returns U with x = U^H U instead of L"),
    MADE_ROW(solve, solve,
        "solve(x1, x2)\n--\n\ny with a y = b, by LU factors with partial pivoting (a large triangular a by "
        "substitution alone); b[n] or b[..., n, k], leading\naxes broadcast."),
    MADE_ROW(solve_triangular, solve_triangular,
        "solve_triangular(a, b, *, upper=False, transposed=False, unit_diagonal=False)\n--\n\ny with a y = b for a "
        "triangular a, whose other triangle is not read.\n\nupper: reads the upper triangle of a instead of the "
        "lower one\ntransposed: solves a^T y = b instead\nunit_diagonal: takes a's diagonal as 1 instead of reading "
        "it"),
    MADE_ROW(lu, lu,
        "lu(x)\n--\n\nThe permutation matrix P [m, m] of x = P L U, with partial pivoting. Recorded column by "
        "column, so for at most some hundred\ncolumns; use solve for equations."),
    MADE_ROW(inv, inv,
        "inv(x)\n--\n\nx^-1."),
    MADE_ROW(det, det,
        "det(x)\n--\n\nThe determinant (0 for a singular matrix, whose gradient is an error)."),
    MADE_ROW(slogdet, slogdet,
        "slogdet(x)\n--\n\ndet / |det|, or 0."),
    MADE_ROW(qr, qr,
        "qr(x, complete=False)\n--\n\nQ with orthonormal columns, x = Q R, by Householder's reflections.\n\n"
        "complete: Q [m,m] and R [m,n] instead of [m,k] and [k,n], k = min(m, n); no gradient if m > n"),
    MADE_ROW(eigh, eigh,
        "eigh(x)\n--\n\nEigenvalues of a Hermitian matrix (its lower triangle is read), real, ascending: Jacobi's "
        "rotations, for large real\nones tridiagonal form, then divide and conquer for vectors, QL steps for values "
        "alone."),
    MADE_ROW(eig, eig,
        "eig(x)\n--\n\nEigenvalues of any square matrix, complex, in no order: Hessenberg form and the shifted QR "
        "iteration."),
    MADE_ROW(svd, svd,
        "svd(x, *, full_matrices=True)\n--\n\nSingular values, real, descending: one-sided Jacobi rotations.\n\n"
        "full_matrices: u [m,m] and vh [n,n] instead of [m,k] and [k,n], k = min(m, n); gradients by the additional "
        "vectors are ignored"),
    MADE_ROW(matrix_rank, matrix_rank,
        "matrix_rank(x, rtol=-1.0)\n--\n\nThe number of singular values above rtol times the largest, i64.\n\nrtol: "
        "at least 0; -1: max(m, n) times the epsilon of the dtype"),
    MADE_ROW(pinv, pinv,
        "pinv(x, rtol=-1.0)\n--\n\nThe pseudo-inverse; singular values up to rtol times the largest count as 0.\n\n"
        "rtol: at least 0; -1: max(m, n) times the epsilon of the dtype"),
    MADE_ROW(lstsq, lstsq,
        "lstsq(a, b, rtol=-1.0)\n--\n\nThe y with the least |a y - b|, and among those with the least |y|, by the "
        "pseudo-inverse: a [..., m, n] of any rank, b [m] or\n[..., m, k].\n\nrtol: as in pinv"),
    MADE_ROW(matrix_power, matrix_power,
        "matrix_power(x, n)\n--\n\nx^n by squaring; negative powers are powers of the inverse."),
    MADE_ROW(matrix_norm, matrix_norm,
        "matrix_norm(x, order='frobenius', keepdims=False, ord=2.0)\n--\n\nA norm over the last two axes, real.\n\n"
        "order: which norm\nkeepdims: keeps the two axes, with 1 element\nord: induced: largest (smallest) column "
        "sum for 1 (-1), row sum for inf (-inf), singular value for 2 (-2)"),
    MADE_ROW(cond, cond,
        "cond(x, order='induced', ord=2.0)\n--\n\nThe condition number: the norm of x times that of x^-1; for 2 "
        "(-2) the quotient of the largest and smallest singular value (or\nits inverse), also for a matrix that is "
        "not square or has no inverse (inf).\n\norder: which norm\nord: as in matrix_norm"),
    MADE_ROW(cross, cross,
        "cross(x1, x2, *, axis=-1)\n--\n\na x b for vectors of 3 along an axis (default: the last); others "
        "broadcast.\n\naxis: the axis; -1 is the last"),
    MADE_ROW(vecdot, vecdot,
        "vecdot(a, b, axis=-1)\n--\n\nsum conj(a) b along an axis (default: the last), counted from the end of "
        "both; others broadcast.\n\naxis: the axis; -1 is the last"),
    MADE_ROW(tensordot, tensordot,
        "tensordot(a, b, axes_a, axes_b)\n--\n\nSums of products over pairs of axes, a's axes[i] with b's axes[i]; "
        "the result has the other axes of a, then of b."),
    {NULL, NULL, 0, NULL}};
