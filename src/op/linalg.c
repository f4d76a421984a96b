/* Factorizations as operations. One with several results has a single packed result, of which the functions of
 * linalg.h return views. */
#include <situ/linalg.h>

#include <math.h>

#include "base/complex.h"
#include "base/memory.h"
#include "math/complex_number.h"
#include "math/f64.h"
#include "op/attr.h"
#include "op/host.h"
#include "numeric/lapack.h"
#include "op/linalg.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

enum { PRODUCT = SITU_DET_PRODUCT, PHASE = SITU_DET_PHASE, LOGARITHM = SITU_DET_LOGARITHM };
typedef situ_factor_attr factor_attr;

typedef struct job {
    const situ_call_desc *call;
    char *const *address;
    const situ_host *host;
    situ_dtype dtype;
    int64_t m, n, k; /* matrices are m by n; for solve: n by n and n by m */
    int what;
    size_t space; /* scratch elements for one matrix */
    void (*real)(const struct job *j, int64_t batch, double *space);
    void (*complex)(const struct job *j, int64_t batch, situ_complex_f64 *space);
} job;

static const char *in_of(const job *j, int operand, int64_t batch, int64_t count)
{
    return j->address[1 + operand] + (size_t)(batch * count) * situ_dtype_size((situ_dtype)j->call->in[operand].dtype);
}

static char *out_of(const job *j, int64_t batch, int64_t count)
{
    return j->address[0] + (size_t)(batch * count) * situ_dtype_size((situ_dtype)j->call->out.dtype);
}

static double size_of_real(double x) { return fabs(x); }
static double same(double x) { return x; }
#define T double
#define H float
#define NAME(f) f##_real
#define SIZE(x) size_of_real(x)
#define CONJ(x) same(x)
#include "numeric/linalg.inc"
#undef T
#undef H
#undef NAME
#undef SIZE
#undef CONJ
#define T situ_complex_f64
#define H float _Complex
#define NAME(f) f##_complex
#define SIZE(x) situ_hypot_f64(creal(x), cimag(x))
#define CONJ(x) conj(x)
#include "numeric/linalg.inc"

static void one_eig(const job *j, int64_t batch, situ_complex_f64 *a)
{
    int64_t n = j->n, total = j->what ? n * (n + 1) : n;
    situ_complex_f64 *v = a + n * n, *w = v + n * n, *work = w + n;
    for (int64_t i = 0; i < n * n; i++) {
        situ_c128 x = situ_element_get_c128(j->dtype, in_of(j, 0, batch, n * n) + (size_t)i * situ_dtype_size(j->dtype));
        a[i] = CMPLX(x.re, x.im);
    }
    if (!situ_factor_eig_complex(n, a, w, j->what ? v : NULL, work)) {
        for (int64_t i = 0; i < n * n; i++) v[i] = CMPLX(NAN, NAN);
        for (int64_t i = 0; i < n; i++) w[i] = CMPLX(NAN, NAN);
    }
    for (int64_t i = 0; j->what && i < n; i++) {
        for (int64_t k = 0; k < n; k++) work[i * (n + 1) + k] = v[i * n + k];
        work[i * (n + 1) + n] = w[i];
    }
    store_complex((situ_dtype)j->call->out.dtype, out_of(j, batch, total), total, j->what ? work : w);
}

/* ---- running --------------------------------------------------------------------------------------------------------- */

static void task(void *context, int64_t batch)
{
    const job *j = context;
    void *space = situ_malloc((j->space + 8) * (j->real ? sizeof(double) : sizeof(situ_complex_f64)));
    if (!space) {
        situ_fault_set(j->host->fault, SITU_NO_MEMORY, (int64_t)j->space, 0);
        return;
    }
    if (j->real) j->real(j, batch, space);
    else j->complex(j, batch, space);
    situ_free(space);
}

