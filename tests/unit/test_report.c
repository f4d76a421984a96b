/* The report of a training: a complete file at each moment, small after any number of steps, and true. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <situ.h>

#include "device/counted.h"
#include "device/trace.h"
#include "file/gzip.h"
#include "run/watch.h"
#include "support/training.h"
#include "test.h"
#include "train/page.h"

static const char opening[] = "<script type=\"application/x-situ-run\">\n";

static char *text_of(const char *path)
{
    static void *data; /* static: gcc takes the pointer for one to this variable */
    size_t size;
    data = NULL;
    CHECK_EQ(situ_read_file(path, &data, &size), 0);
    return data;
}

/* How often `part` is in the lines of the runs. */
static int occurrences(const char *text, const char *part)
{
    int count = 0;
    for (text = strstr(text, opening); text && (text = strstr(text, part)); text += strlen(part)) count++;
    return count;
}

/* The number behind the last `key` of the text; NaN: there is none. */
static double last_number(const char *text, const char *key)
{
    const char *found = NULL;
    for (; (text = strstr(text, key)); text += strlen(key)) found = text + strlen(key);
    return found ? strtod(found, NULL) : (double)NAN;
}

/* Each line is one object with balanced brackets outside of strings, and nothing in it ends a script. */
static void check_lines(const char *text)
{
    for (const char *line = strstr(text, opening) + sizeof opening - 1, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        CHECK(end != NULL);
        if (!end) return;
        if (!strncmp(line, "<", 1)) continue;
        int depth = 0, lowest = 1;
        bool quoted = false;
        for (const char *c = line; c < end; c++) {
            if (quoted && *c == '\\') c++;
            else if (*c == '"') quoted = !quoted;
            else if (!quoted) depth += (*c == '{' || *c == '[') - (*c == '}' || *c == ']');
            if (depth < lowest && c < end - 1) lowest = depth;
            CHECK(*c != '<' && (unsigned char)*c >= 32);
        }
        CHECK(*line == '{' && end[-1] == '}' && !depth && lowest == 1 && !quoted);
    }
}

typedef struct parts {
    situ_dataset *train, *held_out;
    situ_module *net;
    situ_optimizer *opt;
} parts;

static parts digits(void)
{
    parts p;
    situ_dataset *all = situ_digits();
    situ_dataset_split(all, 0, &p.train, &p.held_out, .stratified = true);
    situ_dataset_free(all);
    p.net = situ_sequential(situ_flatten_layer(), situ_linear_layer(32), situ_relu_layer(), situ_linear_layer(10));
    p.opt = situ_adam(p.net, .lr = 5e-3);
    return p;
}

static void drop(parts *p)
{
    situ_optimizer_free(p->opt);
    situ_module_free(p->net);
    situ_dataset_free(p->train);
    situ_dataset_free(p->held_out);
}

