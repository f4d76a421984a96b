/* Every fused group can be written as C text, and that text, compiled, gives the interpreter's bits: for each operation
 * and dtype, and for random groups (SITU_TEST_GRAPHS of them, SITU_TEST_SEED), on each instruction set, with one thread
 * and with two. */
#include <situ/runtime.h>
#include <time.h>

#include "backend/cpu/kernel.h"
#include "backend/cpu/tiles/tile.h"
#include "base/isa.h"
#include "base/memory.h"
#include "codegen/group_text.h"
#include "numeric/threefry.h"
#include "support/compile_text.h"
#include "support/group_data.h"
#include "support/group_print.h"
#include "support/settled.h"

enum { BATCH = 200 };

static const struct {
    const char *tiles;
    situ_isa limit;
} sets[] = {{"baseline", SITU_ISA_BASELINE}, {"avx2", SITU_ISA_AVX2}, {"avx512", SITU_ISA_AVX512}};

/* ---------------------------------------------------------------- one group */

typedef struct specimen {
    situ_fused group;
    uint64_t seed; /* of its data */
    const char *label;
} specimen;

static void report(const specimen *c, const char *set, int threads, int i, int64_t at, const char *a, const char *b)
{
    situ_dtype d = result_dtype(&c->group, i);
    size_t size = situ_dtype_size(d);
    printf("  %s, seed %llu: result %d differs at %lld on %s with %d threads: interpreter %.17g, text %.17g\n",
           c->label, (unsigned long long)c->seed, i, (long long)at, set, threads,
           situ_element_get_f64(d, a + (size_t)at * size), situ_element_get_f64(d, b + (size_t)at * size));
    group_print(stdout, &c->group);
}

/* Where results lie: store 0 may be in an operand's memory. */
static char *result_block(const group_data *d, int i)
{
    return i == 0 && d->alias >= 0 ? d->block[d->alias] : d->block[i];
}

static bool interpret(const specimen *c, group_data *d, char *const *expected, const char *set, int threads)
{
    situ_kernel_desc desc = {.name = "test", .group = &c->group, .naddress = d->naddress, .nargument = c->group.nword};
    situ_fault fault;
    memset(&fault, 0, sizeof fault);
    void *kernel = situ_cpu_kernel_new(&desc);
    if (!CHECK(kernel != NULL)) {
        group_print(stdout, &c->group);
        return CHECK_OK();
    }
    data_reset(d);
    bool good = CHECK_EQ(situ_cpu_kernel_run(kernel, d->address, d->argument, &fault, threads > 1), 0);
    good &= CHECK_EQ(fault.code, 0);
    situ_cpu_kernel_free(kernel);
    for (int i = 0; i < d->nresult; i++) {
        int64_t at = first_difference(result_dtype(&c->group, i), result_block(d, i), expected[i], d->bytes[i]);
        if (CHECK(at < 0)) continue;
        report(c, set, threads, i, at, result_block(d, i), expected[i]);
        return false;
    }
    return good;
}

static void compare(const specimen *c, kernel_function run)
{
    group_data d;
    char *expected[SITU_FUSED_STORES + 1] = {NULL};
    random_state s = {c->seed};
    bool good = CHECK(data_make(&d, &c->group, &s));
    if (good) {
        data_reset(&d);
        run(d.address, d.argument);
    }
    for (int i = 0; i < d.nresult && good; i++) {
        expected[i] = malloc((size_t)d.bytes[i] + 1);
        good = CHECK(expected[i] != NULL);
        if (good) memcpy(expected[i], result_block(&d, i), (size_t)d.bytes[i]);
    }
    for (size_t k = 0; k < sizeof sets / sizeof *sets && good; k++) {
        if (!situ_tiles_named(sets[k].tiles)) continue;
        situ_isa_limit(sets[k].limit);
        for (int threads = 1; threads <= 2 && good; threads++)
            good = interpret(c, &d, expected, sets[k].tiles, threads);
    }
    situ_isa_limit(SITU_ISA_AVX512);
    for (int i = 0; i < d.nresult; i++) free(expected[i]);
    data_free(&d);
}

/* ---------------------------------------------------------------- many groups in one file */

static void compare_batch(const specimen *c, int count, const char *name)
{
    situ_source all = {0};
    char function[32];
    for (int i = 0; i < count; i++) {
        snprintf(function, sizeof function, "k%d", i);
        char *text = situ_fused_text(&c[i].group, function, &dialect_c);
        if (!CHECK(text != NULL)) {
            CHECK_OK();
            group_print(stdout, &c[i].group);
        }
        situ_source_append(&all, text ? text : "");
        situ_free(text);
    }
    char *text = situ_source_take(&all);
    void *library = CHECK(text != NULL) ? compile_text(text, name) : NULL;
    situ_free(text);
    if (!library) return;
    for (int i = 0; i < count; i++) {
        snprintf(function, sizeof function, "k%d", i);
        kernel_function run = compiled_function(library, function);
        if (run) compare(&c[i], run);
    }
    dlclose(library);
}

