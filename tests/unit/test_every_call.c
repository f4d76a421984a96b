/* Every public function, with NULL for everything, and with arguments that are likely to be wrong, among them now and
 * then the operands of its sample (cli/samples.h): an error through the API or a result, never a crash. What comes out
 * is computed where it is small. */
#include <unistd.h>
#include <situ.h>

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../cli/samples.h"
#include "base/error.h"
#include "base/handle.h"
#include "base/memory.h"
#include "device/device.h"
#include "support/each_allocation.h"
#include "support/sim_devices.h"
#include "train/proof.h"
#include "values.h"

#if !__has_include("every_call.inc") /* the calls are made when the tests are built (tests/support/every_call.py) */
TEST(every_function_survives_nothing) { SKIP("there was no python3, which makes the calls, when the tests were built"); }
#else

/* ---- drawing --------------------------------------------------------------------------------------------------- */

static bool all_null, any_drawn, any_error;
static uint64_t state;

static uint32_t draw(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 11) % below);
}

enum { POOL = 20, OUTPUTS = 64 };
static situ_tensor *pool[POOL], *suitable[SAMPLE_OPERANDS]; /* operands of the sample, in a fourth of the calls; how many, and given */
static int suitable_count, suitable_given;
static const char *now, *now_words; /* the function, and what its messages may begin with */
static situ_module *network;
static situ_dtype a_dtype;

static void fill_suitable(void)
{
    suitable_given = suitable_count = 0;
    if (all_null || draw(4)) return;
    for (const sample *s = samples; s < samples + sample_count && !suitable_count; s++) {
        if (strcmp(s->name, now + strlen("situ_"))) continue;
        sample_tensors(s, SITU_F32, situ_cpu(), suitable);
        suitable_count = sample_operands(s);
    }
}

static void fill_pool(void)
{
    fill_suitable();
    static const int64_t integers[6] = {0, 2, -1, 1, 5, 0};
    situ_shape six = SHAPE(2, 3);
    situ_tensor *x = situ_from_host(((float[]){0.5f, -1, 2, 3, 0, 7}), six), *made[POOL] = {
        NULL,
        situ_scalar_int(2),
        situ_scalar_float(-0.5),
        situ_scalar_bool(true),
        x,
        situ_from_host(integers, six, .dtype = SITU_I64),
        situ_cast(x, SITU_BOOL),
        situ_cast(x, SITU_F16),
        situ_cast(x, SITU_C64),
        situ_cast(x, SITU_U8),
        situ_full(SHAPE(), 0.25),
        situ_zeros(SHAPE(0, 3)),
        situ_transpose(situ_add(x, 1)),
        situ_variable(x),
        situ_keep(situ_mul(x, 2)),
        situ_key(1),
        situ_ones(SHAPE(1, 1, 1, 2, 1, 1, 1, 3)),
        situ_ones(six, .device = sim_device(0)),
        situ_full(SHAPE(3), 2, .dtype = SITU_F64),
        situ_arange(0, 4, 1)};
    memcpy(pool, made, sizeof made);
    CHECK_OK();
}

static void empty_pool(void)
{
    for (int i = 0; i < POOL; i++) situ_release(pool[i]);
}

static situ_tensor *poison(void)
{
    int earlier = situ_failed();
    if (earlier) return NULL;
    situ_tensor *t = situ_add(pool[4], NULL);
    situ_error_take(NULL);
    return t;
}

static situ_tensor *tensor(void)
{
    if (all_null) return NULL;
    if (suitable_given < suitable_count && draw(8)) {
        any_drawn = true;
        return suitable[suitable_given++];
    }
    uint32_t i = draw(POOL + 8);
    any_drawn |= i != POOL;
    return i == POOL ? poison() : pool[i > POOL ? 4 : i];
}

static int64_t integer(void)
{
    static const int64_t some[] = {0, 1, -1, 2, 3, 7, 8, 100, -3, INT_MAX, INT_MIN, INT64_MAX, INT64_MIN};
    return all_null ? 0 : some[draw(sizeof some / sizeof *some)];
}

static int few(void) { return all_null ? 0 : (int)draw(10) - 2; }

static double real(void)
{
    static const double some[] = {0, 1, -1, 0.5, 1e300, INFINITY, NAN};
    return some[all_null ? 0 : draw(7)];
}

static int dtype(void) { return all_null ? 0 : draw(4) ? (int)draw(SITU_DTYPES) : draw(2) ? 77 : SITU_DTYPE_DEFAULT; }