static void run_job(job *j, const situ_call_desc *c, char *const *address, const situ_host *h)
{
    int64_t batches = 1;
    j->call = c;
    j->address = address;
    j->host = h;
    j->dtype = (situ_dtype)c->in[0].dtype;
    if (c->attr) j->what = ((const factor_attr *)c->attr)->what;
    for (int i = 0; i < c->in[0].ndim - 2; i++) batches *= c->in[0].dim[i];
    if (situ_dtype_is_complex(j->dtype)) j->real = NULL;
    /* opened here, not in a task: a library may look at the affinity of the thread that opens it */
    if (j->n >= SITU_LAPACK_LEAST || j->m >= SITU_LAPACK_LEAST) situ_lapack_library();
    situ_host_for(h, task, j, batches);
}

static int64_t dim_of(const situ_call_desc *c, int operand, int back) { return c->in[operand].dim[c->in[operand].ndim - back]; }

static void host_cholesky(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    int64_t n = dim_of(c, 0, 1);
    job j = {.n = n, .space = (size_t)(n * n), .real = one_cholesky_real, .complex = one_cholesky_complex};
    run_job(&j, c, address, h);
}

static void host_solve(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    int64_t n = dim_of(c, 0, 1), m = dim_of(c, 1, 1);
    job j = {.n = n, .m = m, .space = (size_t)(n * n + n * m + n), .real = one_solve_real, .complex = one_solve_complex};
    run_job(&j, c, address, h);
}

static void host_det(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    int64_t n = dim_of(c, 0, 1);
    job j = {.n = n, .space = (size_t)(n * n + n), .real = one_det_real, .complex = one_det_complex};
    run_job(&j, c, address, h);
}

static void host_qr(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    int64_t m = dim_of(c, 0, 2), n = dim_of(c, 0, 1), k = m < n ? m : n;
    if (((const factor_attr *)c->attr)->what == SITU_FACTOR_FULL) k = m;
    job j = {.m = m,
        .n = n,
        .k = k,
        .space = (size_t)(m * n + m * k + k * n + 2 * n + k),
        .real = one_qr_real,
        .complex = one_qr_complex};
    run_job(&j, c, address, h);
}

static void host_eigh(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    int64_t n = dim_of(c, 0, 1);
    job j = {.n = n, .space = (size_t)(3 * n * n + 2 * n), .real = one_eigh_real, .complex = one_eigh_complex};
    run_job(&j, c, address, h);
}

static void host_svd(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    int64_t m = dim_of(c, 0, 2), n = dim_of(c, 0, 1), large = m > n ? m : n, small = m + n - large;
    job j = {.m = m,
        .n = n,
        .space = (size_t)(2 * large * small + 4 * large * large + 2 * small * small + 4 * (large + small) + 4),
        .real = one_svd_real,
        .complex = one_svd_complex};
    run_job(&j, c, address, h);
}

static void host_eig(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    int64_t n = dim_of(c, 0, 1);
    job j = {.n = n, .space = (size_t)(3 * n * n + 2 * n), .complex = one_eig};
    run_job(&j, c, address, h);
}

/* ---- shapes ---------------------------------------------------------------------------------------------------------- */

static int matrix_of(situ_infer *c, bool square)
{
    const situ_tensor *x = c->in[0];
    char text[SITU_BRIEF_TEXT];
    situ_dtype d = (situ_dtype)x->dtype;
    if (d != SITU_F32 && d != SITU_F64 && !situ_dtype_is_complex(d))
        return situ_fail(SITU_BAD_DTYPE, c->site,
            "%s: no rule for %s; write " SITU_SAY("situ_cast(x, SITU_F32)", "x.astype(\"float32\")"), c->op->name,
            situ_dtype_name(d));
    if (x->ndim < 2)
        return situ_fail(
            SITU_BAD_SHAPE, c->site, "%s: x must be a matrix or a batch of them, not %s", c->op->name, situ_brief(x, text));
    if (square && x->dim[x->ndim - 1] != x->dim[x->ndim - 2])
        return situ_fail(
            SITU_BAD_SHAPE, c->site, "%s: x must be square in its last two axes, not %s", c->op->name, situ_brief(x, text));
    return situ_infer_same(c);
}