TEST(a_report_tells_what_happened)
{
    const char *path = test_path("run.html");
    parts p = digits();
    situ_trainer *t = situ_trainer_new(.max_epochs = 3, .batch = 64, .report = path, .title = "</script> \"1\"", .cosine = true);
    CHECK_EQ(situ_trainer_fit(t, p.net, p.opt, p.train, p.held_out), 0);
    char *text = text_of(path);
    CHECK(!strncmp(text, "<!doctype html>", 15) && strstr(text, "</style>") && strstr(text, opening));
    CHECK(!strstr(text, "http://") || strstr(text, "http://www.w3.org/2000/svg")); /* nothing is loaded */
    check_lines(text);
    CHECK_EQ(occurrences(text, "{\"k\":\"p\""), situ_trainer_steps(t));
    CHECK_EQ(occurrences(text, "{\"k\":\"epoch\""), 3);
    CHECK_EQ(occurrences(text, "{\"k\":\"timeline\",\"from\":4,\"steps\":3"), 1);
    CHECK(occurrences(text, "{\"k\":\"network\"") == 1 && strstr(text, "1 linear") && strstr(text, "[64,32]"));
    CHECK(occurrences(text, "{\"k\":\"plan\"") == 1 && occurrences(text, "{\"k\":\"held\"") == 1 && strstr(text, "\"1.weight f32[32,64]\""));
    CHECK(strstr(text, "\"adam of 1.weight f32[32,64]\""));
    CHECK(strstr(text, "\"names\":[\"loss\",\"gradient norm\"]"));
    CHECK_NEAR(last_number(text, "\"validation loss\":"), situ_trainer_validation_loss(t), 1e-6);
    CHECK_NEAR(last_number(text, "\"validation accuracy\":"), situ_trainer_accuracy(t), 1e-6);
    CHECK(strstr(text, "\"why\":\"epochs\"") && last_number(text, "\"lr\":") < 5e-3 * 0.01);
    /* the confusion matrix is that of the last epoch */
    const char *c = NULL;
    for (const char *at = text; (at = strstr(at, "{\"k\":\"confusion\",\"epoch\":")); at++) c = at;
    CHECK(c && !strncmp(c, "{\"k\":\"confusion\",\"epoch\":3,\"n\":10,\"c\":[", 38));
    double all = 0, right = 0;
    c = strchr(c, '[') + 1;
    for (int i = 0; i < 100; i++) {
        char *end;
        double v = strtod(c, &end);
        all += v;
        right += i % 11 ? 0 : v;
        c = end + 1;
    }
    CHECK_NEAR(all, (double)situ_dataset_count(p.held_out), 0);
    CHECK_NEAR(right / all, situ_trainer_accuracy(t), 1e-6);
    situ_counted_free(text);
    /* a second fit goes on in the same file */
    CHECK_EQ(situ_trainer_fit(t, p.net, p.opt, p.train, p.held_out), 0);
    text = text_of(path);
    check_lines(text);
    CHECK(occurrences(text, "{\"k\":\"run\"") == 2 && occurrences(text, "{\"k\":\"epoch\"") == 6 && occurrences(text, opening) == 1);
    situ_counted_free(text);
    situ_trainer_free(t);
    drop(&p);
}

/* Weights and losses are the same with and without a report. */
TEST(a_report_changes_no_bit)
{
    float weight[2][32 * 64];
    double loss[2];
    for (int with = 0; with < 2; with++) {
        parts p = digits();
        situ_trainer *t = situ_trainer_new(.max_epochs = 2, .batch = 64, .clip_norm = 1, .report = with ? test_path("run.html") : NULL);
        CHECK_EQ(situ_trainer_fit(t, p.net, p.opt, p.train, p.held_out), 0);
        loss[with] = situ_trainer_loss(t);
        situ_scope *scope = situ_scope_open();
        situ_read(situ_module_find(p.net, "1.weight"), weight[with], sizeof *weight);
        situ_scope_close(scope);
        situ_curve curve[8];
        CHECK_EQ(situ_trainer_curves(t, curve, 8), 3); /* nor does the board draw more */
        CHECK(with == !isnan(situ_trainer_value(t, "gradient norm")));
        situ_trainer_free(t);
        drop(&p);
    }
    CHECK(!memcmp(weight[0], weight[1], sizeof *weight) && loss[0] == loss[1]);
}

static situ_tensor *squares(situ_tensor *prediction, situ_tensor *target) { return situ_mse(prediction, target); }

static situ_dataset *line(int64_t rows)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_normal(situ_key(0), SHAPE(rows, 2));
    situ_dataset *data = situ_tensor_dataset(TENSORS(x, situ_sum(x, .axes = AXES(1), .keepdims = true)), .name = "line");
    situ_scope_close(scope);
    return data;
}

/* Computes the norm of the first gradient of y = w x + b here, for comparison. */
TEST(the_norm_of_the_gradients_is_the_global_one_before_clipping)
{
    const char *path = test_path("run.html");
    situ_dataset *data = line(8);
    situ_module *net = situ_sequential(situ_linear_layer(1));
    situ_optimizer *opt = situ_sgd(net, .lr = 0.1, .clip_norm = 1e-3);
    situ_trainer *t = situ_trainer_new(.max_epochs = 1, .batch = 8, .loss = squares, .report = path);
    float x[16], w[2], b;
    situ_scope *scope = situ_scope_open();
    situ_tensor *rows = situ_normal(situ_key(0), SHAPE(8, 2));
    situ_read(rows, x, sizeof x);
    situ_item(situ_sum(situ_module_call(net, rows)));
    situ_read(situ_module_find(net, "0.weight"), w, sizeof w);
    situ_read(situ_module_find(net, "0.bias"), &b, sizeof b);
    situ_scope_close(scope);
    double g[3] = {0};
    for (int i = 0; i < 8; i++) {
        double d = (double)w[0] * x[2 * i] + (double)w[1] * x[2 * i + 1] + b - x[2 * i] - x[2 * i + 1];
        g[0] += 2 * d * x[2 * i] / 8, g[1] += 2 * d * x[2 * i + 1] / 8, g[2] += 2 * d / 8;
    }
    CHECK_EQ(situ_trainer_fit(t, net, opt, data, NULL), 0);
    CHECK_NEAR(situ_trainer_value(t, "gradient norm") / sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]), 1, 1e-5);
    free_training(t, opt, net, data);
}