static situ_shape shape(void)
{
    static const situ_shape some[] = {
        {.ndim = 0}, {.ndim = 2, .dim = {2, 3}}, {.ndim = 1, .dim = {6}}, {.ndim = 2, .dim = {3, -1}}, {.ndim = 2, .dim = {-1, -1}}, {.ndim = -1},
        {.ndim = 9}, {.ndim = INT64_MAX}, {.ndim = 2, .dim = {0, 5}}, {.ndim = 2, .dim = {INT64_MAX, 2}}, {.ndim = 2, .dim = {(int64_t)1 << 40, 1}},
        {.ndim = 1, .dim = {-7}}, {.ndim = 8, .dim = {1, 1, 1, 1, 1, 1, 2, 3}}, {.ndim = 2, .dim = {0, INT64_MAX}}, {.ndim = 2, .dim = {1, 1}}, {.ndim = 2, .dim = {5, 5}}};
    return all_null ? (situ_shape){.ndim = 0} : draw(2) ? SHAPE(2, 3) : some[draw(sizeof some / sizeof *some)];
}

static situ_axes axes(void)
{
    situ_axes a = {0};
    if (all_null) return a;
    a.given = (int32_t)draw(3);
    a.count = draw(4) ? (int32_t)draw(4) : (int32_t)integer();
    for (int i = 0; i < SITU_MAX_DIMS; i++) a.axis[i] = (int32_t)draw(6) - 3;
    return a;
}

static situ_device device(void)
{
    const situ_device some[] = {{0, 0}, {SITU_CPU, 0}, {SITU_CPU, 0}, sim_device(0), sim_device(1), {SITU_GPU, 99}, {SITU_GPU, -1}, {SITU_TPU, 0},
                                {99, 1}, {-3, -3}};
    return some[all_null ? 0 : draw(sizeof some / sizeof *some)];
}

static const char *text(void)
{
    static char longer[9000];
    memset(longer, 'x', sizeof longer - 1);
    const char *some[] = {NULL, "", "f32", "gpu:1", "0.weight", "%s%n", longer};
    return some[all_null ? 0 : draw(7)];
}

static situ_tensor **tensors_out(void)
{
    static situ_tensor *out[OUTPUTS];
    return all_null || !draw(8) ? NULL : out;
}

static situ_tensor *const *tensors_in(void)
{
    static situ_tensor *in[OUTPUTS];
    bool before = any_drawn;
    for (int i = 0; i < OUTPUTS; i++) in[i] = tensor();
    any_drawn = before; /* how many of them count is drawn as well */
    return all_null || !draw(8) ? NULL : in;
}

static situ_list list(void)
{
    situ_tensor *const *in = tensors_in();
    return (situ_list){in, all_null ? 0 : draw(3) ? few() : in ? (int)draw(OUTPUTS) : (int)integer()};
}

static int64_t *numbers_out(void)
{
    static int64_t out[OUTPUTS];
    return all_null ? NULL : out;
}

static situ_device *devices_out(void)
{
    static situ_device out[OUTPUTS];
    return all_null ? NULL : out;
}

static void *room(void)
{
    static char bytes[4096];
    return all_null || !draw(8) ? NULL : bytes;
}

/* Objects that are no tensors: of each kind one, for the calls that get one of another kind than they take. */
static void *object[SITU_HANDLE_KINDS];
static int wrong_argument = -1; /* which of the objects that a call takes is of another kind; -1: none */
static situ_handle_kind wrong_kind;

static void *only_wrong(situ_handle_kind kind, int place)
{
    if (wrong_argument < 0) return NULL;
    return object[place == wrong_argument ? wrong_kind : kind];
}

static void *handle(situ_handle_kind kind, int place)
{
    if (wrong_argument >= 0) return only_wrong(kind, place);
    return kind != SITU_HANDLE_MODULE || all_null || draw(2) ? NULL : network;
}

/* NULL; an option without its name; zeros; and, where nothing points anywhere, ones (wild: 1) or whatever comes (2). */
static const void *options(size_t size, int wild)
{
    static _Alignas(16) char room_for[8][1024];
    static int next;
    int32_t *o = (int32_t *)(void *)room_for[next++ % 8];
    if (all_null || !draw(3)) return NULL;
    memset(o, 0, 1024);
    o[0] = (int32_t)size;
    o[1] = draw(8) ? (int32_t)SITU_NAMED : (int32_t)draw(3);
    bool tame = wild < 2 || draw(2);
    for (size_t i = 2; i < size / 4 && wild; i++) o[i] = tame ? (int32_t)draw(2) : !draw(3) ? (int32_t)draw(4) : 0;
    return o;
}
#define OPTIONS(T, wild) (const T *)options(sizeof(T), wild)