static int what_of(const situ_infer *c) { return ((const factor_attr *)c->attr)->what; }

static int infer_square(situ_infer *c) { return matrix_of(c, true); }

static int infer_solve(situ_infer *c)
{
    const situ_tensor *a = c->in[0], *b = c->in[1];
    int failed = matrix_of(c, true);
    if (failed) return failed;
    char x[SITU_BRIEF_TEXT], y[SITU_BRIEF_TEXT];
    if (b->ndim != a->ndim || b->dim[b->ndim - 2] != a->dim[a->ndim - 1])
        return situ_fail(SITU_BAD_SHAPE, c->site, "%s: b (%s) has not as many rows as a (%s) has columns", c->op->name,
            situ_brief(b, y), situ_brief(a, x));
    c->dim[c->ndim - 1] = b->dim[b->ndim - 1];
    return 0;
}

static int infer_det(situ_infer *c)
{
    int failed = matrix_of(c, true);
    if (failed) return failed;
    c->ndim -= 2;
    if (what_of(c) == LOGARITHM) c->dtype = situ_dtype_real(c->dtype);
    return 0;
}

static int infer_qr(situ_infer *c)
{
    int failed = matrix_of(c, false);
    if (failed) return failed;
    int64_t m = c->dim[c->ndim - 2], n = c->dim[c->ndim - 1], k = m < n || what_of(c) == SITU_FACTOR_FULL ? m : n;
    c->dim[c->ndim - 2] = m * k + k * n;
    c->ndim--;
    return 0;
}

/* eigh and eig: eigenvalues only, or one more column. */
static int infer_eigen(situ_infer *c)
{
    int failed = matrix_of(c, true);
    if (failed) return failed;
    if (c->op == &situ_op_eig) c->dtype = situ_dtype_complex(c->dtype);
    else if (!what_of(c)) c->dtype = situ_dtype_real(c->dtype);
    if (what_of(c)) c->dim[c->ndim - 1]++;
    else c->ndim--;
    return 0;
}

static int infer_svd(situ_infer *c)
{
    int failed = matrix_of(c, false);
    if (failed) return failed;
    int64_t m = c->dim[c->ndim - 2], n = c->dim[c->ndim - 1], k = m < n ? m : n;
    if (!what_of(c)) c->dtype = situ_dtype_real(c->dtype);
    c->dim[c->ndim - 2] = !what_of(c) ? k : what_of(c) == SITU_FACTOR_FULL ? m * m + k + n * n : m * k + k + k * n;
    c->ndim--;
    return 0;
}

/* ---- gradients, in JAX's convention without conjugation ---------------------------------------------------------------- */

situ_tensor *situ_linalg_adjoint(situ_tensor *x, situ_site site) { return situ_conj(situ_transpose(x)); }

/* With G = conj(g): conj of the Hermitian part of L^-H phi(L^H G) L^-1, where phi takes the lower triangle with half
 * the diagonal. */
static void vjp_cholesky(situ_vjp *c)
{
    situ_site site = c->site;
    situ_tensor *up = situ_linalg_adjoint(c->y, site), *s = situ_matmul(up, situ_conj(c->g));
    int64_t n = c->y->dim[c->y->ndim - 1];
    situ_tensor *half = situ_mul(situ_eye(n, .dtype = situ_dtype_real((situ_dtype)c->y->dtype), .device = c->y->device), 0.5);
    s = situ_sub(situ_tril(s, 0), situ_mul(s, half));
    situ_tensor *left = situ_solve(up, s), *whole = situ_linalg_adjoint(situ_solve(up, situ_linalg_adjoint(left, site)), site);
    c->out[0] = situ_conj(situ_mul(situ_add(whole, situ_linalg_adjoint(whole, site)), 0.5));
}