/* Collects groups, and compares them when there are enough for a file, or at the end. */
typedef struct collection {
    specimen *specimen;
    int count, files, threads;
    const char *name;
} collection;

static bool collection_open(collection *c, const char *name)
{
    if (!have_compiler()) SKIP("no C compiler named cc");
    *c = (collection){.specimen = calloc(BATCH, sizeof *c->specimen), .threads = situ_threads(), .name = name};
    situ_set_threads(2);
    return CHECK(c->specimen != NULL);
}

static void collection_flush(collection *c)
{
    char name[64];
    snprintf(name, sizeof name, "%s%d", c->name, c->files++);
    if (c->count) compare_batch(c->specimen, c->count, name);
    c->count = 0;
}

static void collect(collection *c, const situ_fused *g, uint64_t seed, const char *label)
{
    c->specimen[c->count++] = (specimen){*g, seed, label};
    if (c->count == BATCH) collection_flush(c);
}

static void collection_close(collection *c)
{
    collection_flush(c);
    situ_set_threads(c->threads);
    free(c->specimen);
}

/* ---------------------------------------------------------------- the tests */

static int setting(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text && *text ? atoi(text) : otherwise;
}

TEST(operations_give_the_interpreters_bits)
{
    static const situ_dtype dtypes[] = {SITU_BOOL, SITU_U32, SITU_U64, SITU_I32, SITU_I64, SITU_F32, SITU_F64};
    collection c;
    random_state s = {7};
    const char *only = getenv("SITU_TEST_OPERATION"); /* tests/checks/extending.py has added one */
    int tried = 0;
    if (!collection_open(&c, "operations")) return;
    for (int el = 0; el < SITU_EL_COUNT; el++)
        for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
            if (!situ_el_takes((situ_el)el, dtypes[k]) || (only && strcmp(only, situ_el_rows[el].name))) continue;
            situ_fused g = element_group(&s, (situ_el)el, dtypes[k]);
            for (int turn = 0; turn < 2; turn++) collect(&c, &g, random_u64(&s), situ_el_rows[el].name);
            tried++;
        }
    CHECK(tried > 0);
    collection_close(&c);
}

TEST(casts_give_the_interpreters_bits)
{
    collection c;
    random_state s = {8};
    if (!collection_open(&c, "casts")) return;
    for (int from = 0; from < SITU_DTYPES; from++)
        for (int to = 0; to < SITU_DTYPES; to++) {
            situ_fused g = cast_group(&s, (situ_dtype)from, (situ_dtype)to);
            for (int turn = 0; turn < 2; turn++) collect(&c, &g, random_u64(&s), "cast");
        }
    collection_close(&c);
}

TEST(sums_give_the_interpreters_bits)
{
    static const struct {
        int64_t A, R, C;
        bool few; /* dtypes: the long ones */
    } shapes[] = {{1, 1, 1, true},     {2, 63, 1, true},     {1, 1024, 1, true}, {2, 1025, 1, false},
                  {1, 7168, 1, true},  {1, 200001, 1, true}, {2, 0, 1, true},    {1, 1, 5, true},
                  {2, 64, 70, true},   {1, 65, 64, false},   {1, 448, 3, true},  {3, 500, 65, true},
                  {1, 5000, 40, true}, {1, 0, 9, true}};
    collection c;
    random_state s = {9};
    if (!collection_open(&c, "sums")) return;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (int fold = 0; fold < SITU_REDUCE_KINDS; fold++)
            for (int d = 0; d < SITU_C64; d++) {
                bool logic = fold == SITU_REDUCE_ANY || fold == SITU_REDUCE_ALL;
                if (shapes[k].few && d != SITU_F32 && d != SITU_I64) continue;
                if (logic != (d == SITU_BOOL) && !(d == SITU_BOOL && (fold == SITU_REDUCE_MAX || fold == SITU_REDUCE_MIN)))
                    continue;
                situ_fused g = fold_group(&s, fold, (situ_dtype)d, shapes[k].A, shapes[k].R, shapes[k].C);
                collect(&c, &g, random_u64(&s), "reduction");
            }
    collection_close(&c);
}

TEST(random_bits_give_the_interpreters_bits)
{
    static const int64_t sizes[] = {5000, 5001, 9999, 10000, 70001, 0xffffffff};
    collection c;
    random_state s = {10};
    if (!collection_open(&c, "bits")) return;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int layout = 0; layout < 2; layout++)
            for (int wide = 0; wide < 2; wide++) {
                situ_fused g = bits_group(wide ? SITU_U64 : SITU_U32, layout, sizes[k]);
                collect(&c, &g, random_u64(&s), "random bits");
            }
    collection_close(&c);
}