/* A sanitizer keeps freed memory, so the process grows. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* Pages of this process, in memory. */
static int64_t resident(void)
{
    long long all = 0, here = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%lld %lld", &all, &here) != 2) here = 0;
    if (f) fclose(f);
    return here;
}

static int64_t pages_at[2];

static int note_pages(situ_trainer *t, void *self)
{
    (void)self;
    if (situ_trainer_steps(t) == 10000) pages_at[0] = resident();
    if (situ_trainer_steps(t) == 100000) pages_at[1] = resident();
    return 0;
}

/* Points are thinned out, so that the file stays small, and so does the process. */
TEST(a_hundred_thousand_steps_take_no_more_memory_than_ten_thousand)
{
    const char *path = test_path("run.html");
    situ_dataset *data = line(1600);
    situ_module *net = situ_sequential(situ_linear_layer(1));
    situ_optimizer *opt = situ_sgd(net, .lr = 0.01);
    situ_trainer *t = situ_trainer_new(
        .max_epochs = 1000, .batch = 16, .loss = squares, .report = path, .on_step = note_pages, .log_every = 50);
    CHECK_EQ(situ_trainer_fit(t, net, opt, data, NULL), 0);
    CHECK_EQ(situ_trainer_steps(t), 100000);
    int64_t grown = (pages_at[1] - pages_at[0]) * sysconf(_SC_PAGESIZE);
    if (grown > 6 << 20) printf("     %lld KiB more after 100,000 steps than after 10,000\n", (long long)grown >> 10);
    CHECK(SANITIZED || grown <= 6 << 20); /* the board's curves: 200 points an epoch, 16 bytes each */
    char *text = text_of(path);
    check_lines(text);
    CHECK(occurrences(text, "{\"k\":\"p\"") < 8000 && occurrences(text, "{\"k\":\"epoch\"") < 1500 && strlen(text) < 2 << 20);
    CHECK(strstr(text, "\"s\":100000,\"x\":1000"));
    situ_counted_free(text);
    situ_trainer_free(t);
    situ_optimizer_free(opt);
    situ_module_free(net);
    situ_dataset_free(data);
    CHECK_OK();
}

TEST(a_reading_stays_the_only_wait_of_an_interval_beside_the_timeline)
{
    if (situ_num_gpus() < 1) SKIP("no GPU");
    situ_dataset *data = line(500);
    situ_module *net = situ_sequential(situ_linear_layer(1));
    situ_optimizer *opt = situ_sgd(net, .lr = 0.01);
    situ_trainer *t =
        situ_trainer_new(.max_epochs = 2, .batch = 5, .loss = squares, .num_gpus = 1, .log_every = 10, .report = test_path("run.html"));
    situ_ledger_reset();
    CHECK_EQ(situ_trainer_fit(t, net, opt, data, NULL), 0);
    CHECK_EQ(situ_ledger_sum().download_count, 20 + 1); /* of 200 steps; one for the timeline, which is written once */
    free_training(t, opt, net, data);
}

static int end_here(situ_trainer *t, void *self)
{
    (void)self;
    if (situ_trainer_steps(t) == 100) raise(SIGKILL);
    return 0;
}

TEST(a_training_that_is_killed_leaves_its_report)
{
    const char *path = test_path("run.html");
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        situ_after_fork();
        parts p = digits();
        situ_trainer *t = situ_trainer_new(.max_epochs = 100, .batch = 64, .report = path, .on_step = end_here);
        situ_trainer_fit(t, p.net, p.opt, p.train, p.held_out);
        _exit(1);
    }
    int status;
    waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    char *text = text_of(path);
    CHECK(strstr(text, "{\"k\":\"run\"") && !strstr(text, "\"k\":\"end\""));
    situ_counted_free(text);
    const char *both = test_path("both.html");
    CHECK_EQ(situ_report_join(both, (const char *[]){path, path}, 2), 0);
}