/* x = a^-1 b: the gradient by b is a^-T g; the one by a is minus that times x^T. */
static void vjp_solve(situ_vjp *c)
{
    situ_site site = c->site;
    situ_tensor *by_b = situ_solve(situ_transpose(c->in[0]), c->g);
    c->out[1] = by_b;
    if (c->need[0]) c->out[0] = situ_negative(situ_matmul(by_b, situ_transpose(c->y)));
}

/* y = x^-1: the gradient is -y^T g y^T. */
static void vjp_inv(situ_vjp *c)
{
    situ_site site = c->site;
    situ_tensor *up = situ_transpose(c->y);
    c->out[0] = situ_negative(situ_matmul(situ_matmul(up, c->g), up));
}

/* As for solve, restricted to the elements of a that are read. */
static void vjp_solve_triangular(situ_vjp *c)
{
    situ_site site = c->site;
    int what = ((const factor_attr *)situ_node_attr(c->y))->what;
    bool upper = what & SITU_TRIANGLE_UPPER, unit = what & SITU_TRIANGLE_UNIT;
    situ_tensor *by_b = situ_solve_triangular(c->in[0], c->g, .upper = upper, .transposed = true, .unit_diagonal = unit);
    c->out[1] = by_b;
    if (!c->need[0]) return;
    situ_tensor *whole = situ_negative(situ_matmul(by_b, situ_transpose(c->y)));
    c->out[0] = upper ? situ_triu(whole, unit) : situ_tril(whole, -(int64_t)unit);
}

/* The gradient of det has its cofactors; that of log|det| is a^-T. A real sign is constant; a complex phase p has
 * gradient i Im(p g) a^-T. */
static void vjp_det(situ_vjp *c)
{
    situ_site site = c->site;
    situ_tensor *g = situ_reshape(c->g, situ_shape_like(c->g)), *x = c->in[0];
    int what = ((const factor_attr *)situ_node_attr(c->y))->what;
    if (what == PHASE && !situ_dtype_is_complex((situ_dtype)x->dtype)) return;
    if (what == PHASE) g = situ_imag(situ_mul(g, c->y)), g = situ_complex(situ_mul(g, 0), g);
    situ_shape shape = situ_shape_like(c->g);
    shape.dim[shape.ndim++] = 1;
    shape.dim[shape.ndim++] = 1;
    situ_tensor *by_x = what == PRODUCT ? situ_linalg_cofactors(x, situ_reshape(c->y, shape), site) : situ_transpose(situ_inv(x));
    c->out[0] = situ_mul(situ_reshape(g, shape), by_x);
}

#define CALL_(id, ...) \
    const situ_op situ_op_##id = {.name = #id, .family = SITU_CALL, .operands = "x", .can_fail = true, __VA_ARGS__}
CALL_(cholesky, .infer = infer_square, .host = host_cholesky, .vjp = vjp_cholesky, .reads = {SITU_READS_RESULT});
CALL_(solve, .infer = infer_solve, .host = host_solve, .vjp = vjp_solve, .reads = {SITU_READS_A | SITU_READS_RESULT, SITU_READS_A});

/* Identity matrices for solving, where the device has no operation of its own. */
static situ_tensor *identity_of(const situ_tensor *x, situ_site site)
{
    return situ_eye(x->dim[x->ndim - 1], .dtype = (situ_dtype)x->dtype, .device = x->device);
}

static situ_tensor *expand_inv(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    (void)nin, (void)attr;
    return situ_solve(in[0], identity_of(in[0], site));
}

static situ_tensor *expand_solve_triangular(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    (void)nin;
    int what = ((const factor_attr *)attr)->what;
    int64_t strict = (what & SITU_TRIANGLE_UNIT) != 0;
    situ_tensor *part = what & SITU_TRIANGLE_UPPER ? situ_triu(in[0], strict) : situ_tril(in[0], -strict);
    return situ_solve(strict ? situ_add(part, identity_of(in[0], site)) : part, in[1]);
}

const situ_op situ_op_inv = {.name = "inv",
    .family = SITU_COMPOSITE,
    .operands = "x",
    .can_fail = true,
    .infer = infer_square,
    .vjp = vjp_inv,
    .reads = {SITU_READS_RESULT},
    .expand = expand_inv};
