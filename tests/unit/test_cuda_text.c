/* Every kernel that the generator can make is CUDA C: NVRTC compiles it for each architecture, where the library is
 * there (from the CUDA toolkit, or SITU_NVRTC=/path/libnvrtc.so.12, as in the package nvidia-cuda-nvrtc). Nothing is
 * run. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utime.h>

#include "backend/cuda/kernel.h"
#include "base/hash.h"
#include "base/memory.h"
#include "codegen/call_text.h"
#include "codegen/cast_text.h"
#include "codegen/el_text.h"
#include "codegen/math_text.h"
#include "codegen/group_text.h"
#include "codegen/random_text.h"
#include "op/attr.h"
#include "op/complex.h"
#include "op/conv.h"
#include "op/generate.h"
#include "op/linalg.h"
#include "op/pool.h"
#include "codegen/table.h"
#include "support/bulk_group.h"
#include "tensor/shape.h"
#include "test.h"

static const char *const architectures[] = {"sm_75", "sm_80", "sm_90", "sm_100"};

static struct {
    void *library;
    int (*nvrtcCreateProgram)(void **program, const char *text, const char *name, int headers, const char **header, const char **include);
    int (*nvrtcCompileProgram)(void *program, int options, const char *const *option);
    int (*nvrtcGetProgramLogSize)(void *program, size_t *size);
    int (*nvrtcGetProgramLog)(void *program, char *log);
    int (*nvrtcDestroyProgram)(void **program);
    int (*nvrtcGetPTXSize)(void *program, size_t *size);
    int (*nvrtcGetPTX)(void *program, char *ptx);
    int (*nvrtcVersion)(int *major, int *minor);
    int major, minor;
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
    if (names[0] && !strcmp(names[0], "none")) SKIP("SITU_NVRTC=none");
    for (size_t i = 0; i < sizeof names / sizeof *names && !nvrtc.library; i++)
        if (names[i] && *names[i]) nvrtc.library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!nvrtc.library) SKIP("no NVRTC library: install the CUDA toolkit or set SITU_NVRTC");
    FIND(nvrtcCreateProgram);
    FIND(nvrtcCompileProgram);
    FIND(nvrtcGetProgramLogSize);
    FIND(nvrtcGetProgramLog);
    FIND(nvrtcDestroyProgram);
    FIND(nvrtcGetPTXSize);
    FIND(nvrtcGetPTX);
    FIND(nvrtcVersion);
    nvrtc.nvrtcVersion(&nvrtc.major, &nvrtc.minor);
}

/* The mark of a text that this version has compiled for an architecture before, as a compiler cache has it; false: no
 * folder. */
static bool mark_of(const char *text, const char *architecture, char *path, size_t size)
{
    const char *folder = getenv("FAKECUDA_CACHE");
    situ_hash h = situ_hash_start((uint64_t)nvrtc.major << 32 | (uint32_t)nvrtc.minor);
    situ_hash_bytes(&h, architecture, strlen(architecture));
    situ_hash_bytes(&h, text, strlen(text));
    h = situ_hash_end(&h);
    if (folder) snprintf(path, size, "%s/nvrtc-%016llx%016llx", folder, (unsigned long long)h.a, (unsigned long long)h.b);
    return folder != NULL;
}

/* Only compiling matters: optimisation is reduced if this compiler supports that. */
static int compile_program(void **program, const char *text, const char *arch, bool fast)
{
    const char *options[] = {arch, "--fmad=false", "--prec-div=true", "--prec-sqrt=true", "--ftz=false", "-w", "--Ofast-compile=max"};
    if (*program) nvrtc.nvrtcDestroyProgram(program);
    if (!CHECK_EQ(nvrtc.nvrtcCreateProgram(program, text, "kernel.cu", 0, NULL, NULL), 0)) return -1;
    return nvrtc.nvrtcCompileProgram(*program, (int)(sizeof options / sizeof *options) - !fast, options);
}

