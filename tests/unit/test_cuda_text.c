/* Every kernel that the generator can make is CUDA C: NVRTC compiles it for each architecture, where the library is there
 * (from the CUDA toolkit, or SITU_NVRTC=/path/libnvrtc.so.12, as in the package nvidia-cuda-nvrtc). Nothing is run. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "codegen/call_text.h"
#include "codegen/group_text.h"
#include "op/attr.h"
#include "op/conv.h"
#include "op/pool.h"
#include "op/table.h"
#include "support/bulk_group.h"
#include "test.h"

static const char *const architectures[] = {"sm_75", "sm_80", "sm_90", "sm_100"};

static struct {
    void *library;
    int (*nvrtcCreateProgram)(void **program, const char *text, const char *name, int headers, const char **header, const char **include);
    int (*nvrtcCompileProgram)(void *program, int options, const char *const *option);
    int (*nvrtcGetProgramLogSize)(void *program, size_t *size);
    int (*nvrtcGetProgramLog)(void *program, char *log);
    int (*nvrtcDestroyProgram)(void **program);
} nvrtc;

static void find(void *function, const char *name)
{
    void *symbol = dlsym(nvrtc.library, name);
    CHECK(symbol != NULL);
    memcpy(function, &symbol, sizeof symbol);
}
#define FIND(name) find(&nvrtc.name, #name)

static void need_nvrtc(void)
{
    const char *names[] = {getenv("SITU_NVRTC"), "libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so"};
    for (size_t i = 0; i < sizeof names / sizeof *names && !nvrtc.library; i++)
        if (names[i] && *names[i]) nvrtc.library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!nvrtc.library) SKIP("no NVRTC library: install the CUDA toolkit or set SITU_NVRTC");
    FIND(nvrtcCreateProgram);
    FIND(nvrtcCompileProgram);
    FIND(nvrtcGetProgramLogSize);
    FIND(nvrtcGetProgramLog);
    FIND(nvrtcDestroyProgram);
}

static bool compile_for(const char *text, const char *name, const char *architecture)
{
    void *program = NULL;
    char arch[64];
    snprintf(arch, sizeof arch, "--gpu-architecture=%s", architecture);
    const char *options[] = {arch, "--fmad=false", "--prec-div=true", "--prec-sqrt=true", "--ftz=false", "-w"};
    if (!CHECK_EQ(nvrtc.nvrtcCreateProgram(&program, text, "kernel.cu", 0, NULL, NULL), 0)) return false;
    int code = nvrtc.nvrtcCompileProgram(program, sizeof options / sizeof *options, options);
    size_t size = 0;
    nvrtc.nvrtcGetProgramLogSize(program, &size);
    char *log = calloc(1, size + 1);
    if (log) nvrtc.nvrtcGetProgramLog(program, log);
    if (!CHECK_EQ(code, 0)) printf("  %s for %s:\n%.1500s\n", name, architecture, log ? log : "");
    free(log);
    nvrtc.nvrtcDestroyProgram(&program);
    return code == 0;
}

static void compile(char *text, const char *name)
{
    if (!CHECK(text != NULL)) return;
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++)
        if (!compile_for(text, name, architectures[i])) break;
    situ_free(text);
}

/* ---------------------------------------------------------------- groups: many to a program */

typedef struct bundle { situ_text text; int count; } bundle;

static void add(bundle *b, const situ_group *g)
{
    char name[16];
    snprintf(name, sizeof name, "k%d", b->count++);
    char *text = situ_group_text(g, name, &situ_dialect_cuda);
    if (CHECK(text != NULL)) situ_text_append(&b->text, text);
    situ_free(text);
}