static char *joined(const char *path, int count, const char *const *reports)
{
    CHECK_EQ(situ_report_join(path, reports, count), 0);
    return text_of(path);
}

TEST(reports_are_joined_and_joined_again)
{
    char a[512], b[512], both[512];
    snprintf(a, sizeof a, "%s", test_path("a.html"));
    snprintf(b, sizeof b, "%s", test_path("b.html"));
    snprintf(both, sizeof both, "%s", test_path("both.html"));
    for (int i = 0; i < 2; i++) {
        parts p = digits();
        situ_trainer *t = situ_trainer_new(.max_epochs = 1, .batch = 256, .report = i ? b : a);
        CHECK_EQ(situ_trainer_fit(t, p.net, p.opt, p.train, p.held_out), 0);
        situ_trainer_free(t);
        drop(&p);
    }
    FILE *cut = fopen(b, "a"); /* as where a process was killed */
    fputs("{\"k\":\"p\",\"v\":[0.1", cut);
    fclose(cut);
    char *one = text_of(a), *text = joined(both, 2, (const char *[]){a, b});
    check_lines(text);
    CHECK(occurrences(text, opening) == 2 && occurrences(text, "</script>\n") == 2 && occurrences(text, "{\"k\":\"name\"") == 2);
    CHECK_EQ(occurrences(text, "{\"k\":\"p\""), 2 * occurrences(one, "{\"k\":\"p\""));
    situ_counted_free(text);
    text = joined(b, 2, (const char *[]){both, a});
    check_lines(text);
    CHECK(occurrences(text, opening) == 3 && occurrences(text, "{\"k\":\"name\"") == 3);
    situ_counted_free(text);
    situ_counted_free(one);
    CHECK_OK();
}

TEST(what_cannot_be_written_or_is_no_report_is_an_error)
{
    parts p = digits();
    situ_trainer *t = situ_trainer_new(.max_epochs = 1, .report = "no/such/folder/run.html");
    CHECK_FAILS(SITU_IO, situ_trainer_fit(t, p.net, p.opt, p.train, p.held_out),
                "cannot write the report no/such/folder/run.html: No such file", "test_report.c"); /* before the first step */
    CHECK_EQ(situ_trainer_steps(t), 0);
    situ_trainer_free(t);
    /* a full disk affects the report, not the training */
    const char *path = test_path("run.html");
    t = situ_trainer_new(.max_epochs = 2, .report = path, .on_epoch = NULL);
    CHECK_EQ(situ_trainer_begin(t, p.net, p.opt, p.train, p.held_out), 0);
    remove(path);
    situ_batch b;
    while (situ_trainer_next(t, &b) > 0) situ_trainer_give(t, situ_cross_entropy(situ_module_call(p.net, b.field[0]), b.field[1]));
    CHECK_FAILS(SITU_IO, situ_trainer_end(t), "cannot write the report");
    CHECK_EQ(situ_trainer_epochs(t), 2);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_trainer_confusion(t, NULL, NULL), "only while a step computes a batch");
    situ_trainer_free(t);
    drop(&p);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_report_join(NULL, NULL, 0));
    CHECK_FAILS(SITU_IO, situ_report_join(path, (const char *[]){"no such file"}, 1));
    FILE *other = fopen(path, "w");
    fputs("<!doctype html>\n<p>no report\n", other);
    fclose(other);
    CHECK_FAILS(SITU_BAD_FORMAT, situ_report_join(test_path("none.html"), (const char *[]){path}, 1), "is no report of a training");
    CHECK(access(test_path("none.html"), F_OK)); /* an incomplete report is removed */
}

static situ_tensor *half_nan(situ_trainer *t, situ_module *net, const situ_batch *batch, void *self)
{
    (void)self;
    situ_tensor *y = situ_module_call(net, batch->field[0]);
    if (!batch->training) situ_trainer_confusion(t, y, batch->field[1]);
    return situ_mul(situ_cross_entropy(y, batch->field[1]), situ_trainer_steps(t) < 30 ? 1.0 : (double)NAN);
}