static bool compile_for(const char *text, const char *name, const char *architecture)
{
    enum { INVALID_OPTION = 5 };
    void *program = NULL;
    char arch[64], mark[4096];
    bool marks = mark_of(text, architecture, mark, sizeof mark);
    if (marks && !access(mark, F_OK)) return utime(mark, NULL) == 0; /* touch it: scripts/test deletes old ones */
    snprintf(arch, sizeof arch, "--gpu-architecture=%s", architecture);
    int code = compile_program(&program, text, arch, true);
    if (code == INVALID_OPTION) code = compile_program(&program, text, arch, false);
    if (code < 0) return false;
    size_t size = 0;
    nvrtc.nvrtcGetProgramLogSize(program, &size);
    char *log = calloc(1, size + 1);
    if (log) nvrtc.nvrtcGetProgramLog(program, log);
    if (!CHECK_EQ(code, 0)) printf("  %s for %s:\n%.1500s\n", name, architecture, log ? log : "");
    free(log);
    nvrtc.nvrtcDestroyProgram(&program);
    FILE *made = marks && code == 0 ? fopen(mark, "w") : NULL;
    if (made) fclose(made);
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

typedef struct bundle { situ_source text; int count; } bundle;

static void add(bundle *b, const situ_fused *g)
{
    char name[16];
    snprintf(name, sizeof name, "k%d", b->count++);
    char *text = situ_fused_text(g, name, &situ_dialect_cuda);
    if (CHECK(text != NULL)) situ_source_append(&b->text, text);
    situ_free(text);
}

TEST(every_operation_cast_and_reduction_compiles)
{
    static const situ_dtype dtypes[] = {SITU_BOOL, SITU_U32, SITU_U64, SITU_I32, SITU_I64, SITU_F32, SITU_F64};
    need_nvrtc();
    random_state s = {31};
    bundle b = {.count = 0};
    for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
        situ_fused g = bulk_group(&s, dtypes[k]);
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
        situ_fused g = bulk_casts(&s, first);
        add(&b, &g);
    }
    for (size_t k = 0; k < sizeof bulk_folds / sizeof *bulk_folds; k++) {
        situ_fused g = fold_group(&s, bulk_folds[k].fold, bulk_folds[k].d, bulk_folds[k].A, bulk_folds[k].R, bulk_folds[k].C);
        add(&b, &g);
    }
    situ_fused g = bulk_bits(5001);
    add(&b, &g);
    for (int i = 0; i < 20; i++) {
        g = random_group(&s);
        add(&b, &g);
    }
    compile(situ_source_take(&b.text), "groups");
}

/* Updates look at a word first. */
TEST(updates_with_a_guard_compile)
{
    need_nvrtc();
    random_state s = {37};
    bundle b = {.count = 0};
    for (int i = 0; i < 12; i++) {
        situ_fused g = random_group(&s);
        g.guarded = true;
        add(&b, &g);
    }
    for (size_t k = 0; k < sizeof bulk_folds / sizeof *bulk_folds; k += 3) {
        situ_fused g = fold_group(&s, bulk_folds[k].fold, bulk_folds[k].d, bulk_folds[k].A, bulk_folds[k].R, bulk_folds[k].C);
        g.guarded = true;
        add(&b, &g);
    }
    CHECK(b.text.text && strstr(b.text.text, "    if (*fault) return;"));
    compile(situ_source_take(&b.text), "guarded groups");
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++) compile_for(situ_cuda_guard_text, "guard", architectures[i]);
}

/* x - sum(x) along rows: the sum is the program's own. */
TEST(a_row_program_compiles)
{
    need_nvrtc();
    random_state s = {32};
    situ_fused sum = fold_group(&s, SITU_REDUCE_SUM, SITU_F32, 64, 3000, 1), rest = small_group(64, 3000);
    situ_instruction in = {.kind = SITU_DO_ELEMENT, .el = SITU_EL_sub, .from = SITU_F32, .dtype = SITU_F32};
    in.a = (uint8_t)add_contiguous(&s, &rest, SITU_F32);
    in.b = (uint8_t)add_contiguous(&s, &rest, SITU_F32);
    rest.load[1].stride[0] = 1;
    rest.load[1].stride[1] = 0;
    store_that(&rest, in);
    static const int16_t first[] = {-1, 0}, second[] = {1, 0, -1};
    const situ_row_program sweep = {.rows = 64, .nstage = 2, .nlocal = 1, .local = {4},
                              .stage = {{&sum, 3000, 2, 0, first, first}, {&rest, 3000, 3, 0, second, second}}};
    compile(situ_row_program_text(&sweep, 3, 0, "k", &situ_dialect_cuda), "row program");
}