const situ_op situ_op_solve_triangular = {.name = "solve_triangular",
    .family = SITU_COMPOSITE,
    .operands = "a, b",
    .can_fail = true,
    .infer = infer_solve,
    .vjp = vjp_solve_triangular,
    .reads = {SITU_READS_A | SITU_READS_RESULT, SITU_READS_A},
    .expand = expand_solve_triangular};
CALL_(det, .infer = infer_det, .host = host_det, .vjp = vjp_det, .reads = {SITU_READS_A | SITU_READS_RESULT});
CALL_(qr, .infer = infer_qr, .host = host_qr, .vjp = situ_vjp_qr, .reads = {SITU_READS_A | SITU_READS_RESULT});
CALL_(eigh, .infer = infer_eigen, .host = host_eigh, .vjp = situ_vjp_eigh, .reads = {SITU_READS_A | SITU_READS_RESULT});
CALL_(svd, .infer = infer_svd, .host = host_svd, .vjp = situ_vjp_svd, .reads = {SITU_READS_A | SITU_READS_RESULT});
CALL_(eig, .infer = infer_eigen, .host = host_eig, .vjp = situ_vjp_eig, .reads = {SITU_READS_A | SITU_READS_RESULT});

/* ---- public functions --------------------------------------------------------------------------------------------- */

situ_tensor *situ_linalg_factor(const situ_op *op, situ_tensor *x, int what, situ_site site)
{
    factor_attr attr = {.what = what};
    if (!situ_usable(&x, 1, op->name, site)) return situ_poisoned();
    if (!situ_is_number(x)) x = situ_cast(x, situ_as_float((situ_dtype)x->dtype));
    return situ_apply1(op, x, &attr, sizeof attr, site);
}

int situ_linalg_what(const situ_tensor *y) { return ((const factor_attr *)situ_node_attr(y))->what; }

situ_tensor *situ_linalg_columns(situ_tensor *x, int64_t first, int64_t stop, situ_site site)
{
    situ_shape from = {.ndim = x->ndim}, to = from;
    for (int i = 0; i < x->ndim; i++) from.dim[i] = to.dim[i] = SITU_FULL;
    from.dim[x->ndim - 1] = first;
    to.dim[x->ndim - 1] = stop;
    return situ_slice(x, .start = from, .stop = to);
}

situ_tensor *situ_linalg_unpack(situ_tensor *packed, int64_t *first, int64_t rows, int64_t columns, situ_site site)
{
    if (!situ_usable(&packed, 1, "linalg", site)) return situ_poisoned();
    situ_shape shape = situ_shape_like(packed);
    int64_t count = columns < 0 ? rows : rows * columns;
    situ_tensor *part = situ_linalg_columns(packed, *first, *first + count, site);
    *first += count;
    if (columns < 0) return part;
    shape.dim[shape.ndim - 1] = rows;
    shape.dim[shape.ndim++] = columns;
    return situ_reshape(part, shape);
}

situ_tensor *(situ_cholesky)(situ_tensor *x, const situ_cholesky_options *options, situ_site site)
{
    SITU_SPEAK("cholesky", site);
    situ_cholesky_options o = {SITU_DEFAULTS(SITU_CHOLESKY_DEFAULTS)};
    if (!SITU_TAKE_OPTIONS(o, options, "cholesky", site)) return situ_poisoned();
    situ_tensor *lower = situ_linalg_factor(&situ_op_cholesky, x, 0, site);
    return o.upper ? situ_linalg_adjoint(lower, site) : lower;
}

