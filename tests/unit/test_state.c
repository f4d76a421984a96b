/* Optimizers' moments and a program's own variables are updated in their own memory from the first step on; and
 * assigning part of a variable writes only that part. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <situ.h>

#include "support/opencl_devices.h"
#include "support/sim_devices.h"
#include "values.h"

enum { WIDTH = 256, PARAMETERS = 3 * (WIDTH * WIDTH + WIDTH) };

static int64_t peak_since(situ_device d, int64_t start)
{
    situ_memory m;
    CHECK_EQ(situ_memory_of(d, &m), 0);
    return m.peak - start;
}

typedef struct rule { const char *name; int slots; bool clips; } rule;

static situ_optimizer *optimizer_of(const rule *r, situ_module *net)
{
    double clip = r->clips ? 1 : 0;
    if (!strcmp(r->name, "sgd")) return r->slots ? situ_sgd(net, .momentum = 0.9, .clip_norm = clip) : situ_sgd(net, .clip_norm = clip);
    if (!strcmp(r->name, "adam")) return situ_adam(net, .clip_norm = clip);
    return situ_adamw(net, .clip_norm = clip);
}

/* The first step and later ones are one plan, and need no more memory than parameters, moments and gradients. */
static void takes_what_it_needs(situ_device d, const rule *r, bool reads_first)
{
    situ_module *net = situ_sequential(situ_linear_layer(WIDTH), situ_relu_layer(), situ_linear_layer(WIDTH), situ_relu_layer(), situ_linear_layer(WIDTH));
    situ_optimizer *opt = optimizer_of(r, net);
    int64_t start = memory_in_use(d), made = 0, need = (int64_t)(1 + r->slots + 1) * PARAMETERS * 4, room = 1 << 18;
    CHECK_EQ(situ_memory_reset_peak(d), 0);
    for (int i = 0; i < 3; i++) {
        IN_SCOPE {
            situ_tensor *loss = situ_mean(situ_square(situ_module_call(net, situ_ones(SHAPE(8, WIDTH), .device = d))));
            if (reads_first) CHECK(situ_item(loss) > 0);
            situ_scope *inner = reads_first ? situ_scope_open() : NULL; /* what is read in two scopes is one value, too */
            CHECK_EQ(situ_optimizer_step(opt, reads_first ? situ_mul(loss, 1) : loss), 0);
            if (inner) situ_scope_close(inner);
        }
        CHECK_EQ(situ_wait(NULL), 0);
        int64_t peak = peak_since(d, start);
        if (!CHECK(peak <= need + need / 20 + room))
            fprintf(stderr, "  %s%s, step %d: %lld bytes, %lld are needed\n", r->name, r->clips ? " with clipping" : "", i + 1, (long long)peak, (long long)need);
        if (i == 0) made = situ_plans().made;
    }
    if (!reads_first) CHECK_EQ(situ_plans().made, made);
    situ_optimizer_free(opt);
    situ_module_free(net);
    CHECK_OK();
}

static void first_steps(situ_device d, size_t count)
{
    static const rule rules[] = {{"adamw", 2, true}, {"sgd", 0, false}, {"sgd", 1, false}, {"sgd", 1, true}, {"adam", 2, false}, {"adamw", 2, false}};
    for (size_t i = 0; i < count; i++) takes_what_it_needs(d, &rules[i], false);
    if (count > 1) takes_what_it_needs(d, &rules[2], true);
}

TEST(the_first_step_of_an_optimizer_is_made_in_place) { first_steps(situ_cpu(), 6); }
TEST(the_first_step_of_an_optimizer_is_made_in_place_on_a_gpu) { first_steps(sim_device(0), 6); }
TEST(the_first_step_of_an_optimizer_is_made_in_place_by_opencl)
{
    need_tested(1);
    first_steps(tested_device(0), 1);
}

/* ---- state of a program's own --------------------------------------------------------------------------------------------- */

enum { COUNT = 1 << 18 };

