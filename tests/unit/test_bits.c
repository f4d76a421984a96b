/* The same bits whatever computes them: random programs (SITU_TEST_GRAPHS of them, SITU_TEST_SEED) with fusing on and
 * off, on one thread and two, on each instruction set, on a simulated device, and with every fused group of their plans
 * replaced by its compiled C text. */
#include <situ/runtime.h>

#include "backend/cpu/tiles/tile.h"
#include "base/isa.h"
#include "base/memory.h"
#include "codegen/group_text.h"
#include "device/device.h"
#include "plan/plan.h"
#include "support/compile_text.h"
#include "support/random_program.h"
#include "support/settled.h"

enum { BATCH = 100, FILE_GROUPS = 200 };

/* ---------------------------------------------------------------- results */

typedef struct outcome {
    int results;
    struct {
        situ_dtype dtype;
        int64_t bytes;
        char *data;
    } result[PROGRAM_RESULTS];
} outcome;

static void outcome_free(outcome *o)
{
    for (int i = 0; i < o->results; i++) free(o->result[i].data);
    *o = (outcome){0};
}

static bool read_result(outcome *o, situ_tensor *t)
{
    situ_dtype d = situ_dtype_of(t);
    int64_t bytes = situ_count(t) * (int64_t)situ_dtype_size(d);
    char *data = bytes >= 0 ? malloc((size_t)bytes + 1) : NULL;
    if (!data) return false;
    o->result[o->results].dtype = d;
    o->result[o->results].bytes = bytes;
    o->result[o->results++].data = data;
    return situ_read(t, data, (size_t)bytes) == 0;
}

/* Records, computes and reads a program. */
static bool run_program(uint64_t seed, situ_device device, outcome *o)
{
    program p;
    situ_scope *scope = situ_scope_open();
    *o = (outcome){0};
    program_record(&p, seed, device);
    bool good = !(situ_eval)(TENSORS_OF(p.result, p.results), SITU_HERE);
    for (int i = 0; i < p.results && good; i++) good = read_result(o, p.result[i]);
    situ_scope_close(scope);
    if (!good || situ_failed()) {
        CHECK_OK();
        printf("  seed %llu\n", (unsigned long long)seed);
        good = CHECK(false);
    }
    return good;
}

static bool same_outcome(const outcome *expected, const outcome *got, uint64_t seed, const char *how)
{
    if (!CHECK_EQ(expected->results, got->results)) return false;
    for (int i = 0; i < got->results; i++) {
        situ_dtype d = expected->result[i].dtype;
        bool like = d == got->result[i].dtype && expected->result[i].bytes == got->result[i].bytes;
        const char *a = expected->result[i].data, *b = got->result[i].data;
        int64_t at = like ? first_difference(d, a, b, got->result[i].bytes) : 0;
        if (CHECK(like && at < 0)) continue;
        size_t offset = (size_t)at * situ_dtype_size(d);
        printf("  seed %llu, %s: result %d (%s) differs at %lld: %.17g, here %.17g\n", (unsigned long long)seed, how, i,
               situ_dtype_name(d), (long long)at, situ_element_get_f64(d, a + offset),
               situ_element_get_f64(d, b + offset));
        return false;
    }
    return true;
}

/* ---------------------------------------------------------------- groups as compiled text */

/* Replaces the CPU backend: first records the groups that it is asked to compile, then runs them by their compiled C
 * text. */
typedef struct text_kernel {
    void *inner;
    kernel_function run; /* NULL: inner */
} text_kernel;

static const situ_backend *cpu;
static situ_backend stand_in;
static situ_fused *known;
static kernel_function *known_function;
static int known_count, known_room, served;
static bool serving;

static int find_group(const situ_fused *g)
{
    for (int i = 0; i < known_count; i++)
        if (!memcmp(&known[i], g, sizeof *g)) return i;
    return -1;
}

static void remember_group(const situ_fused *g)
{
    if (find_group(g) >= 0) return;
    if (known_count == known_room) {
        int room = known_room ? 2 * known_room : 256;
        situ_fused *more = realloc(known, (size_t)room * sizeof *more);
        if (!CHECK(more != NULL)) return;
        known = more;
        known_room = room;
    }
    known[known_count++] = *g;
}

static void *stand_in_compile(situ_dev *d, const situ_kernel_desc *desc)
{
    text_kernel *k = calloc(1, sizeof *k);
    if (!k) return NULL;
    k->inner = cpu->compile(d, desc);
    if (desc->group && serving) {
        int i = find_group(desc->group);
        if (CHECK(i >= 0)) k->run = known_function[i];
        served++;
    } else if (desc->group) {
        remember_group(desc->group);
    }
    if (k->inner) return k;
    free(k);
    return NULL;
}

static void stand_in_drop(situ_dev *d, void *kernel)
{
    text_kernel *k = kernel;
    if (k) cpu->drop(d, k->inner);
    free(k);
}

static int stand_in_launch(situ_dev *d, void *kernel, char *const *address, const uint64_t *argument, situ_fault *fault)
{
    text_kernel *k = kernel;
    if (!k->run) return cpu->launch(d, k->inner, address, argument, fault);
    k->run(address, argument);
    return 0;
}