/* Positions that no array of the tests reaches, compared with the library's own bits. */
TEST(random_bits_of_far_positions)
{
    static const uint64_t sizes[] = {3,          4,          5,          0x7ffffffe,  0x7fffffff,
                                     0x80000001, 0xfffffffe, 0xffffffff, 0x100000000, 0x3123456789};
    if (!have_compiler()) SKIP("no C compiler named cc");
    random_state s = {14};
    situ_fused g = bits_group(SITU_U32, 0, 5000);
    situ_source t = {0};
    char *text = situ_fused_text(&g, "k", &dialect_c);
    situ_source_append(&t, text ? text : "");
    situ_source_append(
        &t, "void far(char *const *address, const unsigned long long *a)\n{\n"
            "    unsigned long long *out = (unsigned long long *)address[0];\n"
            "    out[0] = random_32(a[0], a[1], a[2], a[3]);\n    out[1] = random_64(a[0], a[1], a[2], a[3]);\n"
            "    out[2] = random_part_32(a[0], a[1], a[2], a[3]);\n    out[3] = random_part_64(a[0], a[1], a[2], "
            "a[3]);\n}\n");
    situ_free(text);
    text = situ_source_take(&t);
    void *library = CHECK(text != NULL) ? compile_text(text, "far") : NULL;
    situ_free(text);
    kernel_function run = library ? compiled_function(library, "far") : NULL;
    for (int i = 0; i < 2000 && run; i++) {
        uint64_t n = sizes[(size_t)i % (sizeof sizes / sizeof *sizes)], got[4];
        uint32_t key[2] = {(uint32_t)random_u64(&s), (uint32_t)random_u64(&s)}, word;
        uint64_t argument[4] = {key[0], key[1], random_chance(&s, 10) ? n - 1 : random_u64(&s) % n, n}, wide;
        char *address[1] = {(char *)got};
        run(address, argument);
        for (int layout = 0; layout < 2; layout++) {
            situ_threefry_bits32(&word, key, argument[2], 1, n, layout);
            situ_threefry_bits64(&wide, key, argument[2], 1, n, layout);
            CHECK_EQ(got[2 * layout], word);
            CHECK_EQ(got[2 * layout + 1], wide);
        }
    }
    if (library) dlclose(library);
}

TEST(random_groups_give_the_interpreters_bits)
{
    int graphs = setting("SITU_TEST_GRAPHS", 60), seed = setting("SITU_TEST_SEED", 1);
    collection c;
    if (!collection_open(&c, "groups")) return;
    for (int i = 0; i < graphs; i++) {
        random_state s = {((uint64_t)seed << 32) + (uint64_t)i};
        situ_fused g = random_group(&s);
        collect(&c, &g, random_u64(&s), "random group");
    }
    collection_close(&c);
}

/* ---------------------------------------------------------------- what is refused, and listings */

TEST(refuses_groups_that_are_not_well_formed)
{
    random_state s = {11};
    situ_fused good = element_group(&s, SITU_EL_add, SITU_F32), g = good;
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_fused_text(NULL, "k", &dialect_c));
    g.instruction[2].a = 2;
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_fused_text(&g, "k", &dialect_c));
    g = good;
    g.instruction[2].from = SITU_BOOL;
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_fused_text(&g, "k", &dialect_c));
    g = fold_group(&s, SITU_REDUCE_SUM, SITU_BOOL, 2, 3, 1);
    CHECK_FAILS(SITU_UNSUPPORTED, situ_fused_text(&g, "k", &dialect_c));
}

TEST(survives_each_failing_allocation)
{
    random_state s = {12};
    situ_fused g = random_group(&s);
    int64_t before = settled_blocks();
    bool struck = true;
    for (int k = 1; struck; k++) {
        situ_test_fail_alloc(k);
        char *text = situ_fused_text(&g, "k", &dialect_c);
        struck = situ_test_fail_struck();
        situ_test_fail_alloc(0);
        CHECK(struck == (text == NULL));
        if (struck) CHECK_CODE(SITU_NO_MEMORY);
        situ_free(text);
        CHECK_EQ(situ_test_live_blocks(), before);
    }
}

TEST(lists_a_group_line_by_line)
{
    random_state s = {13};
    situ_fused g = element_group(&s, SITU_EL_add, SITU_F16);
    char text[1024] = "";
    g.instruction[2].from = SITU_F32;
    rounded(&g, 2);
    g.reduction = SITU_REDUCE_SUM;
    g.reduce_register = 3;
    g.reduce_dtype = SITU_F32;
    g.reduce_out = SITU_F16;
    g.A = 3, g.R = 700, g.C = 1;
    FILE *file = fmemopen(text, sizeof text, "w");
    if (!CHECK(file != NULL)) return;
    group_print(file, &g);
    fclose(file);
    CHECK_STR(text, "group over [3,700]\n"
                    "  r0   f16   load 0\n"
                    "  r1   f16   load 1\n"
                    "  r2   f16   add r0 r1\n"
                    "  r3   f16   round r2\n"
                    "  store 0 f16   r2\n"
                    "  sum of r3 as f32 over the middle of [3,700,1], stored as f16\n");
}