/* A group with a contiguous, a transposed and a broadcast load. */
static situ_fused transposing(random_state *s, bool transposed)
{
    situ_fused g = small_group(70, 45);
    situ_instruction in = {.kind = SITU_DO_ELEMENT, .el = SITU_EL_fma, .from = SITU_F32, .dtype = SITU_F32};
    in.a = (uint8_t)add_contiguous(s, &g, SITU_F32);
    in.b = (uint8_t)add_contiguous(s, &g, SITU_F16);
    in.c = (uint8_t)add_contiguous(s, &g, SITU_F32);
    g.load[2].stride[0] = 0;
    if (transposed) g.load[0].stride[0] = 1, g.load[0].stride[1] = 70;
    store_that(&g, in);
    return g;
}

TEST(groups_go_by_packs_and_tiles)
{
    random_state s = {33};
    for (int transposed = 0; transposed < 2; transposed++) {
        situ_fused g = transposing(&s, transposed);
        situ_passes p = situ_fused_passes(&g, &situ_dialect_cuda), plain = situ_fused_passes(&g, &situ_dialect_opencl);
        char *text = situ_fused_text(&g, "k", &situ_dialect_cuda), *other = situ_fused_text(&g, "k", &situ_dialect_opencl);
        CHECK_EQ(p.pass[0].blocks, transposed ? 3 * 2 : (70 * 45 + 1023) / 1024);
        CHECK_EQ(plain.pass[0].blocks, (70 * 45 + 255) / 256);
        CHECK(text && strstr(text, transposed ? "k_tiled(" : "k_four(") && !strstr(text, transposed ? "k_four(" : "k_tiled("));
        CHECK(other && !strstr(other, "k_tiled(") && !strstr(other, "k_four("));
        situ_free(text);
        situ_free(other);
    }
}

TEST(packs_and_tiles_compile)
{
    need_nvrtc();
    random_state s = {34};
    bundle b = {.count = 0};
    for (int transposed = 0; transposed < 2; transposed++) {
        situ_fused g = transposing(&s, transposed);
        add(&b, &g);
    }
    compile(situ_source_take(&b.text), "packs and tiles");
}

/* ---------------------------------------------------------------- what the compiler makes of them */

/* The assembly of a group's kernel for sm_80 and newer, to be freed; NULL: it did not compile. */
static char *assembly(const situ_fused *g)
{
    const char *options[] = {"--gpu-architecture=compute_80", "--fmad=false", "--prec-div=true", "--prec-sqrt=true", "--ftz=false", "-w"};
    char *text = situ_fused_text(g, "k", &situ_dialect_cuda), *ptx = NULL;
    void *program = NULL;
    size_t size = 0;
    if (CHECK(text) && CHECK_EQ(nvrtc.nvrtcCreateProgram(&program, text, "kernel.cu", 0, NULL, NULL), 0) &&
        CHECK_EQ(nvrtc.nvrtcCompileProgram(program, (int)(sizeof options / sizeof *options), options), 0) && !nvrtc.nvrtcGetPTXSize(program, &size) &&
        CHECK((ptx = calloc(1, size + 1)) != NULL))
        CHECK_EQ(nvrtc.nvrtcGetPTX(program, ptx), 0);
    if (program) nvrtc.nvrtcDestroyProgram(&program);
    situ_free(text);
    return ptx;
}

static int count_words(const char *text, const char *word)
{
    int n = 0;
    for (; (text = strstr(text, word)); text += strlen(word)) n++;
    return n;
}

TEST(neighbours_are_loaded_and_stored_as_vectors)
{
    need_nvrtc();
    random_state s = {35};
    for (int transposed = 0; transposed < 2; transposed++) {
        situ_fused g = transposing(&s, transposed);
        char *ptx = assembly(&g);
        if (!ptx) return;
        if (transposed) CHECK(count_words(ptx, "ld.shared.") > 0 && count_words(ptx, "st.shared.") > 0 && count_words(ptx, "bar.sync") > 0);
        else CHECK(count_words(ptx, "ld.global.v4.") >= 2 && count_words(ptx, "st.global.v4.") >= 1);
        free(ptx);
    }
}