TEST(every_operation_cast_and_reduction_compiles)
{
    static const situ_dtype dtypes[] = {SITU_BOOL, SITU_U32, SITU_U64, SITU_I32, SITU_I64, SITU_F32, SITU_F64};
    need_nvrtc();
    random_state s = {31};
    bundle b = {.count = 0};
    for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
        situ_group g = bulk_group(&s, dtypes[k]);
        for (int el = 0; el < SITU_EL_COUNT; el++) {
            if (!situ_el_takes((situ_el)el, dtypes[k])) continue;
            bulk_operation(&g, el, dtypes[k]);
            if (g.nstore < 40) continue;
            add(&b, &g);
            g = bulk_group(&s, dtypes[k]);
        }
        if (g.nstore) add(&b, &g);
    }
    for (int first = 0; first < SITU_DTYPES; first += 4) {
        situ_group g = bulk_casts(&s, first);
        add(&b, &g);
    }
    for (size_t k = 0; k < sizeof bulk_folds / sizeof *bulk_folds; k++) {
        situ_group g = fold_group(&s, bulk_folds[k].fold, bulk_folds[k].d, bulk_folds[k].A, bulk_folds[k].R, bulk_folds[k].C);
        add(&b, &g);
    }
    situ_group g = bulk_bits(5001);
    add(&b, &g);
    for (int i = 0; i < 20; i++) {
        g = random_group(&s);
        add(&b, &g);
    }
    compile(situ_text_take(&b.text), "groups");
    CHECK_OK();
}

/* x - sum(x) along rows: the sum is the program's own. */
TEST(a_row_program_compiles)
{
    need_nvrtc();
    random_state s = {32};
    situ_group sum = fold_group(&s, SITU_FOLD_SUM, SITU_F32, 64, 3000, 1), rest = small_group(64, 3000);
    situ_instruction in = {.kind = SITU_DO_ELEMENT, .el = SITU_EL_sub, .from = SITU_F32, .dtype = SITU_F32};
    in.a = (uint8_t)add_contiguous(&s, &rest, SITU_F32);
    in.b = (uint8_t)add_contiguous(&s, &rest, SITU_F32);
    rest.load[1].stride[0] = 1;
    rest.load[1].stride[1] = 0;
    store_that(&rest, in);
    static const int16_t first[] = {-1, 0}, second[] = {1, 0, -1};
    const situ_sweep sweep = {.rows = 64, .nstage = 2, .nlocal = 1, .local = {4},
                              .stage = {{&sum, 3000, 2, 0, first}, {&rest, 3000, 3, 0, second}}};
    compile(situ_sweep_text(&sweep, 3, 0, "k", &situ_dialect_cuda), "row program");
    CHECK_OK();
}

/* ---------------------------------------------------------------- structured operations */

static situ_layout layout(situ_dtype d, int ndim, const int64_t *dim)
{
    situ_layout l = {.dtype = (uint8_t)d, .ndim = (uint8_t)ndim};
    memcpy(l.dim, dim, 8 * (size_t)ndim);
    situ_shape_strides(ndim, dim, l.stride);
    return l;
}
#define L(d, ...) layout(d, sizeof((int64_t[]){__VA_ARGS__}) / 8, (int64_t[]){__VA_ARGS__})

static const char *called[64];
static int calls;

static bool was_called(const char *name)
{
    for (int i = 0; i < calls; i++)
        if (!strcmp(called[i], name)) return true;
    return false;
}

static void call(const situ_op *op, const void *attr, int words, situ_layout out, situ_layout a, situ_layout b, situ_layout c, int nin)
{
    situ_layout in[3] = {a, b, c};
    situ_call_desc d = {.op = op, .attr = attr, .nin = nin, .out = out, .in = in};
    situ_passes passes;
    if (!was_called(op->name)) called[calls++] = op->name;
    if (!CHECK(situ_call_passes(&d, &situ_dialect_cuda, &passes))) printf("  %s\n", op->name);
    else compile(situ_call_text(&d, words, "k", &situ_dialect_cuda), op->name);
}