TEST(state_that_a_program_makes_is_updated_in_place)
{
    situ_tensor *mean = NULL, *square = NULL;
    int64_t start = memory_in_use(situ_cpu()), made = 0;
    CHECK_EQ(situ_memory_reset_peak(situ_cpu()), 0);
    for (int i = 0; i < 4; i++) {
        IN_SCOPE {
            if (!i) { /* as zeros, and assigned in the same scope */
                mean = situ_variable(situ_zeros(SHAPE(COUNT)), .trainable = false);
                square = situ_variable(situ_zeros(SHAPE(COUNT)), .trainable = false);
            }
            situ_tensor *x = situ_arange(0, COUNT, 1, .dtype = SITU_F32), *v = situ_add(situ_mul(square, 0.5), situ_square(x));
            CHECK_EQ(situ_assign(mean, situ_add(situ_mul(mean, 0.5), situ_div(x, situ_sqrt(situ_add(v, 1))))), 0);
            CHECK_EQ(situ_assign(square, v), 0);
        }
        CHECK_EQ(situ_wait(NULL), 0);
        if (i == 1) made = situ_plans().made;
    }
    CHECK_EQ(situ_plans().made, made);
    CHECK(peak_since(situ_cpu(), start) <= 4 * COUNT * 2 + 65536);
    IN_SCOPE IS(situ_slice(square, .start = SHAPE(0), .stop = SHAPE(4)), "[0., 1.875, 7.5, 16.875] f32[4]");
    situ_release(mean);
    situ_release(square);
}

/* An assigned tensor that only the variable's readers read is not stored separately; one that is read itself is. */
TEST(what_was_assigned_keeps_its_own_value)
{
    situ_tensor *v = NULL;
    IN_SCOPE {
        situ_tensor *first = situ_arange(0, 3, 1, .dtype = SITU_F32);
        v = situ_variable(first, .trainable = false);
        situ_tensor *read = situ_add(v, 0), *own = situ_mul(first, 10);
        CHECK_EQ(situ_eval(TENSORS(v)), 0);
        CHECK_EQ(situ_assign(v, situ_add(v, 1)), 0);
        CHECK_EQ(situ_eval(TENSORS(v)), 0);
        CHECK_EQ(situ_assign(v, situ_add(v, 1)), 0);
        IS(v, "[2., 3., 4.] f32[3]");
        IS(first, "[0., 1., 2.] f32[3]");
        IS(read, "[0., 1., 2.] f32[3]");
        IS(own, "[0., 10., 20.] f32[3]");
    }
    situ_release(v);
}

/* ---- parts ------------------------------------------------------------------------------------------------------------------- */

enum { ROWS = 98304, COLUMNS = 192, TURNS = 6 }; /* 75 MB: beside writing all of it, what a launch costs, and a sanitizer adds, is little */
typedef enum part { ONE, TWO, MANY, THEN_READ, READ_BETWEEN, LAYERS, WHOLE } part;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static situ_tensor *row_of(situ_tensor *v, int64_t i) { return situ_slice(v, .start = SHAPE(i, 0), .stop = SHAPE(i + 1, COLUMNS)); }

static void write_part(part how, situ_tensor *v, situ_tensor *w, situ_tensor *row, int i)
{
    situ_tensor *y;
    double expected = (i + 1) * COLUMNS;
    if (how == WHOLE) CHECK_EQ(situ_assign(v, situ_mul(v, -1)), 0);
    else CHECK_EQ(situ_assign_slice(v, row, SHAPE(i, 0)), 0);
    if (how == TWO) CHECK_EQ(situ_assign_slice(v, row, SHAPE(i + 100, 0)), 0);
    for (int k = 1; how == MANY && k < 10; k++) CHECK_EQ(situ_assign_slice(v, row, SHAPE(i + 100 * k, 0)), 0);
    if (how == THEN_READ) CHECK_EQ(situ_item(situ_sum(row_of(v, i))), expected);
    if (how == READ_BETWEEN) {
        y = situ_sum(row_of(v, i));
        CHECK_EQ(situ_assign_slice(v, situ_mul(row, 2), SHAPE(i, 0)), 0);
        CHECK_EQ(situ_item(y), expected);
        CHECK_EQ(situ_item(situ_sum(row_of(v, i))), 2 * expected);
    }
    if (how == LAYERS) { /* as layers do with keys and values: the second one's row is made of what the first one holds */
        CHECK_EQ(situ_assign_slice(w, situ_mul(row_of(v, i), 3), SHAPE(i, 0)), 0);
        CHECK_EQ(situ_item(situ_sum(row_of(w, i))), 3 * expected);
    }
}

/* Shortest time of one iteration, and its largest use of memory. */
static double time_of(situ_device d, part how, situ_tensor *v, situ_tensor *w, int64_t *memory)
{
    static float numbers[COLUMNS];
    double least = 1e9;
    *memory = 0;
    for (int i = 0; i < TURNS; i++) {
        for (int k = 0; k < COLUMNS; k++) numbers[k] = (float)(i + 1);
        CHECK_EQ(situ_wait(NULL), 0);
        CHECK_EQ(situ_memory_reset_peak(d), 0);
        int64_t before = memory_in_use(d);
        double start = now();
        IN_SCOPE write_part(how, v, w, situ_from_host(numbers, SHAPE(1, COLUMNS), .device = d), i);
        CHECK_EQ(situ_wait(v), 0);
        double took = now() - start;
        int64_t peak = peak_since(d, before);
        if (took < least) least = took;
        if (peak > *memory) *memory = peak;
    }
    return least;
}