static situ_tensor *half_wrong(situ_trainer *t, situ_module *net, const situ_batch *batch, void *self)
{
    (void)self;
    situ_tensor *y = situ_module_call(net, batch->field[0]);
    return situ_trainer_steps(t) < 30 ? situ_cross_entropy(y, batch->field[1]) : situ_add(y, situ_zeros(SHAPE(3, 7)));
}

TEST(a_report_has_the_error_that_ended_the_training)
{
    const char *path = test_path("run.html");
    parts p = digits();
    situ_trainer *t = situ_trainer_new(.max_epochs = 3, .step = half_nan, .report = path);
    CHECK_FAILS(SITU_NAN, situ_trainer_fit(t, p.net, p.opt, p.train, p.held_out));
    char *text = text_of(path);
    check_lines(text);
    CHECK(strstr(text, "\"why\":\"error\",\"error\":") && strstr(text, "is NaN; train anew with .nan = true"));
    CHECK(strstr(text, "\"v\":[null,")); /* JSON has no NaN */
    CHECK(strstr(text, "\"k\":\"confusion\",\"epoch\":1"));
    situ_counted_free(text);
    situ_trainer_free(t);
    drop(&p);
}

/* Of the curves of both kinds, points with a finite loss. */
static int64_t finite_points(const situ_trainer *t, const char *text, int64_t *of_report)
{
    situ_curve curve[8];
    int64_t n = 0;
    *of_report = occurrences(text, "{\"k\":\"p\"") - occurrences(text, "{\"k\":\"p\",\"v\":[null");
    for (int i = 0, all = situ_trainer_curves(t, curve, 8); i < all; i++)
        for (int64_t k = 0; !strcmp(curve[i].name, "train loss") && k < curve[i].count; k++) n += isfinite(curve[i].y[k]) != 0;
    return n;
}

static int stop_at(situ_trainer *t, void *self) { return situ_trainer_steps(t) < *(const int64_t *)self ? 0 : -1; }

/* However the training ends (a NaN in the loss, a NaN search, an error in a step or a callback), the curves up to the
 * end are kept. */
TEST(a_training_that_ends_at_a_nan_or_an_error_keeps_its_curves)
{
    const char *path = test_path("run.html"), *plot = test_path("run.svg");
    int64_t at = 30;
    for (int how = 0; how < 5; how++) {
        parts p = digits();
        remove(plot);
        situ_trainer *t = how == 0 ? situ_trainer_new(.max_epochs = 3, .batch = 16, .step = half_nan, .report = path, .plot = plot) :
            how == 1               ? situ_trainer_new(.max_epochs = 3, .batch = 16, .step = half_nan, .report = path, .plot = plot, .nan = true) :
            how == 2               ? situ_trainer_new(.max_epochs = 3, .batch = 16, .on_step = stop_at, .self = &at, .report = path, .plot = plot) :
            how == 3               ? situ_trainer_new(.max_epochs = 3, .batch = 1, .step = half_nan, .report = path, .plot = plot) :
                       situ_trainer_new(.max_epochs = 3, .batch = 16, .step = half_wrong, .report = path, .plot = plot);
        CHECK(situ_trainer_fit(t, p.net, p.opt, p.train, p.held_out) < 0);
        situ_error_take(NULL);
        char *text = text_of(path);
        check_lines(text);
        int64_t of_report, of_trainer = finite_points(t, text, &of_report);
        if (of_report != 30 || of_trainer < 4) printf("     %d: %lld points of the report, %lld of the trainer\n", how, (long long)of_report, (long long)of_trainer);
        CHECK_EQ(of_report, 30);
        CHECK_EQ(of_trainer, how == 3 ? 4 : 30); /* the trainer's are of 8 batches each, the last one of 6, where an epoch has many */
        CHECK(!access(plot, F_OK));
        situ_counted_free(text);
        situ_trainer_free(t);
        drop(&p);
    }
    CHECK_OK();
}