/* Up to 16 elements are reduced by one work-item. Longer rows are reduced by shuffles; rows of a multiple of four are
 * read as vectors. */
TEST(rows_are_folded_in_registers)
{
    static const int64_t rows[] = {3, 16, 20, 31, 1000, 4096, 4099};
    need_nvrtc();
    random_state s = {36};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        situ_fused g = fold_group(&s, SITU_REDUCE_SUM, SITU_F32, 40, rows[i], 1);
        bool contiguous = false;
        for (int k = 0; k < g.nload; k++) contiguous |= situ_is_contiguous(g.ndim, g.dim, g.load[k].stride);
        char *ptx = assembly(&g);
        if (!ptx) return;
        CHECK(count_words(ptx, "ld.local.") == 0);
        if (rows[i] <= 16) {
            free(ptx);
            continue;
        }
        CHECK(count_words(ptx, "shfl.sync.down") >= 4);
        CHECK((count_words(ptx, "ld.global.v4.") > 0) == (rows[i] % 4 == 0 && contiguous));
        CHECK_EQ(situ_fused_passes(&g, &situ_dialect_cuda).pass[0].blocks, (40 * ((rows[i] + 1023) / 1024) + 15) / 16);
        free(ptx);
    }
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

/* Many texts in one program: shared functions come first, and each text is a namespace of its own. */
static const char *called[256];
static int calls;
static bundle batch;

static bool was_called(const char *name)
{
    for (int i = 0; i < calls; i++)
        if (!strcmp(called[i], name)) return true;
    return false;
}

static void compile_batch(const char *what)
{
    situ_source all = {0};
    char *texts = situ_source_take(&batch.text);
    const char *const shared[] = {situ_dialect_cuda.words, situ_text_words_scalar, situ_text_complex, situ_text_halves, situ_text_random,
                                  situ_text_complex_words};
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) situ_source_append(&all, shared[i]);
    situ_math_append(&all, SITU_C128, situ_text_complex_functions);
    if (texts) situ_source_append(&all, texts);
    situ_free(texts);
    compile(situ_source_take(&all), what);
    batch = (bundle){.count = 0};
}

/* Guards of functions that the next text needs again. */
static void forget_casts(const char *text)
{
    for (const char *at = text; (at = strstr(at, "#define SITU_CAST_")); at++)
        situ_source_add(&batch.text, "#undef %.*s\n", (int)strcspn(at + 8, "\n"), at + 8);
}

static void call(const situ_op *op, const void *attr, int words, situ_layout out, situ_layout a, situ_layout b, situ_layout c, int nin)
{
    situ_layout in[3] = {a, b, c};
    situ_call_desc d = {.op = op, .attr = attr, .nin = nin, .out = out, .in = in};
    situ_passes passes;
    char name[16];
    snprintf(name, sizeof name, "k%d_", batch.count++);
    if (!was_called(op->name) && calls < 256) called[calls++] = op->name;
    char *text = CHECK(situ_call_passes(&d, &situ_dialect_cuda, &passes)) ? situ_call_text(&d, words, name, &situ_dialect_cuda) : NULL;
    if (!CHECK(text)) {
        printf("  %s\n", op->name);
        return;
    }
    situ_source_add(&batch.text, "namespace n%s {\n%s\n}\n#undef EACH\n#undef M\n#undef N\n#undef K\n#undef FULL\n#undef WIDE\n", name, text);
    forget_casts(text);
    situ_free(text);
}

static const situ_layout none;
#define F(d) ((situ_dtype)(d))