/* Converts a and b to one dtype and the same leading axes; a vector b becomes a matrix. */
static bool take_equations(situ_tensor **in, bool *vector, const char *operation, situ_site site)
{
    if (!situ_together(in, 2, operation, "a, b", site)) return false;
    situ_tensor *a = in[0], *b = in[1];
    if (situ_is_number(a) || situ_is_number(b) || a->ndim < 2 || !b->ndim) {
        char x[SITU_BRIEF_TEXT], y[SITU_BRIEF_TEXT];
        return situ_fail(SITU_BAD_SHAPE, site, "%s: a must be a matrix and b a vector or a matrix, not %s and %s", operation,
                   situ_brief(a, x), situ_brief(b, y)),
               false;
    }
    situ_dtype dtype = situ_as_float(situ_dtype_promote((situ_dtype)a->dtype, (situ_dtype)b->dtype));
    *vector = b->ndim == 1;
    if (*vector) b = situ_expand_dims(b, 1);
    if (!situ_usable(&b, 1, operation, site)) return false;
    situ_shape batch = {0}, left, right;
    batch.ndim = situ_shape_broadcast(site, operation, a->ndim - 2, a->dim, b->ndim - 2, b->dim, batch.dim);
    if (batch.ndim < 0 || batch.ndim + 2 > SITU_MAX_DIMS) return false;
    left = right = batch;
    for (int i = 2; i > 0; i--) {
        left.dim[left.ndim++] = a->dim[a->ndim - i];
        right.dim[right.ndim++] = b->dim[b->ndim - i];
    }
    in[0] = situ_broadcast_to(situ_cast(a, dtype), left);
    in[1] = situ_broadcast_to(situ_cast(b, dtype), right);
    return true;
}

situ_tensor *(situ_solve)(situ_tensor *a, situ_tensor *b, situ_site site)
{
    SITU_SPEAK("solve", site);
    situ_tensor *in[] = {a, b};
    bool vector;
    if (!take_equations(in, &vector, "solve", site)) return situ_poisoned();
    situ_tensor *y = situ_apply(&situ_op_solve, in, 2, NULL, 0, NULL, 0, site);
    return vector ? situ_squeeze(y, .axes = AXES(-1)) : y;
}

situ_tensor *(situ_solve_triangular)(situ_tensor *a, situ_tensor *b, const situ_triangular_options *options, situ_site site)
{
    SITU_SPEAK("solve_triangular", site);
    situ_triangular_options o = {SITU_DEFAULTS(SITU_TRIANGULAR_DEFAULTS)};
    situ_tensor *in[] = {a, b};
    bool vector;
    if (!take_equations(in, &vector, "solve_triangular", site) || !SITU_TAKE_OPTIONS(o, options, "solve_triangular", site))
        return situ_poisoned();
    bool upper = o.upper != o.transposed;
    factor_attr attr = {.what = (upper ? SITU_TRIANGLE_UPPER : 0) | (o.unit_diagonal ? SITU_TRIANGLE_UNIT : 0)};
    if (o.transposed) in[0] = situ_matrix_transpose(in[0]);
    situ_tensor *y = situ_apply(&situ_op_solve_triangular, in, 2, &attr, sizeof attr, NULL, 0, site);
    return vector ? situ_squeeze(y, .axes = AXES(-1)) : y;
}

situ_tensor *(situ_inv)(situ_tensor *x, situ_site site)
{
    SITU_SPEAK("inv", site);
    if (!situ_usable(&x, 1, "inv", site)) return situ_poisoned();
    if (situ_is_number(x) || x->ndim < 2 || x->dim[x->ndim - 1] != x->dim[x->ndim - 2]) {
        char text[SITU_BRIEF_TEXT];
        situ_fail(SITU_BAD_SHAPE, site, "inv: x must be square in its last two axes, not %s", situ_brief(x, text));
        return situ_poisoned();
    }
    return situ_linalg_factor(&situ_op_inv, x, 0, site);
}

situ_tensor *(situ_det)(situ_tensor *x, situ_site site) { return situ_linalg_factor(&situ_op_det, x, PRODUCT, site); }