/* Only the training's own peak is shown; the program's peak is unchanged. */
TEST(the_peak_of_memory_is_the_trainings)
{
    const char *path = test_path("run.html");
    const double large = 64 << 20;
    situ_memory before, after;
    situ_scope *scope = situ_scope_open();
    situ_wait(situ_ones(SHAPE(16 << 20)));
    situ_eval(TENSORS(situ_ones(SHAPE(16 << 20))));
    situ_wait(NULL);
    situ_scope_close(scope);
    situ_memory_of(situ_cpu(), &before);
    CHECK((double)before.peak >= large);
    char *said = NULL;
    size_t size;
    FILE *progress = open_memstream(&said, &size);
    parts p = digits();
    situ_trainer *t = situ_trainer_new(.max_epochs = 2, .report = path, .progress = progress);
    CHECK_EQ(situ_trainer_fit(t, p.net, p.opt, p.train, p.held_out), 0);
    char *text = text_of(path), *end;
    const char *last = NULL;
    for (const char *at = text; (at = strstr(at, "\"cpu(0)\":[")); at++) last = at + 10;
    CHECK(last != NULL);
    double in_use = last ? strtod(last, &end) : 0, peak = last ? strtod(end + 1, NULL) : 0;
    if (!(peak >= in_use && peak < large)) printf("     %g bytes in use, %g at the peak\n", in_use, peak);
    CHECK(peak >= in_use && peak > 0 && peak < large);
    CHECK(last_number(text, "\"peak\":") < large);
    situ_memory_of(situ_cpu(), &after);
    CHECK(after.peak >= before.peak);
    situ_counted_free(text);
    situ_trainer_free(t);
    fclose(progress);
    CHECK(said && strstr(said, "had ") && !strstr(said, "had 64 MiB") && !strstr(said, "had 128 MiB"));
    free(said);
    drop(&p);
    CHECK_OK();
}

static situ_tensor *fails_in_the_timeline(situ_trainer *t, situ_module *net, const situ_batch *batch, void *user)
{
    (void)user;
    situ_tensor *y = situ_module_call(net, batch->field[0]);
    return situ_trainer_steps(t) < 4 ? situ_cross_entropy(y, batch->field[1]) : situ_add(y, situ_zeros(SHAPE(3, 7)));
}

TEST(a_training_that_ends_within_the_timeline_leaves_no_watcher_and_no_trace)
{
    const char *path = test_path("run.html");
    parts p = digits();
    situ_trainer *t = situ_trainer_new(.max_epochs = 1, .step = fails_in_the_timeline, .report = path);
    CHECK_FAILS(SITU_BAD_SHAPE, situ_trainer_fit(t, p.net, p.opt, p.train, p.held_out));
    CHECK(!situ_launch_watch && !situ_tracing());
    situ_trainer_free(t);
    /* its program ends it */
    t = situ_trainer_new(.max_epochs = 1, .report = path);
    CHECK_EQ(situ_trainer_begin(t, p.net, p.opt, p.train, p.held_out), 0);
    situ_batch b;
    for (int i = 0; i < 4 && situ_trainer_next(t, &b) > 0; i++)
        situ_trainer_give(t, situ_cross_entropy(situ_module_call(p.net, b.field[0]), b.field[1]));
    CHECK(situ_launch_watch && situ_tracing());
    situ_trainer_free(t);
    CHECK(!situ_launch_watch && !situ_tracing());
    drop(&p);
}

TEST(progress_tells_what_is_missing)
{
    char *said = NULL;
    size_t size;
    FILE *progress = open_memstream(&said, &size);
    parts p = digits();
    situ_dataset *none = situ_dataset_select(p.held_out, (int64_t[]){0}, 0);
    situ_trainer *t = situ_trainer_new(.max_epochs = 1, .num_gpus = 32, .progress = progress);
    CHECK_EQ(situ_trainer_fit(t, p.net, p.opt, p.train, none), 0);
    fclose(progress);
    if (situ_num_gpus() < 32) CHECK(strstr(said, "it was to train on 32 GPUs, and there "));
    CHECK(strstr(said, "the held-out data \"digits\" has no rows: nothing is measured on it\n"));
    free(said);
    situ_trainer_free(t);
    situ_dataset_free(none);
    drop(&p);
    CHECK_OK();
}

TEST(progress_says_what_memory_there_is)
{
    parts p = digits();
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    situ_trainer *t = situ_trainer_new(.max_epochs = 1, .progress = file);
    CHECK_EQ(situ_trainer_fit(t, p.net, p.opt, p.train, p.held_out), 0);
    fclose(file);
    CHECK(strstr(text, "waited for data ") && strstr(text, "copies ") && strstr(text, "computing ") && strstr(text, "; cpu(0) has ") && strstr(text, " at most\n"));
    free(text);
    situ_trainer_free(t);
    drop(&p);
}