static void call_positions(void)
{
    const situ_axis_attr axis = {.axis = 1}, flag = {.axis = 1, .flag = 1};
    const situ_place_attr place = {.dim = {8, 20}, .step = {1, 2}, .floating = 1}, whole = {.dim = {8, 20}, .step = {1, 2}};
    static const situ_find_attr find = {.count = 30};
    static const int64_t places = 1;
    const situ_layout i = L(SITU_I64, 4, 5);
    for (int d = 0; d < SITU_DTYPES; d++) {
        const situ_layout x = L(F(d), 4, 9), v = L(F(d), 4, 5);
        call(&situ_op_take, &axis, 0, L(F(d), 4, 4, 5), x, i, none, 2);
        call(&situ_op_gather, &axis, 0, v, x, L(SITU_U8, 4, 5), none, 2);
        call(&situ_op_scatter, &axis, 0, x, x, i, v, 3);
        call(&situ_op_place, &place, 3, L(F(d), 8, 20), x, none, none, 1);
        call(&situ_op_place, &whole, 3, L(F(d), 8, 20), x, none, none, 1);
        call(&situ_op_update_slice, NULL, 2, x, x, L(F(d), 2, 3), none, 2);
        call(&situ_op_concat, &axis.axis, 0, L(F(d), 4, 14), x, v, none, 2);
        if (situ_dtype_is_complex(F(d))) continue;
        call(&situ_op_argmax, &axis, 0, L(SITU_I64, 4), x, none, none, 1);
        call(&situ_op_argmin, &axis, 0, L(SITU_I64, 4), x, none, none, 1);
        call(&situ_op_argsort, d & 1 ? &flag : &axis, 0, L(SITU_I64, 4, 9), x, none, none, 1);
        call(&situ_op_searchsorted, &axis, 0, L(SITU_I64, 4, 5), L(F(d), 7), v, none, 2);
        const situ_layout turned = L(F(d), 3, 5, 8), angle = L(F(d), 5, 4);
        if (situ_dtype_is_float(F(d))) call(&situ_op_rotary, &places, 0, turned, turned, angle, angle, 3);
    }
    call(&situ_op_nonzero, &find, 1, L(SITU_I64, 30, 2), L(SITU_BOOL, 9, 70), none, none, 1);
}

static void call_sums(void)
{
    static const situ_dtype dtypes[] = {SITU_U32, SITU_U64, SITU_I32, SITU_I64, SITU_F32, SITU_F64, SITU_C64, SITU_C128};
    const situ_axis_attr axis = {.axis = 1}, flag = {.axis = 1, .flag = 1};
    for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
        const situ_layout x = L(dtypes[k], 4, 9), v = L(dtypes[k], 4, 5);
        call(&situ_op_scatter_add, &axis, 0, x, x, L(SITU_I32, 4, 5), v, 3);
        call(&situ_op_index_add, &axis, 0, x, x, L(SITU_U64, 5), v, 3);
        call(&situ_op_index_copy, &axis, 0, x, x, L(SITU_U64, 5), v, 3);
        call(&situ_op_cumsum, &flag, 0, x, x, none, none, 1);
        call(&situ_op_cumprod, &axis, 0, x, x, none, none, 1);
        call(&situ_op_linear_scan, &axis, 0, x, x, x, none, 2);
        const situ_layout rows = L(dtypes[k], 40, 3000), columns = L(dtypes[k], 2, 3000, 5);
        call(&situ_op_cumsum, &axis, 0, rows, rows, none, none, 1);
        call(&situ_op_cumsum, &flag, 0, columns, columns, none, none, 1);
        call(&situ_op_cumprod, &axis, 0, rows, rows, none, none, 1);
        call(&situ_op_linear_scan, &flag, 0, rows, rows, rows, none, 2);
    }
    for (int d = 0; d < SITU_DTYPES; d++) {
        call(&situ_op_matmul, NULL, 0, L(F(d), 3, 40, 50), L(F(d), 3, 40, 300), L(F(d), 300, 50), none, 2);
        call(&situ_op_matmul, NULL, 0, L(F(d), 200, 150), L(F(d), 200, 30), L(F(d), 30, 150), none, 2);
    }
}