/* ---- what comes out -------------------------------------------------------------------------------------------- */

static outcome *recorded; /* where values go that are to be compared */

static void looked_at(situ_tensor *t)
{
    for (int i = 0; i < POOL; i++)
        if (pool[i] == t) return;
    for (int i = 0; i < suitable_count; i++)
        if (suitable[i] == t) return;
    situ_release(t);
}


/* Is it one of these words, between spaces? */
static bool among(const char *words, const char *name, size_t length)
{
    for (const char *w = words; *w; w += strcspn(w, " "), w += *w == ' ')
        if (strcspn(w, " ") == length && !strncmp(w, name, length)) return true;
    return false;
}

/* A message tells the line, and then the function that was called there: this one or, where its result is read,
 * situ_text. */
static void check_words(const char *words)
{
    const char *message = situ_error_message(), *called = "every_call.c:1: ", *name = strstr(message, called);
    if (!CHECK(situ_speaking.name == NULL && situ_speaking.site == NULL)) printf("  %s leaves a speaker behind\n", now), situ_speaking = (situ_speaker){0};
    if (!*message || !words) return;
    name = name && (name == message || !strcmp(words, "text")) ? name + strlen(called) : strstr(message, ": situ_text: ");
    if (name && *name == ':') name += 2, words = "text";
    if (name && !strncmp(name, "situ_", 5)) name += 5;
    if (!name || name[strcspn(name, ": ")] != ':' || !among(words, name, strcspn(name, ":"))) CHECK_STR(now, message);
}


/* By a tensor of the pool: of its shape and dtype and readable, or an error. */
static void check_gradient(situ_tensor *t)
{
    situ_tensor *gradient;
    if (!situ_grad(situ_sum(t), TENSORS(pool[4]), &gradient)) {
        CHECK(situ_dtype_of(gradient) == SITU_F32 && situ_ndim(gradient) == 2 && situ_dim(gradient, 0) == 2 && situ_dim(gradient, 1) == 3);
        free(situ_text(gradient));
    }
    if (situ_failed()) CHECK(situ_error_message()[0]);
    situ_error_take(NULL);
}

static void check(situ_tensor *t)
{
    if (wrong_argument >= 0) return; /* the error is looked at by the test */
    if (recorded) {
        if (situ_count(t) <= 4096) outcome_add(recorded, t);
        looked_at(t);
        return;
    }
    if (!CHECK(t != NULL)) {
        printf("  %s gave NULL\n", now);
        return;
    }
    if (situ_failed()) CHECK(situ_error_message()[0]);
    check_words(now_words);
    any_error |= situ_error_take(NULL) != 0;
    situ_shape s = situ_shape_of(t);
    CHECK(s.ndim >= 0 && s.ndim <= SITU_MAX_DIMS);
    CHECK(situ_state(t) && situ_name_of(t));
    if (situ_count(t) <= 4096) free(situ_text(t));
    check_words(now_words);
    situ_error_take(NULL);
    if (situ_count(t) <= 4096 && situ_dtype_of(t) == SITU_F32) check_gradient(t);
    looked_at(t);
}

#include "every_call.inc"

static void settings_again(void)
{
    situ_strict(false);
    while (!situ_pop_device()) {}
    situ_error_take(NULL);
    situ_no_grad(false);
    situ_precision(SITU_F32);
    situ_eager(false);
    situ_batch_invariant(false);
    situ_fusing(true);
    situ_random_layout(SITU_ORIGINAL);
    situ_guard_close((situ_guard){1});
    situ_ledger_record(0);
    situ_set_print_digits(0);
}

static void call_each(int rounds)
{
    int64_t buffers = settled_buffers();
    const char *more = getenv("SITU_TEST_ROUNDS"); /* for a long run */
    char *folder = getcwd(NULL, 0);
    CHECK(folder && !chdir(test_path("."))); /* a text may be the name of a file that is written */
    if (more) rounds *= atoi(more);
    for (size_t i = 0; i < sizeof every / sizeof *every; i++) {
        now = every[i].name;
        now_words = every[i].words;
        for (int k = 0; k < rounds; k++) {
            state = 0x9e3779b97f4a7c15u * (i + 1) + 0x2545f4914f6cdd1du * (uint64_t)(k + 1);
            if (getenv("SITU_TEST_CALLS")) fprintf(stderr, "%s %d\n", now, k);
            situ_scope *scope = situ_scope_open();
            fill_pool();
            every[i].call();
            check_words(now_words);
            settings_again();
            empty_pool();
            situ_scope_close(scope);
            situ_error_take(NULL);
        }
        situ_wait(NULL);
        situ_error_take(NULL);
        if (!network && situ_test_live_buffers() > buffers) CHECK_STR(now, "a call that leaks no buffer"), buffers = situ_test_live_buffers();
    }
    CHECK(!chdir(folder));
    free(folder);
}