static void writes_parts(situ_device d)
{
    static const char *const names[] = {"one row", "two rows", "ten rows", "a row, then read", "a row, read, and written again", "a row of a row"};
    situ_tensor *v = NULL, *w = NULL;
    int64_t memory;
    IN_SCOPE {
        v = situ_variable(situ_zeros(SHAPE(ROWS, COLUMNS), .device = d), .trainable = false);
        w = situ_variable(situ_zeros(SHAPE(ROWS, COLUMNS), .device = d), .trainable = false);
    }
    CHECK_EQ(situ_wait(w), 0);
    double whole = time_of(d, WHOLE, v, w, &memory);
    for (part k = ONE; k < WHOLE; k++) {
        double took = time_of(d, k, v, w, &memory);
        if (!CHECK(memory < 65536) || !CHECK(took < whole)) /* it is a hundredth; the bound is for machines that do much else */
            fprintf(stderr, "  %s: %.0f us and %lld bytes, the whole %.0f us\n", names[k], 1e6 * took, (long long)memory, 1e6 * whole);
    }
    situ_release(v);
    situ_release(w);
    CHECK_OK();
}

TEST(writing_a_part_costs_what_the_part_costs) { writes_parts(situ_cpu()); }
TEST(writing_a_part_costs_what_the_part_costs_on_a_gpu) { writes_parts(sim_device(0)); }
TEST(writing_a_part_costs_what_the_part_costs_by_opencl)
{
    need_tested(1);
    writes_parts(tested_device(0));
}

/* ---- ... and where the old value is needed it is kept -------------------------------------------------------------------------- */

static void keeps_old_values(situ_device d, int64_t rows)
{
    situ_tensor *v = NULL, *kept = NULL, *g = NULL;
    IN_SCOPE v = situ_variable(situ_ones(SHAPE(rows, 8), .device = d));
    CHECK_EQ(situ_wait(v), 0);
    IN_SCOPE {
        situ_tensor *row = situ_full(SHAPE(1, 8), 5.0, .device = d), *sum = situ_sum(situ_square(v)), *late = situ_sum(situ_mul(v, 2));
        CHECK_EQ(situ_assign_slice(v, row, SHAPE(1, 0)), 0);
        CHECK_EQ(situ_assign_slice(v, situ_mul(row, 2), SHAPE(2, 0)), 0);
        CHECK_EQ(situ_item(situ_sum(v)), (double)(8 * (rows - 2 + 15)));
        CHECK_EQ(situ_item(late), (double)(16 * rows)); /* recorded before */
        kept = situ_keep(situ_slice(v, .start = SHAPE(1, 0), .stop = SHAPE(3, 1)));
        (void)sum;
    }
    IN_SCOPE { /* the gradient reads what the variable was */
        situ_grad(situ_sum(situ_square(v)), TENSORS(v), &g);
        CHECK_EQ(situ_assign_slice(v, situ_zeros(SHAPE(3, 8), .device = d), SHAPE(0, 0)), 0);
        situ_tensor *head = situ_reshape(situ_slice(g, .start = SHAPE(0, 0), .stop = SHAPE(4, 1)), SHAPE(4));
        IS(head, "[2., 10., 20., 2.] f32[4]");
        IS(situ_reshape(kept, SHAPE(2)), "[5., 10.] f32[2]");
        IS(situ_reshape(situ_slice(v, .start = SHAPE(0, 0), .stop = SHAPE(4, 1)), SHAPE(4)), "[0., 0., 0., 1.] f32[4]");
    }
    situ_release(kept);
    situ_release(v);
    CHECK_OK();
}

TEST(parts_leave_old_values_to_who_reads_them)
{
    keeps_old_values(situ_cpu(), 6);
    keeps_old_values(situ_cpu(), 16384);
}

TEST(parts_leave_old_values_to_who_reads_them_on_a_gpu) { keeps_old_values(sim_device(0), 16384); }
TEST(parts_leave_old_values_to_who_reads_them_by_opencl)
{
    need_tested(1);
    keeps_old_values(tested_device(0), 16384);
}