situ_tensor *(situ_slogdet)(situ_tensor *x, const situ_slogdet_options *options, situ_site site)
{
    SITU_SPEAK("slogdet", site);
    situ_slogdet_options o = {SITU_DEFAULTS(SITU_SLOGDET_DEFAULTS)};
    if (!SITU_TAKE_OPTIONS(o, options, "slogdet", site)) return situ_poisoned();
    if (o.log) *o.log = situ_linalg_factor(&situ_op_det, x, LOGARITHM, site);
    return situ_linalg_factor(&situ_op_det, x, PHASE, site);
}

situ_tensor *(situ_qr)(situ_tensor *x, const situ_qr_options *options, situ_site site)
{
    SITU_SPEAK("qr", site);
    situ_qr_options o = {SITU_DEFAULTS(SITU_QR_DEFAULTS)};
    if (!SITU_TAKE_OPTIONS(o, options, "qr", site)) return situ_poisoned();
    if (o.r) *o.r = situ_poisoned();
    situ_tensor *packed = situ_linalg_factor(&situ_op_qr, x, o.complete ? SITU_FACTOR_FULL : SITU_FACTOR_REDUCED, site);
    if (packed->flags & SITU_NODE_POISON) return packed;
    int64_t m = x->dim[x->ndim - 2], n = x->dim[x->ndim - 1], k = o.complete || m < n ? m : n, first = 0;
    situ_tensor *q = situ_linalg_unpack(packed, &first, m, k, site);
    if (o.r) *o.r = situ_linalg_unpack(packed, &first, k, n, site);
    return q;
}

static situ_tensor *eigen(const situ_op *op, situ_tensor *x, const situ_eig_options *options, situ_site site)
{
    situ_eig_options o = {SITU_DEFAULTS(SITU_EIG_DEFAULTS)};
    if (!SITU_TAKE_OPTIONS(o, options, op->name, site)) return situ_poisoned();
    if (!o.vectors) return situ_linalg_factor(op, x, SITU_FACTOR_VALUES, site);
    *o.vectors = situ_poisoned();
    situ_tensor *packed = situ_linalg_factor(op, x, SITU_FACTOR_REDUCED, site);
    if (packed->flags & SITU_NODE_POISON) return packed;
    int64_t n = packed->dim[packed->ndim - 2], first = 0;
    *o.vectors = situ_linalg_unpack(packed, &first, n, -1, site);
    situ_tensor *values = situ_select(packed, -1, n);
    return op == &situ_op_eigh ? situ_real(values) : values;
}

situ_tensor *(situ_eigh)(situ_tensor *x, const situ_eig_options *options, situ_site site)
{
    return eigen(&situ_op_eigh, x, options, site);
}
situ_tensor *(situ_eig)(situ_tensor *x, const situ_eig_options *options, situ_site site)
{
    return eigen(&situ_op_eig, x, options, site);
}

situ_tensor *(situ_svd)(situ_tensor *x, const situ_svd_options *options, situ_site site)
{
    SITU_SPEAK("svd", site);
    situ_svd_options o = {SITU_DEFAULTS(SITU_SVD_DEFAULTS)};
    if (!SITU_TAKE_OPTIONS(o, options, "svd", site)) return situ_poisoned();
    if (o.u) *o.u = situ_poisoned();
    if (o.vh) *o.vh = situ_poisoned();
    if (!o.u && !o.vh) return situ_linalg_factor(&situ_op_svd, x, SITU_FACTOR_VALUES, site);
    situ_tensor *packed = situ_linalg_factor(&situ_op_svd, x, o.full ? SITU_FACTOR_FULL : SITU_FACTOR_REDUCED, site);
    if (packed->flags & SITU_NODE_POISON) return packed;
    int64_t m = x->dim[x->ndim - 2], n = x->dim[x->ndim - 1], k = m < n ? m : n, first = 0;
    situ_tensor *u = situ_linalg_unpack(packed, &first, m, o.full ? m : k, site),
                *s = situ_linalg_unpack(packed, &first, k, -1, site);
    if (o.u) *o.u = u;
    if (o.vh) *o.vh = situ_linalg_unpack(packed, &first, o.full ? n : k, n, site);
    return situ_real(s);
}