TEST(every_structured_operation_compiles)
{
    need_nvrtc();
    const situ_axis_attr axis = {.axis = 1}, flag = {.axis = 1, .flag = 1};
    const situ_layout x = L(SITU_F32, 4, 9), i = L(SITU_I64, 4, 5), v = L(SITU_F32, 4, 5), none = {0}, h = L(SITU_F16, 4, 9);
    call(&situ_op_take, &axis, 0, L(SITU_F32, 4, 4, 5), x, i, none, 2);
    call(&situ_op_gather, &axis, 0, v, x, i, none, 2);
    call(&situ_op_scatter, &axis, 0, x, x, i, v, 3);
    call(&situ_op_scatter_add, &axis, 0, x, x, i, v, 3);
    call(&situ_op_index_add, &axis, 0, L(SITU_C64, 4, 9), L(SITU_C64, 4, 9), L(SITU_U64, 5), L(SITU_C64, 4, 5), 3);
    const situ_place_attr place = {.dim = {8, 20}, .step = {1, 2}, .floating = 1};
    call(&situ_op_place, &place, 3, L(SITU_F16, 8, 20), h, none, none, 1);
    call(&situ_op_update_slice, NULL, 2, x, x, L(SITU_F32, 2, 3), none, 2);
    call(&situ_op_concat, &axis.axis, 0, L(SITU_F32, 4, 14), x, v, none, 2);
    for (int d = 0; d < SITU_DTYPES; d++) call(&situ_op_matmul, NULL, 0, L((situ_dtype)d, 3, 40, 50), L((situ_dtype)d, 3, 40, 300), L((situ_dtype)d, 300, 50), none, 2);
    call(&situ_op_argmax, &axis, 0, L(SITU_I64, 4), x, none, none, 1);
    call(&situ_op_argmin, &axis, 0, L(SITU_I64, 4), h, none, none, 1);
    call(&situ_op_argsort, &axis, 0, L(SITU_I64, 4, 9), L(SITU_I32, 4, 9), none, none, 1);
    call(&situ_op_argsort, &flag, 0, L(SITU_I64, 4, 9), x, none, none, 1);
    call(&situ_op_searchsorted, &axis, 0, L(SITU_I64, 4, 5), L(SITU_F32, 7), v, none, 2);
    call(&situ_op_cumsum, &flag, 0, x, x, none, none, 1);
    call(&situ_op_cumprod, &axis, 0, L(SITU_I32, 4, 9), L(SITU_I32, 4, 9), none, none, 1);
    call(&situ_op_linear_scan, &axis, 0, L(SITU_C128, 4, 9), L(SITU_C128, 4, 9), L(SITU_C128, 4, 9), none, 2);
    call(&situ_op_fold_in, NULL, 0, L(SITU_U32, 2), L(SITU_U32, 2), L(SITU_U32, 1), none, 2);
    const situ_pool_attr pool = {.size = {2, 2}, .stride = {2, 2}, .image = {6, 8}};
    const situ_layout image = L(SITU_F32, 2, 3, 6, 8), pooled = L(SITU_F32, 2, 3, 3, 4);
    call(&situ_op_max_take, &pool, 0, pooled, image, image, none, 2);
    call(&situ_op_max_put, &pool, 0, image, image, pooled, none, 2);
    call(&situ_op_avg_pool2d, &pool, 0, pooled, image, none, none, 1);
    call(&situ_op_avg_spread, &pool, 0, image, pooled, none, none, 1);
    const situ_conv_attr conv = {.stride = {1, 1}, .dilation = {1, 1}, .groups = 1, .size = {6, 8}}, weight = {.stride = {1, 1}, .dilation = {1, 1}, .groups = 1, .size = {3, 3}};
    const situ_layout w = L(SITU_F32, 5, 3, 3, 3), y = L(SITU_F32, 2, 5, 4, 6);
    call(&situ_op_conv2d, &conv, 0, y, image, w, none, 2);
    call(&situ_op_conv2d_input, &conv, 0, image, y, w, none, 2);
    call(&situ_op_conv2d_weight, &weight, 0, w, image, y, none, 2);
    const situ_call_family *const families[] = {situ_call_index, situ_call_move, situ_call_product, situ_call_order,
                                                situ_call_scan, situ_call_pool, situ_call_random};
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        for (const situ_call_family *row = families[f]; row->op; row++)
            if (!CHECK(was_called(row->op))) printf("  %s is not compiled here\n", row->op);
    CHECK_OK();
}