static void call_images(void)
{
    static const situ_dtype dtypes[] = {SITU_F16, SITU_BF16, SITU_F32, SITU_F64};
    const situ_pool_attr pool = {.size = {2, 2}, .stride = {2, 2}, .image = {6, 8}};
    const situ_conv_attr conv = {.stride = {1, 1}, .dilation = {1, 1}, .groups = 1, .size = {6, 8}}, weight = {.stride = {1, 1}, .dilation = {1, 1}, .groups = 1, .size = {3, 3}};
    for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
        const situ_layout image = L(dtypes[k], 2, 3, 6, 8), pooled = L(dtypes[k], 2, 3, 3, 4), w = L(dtypes[k], 5, 3, 3, 3), y = L(dtypes[k], 2, 5, 4, 6);
        call(&situ_op_max_take, &pool, 0, pooled, image, image, none, 2);
        call(&situ_op_max_put, &pool, 0, image, image, pooled, none, 2);
        call(&situ_op_avg_pool2d, &pool, 0, pooled, image, none, none, 1);
        call(&situ_op_avg_spread, &pool, 0, image, pooled, none, none, 1);
        bool half = situ_dtype_compute(dtypes[k]) != dtypes[k];
        call(half ? &situ_op_conv2d_half : &situ_op_conv2d, &conv, 0, y, image, w, none, 2);
        call(half ? &situ_op_conv2d_half_input : &situ_op_conv2d_input, &conv, 0, image, y, w, none, 2);
        call(half ? &situ_op_conv2d_half_weight : &situ_op_conv2d_weight, &weight, 0, w, image, y, none, 2);
    }
}

/* Blocks of every size, strides, groups. */
static void call_convolutions(void)
{
    static const int64_t outputs[] = {16, 32, 80};
    const situ_conv_attr strided = {.stride = {2, 3}, .before = {1, 2}, .after = {1, 2}, .dilation = {3, 2}, .groups = 2, .size = {33, 20}};
    situ_conv_attr weight = strided;
    weight.size[0] = 3, weight.size[1] = 2;
    for (int i = 0; i < 3; i++) {
        const int64_t o = outputs[i];
        const situ_layout image = L(SITU_F32, 20, 4, 33, 20), w = L(SITU_F32, o, 2, 3, 2), y = L(SITU_F32, 20, o, 15, 8);
        call(&situ_op_conv2d, &strided, 0, y, image, w, none, 2);
        call(&situ_op_conv2d_input, &strided, 0, image, y, w, none, 2);
        call(&situ_op_conv2d_weight, &weight, 0, w, image, y, none, 2);
    }
}

static void call_random(void)
{
    const situ_random_attr original = {.dtype = SITU_U8}, separate = {.dtype = SITU_U16, .partitionable = 1};
    call(&situ_op_fold_in, NULL, 0, L(SITU_U32, 2), L(SITU_U32, 2), L(SITU_U32, 1), none, 2);
    call(&situ_op_narrow_bits, &original, 0, L(SITU_U8, 1001), L(SITU_U32, 2), none, none, 1);
    call(&situ_op_narrow_bits, &separate, 0, L(SITU_U16, 1001), L(SITU_U32, 2), none, none, 1);
}

static void call_complex(void)
{
    for (int k = 0; k < 2; k++) {
        situ_dtype d = k ? SITU_C128 : SITU_C64, part = situ_dtype_real(d);
        for (int other = 0; other < SITU_DTYPES; other++) {
            if (other == (int)d) continue;
            call(&situ_op_cast_complex, &other, 0, L(F(other), 40), L(d, 40), none, none, 1);
            if (!situ_dtype_is_complex(F(other))) call(&situ_op_cast_complex, &other, 0, L(d, 40), L(F(other), 40), none, none, 1);
        }
        call(&situ_op_real, NULL, 0, L(part, 40), L(d, 40), none, none, 1);
        call(&situ_op_imag, NULL, 0, L(part, 40), L(d, 40), none, none, 1);
        call(&situ_op_conj, NULL, 0, L(d, 40), L(d, 40), none, none, 1);
        call(&situ_op_complex, NULL, 0, L(d, 40), L(part, 40), L(part, 40), none, 2);
        for (int el = 0; el < SITU_EL_COUNT; el++) {
            const situ_op *op = situ_complex_op((situ_el)el);
            if (!op) continue;
            bool choice = situ_el_rows[el].kind == SITU_EL_SELECT, truth = op->no_gradient != NULL;
            call(op, NULL, 0, L(truth ? SITU_BOOL : el == SITU_EL_abs ? part : d, 4, 10), L(choice ? SITU_BOOL : d, 4, 10), L(d, 10), L(d, 4, 1), situ_el_rows[el].arity);
        }
    }
}

