/* Meaning never depends on what was computed when: random programs of variables, assignments, aliases and gradients
 * are run as they are and with evaluations, reads, prints, kept handles, scopes and waits put between their lines;
 * every value, gradient and error is the same. */
#include <math.h>
#include <situ.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/sim_devices.h"
#include "test.h"
#include "values.h"

enum { LINES = 14, HANDLES = 64, ELEMENTS = 3, RESULTS = 64, ALIASES = 14 };

static uint64_t state;
static unsigned draw(unsigned n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

typedef struct line { unsigned kind, a, b, c, d; } line;
typedef struct outcome {
    int code[RESULTS];
    double value[RESULTS][ELEMENTS];
    int count;
    bool given_up; /* an insertion asked for what is overwritten: the one documented error */
} outcome;

typedef struct machine {
    situ_tensor *handle[HANDLES];
    situ_tensor *released[HANDLES];
    int handles, releases;
    situ_device device;
    situ_dtype dtype;
    outcome *out;
} machine;

static situ_tensor *constant(machine *m, unsigned a, unsigned b)
{
    double v[ELEMENTS] = {1 + a % 3, 0.5 + b % 2, -1};
    situ_tensor *t = situ_from_host(v, SHAPE(ELEMENTS), .dtype = SITU_F64, .device = m->device);
    return situ_cast(t, m->dtype);
}

static situ_tensor *any(machine *m, unsigned n) { return m->handle[n % (unsigned)m->handles]; }

static situ_tensor *variable_of(machine *m, unsigned n)
{
    for (int i = 0; i < m->handles; i++) {
        situ_tensor *t = any(m, n + (unsigned)i);
        if (situ_is_variable(t)) return t;
    }
    return NULL;
}

/* What gives its operand back. */
static situ_tensor *alias_of(machine *m, situ_tensor *x, unsigned which)
{
    situ_tensor *k;
    switch (which % ALIASES) {
    case 0: return situ_cast(x, m->dtype);
    case 1: return situ_real(x);
    case 2: return situ_conj(x);
    case 3: return situ_squeeze(x);
    case 4: return situ_reshape(x, SHAPE(ELEMENTS));
    case 5: return situ_broadcast_to(x, SHAPE(ELEMENTS));
    case 6: return situ_permute(x, AXES(0));
    case 7: return situ_to(x, m->device);
    case 8: return situ_concat(TENSORS(x));
    case 9: return situ_roll(x, 0);
    case 10: return situ_stop_gradient(x);
    case 11: return situ_copy_to(x, m->device);
    case 12: return situ_flip(situ_flip(x));
    default:
        k = situ_keep(x);
        m->released[m->releases++] = k;
        return k;
    }
}

static void note(machine *m, int code, situ_tensor *t)
{
    outcome *o = m->out;
    if (o->count == RESULTS) return;
    int i = o->count++;
    o->code[i] = code;
    memset(o->value[i], 0, sizeof o->value[i]);
    if (!t) return;
    if (situ_read(situ_cast(t, SITU_F64), o->value[i], sizeof o->value[i])) {
        o->code[i] = situ_error_take(NULL);
        memset(o->value[i], 0, sizeof o->value[i]);
    }
}

static void push(machine *m, situ_tensor *t)
{
    int code = situ_error_take(NULL);
    if (code) note(m, code, NULL);
    m->handle[m->handles++] = code ? constant(m, 1, 1) : t;
}

static void gradient(machine *m, const line *l)
{
    situ_tensor *y = any(m, l->a), *wrt[2] = {any(m, l->b), any(m, l->c)}, *g[2];
    if (l->d & 1) y = situ_mul(y, any(m, l->d));
    int rc = situ_grad(situ_sum(y), TENSORS_OF(wrt, 2), g);
    situ_error_take(NULL);
    note(m, rc, NULL);
    for (int i = 0; i < 2; i++) m->handle[m->handles++] = rc ? constant(m, 2, 0) : g[i];
}

static void run_line(machine *m, const line *l)
{
    situ_tensor *v = variable_of(m, l->a);
    switch (l->kind) {
    case 0: push(m, constant(m, l->a, l->b)); break;
    case 1: push(m, situ_mul(any(m, l->a), (double)(l->b % 3) - 1)); break;
    case 2: push(m, l->c & 1 ? situ_mul(any(m, l->a), any(m, l->b)) : situ_add(any(m, l->a), any(m, l->b))); break;
    case 3: case 4: push(m, alias_of(m, any(m, l->a), l->b)); break;
    case 5: case 6:
        push(m, situ_variable(any(m, l->a), .trainable = l->b & 1));
        m->released[m->releases++] = m->handle[m->handles - 1];
        break;
    case 7: case 8:
        if (v && situ_assign(v, any(m, l->b))) note(m, situ_error_take(NULL), NULL);
        break;
    case 9:
        if (v && situ_assign_slice(v, situ_slice(any(m, l->b), .stop = SHAPE(2)), SHAPE(l->c % 2))) note(m, situ_error_take(NULL), NULL);
        break;
    case 10: situ_no_grad(l->a & 1); break;
    case 11: push(m, situ_add(situ_sum(any(m, l->a)), any(m, l->b))); break;
    default: gradient(m, l); break;
    }
}

/* What must change nothing. */
static void insert(machine *m, unsigned what)
{
    situ_tensor *t = any(m, draw(64)), *v = variable_of(m, draw(64));
    double out[ELEMENTS];
    char *text;
    switch (what % 10) {
    case 0: situ_eval(TENSORS(t)); break;
    case 1: if (v) situ_eval(TENSORS(v)); break;
    case 2: situ_read(t, (void *)out, (size_t)situ_count(t) * (situ_dtype_of(t) == SITU_F64 ? 8 : situ_dtype_of(t) == SITU_F32 ? 4 : 2)); break;
    case 3: free(text = situ_text(v ? v : t)); break;
    case 4: situ_wait(NULL); break;
    case 5: m->released[m->releases++] = situ_keep(t); break;
    case 6: IN_SCOPE situ_item(situ_sum(situ_mul(v ? v : t, t))); break;
    case 7: IN_SCOPE situ_release(situ_keep(situ_add(v ? v : t, 1))); break;
    case 8: for (int i = 0; i < m->handles; i++) situ_eval(TENSORS(m->handle[i])); break;
    default: IN_SCOPE free(situ_text(situ_add(v ? v : t, t))); break;
    }
    if (situ_error_take(NULL)) m->out->given_up = true;
}

static void run(const line *program, unsigned inserts, uint64_t seed, situ_device device, situ_dtype dtype, outcome *out)
{
    machine m = {.device = device, .dtype = dtype, .out = out};
    *out = (outcome){.count = 0};
    state = seed;
    IN_SCOPE {
        push(&m, constant(&m, 1, 0));
        push(&m, situ_mul(m.handle[0], 2));
        for (int i = 0; i < LINES && !out->given_up; i++) {
            run_line(&m, &program[i]);
            for (unsigned n = inserts ? draw(inserts + 1) : 0; n-- > 0 && !out->given_up;) insert(&m, draw(64));
        }
        situ_no_grad(false);
        for (int i = 0; i < m.handles && !out->given_up; i++) note(&m, 0, m.handle[i]);
    }
    for (int i = 0; i < m.releases; i++) situ_release(m.released[i]);
}

static bool same(const outcome *a, const outcome *b, int *at)
{
    for (*at = 0; *at < a->count && *at < b->count; ++*at) {
        int i = *at;
        /* the one documented difference: a dropped value whose variable was overwritten cannot be computed again */
        if (a->code[i] != b->code[i] && (a->code[i] == SITU_OVERWRITTEN || b->code[i] == SITU_OVERWRITTEN)) continue;
        if (a->code[i] != b->code[i] || memcmp(a->value[i], b->value[i], sizeof a->value[i])) return false;
    }
    return a->count == b->count;
}

static void programs(situ_device device, uint64_t first, int count)
{
    static const situ_dtype dtypes[] = {SITU_F64, SITU_F32, SITU_BF16};
    line program[LINES];
    outcome plain, other;
    int given_up = 0, runs = 0, at;
    for (int p = 0; p < count; p++) {
        state = first + (uint64_t)p * 7919;
        for (int i = 0; i < LINES; i++) program[i] = (line){draw(15), draw(997), draw(997), draw(997), draw(997)};
        run(program, 0, 0, device, dtypes[p % 3], &plain);
        for (int r = 0; r < 4; r++) {
            run(program, r ? (unsigned)r : 8, (uint64_t)(p * 4 + r) * 31, device, dtypes[p % 3], &other);
            runs++;
            given_up += other.given_up;
            if (other.given_up || same(&plain, &other, &at)) continue;
            fprintf(stderr, "  program %d of seed %llu, run %d: result %d of %d/%d: code %d/%d, [%g %g %g] without insertions, [%g %g %g] with them\n", p,
                    (unsigned long long)first, r, at, plain.count, other.count, plain.code[at], other.code[at], plain.value[at][0], plain.value[at][1],
                    plain.value[at][2], other.value[at][0], other.value[at][1], other.value[at][2]);
            if (getenv("SITU_MEANING_PROGRAM"))
                for (int i = 0; i < LINES; i++) fprintf(stderr, "    %u %u %u %u %u\n", program[i].kind, program[i].a, program[i].b, program[i].c, program[i].d);
            CHECK(!"an insertion changed a result");
            return;
        }
    }
    CHECK(given_up * 50 < runs);
    if (getenv("SITU_MEANING_PROGRAM")) fprintf(stderr, "  %d runs, %d given up\n", runs, given_up);
    CHECK_OK();
}

TEST(insertions_change_nothing) { programs(situ_cpu(), 1, 1200); }
TEST(insertions_change_nothing_on_another_device) { programs(sim_device(0), 2, 200); }

/* ---- by hand ---------------------------------------------------------------------------------------------------- */

enum { PENDING, TENSOR_EVALUATED, VARIABLE_EVALUATED, BOTH, EVALUATED_LATER, OTHER_SCOPE, TIMES };

static situ_tensor *gradient_of(situ_tensor *y, situ_tensor *x)
{
    situ_tensor *g;
    situ_grad(y, TENSORS(x), &g);
    return g;
}

TEST(a_gradient_by_a_variable_is_by_its_reads)
{
    for (int time = 0; time < TIMES; time++)
        for (int remote = 0; remote < 2; remote++)
            IN_SCOPE {
                situ_tensor *x = situ_to(F32(1, 2, 3), remote ? sim_device(0) : situ_cpu()), *t = situ_mul(x, 1);
                if (time == TENSOR_EVALUATED || time == BOTH) situ_eval(TENSORS(t));
                situ_tensor *v = situ_variable(t);
                if (time == VARIABLE_EVALUATED || time == BOTH) situ_eval(TENSORS(v));
                situ_scope *inner = time == OTHER_SCOPE ? situ_scope_open() : NULL;
                situ_tensor *y = situ_mul(situ_sum(situ_square(t)), situ_sum(v));
                if (time == EVALUATED_LATER) situ_eval(TENSORS(y, v, t));
                IS(gradient_of(y, v), "[14., 14., 14.] f32[3]");
                IS(gradient_of(y, t), "[12., 24., 36.] f32[3]");
                IS(gradient_of(y, x), "[12., 24., 36.] f32[3]");
                IS(gradient_of(situ_sum(gradient_of(y, v)), t), "[6., 12., 18.] f32[3]"); /* second order */
                IS(gradient_of(situ_sum(gradient_of(y, t)), v), "[12., 12., 12.] f32[3]");
                situ_scope_close(inner);
                situ_release(v);
            }
}

TEST(what_gives_its_operand_back_is_a_value_of_its_own_for_a_variable)
{
    for (unsigned which = 0; which < ALIASES; which++)
        for (int time = 0; time < 4; time++)
            IN_SCOPE {
                machine m = {.device = situ_cpu(), .dtype = SITU_F32};
                situ_tensor *v = situ_variable(F32(1, 2, 3));
                if (time & 1) situ_eval(TENSORS(v));
                situ_tensor *a = alias_of(&m, v, which);
                if (time & 2) situ_eval(TENSORS(a));
                situ_tensor *y = situ_sum(situ_mul(v, a));
                IS(gradient_of(y, a), "[1., 2., 3.] f32[3]");
                IS(gradient_of(y, v), which == 10 ? "[1., 2., 3.] f32[3]" : "[2., 4., 6.] f32[3]");
                situ_eval(TENSORS(a)); /* keeps it, whatever the variable does */
                CHECK_EQ(situ_assign(v, situ_mul(v, -1)), 0);
                situ_eval(TENSORS(v));
                CHECK_EQ(situ_assign(v, situ_mul(v, 2)), 0);
                situ_eval(TENSORS(v));
                IS(a, "[1., 2., 3.] f32[3]");
                IS(v, "[-2., -4., -6.] f32[3]");
                for (int i = 0; i < m.releases; i++) situ_release(m.released[i]);
                situ_release(v);
            }
}

/* Each of two variables of one tensor, or of each other, is a leaf. */
TEST(variables_of_one_value_have_gradients_of_their_own)
{
    for (int time = 0; time < 4; time++)
        IN_SCOPE {
            situ_tensor *t = situ_mul(F32(1, 2), 1), *v = situ_variable(t), *w = situ_variable(time & 1 ? v : t);
            if (time & 2) situ_eval(TENSORS(v));
            CHECK_EQ(situ_assign(w, w), 0); /* itself */
            situ_tensor *y = situ_sum(situ_mul(situ_mul(v, 3), w));
            IS(gradient_of(y, v), "[3., 6.] f32[2]");
            IS(gradient_of(y, w), "[3., 6.] f32[2]");
            IS(gradient_of(y, t), "[0., 0.] f32[2]");
            situ_release(v);
            situ_release(w);
        }
}

/* A graph that mixes an older value with the present one has no gradient by the variable either: half of it would be a
 * lie. */
TEST(a_gradient_that_would_leave_out_an_older_read_is_an_error)
{
    for (int time = 0; time < 3; time++)
        IN_SCOPE {
            situ_tensor *v = situ_variable(F32(2)), *before = situ_square(v);
            if (time == 1) situ_eval(TENSORS(before));
            CHECK_EQ(situ_assign(v, situ_add(v, 1)), 0);
            if (time == 2) situ_eval(TENSORS(v));
            situ_tensor *y = situ_sum(situ_mul(before, v));
            CHECK(situ_text(gradient_of(y, v)) == NULL);
            CHECK_CODE(SITU_OVERWRITTEN);
            IS(gradient_of(situ_sum(situ_mul(situ_stop_gradient(before), v)), v), "[4.] f32[1]");
            situ_release(v);
        }
}

/* ... nor by anything else: whether its rules' operands can be computed again would depend on what was stored. */
TEST(a_gradient_of_what_read_an_older_value_is_an_error_whatever_it_is_asked_by)
{
    for (int time = 0; time < 4; time++)
        for (int past_a_stop = 0; past_a_stop < 2; past_a_stop++) IN_SCOPE {
            situ_tensor *v = situ_variable(F32(2)), *x = situ_exp(F32(0)), *read = situ_square(v);
            if (past_a_stop) read = situ_eval(TENSORS(read)) ? NULL : situ_stop_gradient(read);
            situ_tensor *z = situ_tanh(situ_mul(x, read)), *y = situ_sum(situ_mul(z, z));
            if (time == 1) situ_eval(TENSORS(y));
            CHECK_EQ(situ_assign(v, situ_add(v, 1)), 0);
            if (time == 2) situ_eval(TENSORS(v));
            if (time == 3) situ_eval(TENSORS(z));
            situ_tensor *g = gradient_of(y, x);
            if (past_a_stop) CHECK(fabs(situ_item(g) - 8 * tanh(4) * (1 - tanh(4) * tanh(4))) < 1e-5);
            else CHECK(situ_text(g) == NULL && situ_error_take(NULL) == SITU_OVERWRITTEN);
            situ_release(v);
        }
}

/* Two reversals lie on their operand's memory as it is: they are another tensor all the same. */
TEST(a_stored_view_on_all_of_its_operands_memory_is_not_its_operand)
{
    for (int stored = 0; stored < 2; stored++)
        IN_SCOPE {
            situ_tensor *x = F32(1, 2, 3), *back = situ_flip(situ_flip(x));
            if (stored) situ_eval(TENSORS(back));
            IS(gradient_of(situ_sum(situ_mul(x, back)), back), "[1., 2., 3.] f32[3]");
            IS(gradient_of(situ_sum(situ_square(x)), back), "[0., 0., 0.] f32[3]");
        }
}

TEST_IN_SCOPE(a_view_that_was_read_stays_readable)
{
    situ_tensor *v = situ_variable(F32(1, 2, 3)), *view = situ_flip(v);
    situ_eval(TENSORS(v));
    for (int i = 0; i < 3; i++) {
        IS(view, "[3., 2., 1.] f32[3]");
        CHECK_EQ(situ_assign(v, situ_add(v, 1)), 0);
        situ_eval(TENSORS(v));
    }
    situ_release(v);
}

/* What was assigned is an ordinary tensor: when its memory has been written over it is computed again. */
TEST(an_assigned_tensor_can_be_read_after_the_next_assignment)
{
    for (int time = 0; time < 3; time++)
        IN_SCOPE {
            situ_tensor *t = situ_mul(F32(1, 2), 3);
            if (time == 1) situ_eval(TENSORS(t));
            situ_tensor *v = situ_variable(t);
            if (time == 2) situ_eval(TENSORS(v));
            for (int i = 0; i < 3; i++) {
                CHECK_EQ(situ_assign(v, situ_add(v, 1)), 0);
                situ_eval(TENSORS(v));
            }
            IS(t, "[3., 6.] f32[2]");
            IS(v, "[6., 9.] f32[2]");
            situ_release(v);
        }
}

/* A composite may end in a view or in what it was given, which has no memory that a variable could take. */
static situ_tensor *composite(int i, situ_tensor *x, situ_tensor *f)
{
    switch (i) {
    case 0: return situ_norm(x, .axes = AXES(1));
    case 1: return situ_norm(f, .axes = AXES(0), .ord = 3);
    case 2: return situ_norm(x);
    case 3: return situ_max(situ_reshape(x, SHAPE(2, 2, 3)), .axes = AXES(0, 2));
    case 4: return situ_min(situ_reshape(f, SHAPE(2, 2, 3)), .axes = AXES(0, 2), .keepdims = true);
    case 5: return situ_softmax(f, .axis = 0);
    case 6: return situ_log_softmax(f);
    case 7: return situ_self_attention(situ_reshape(f, SHAPE(1, 2, 6)), 1);
    case 8: return situ_std(x, .axes = AXES(1));
    case 9: return situ_layer_norm(f, situ_ones(SHAPE(3)), situ_zeros(SHAPE(3)));
    case 10: return situ_gelu(f);
    case 11: return situ_key(7);
    case 12: return situ_conv2d(situ_cast(situ_reshape(f, SHAPE(1, 1, 4, 3)), SITU_F16), situ_ones(SHAPE(1, 1, 2, 2), .dtype = SITU_F16));
    case 13: return situ_norm(f, .ord = -2, .keepdims = true);
    default: return NULL;
    }
}

TEST(a_variable_takes_what_any_composite_gives)
{
    const double data[12] = {3, 4, 0, 0, 5, 12, 1, -2, 2, 7, 9, -8};
    for (int gpu = 0; gpu < 2 && gpu <= situ_num_gpus(); gpu++)
        for (int i = 0; i < 14; i++)
            IN_SCOPE {
                situ_push_device(gpu ? situ_gpu(0) : situ_cpu());
                situ_tensor *x = situ_from_host(data, SHAPE(4, 3), .dtype = SITU_F64), *f = situ_cast(x, SITU_F32);
                situ_tensor *at_once = composite(i, x, f);
                situ_eval(TENSORS(at_once));
                char *want = situ_text(at_once), *place = strstr(want, " @");
                if (place) *place = 0;
                situ_tensor *v = situ_variable(composite(i, x, f)), *w = situ_variable(situ_zeros_like(at_once));
                IS(v, want);
                situ_assign(w, composite(i, x, f));
                situ_eval(TENSORS(w));
                IS(w, want);
                free(want);
                situ_release(v);
                situ_release(w);
                situ_pop_device();
            }
}

/* A tensor that needs what was overwritten cannot be read. The assignments that were waiting go on without it. */
TEST(an_update_survives_a_read_that_fails)
{
    for (int way = 0; way < 4; way++)
        IN_SCOPE {
            situ_tensor *v = situ_variable(F32(1, 2)), *w = situ_variable(F32(5)), *old = situ_mul(v, 10);
            situ_eval(TENSORS(situ_sum(old)));
            CHECK_EQ(situ_assign(v, situ_add(v, 1)), 0);
            situ_eval(TENSORS(v));
            CHECK_EQ(situ_assign(v, situ_mul(v, 3)), 0);
            CHECK_EQ(situ_assign(w, situ_add(w, situ_sum(v))), 0);
            if (way == 0) situ_eval(TENSORS(old));
            if (way == 1) free(situ_text(old));
            if (way == 2) situ_read(old, ((float[2]){0}), 8);
            if (way == 3) {
                situ_scope *inner = situ_scope_open();
                situ_tensor *kept = situ_keep(situ_add(old, 1));
                situ_scope_close(inner);
                CHECK_EQ(situ_failed(), SITU_OVERWRITTEN);
                situ_error_take(NULL);
                situ_release(kept);
            } else {
                CHECK_EQ(situ_error_take(NULL), SITU_OVERWRITTEN);
            }
            IS(v, "[6., 9.] f32[2]");
            IS(w, "[20.] f32[1]");
            situ_release(v);
            situ_release(w);
        }
}