TEST(every_function_survives_nothing)
{
    all_null = true;
    call_each(1);
    all_null = false;
}

TEST(every_function_survives_nonsense)
{
    network = NULL;
    call_each(150);
}

TEST(every_function_of_a_network_survives_nonsense)
{
    network = situ_sequential(situ_linear_layer(4), situ_relu_layer());
    IN_SCOPE situ_module_call(network, situ_ones(SHAPE(2, 3)));
    call_each(40);
    situ_module_free(network);
    network = NULL;
}

/* What was drawn from this pool is gone; later calls make others where it was. */
static void pool_of_gone_handles(void)
{
    situ_scope *scope = situ_scope_open();
    fill_pool();
    for (int i = 0; i < POOL; i++)
        if (!pool[i]) pool[i] = pool[4];
    empty_pool();
    situ_scope_close(scope);
}

TEST(every_function_refuses_tensors_that_are_gone)
{
    for (size_t i = 0; i < sizeof every / sizeof *every; i++) {
        now = every[i].name;
        now_words = every[i].words;
        if (!strncmp(now, "situ_release", 12)) continue; /* of a temporary does nothing */
        for (int k = 0; k < 6; k++) {
            state = 0x9e3779b97f4a7c15u * (i + 1) + 0x2545f4914f6cdd1du * (uint64_t)(k + 1);
            pool_of_gone_handles();
            any_drawn = any_error = false;
            situ_scope *scope = situ_scope_open();
            if (k & 1) situ_add(situ_ones(SHAPE(2, 3)), 1);
            every[i].call();
            any_error |= situ_failed();
            if (any_drawn && !CHECK(any_error)) printf("  %s took a tensor that is gone\n", now);
            settings_again();
            situ_scope_close(scope);
            situ_error_take(NULL);
        }
    }
}

static void make_network(void)
{
    object[SITU_HANDLE_MODULE] = situ_sequential(situ_linear_layer(10, .in = 64));
    object[SITU_HANDLE_OPTIMIZER] = situ_sgd(object[SITU_HANDLE_MODULE]);
}

/* A part that is given away goes where the call fails. */
static void network_again(void)
{
    if (situ_alive((situ_module *)object[SITU_HANDLE_MODULE])) return;
    situ_optimizer_free(object[SITU_HANDLE_OPTIMIZER]);
    make_network();
}

static void make_objects(void)
{
    char archive[4096], words[4096];
    snprintf(archive, sizeof archive, "%s", test_path("handles.safetensors"));
    snprintf(words, sizeof words, "%s", test_path("handles.txt"));
    FILE *file = fopen(words, "w");
    if (CHECK(file)) fputs("[UNK]\na\nb\n", file), fclose(file);
    IN_SCOPE CHECK(!situ_save(archive, TENSORS(situ_ones(SHAPE(2))), .names = "x"));
    situ_dataset *data = situ_digits();
    void *made[SITU_HANDLE_KINDS] = {NULL, NULL, data, situ_loader_new(data), situ_trainer_new(), NULL, situ_accuracy_metric(),
        situ_archive_open(archive), situ_virtual_file_open("x", .bytes = "", .bytes_size = 0), situ_tokenizer_open(words), situ_group_open()};
    memcpy(object, made, sizeof made);
    make_network();
    IN_SCOPE object[SITU_HANDLE_SESSION] = situ_session_open(object[SITU_HANDLE_MODULE], TENSORS(situ_ones(SHAPE(1, 64))));
    object[SITU_HANDLE_PROOF] = situ_proof_open(test_path("handles"), object[SITU_HANDLE_MODULE], NULL, .resume = true);
    CHECK_OK();
}