static void call_fft(void)
{
    static const int64_t lengths[] = {64, 360, 4096, 101, 4099};
    for (int kind = 0; kind < 3; kind++)
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            situ_dtype d = k & 1 ? SITU_C128 : SITU_C64, real = situ_dtype_real(d);
            const int64_t n = lengths[k];
            const situ_fft_attr attr = {.n = n, .axis = 1, .kind = kind, .inverse = (int)k & 1, .norm = kind};
            call(&situ_op_fft, &attr, 0, L(kind == SITU_FFT_TO_REAL ? real : d, 3, kind == SITU_FFT_FROM_REAL ? n / 2 + 1 : n),
                 L(kind == SITU_FFT_FROM_REAL ? real : d, 3, n), none, none, 1);
        }
}

static void call_factors(situ_dtype d)
{
    const situ_layout x = L(d, 2, 9, 9), tall = L(d, 2, 9, 5), wide = L(d, 2, 70, 90);
    const situ_dtype real = situ_dtype_real(d), complex = situ_dtype_complex(d);
    for (int what = 0; what < 3; what++) {
        const situ_factor_attr attr = {.what = what};
        call(&situ_op_det, &attr, 0, L(what == SITU_DET_LOGARITHM ? real : d, 2), x, none, none, 1);
        call(&situ_op_svd, &attr, 0, what ? L(d, 2, 200) : L(real, 2, 5), tall, none, none, 1);
        if (what) call(&situ_op_qr, &attr, 0, L(d, 2, 200), what == 1 ? wide : tall, none, none, 1);
        if (what == SITU_FACTOR_FULL) continue;
        call(&situ_op_eigh, &attr, 0, what ? L(d, 2, 9, 10) : L(real, 2, 9), x, none, none, 1);
        call(&situ_op_eig, &attr, 0, what ? L(complex, 2, 9, 10) : L(complex, 2, 9), x, none, none, 1);
    }
    call(&situ_op_cholesky, NULL, 0, x, x, none, none, 1);
    call(&situ_op_solve, NULL, 0, tall, x, tall, none, 2);
}

TEST(positions_compile)
{
    need_nvrtc();
    call_positions();
    compile_batch("positions");
}
TEST(sums_products_and_images_compile)
{
    need_nvrtc();
    call_sums();
    call_images();
    call_convolutions();
    call_random();
    compile_batch("sums, products, images and keys");
}
TEST(complex_numbers_and_transforms_compile)
{
    need_nvrtc();
    call_complex();
    compile_batch("complex numbers");
    call_fft();
    compile_batch("Fourier transforms");
}
TEST(factorizations_compile)
{
    static const situ_dtype dtypes[] = {SITU_F32, SITU_C64};
    need_nvrtc();
    for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
        call_factors(dtypes[k]);
        compile_batch(situ_dtype_name(dtypes[k]));
    }
}

/* Operations that refuse tensors of other devices than the CPU. */
static bool of_the_cpu_alone(const situ_op *op)
{
    return op == &situ_op_dequantise || op == &situ_op_rows_product || op == &situ_op_quantise || op == &situ_op_rounded_product;
}

/* The tests above miss nothing: every operation that is a call has a text, and each is compiled. */
TEST(no_operation_is_missing)
{
    calls = 0;
    call_positions();
    call_sums();
    call_images();
    call_random();
    call_complex();
    call_fft();
    call_factors(SITU_F64);
    situ_source_drop(&batch.text);
    batch = (bundle){.count = 0};
    for (int i = 0; i < SITU_TABLE_COUNT; i++)
        if (situ_table[i]->family == SITU_CALL && !of_the_cpu_alone(situ_table[i]) && !CHECK(was_called(situ_table[i]->name)))
            printf("  %s has no text of CUDA\n", situ_table[i]->name);
    for (int el = 0; el < SITU_EL_COUNT; el++)
        if (situ_complex_op((situ_el)el)) CHECK(was_called(situ_complex_op((situ_el)el)->name));
    for (int f = 0; situ_call_families[f]; f++)
        for (const situ_call_family *row = situ_call_families[f]; row->op; row++)
            if (!CHECK(was_called(row->op))) printf("  %s is not compiled here\n", row->op);
}