static situ_dev *stand_in_begin(bool serve)
{
    situ_dev *d = situ_dev_open(situ_cpu(), NULL);
    if (!CHECK(d != NULL)) return NULL;
    forget_plans();
    cpu = d->backend;
    stand_in = *cpu;
    stand_in.compile = stand_in_compile;
    stand_in.drop = stand_in_drop;
    stand_in.launch = stand_in_launch;
    d->backend = &stand_in;
    serving = serve;
    return d;
}

static void stand_in_end(situ_dev *d)
{
    forget_plans();
    d->backend = cpu;
}

/* Compiles the known groups from `first` on into one library. */
static void *compile_groups(int first, int count)
{
    situ_source all = {0};
    char name[32];
    for (int i = first; i < first + count; i++) {
        snprintf(name, sizeof name, "k%d", i);
        char *text = situ_fused_text(&known[i], name, &dialect_c);
        CHECK_OK();
        situ_source_append(&all, text ? text : "");
        situ_free(text);
    }
    char *text = situ_source_take(&all);
    snprintf(name, sizeof name, "bits%d", first);
    void *library = CHECK(text != NULL) ? compile_text(text, name) : NULL;
    situ_free(text);
    for (int i = first; i < first + count && library; i++) {
        snprintf(name, sizeof name, "k%d", i);
        known_function[i] = compiled_function(library, name);
    }
    return library;
}

/* ---------------------------------------------------------------- the ways to compute */

typedef struct way {
    const char *name;
    situ_isa isa;
    int threads;
    bool fusing, simulated;
} way;

static void compare_way(const way *w, uint64_t first, int count, const outcome *expected)
{
    situ_isa_limit(w->isa);
    situ_set_threads(w->threads);
    bool before = situ_fusing(w->fusing);
    forget_plans(); /* a cached kernel keeps its instruction set */
    for (int i = 0; i < count; i++) {
        outcome got;
        if (run_program(first + (uint64_t)i, w->simulated ? situ_gpu(0) : situ_cpu(), &got))
            same_outcome(&expected[i], &got, first + (uint64_t)i, w->name);
        outcome_free(&got);
    }
    forget_plans();
    situ_fusing(before);
    situ_isa_limit(SITU_ISA_AVX512);
}

static void compare_text(uint64_t first, int count, const outcome *expected)
{
    int libraries = (known_count + FILE_GROUPS - 1) / FILE_GROUPS;
    void **library = calloc((size_t)libraries + 1, sizeof *library);
    known_function = calloc((size_t)known_count + 1, sizeof *known_function);
    bool good = CHECK(library && known_function);
    for (int i = 0; i < libraries && good; i++) {
        int left = known_count - i * FILE_GROUPS;
        library[i] = compile_groups(i * FILE_GROUPS, left < FILE_GROUPS ? left : FILE_GROUPS);
        good = library[i] != NULL;
    }
    situ_dev *d = good ? stand_in_begin(true) : NULL;
    served = 0;
    for (int i = 0; i < count && d; i++) {
        outcome got;
        if (run_program(first + (uint64_t)i, situ_cpu(), &got))
            same_outcome(&expected[i], &got, first + (uint64_t)i, "C text");
        outcome_free(&got);
    }
    if (d) stand_in_end(d);
    if (d) CHECK(served >= known_count);
    for (int i = 0; i < libraries && library; i++)
        if (library[i]) dlclose(library[i]);
    free(library);
    free(known_function);
}

static void compare_batch(uint64_t first, int count)
{
    static const way ways[] = {
        {"fusing off", SITU_ISA_AVX512, 2, false, false}, {"one thread", SITU_ISA_AVX512, 1, true, false},
        {"AVX2", SITU_ISA_AVX2, 2, true, false},          {"baseline", SITU_ISA_BASELINE, 2, true, false},
        {"simulated", SITU_ISA_AVX512, 2, true, true},    {"simulated, fusing off", SITU_ISA_AVX512, 2, false, true}};
    outcome expected[BATCH] = {{0}};
    bool text = have_compiler();
    situ_set_threads(2);
    situ_dev *d = stand_in_begin(false);
    bool good = d != NULL;
    for (int i = 0; i < count && good; i++) good = run_program(first + (uint64_t)i, situ_cpu(), &expected[i]);
    if (d) stand_in_end(d);
    for (size_t k = 0; k < sizeof ways / sizeof *ways && good; k++) {
        if (ways[k].isa == SITU_ISA_AVX2 && !situ_tiles_named("avx512")) continue; /* the best there is: done */
        compare_way(&ways[k], first, count, expected);
    }
    if (text && good) compare_text(first, count, expected);
    for (int i = 0; i < count; i++) outcome_free(&expected[i]);
    free(known);
    known = NULL;
    known_count = known_room = 0;
}

static int setting(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text && *text ? atoi(text) : otherwise;
}

TEST(random_programs_give_the_same_bits_in_all_ways)
{
    int graphs = setting("SITU_TEST_GRAPHS", 60), threads = situ_threads();
    uint64_t seed = (uint64_t)setting("SITU_TEST_SEED", 1) << 32;
    if (situ_num_gpus() < 1) CHECK_EQ(situ_sim_gpus(1), 0);
    for (int done = 0; done < graphs; done += BATCH)
        compare_batch(seed + (uint64_t)done, graphs - done < BATCH ? graphs - done : BATCH);
    compare_batch((1ull << 32) + 717, 1); /* in this program a compiler evaluated erf(1), with another rounding */
    situ_set_threads(threads);
}
