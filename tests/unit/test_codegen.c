/* Every fused group can be written as C text, and that text, compiled, gives the interpreter's bits: for each operation
 * and dtype, and for random groups (SITU_TEST_GRAPHS of them, SITU_TEST_SEED), on each instruction set, with one thread
 * and with two. */
#include <situ/runtime.h>
#include <time.h>

#include "backend/cpu/kernel.h"
#include "backend/cpu/tile.h"
#include "base/isa.h"
#include "base/memory.h"
#include "codegen/group_text.h"
#include "support/compile_text.h"
#include "support/random_group.h"

enum { BATCH = 200 };

static const struct {
    const char *tiles;
    situ_isa limit;
} sets[] = {{"base", SITU_ISA_BASELINE}, {"avx2", SITU_ISA_AVX2}, {"avx512", SITU_ISA_AVX512}};

/* ---------------------------------------------------------------- comparing */

static bool same_element(situ_dtype d, const char *a, const char *b)
{
    size_t size = situ_dtype_size(d);
    if (!memcmp(a, b, size)) return true;
    if (situ_dtype_is_complex(d)) {
        situ_dtype part = situ_dtype_real(d);
        return same_element(part, a, b) && same_element(part, a + size / 2, b + size / 2);
    }
    return situ_dtype_is_float(d) && isnan(situ_element_get_f64(d, a)) && isnan(situ_element_get_f64(d, b));
}

/* The first element of result i that differs, or -1. */
static int64_t first_difference(const situ_group *g, int i, const char *a, const char *b, int64_t bytes)
{
    situ_dtype d = result_dtype(g, i);
    int64_t size = (int64_t)situ_dtype_size(d);
    if (!memcmp(a, b, (size_t)bytes)) return -1;
    for (int64_t k = 0; k < bytes / size; k++)
        if (!same_element(d, a + k * size, b + k * size)) return k;
    return -1;
}

/* ---------------------------------------------------------------- one group */

typedef struct specimen {
    situ_group group;
    uint64_t seed; /* of its data */
    const char *label;
} specimen;

static void report(const specimen *c, const char *set, int threads, int i, int64_t at, const char *a, const char *b)
{
    situ_dtype d = result_dtype(&c->group, i);
    size_t size = situ_dtype_size(d);
    printf("  %s, seed %llu: result %d differs at %lld on %s with %d threads: interpreter %.17g, text %.17g\n", c->label,
           (unsigned long long)c->seed, i, (long long)at, set, threads, situ_element_get_f64(d, a + (size_t)at * size),
           situ_element_get_f64(d, b + (size_t)at * size));
    situ_group_print(stdout, &c->group);
}

/* Where results lie: store 0 may be in an operand's memory. */
static char *result_block(const group_data *d, int i) { return i == 0 && d->alias >= 0 ? d->block[d->alias] : d->block[i]; }

static bool interpret(const specimen *c, group_data *d, char *const *expected, const char *set, int threads)
{
    situ_kernel_desc desc = {.name = "test", .group = &c->group, .naddress = d->naddress, .nargument = c->group.nword};
    situ_fault fault;
    memset(&fault, 0, sizeof fault);
    void *kernel = situ_cpu_kernel_new(&desc);
    if (!CHECK(kernel != NULL)) {
        situ_group_print(stdout, &c->group);
        return CHECK_OK();
    }
    data_reset(d);
    bool good = CHECK_EQ(situ_cpu_kernel_run(kernel, d->address, d->argument, &fault, threads > 1), 0);
    good &= CHECK_EQ(fault.code, 0);
    situ_cpu_kernel_free(kernel);
    for (int i = 0; i < d->nresult; i++) {
        int64_t at = first_difference(&c->group, i, result_block(d, i), expected[i], d->bytes[i]);
        if (CHECK(at < 0)) continue;
        report(c, set, threads, i, at, result_block(d, i), expected[i]);
        return false;
    }
    return good;
}

static void compare(const specimen *c, kernel_function run)
{
    group_data d;
    char *expected[SITU_GROUP_STORES + 1] = {NULL};
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
    situ_text all = {0};
    char function[32];
    for (int i = 0; i < count; i++) {
        snprintf(function, sizeof function, "k%d", i);
        char *text = situ_group_text(&c[i].group, function, &situ_dialect_c);
        if (!CHECK(text != NULL)) {
            CHECK_OK();
            situ_group_print(stdout, &c[i].group);
        }
        situ_text_append(&all, text ? text : "");
        situ_free(text);
    }
    char *text = situ_text_take(&all);
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

static int setting(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text && *text ? atoi(text) : otherwise;
}

TEST(operations_give_the_interpreters_bits)
{
    static const situ_dtype dtypes[] = {SITU_BOOL, SITU_U32, SITU_U64, SITU_I32, SITU_I64, SITU_F32, SITU_F64};
    if (!have_compiler()) SKIP("no C compiler named cc");
    specimen *c = calloc(BATCH, sizeof *c);
    if (!CHECK(c != NULL)) return;
    int threads = situ_threads(), n = 0, files = 0;
    char name[32];
    situ_set_threads(2);
    for (int el = 0; el < SITU_EL_COUNT; el++)
        for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
            if (!situ_el_takes((situ_el)el, dtypes[k])) continue;
            random_state s = {(uint64_t)(el * 16) + k};
            c[n++] = (specimen){element_group(&s, (situ_el)el, dtypes[k]), s.state, situ_el_rows[el].name};
            if (n < BATCH) continue;
            snprintf(name, sizeof name, "operations%d", files++);
            compare_batch(c, n, name);
            n = 0;
        }
    compare_batch(c, n, "operations");
    situ_set_threads(threads);
    free(c);
}

TEST(random_groups_give_the_interpreters_bits)
{
    if (!have_compiler()) SKIP("no C compiler named cc");
    specimen *c = calloc(BATCH, sizeof *c);
    if (!CHECK(c != NULL)) return;
    int threads = situ_threads(), graphs = setting("SITU_TEST_GRAPHS", 60), seed = setting("SITU_TEST_SEED", 1);
    char name[32];
    situ_set_threads(2);
    for (int done = 0, n; done < graphs; done += n) {
        for (n = 0; n < BATCH && done + n < graphs; n++) {
            random_state s = {((uint64_t)seed << 32) + (uint64_t)(done + n)};
            c[n].group = random_group(&s);
            c[n].seed = random_u64(&s);
            c[n].label = "random group";
        }
        snprintf(name, sizeof name, "random%d", done);
        compare_batch(c, n, name);
    }
    situ_set_threads(threads);
    free(c);
}
