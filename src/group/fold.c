#include "group/fold.h"

#include <string.h>

#include "backend/cpu/kernel.h"
#include "base/memory.h"
#include "base/runtime.h"
#include "os/lock.h"
#include "tensor/dtype.h"

int situ_fold_joins(situ_root *root, int roots, int *at, situ_fold_join *out)
{
    int joins = 0, n = roots;
    for (int i = 0; i < n; i++) at[i] = i;
    /* level by level: two neighbours are added if they are the two halves of one block of this level */
    for (int64_t block = 2; n > 1; block *= 2) {
        int to = 0;
        for (int i = 0; i < n; i++, to++) {
            root[to] = root[i];
            at[to] = at[i];
            if (i + 1 == n || root[i].first / block != root[i + 1].first / block) continue;
            out[joins++] = (situ_fold_join){at[i], at[i + 1]};
            root[to].end = root[++i].end;
        }
        n = to;
    }
    return joins;
}

/* A cache of compiled kernels: compiling one takes longer than adding a few thousand elements. When it is full, calls
 * with other sizes compile their own. */
enum { KEPT = 32 };
static struct {
    int dtype, el;
    int64_t n;
    void *kernel;
} kept[KEPT];
static int keeps;
SITU_LOCK(kept_lock);

static void forget(void)
{
    for (int i = 0; i < keeps; i++) situ_cpu_kernel_free(kept[i].kernel);
    keeps = 0;
}

static bool is_kept(const void *kernel)
{
    bool found = false;
    situ_mutex_lock(&kept_lock);
    for (int i = 0; i < keeps && !found; i++) found = kept[i].kernel == kernel;
    situ_mutex_unlock(&kept_lock);
    return found;
}

static void *make(situ_dtype dtype, situ_el el, int64_t n);
static void *kernel_for(situ_dtype dtype, situ_el el, int64_t n)
{
    void *kernel = NULL;
    situ_mutex_lock(&kept_lock);
    for (int i = 0; i < keeps && !kernel; i++)
        if (kept[i].dtype == (int)dtype && kept[i].el == (int)el && kept[i].n == n) kernel = kept[i].kernel;
    bool found = kernel != NULL;
    if (!found && (kernel = make(dtype, el, n)) && keeps < KEPT && !situ_at_shutdown(SITU_END_POOL, forget)) {
        kept[keeps].dtype = (int)dtype;
        kept[keeps].el = (int)el;
        kept[keeps].n = n;
        kept[keeps++].kernel = kernel;
    }
    situ_mutex_unlock(&kept_lock);
    return kernel;
}

/* The kernel of out = el(a, b) for n elements, with the rounding of the elementwise operation. */
static void *make(situ_dtype dtype, situ_el el, int64_t n)
{
    situ_dtype wide = situ_dtype_compute(dtype);
    situ_fused g = {.ndim = 1, .dim = {n}, .ninstruction = 3, .nload = 2, .nstore = 1, .reduction = -1};
    for (int i = 0; i < 2; i++) {
        g.load[i] = (situ_load){(uint8_t)dtype, {1}};
        g.instruction[i] = (situ_instruction){.kind = SITU_DO_LOAD, .dtype = (uint8_t)dtype, .a = (uint8_t)i};
    }
    g.instruction[2] = (situ_instruction){
        .kind = SITU_DO_ELEMENT, .dtype = (uint8_t)dtype, .from = (uint8_t)wide, .a = 0, .b = 1, .el = (uint16_t)el};
    if (wide != dtype)
        g.instruction[g.ninstruction++] =
            (situ_instruction){.kind = SITU_DO_CAST, .dtype = (uint8_t)dtype, .from = (uint8_t)dtype, .a = 2};
    g.store[0].from_register = (uint8_t)(g.ninstruction - 1);
    g.store[0].dtype = (uint8_t)dtype;
    return situ_cpu_kernel_new(&(situ_kernel_desc){.name = situ_el_rows[el].name, .group = &g, .naddress = 3});
}

int situ_fold_compile(situ_folding *f, situ_dtype dtype, situ_el el, situ_site site)
{
    size_t size = situ_dtype_size(dtype), last = f->pieces ? situ_fold_length(f, f->pieces - 1) : 0;
    if (dtype == SITU_C64 || dtype == SITU_C128) { /* real and imaginary parts are added separately */
        dtype = dtype == SITU_C64 ? SITU_F32 : SITU_F64;
        size /= 2;
    }
    if (!f->pieces) return 0;
    if (f->joins && f->pieces > 1 && !(f->kernel[0] = kernel_for(dtype, el, (int64_t)(f->piece / size)))) return -situ_error_code;
    if (f->joins && !(f->kernel[1] = kernel_for(dtype, el, (int64_t)(last / size)))) return -situ_error_code;
    size_t rooms = (size_t)(f->pieces < f->window ? f->pieces : f->window) * (size_t)f->roots;
    situ_dev *d = situ_dev_open(situ_cpu(), site);
    f->scratch = d ? situ_buffer_new(d, rooms * (f->pieces > 1 ? f->piece : last), NULL, site) : NULL;
    return f->scratch ? 0 : -situ_error_code;
}

char *situ_fold_place(const situ_folding *f, int piece, int root)
{
    size_t each = f->pieces > 1 ? f->piece : f->bytes;
    return f->scratch->address + ((size_t)(piece % f->window) * (size_t)f->roots + (size_t)root) * each;
}

void situ_fold_next(situ_folding *f)
{
    int piece = f->done++;
    size_t at = (size_t)piece * f->piece;
    void *kernel = f->kernel[piece + 1 == f->pieces];
    for (int i = 0; i < f->roots; i++) f->now[i] = f->own[i] ? f->own[i] + at : situ_fold_place(f, piece, i);
    for (int i = 0; i < f->joins; i++) {
        int a = f->join[i].a, b = f->join[i].b;
        char *to = i + 1 == f->joins ? f->out + at : situ_fold_place(f, piece, a);
        char *address[3] = {to, f->now[a], f->now[b]};
        situ_cpu_kernel_run(kernel, address, NULL, NULL, false);
        f->now[a] = to;
    }
    if (!f->joins) memcpy(f->out + at, f->now[0], situ_fold_length(f, piece));
}

void situ_fold_free(situ_folding *f)
{
    for (int i = 0; i < 2; i++)
        if (f->kernel[i] && !is_kept(f->kernel[i])) situ_cpu_kernel_free(f->kernel[i]);
    situ_buffer_unref(f->scratch);
    situ_free(f->own);
}