static void free_objects(void)
{
    situ_proof_free(object[SITU_HANDLE_PROOF]);
    situ_group_free(object[SITU_HANDLE_GROUP]);
    situ_tokenizer_close(object[SITU_HANDLE_TOKENIZER]);
    situ_session_close(object[SITU_HANDLE_SESSION]);
    situ_virtual_file_close(object[SITU_HANDLE_VIRTUAL_FILE]);
    situ_archive_close(object[SITU_HANDLE_ARCHIVE]);
    situ_metric_free(object[SITU_HANDLE_METRIC]);
    situ_trainer_free(object[SITU_HANDLE_TRAINER]);
    situ_loader_free(object[SITU_HANDLE_LOADER]);
    situ_optimizer_free(object[SITU_HANDLE_OPTIMIZER]);
    situ_module_free(object[SITU_HANDLE_MODULE]);
    situ_dataset_free(object[SITU_HANDLE_DATASET]);
    memset(object, 0, sizeof object);
}

/* Does one of the calls whose n-th object is of another kind say so? Each is an error. */
static bool says_another_kind(size_t function, int argument)
{
    bool said = false;
    for (int kind = 0; kind < SITU_HANDLE_KINDS; kind++) {
        state = 0x9e3779b97f4a7c15u * (function + 1) + (uint64_t)(kind + 1);
        wrong_argument = argument, wrong_kind = (situ_handle_kind)kind;
        if (every[function].taken[argument] != wrong_kind) {
            if (getenv("SITU_TEST_CALLS")) fprintf(stderr, "%s object %d kind %d\n", now, argument, kind);
            every[function].call();
            if (!CHECK(situ_failed())) printf("  %s took an object of kind %d\n", now, kind);
        }
        wrong_argument = -1;
        said |= strstr(situ_error_message(), "what was given as") != NULL;
        if (getenv("SITU_TEST_CALLS")) fprintf(stderr, "    %s\n", situ_error_message());
        situ_error_take(NULL);
        network_again();
    }
    return said;
}

TEST(every_function_refuses_objects_of_another_kind)
{
    int count = 0, silent = 0;
    make_objects();
    for (size_t i = 0; i < sizeof every / sizeof *every; i++) {
        now = every[i].name;
        now_words = NULL;
        for (int argument = 0; argument < every[i].objects; argument++) {
            situ_scope *scope = situ_scope_open();
            fill_pool();
            bool said = says_another_kind(i, argument);
            settings_again();
            empty_pool();
            situ_scope_close(scope);
            situ_error_take(NULL);
            count++, silent += !said;
            if (!said && getenv("SITU_TEST_CALLS")) printf("  %s, object %d: another argument is refused before\n", now, argument);
        }
    }
    if (!CHECK(count > 180 && silent * 20 < count)) printf("  %d arguments, of %d nothing was said\n", count, silent);
    free_objects();
    CHECK_OK();
}

/* Sticking: while an error sticks building gives the poisoned tensor and actions its code, and nothing else happens. */
TEST(every_function_keeps_to_the_first_error)
{
    situ_scope *scope = situ_scope_open();
    fill_pool();
    static const char *const clears[] = {"situ_error_take"};
    for (size_t i = 0; i < sizeof every / sizeof *every; i++) {
        now = every[i].name;
        now_words = NULL;
        if (!strcmp(now, clears[0])) continue;
        state = 12345 + i;
        for (int k = 0; k < 8; k++) {
            situ_error_raise(SITU_IO, "the first");
            every[i].call();
            situ_error e;
            if (situ_error_take(&e) && strcmp(e.message, "the first")) CHECK_STR(now, e.message);
            settings_again();
        }
    }
    empty_pool();
    situ_scope_close(scope);
    situ_error_take(NULL);
    situ_wait(NULL);
}

/* ---- no memory --------------------------------------------------------------------------------------------------- */

typedef struct drawn_call { size_t function; uint64_t state; } drawn_call;

static void before_call(const void *data)
{
    state = ((const drawn_call *)data)->state;
    now = every[((const drawn_call *)data)->function].name;
    fill_pool();
}

static void run_call(outcome *o, const void *data)
{
    recorded = o;
    every[((const drawn_call *)data)->function].call();
    recorded = NULL;
}

static void after_call(const void *data)
{
    (void)data;
    settings_again();
    empty_pool();
}

TEST(every_function_survives_each_failed_allocation)
{
    const char *more = getenv("SITU_TEST_ROUNDS"); /* for a long run */
    int rounds = more ? atoi(more) : 16;
    for (size_t i = 0; i < sizeof every / sizeof *every; i++) {
        for (int k = 0; k < rounds; k++) {
            drawn_call c = {i, 0x9e3779b97f4a7c15u * (i + 1) + 0x2545f4914f6cdd1du * (uint64_t)(k + 1)};
            program p = {every[i].name, run_call, before_call, after_call, &c};
            each_allocation_of(&p, situ_test_fail_alloc, situ_test_fail_struck);
        }
    }
}
#endif
