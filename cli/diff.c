/* situ diff: compares a program on two devices or two builds, step by step, up to the first result whose bits differ. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <situ.h>

#include "command.h"
#include "diff.h"
#include "os/plain.h"

enum { LEFT_DEVICE, RIGHT_DEVICE, LEFT_BUILD, RIGHT_BUILD, OPERATIONS };
enum { BUCKETS = 1 << 16, AHEAD = 100000, LINE = 65536 };

static const cli_option options[] = {
    [LEFT_DEVICE] = {"left", "D",
        "cpu, sim, opencl, cuda, pjrt or tpu: where the program's default device and gpu(i) are (default: cpu)", 'l'},
    [RIGHT_DEVICE] = {"right", "D", "the same for the second run (default: sim)", 'r'},
    [LEFT_BUILD] = {"left-build", "FILE", "a libsitu.so to run the program with", 0},
    [RIGHT_BUILD] = {"right-build", "FILE", "the same for the second run; --right is then that of --left unless given", 0},
    [OPERATIONS] = {"operations", NULL, "no program: every operation of the library on the device of --right beside the CPU", 0},
    {0},
};

static int run(int argc, char **argv);

const cli_command cli_diff = {
    .name = "diff",
    .summary = "runs a program on two devices or builds and tells the first result whose bits differ",
    .usage = "diff [options] PROGRAM [ARGUMENT...]",
    .text = "Runs PROGRAM, which works with situ, twice at the same time: with the CPU as its default device, and with a\n"
            "simulated GPU, or what --left and --right say. Each operation is a step of its own then, compositions are what\n"
            "they are made of, and the bits of each step's result are compared; copies are not.\n"
            "Told is the first that differs: operation, line, elements. The second run's output is left out. The program\n"
            "must do the same work in both runs: one that lets the clock or several threads decide does not.\n"
            "With --operations: a line for each operation, equal or how far apart, and the sum, which `situ devices` shows then.\n",
    .options = options,
    .takes_arguments = true,
    .run = run,
};

/* A result, as src/run/digest.h writes it. */
typedef struct result {
    unsigned long long id[4]; /* thread, launch, step, index of the result */
    int dtype;
    long long bytes;
    char hash[36], dims[200], name[256], device[40], site[512];
} result;

typedef struct pending {
    struct pending *next;
    result r;
} pending;

typedef struct side {
    const char *title, *device, *build;
    pid_t process;
    int pipe, status;
    char text[LINE];
    size_t used;
    pending *bucket[BUCKETS]; /* hash table of results that the other side has not reported yet */
    long ahead;
    bool ended;
    long long results;
} side;

typedef struct stop {
    unsigned long long id[4];
    char file[2][64];
} stop; /* for a second run: stop at these results */

static bool same_id(const unsigned long long *a, const unsigned long long *b) { return !memcmp(a, b, 4 * sizeof *a); }

/* ---- running ---------------------------------------------------------------------------------------------------------- */

static void place_on(const char *device)
{
    static const struct {
        const char *name, *gpus, *device;
    } known[] = {{"cpu", NULL, "cpu"}, {"sim", "sim", "gpu(0)"}, {"opencl", "opencl", "gpu(0)"}, {"cuda", "cuda", "gpu(0)"},
        {"pjrt", "pjrt", "gpu(0)"}, {"tpu", "tpu", "gpu(0)"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(device, known[i].name)) continue;
        setenv("SITU_DEVICE", known[i].device, 1);
        if (known[i].gpus) setenv("SITU_GPUS", known[i].gpus, 1);
        if (known[i].gpus && !strcmp(known[i].gpus, "sim")) setenv("SITU_SIM_GPUS", "2", 0);
    }
}

static void set_up(const side *s, const stop *until, int which)
{
    place_on(s->device);
    if (s->build) setenv("LD_PRELOAD", s->build, 1);
    char text[128];
    snprintf(text, sizeof text, "%d", s->pipe);
    setenv("SITU_DIGEST", text, 1);
    if (!until) return;
    snprintf(
        text, sizeof text, "%s:%llu.%llu.%llu.%llu", until->file[which], until->id[0], until->id[1], until->id[2], until->id[3]);
    setenv("SITU_DIGEST_DUMP", text, 1);
}

static bool start(side *s, char **program, const stop *until, int which)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC)) return false;
    if (!(s->process = fork())) {
        s->pipe = dup(ends[1]); /* stays open in the program */
        set_up(s, until, which);
        int nowhere = which || until ? open("/dev/null", O_WRONLY) : -1;
        if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
        execvp(*program, program);
        fprintf(stderr, "situ diff: %s cannot be run: %s\n", *program, situ_plain_reason(errno));
        _exit(127);
    }
    close(ends[1]);
    s->pipe = ends[0];
    return s->process > 0;
}

static void end(side *s)
{
    if (s->process > 0) {
        kill(s->process, SIGKILL);
        waitpid(s->process, &s->status, 0);
        close(s->pipe);
    }
    for (int k = 0; k < BUCKETS; k++)
        for (pending *p; (p = s->bucket[k]); free(p)) s->bucket[k] = p->next;
}

static bool parse(const char *line, result *r)
{
    int at = 0;
    memset(r, 0, sizeof *r);
    if (sscanf(line, "%llu.%llu.%llu.%llu %35s %d %lld %199s %n", &r->id[0], &r->id[1], &r->id[2], &r->id[3], r->hash, &r->dtype,
            &r->bytes, r->dims, &at) != 8)
        return false;
    const char *device = strchr(line + at, '\t'), *site = device ? strchr(device + 1, '\t') : NULL;
    if (!site) return false;
    snprintf(r->name, sizeof r->name, "%.*s", (int)(device - line - at), line + at);
    snprintf(r->device, sizeof r->device, "%.*s", (int)(site - device - 1), device + 1);
    snprintf(r->site, sizeof r->site, "%s", site + 1);
    return r->dtype >= 0 && r->dtype < SITU_DTYPES && situ_dtype_size((situ_dtype)r->dtype) && r->bytes >= 0 &&
        r->bytes < PTRDIFF_MAX; /* or it is no line of situ */
}

static bool same(const result *a, const result *b)
{
    return !strcmp(a->hash, b->hash) && a->dtype == b->dtype && a->bytes == b->bytes && !strcmp(a->name, b->name) &&
        !strcmp(a->dims, b->dims);
}

/* Compares a result of s with the other side's result of the same name; it is kept until the other side has reported
 * that. True: they differ (or, in a second run, are the ones asked for); found[which] is s's. */
static bool compare(side *s, side *other, int which, const result *r, const stop *until, result found[2])
{
    size_t at = (size_t)(r->id[0] * 31 + r->id[1] * 8191 + r->id[2] * 7 + r->id[3]) % BUCKETS;
    pending **p = &other->bucket[at], *it;
    s->results++;
    while (*p && !same_id((*p)->r.id, r->id)) p = &(*p)->next;
    if (!(it = *p) && other->ended) { /* it will never come */
        s->ahead++;
        return false;
    }
    if (!it) {
        if (!(it = malloc(sizeof *it))) return false;
        *it = (pending){.next = s->bucket[at], .r = *r};
        s->bucket[at] = it;
        s->ahead++;
        return false;
    }
    *p = it->next;
    found[which] = *r;
    found[1 - which] = it->r;
    free(it);
    other->ahead--;
    return until ? same_id(until->id, r->id) : !same(&found[0], &found[1]);
}

/* Reads the pipe of side `which`. *open: it is not at its end; true: a difference was found. */
static bool take(side s[2], int which, const stop *until, result found[2], bool *open)
{
    side *me = &s[which];
    ssize_t n = read(me->pipe, me->text + me->used, sizeof me->text - 1 - me->used);
    if (n < 0 && errno == EINTR) return false;
    *open = n > 0;
    me->ended = !*open;
    if (n <= 0) return false;
    me->used += (size_t)n;
    me->text[me->used] = 0;
    char *line = me->text;
    bool differ = false;
    for (char *next; !differ && (next = strchr(line, '\n')); line = next + 1) {
        result r;
        *next = 0;
        differ = parse(line, &r) && compare(me, &s[1 - which], which, &r, until, found);
    }
    me->used = strlen(line);
    memmove(me->text, line, me->used + 1);
    if (me->used == sizeof me->text - 1) me->used = 0; /* no line of situ is that long */
    return differ;
}

/* Runs both sides. 1: difference found, 0: no difference, 2: too many results without a counterpart, -1: could not be
 * run. */
static int both(side s[2], char **program, const stop *until, result found[2])
{
    for (int i = 0; i < 2; i++)
        if (!start(&s[i], program, until, i)) return -1;
    bool open[2] = {true, true}, differ = false;
    while ((open[0] || open[1]) && !differ) {
        struct pollfd p[2];
        if (s[0].ahead > AHEAD && s[1].ahead > AHEAD) return 2;
        for (int i = 0; i < 2; i++)
            p[i] = (struct pollfd){.fd = open[i] && (s[i].ahead <= AHEAD || !open[1 - i]) ? s[i].pipe : -1, .events = POLLIN};
        if (poll(p, 2, -1) < 0 && errno != EINTR) break;
        for (int i = 0; i < 2 && !differ; i++)
            if (p[i].fd >= 0 && p[i].revents) differ = take(s, i, until, found, &open[i]);
    }
    if (differ) return 1;
    for (int i = 0; i < 2; i++) {
        waitpid(s[i].process, &s[i].status, 0);
        close(s[i].pipe);
        s[i].process = 0;
    }
    return 0;
}

/* ---- reporting -------------------------------------------------------------------------------------------------------- */

double cli_element(situ_dtype d, const char *at)
{
    situ_tensor *t = situ_from_host(at, SHAPE(), .dtype = d, .device = situ_cpu());
    if (d == SITU_C64 || d == SITU_C128) t = situ_real(t);
    return situ_item(t);
}

/* Maps bits to an integer with the order of the values. */
static int64_t rank_of(const char *at, situ_dtype d)
{
    int64_t bits = 0, low = 1;
    size_t size = situ_dtype_size(d);
    if (size > 8) return 0;
    memcpy(&bits, at, size);
    low <<= 8 * size - 1;
    return bits & low ? (low ^ bits) * -1 : bits;
}

static void print_place(long long flat, const char *dims)
{
    long long dim[8], index[8];
    int n = 0;
    for (const char *at = dims; n < 8 && *at && *at != '-';) {
        dim[n++] = strtoll(at, (char **)&at, 10);
        if (*at == 'x') at++;
    }
    for (int i = n; i-- > 0; flat /= dim[i] ? dim[i] : 1) index[i] = flat % (dim[i] ? dim[i] : 1);
    printf("[");
    for (int i = 0; i < n; i++) printf("%s%lld", i ? "," : "", index[i]);
    printf("]");
}

static char *load(const char *file, long long bytes)
{
    char *data = malloc((size_t)bytes + 1);
    FILE *f = data ? fopen(file, "rb") : NULL;
    if (f && fread(data, 1, (size_t)bytes, f) == (size_t)bytes) return fclose(f), data;
    if (f) fclose(f);
    free(data);
    return NULL;
}

static void print_elements(const char *left, const char *right, const result *r)
{
    situ_dtype d = (situ_dtype)r->dtype;
    size_t size = situ_dtype_size(d);
    bool floating = d == SITU_F16 || d == SITU_BF16 || d == SITU_F32 || d == SITU_F64;
    long long count = r->bytes / (long long)size, differing = 0, first = -1;
    int64_t most = 0;
    for (long long i = 0; i < count; i++) {
        const char *a = left + i * (long long)size, *b = right + i * (long long)size;
        if (!memcmp(a, b, size)) continue;
        if (!differing++) first = i;
        int64_t apart = floating ? llabs(rank_of(a, d) - rank_of(b, d)) : 0;
        if (apart > most) most = apart;
    }
    if (first < 0) return;
    const char *a = left + first * (long long)size, *b = right + first * (long long)size;
    printf("  %lld of %lld elements differ; the first at ", differing, count);
    print_place(first, r->dims);
    situ_plain_print(stdout, ": %.17g and %.17g", cli_element(d, a), cli_element(d, b));
    if (floating)
        printf(" (%lld units in the last place apart; at most %lld)", (long long)llabs(rank_of(a, d) - rank_of(b, d)),
            (long long)most);
    printf("\n");
}

static void print_result(const char *title, const result *r)
{
    printf("  %s: %s %s[%s] on %s%s%s\n", title, r->name, situ_dtype_name((situ_dtype)r->dtype),
        strcmp(r->dims, "-") ? r->dims : "", r->device, *r->site ? ", recorded at " : "", r->site);
}

static int tell(side s[2], char **program, const result found[2])
{
    printf("launch %llu of thread %llu, step %llu: the results differ\n", found[0].id[1], found[0].id[0], found[0].id[2]);
    for (int i = 0; i < 2; i++) print_result(s[i].title, &found[i]);
    if (found[0].bytes != found[1].bytes || found[0].dtype != found[1].dtype || strcmp(found[0].name, found[1].name)) {
        printf("  these are different operations: the program does not do the same work in both runs\n");
        return EXIT_FAILED;
    }
    stop until = {0};
    memcpy(until.id, found[0].id, sizeof until.id);
    char folder[] = "/tmp/situ-diff-XXXXXX";
    if (!mkdtemp(folder)) return EXIT_FAILED;
    for (int i = 0; i < 2; i++) snprintf(until.file[i], sizeof until.file[i], "%s/%d", folder, i);
    fflush(stdout);
    side *again = calloc(2, sizeof *again);
    result ignored[2];
    for (int i = 0; again && i < 2; i++) again[i] = (side){.title = s[i].title, .device = s[i].device, .build = s[i].build};
    if (again && both(again, program, &until, ignored) == 1) {
        char *left = load(until.file[0], found[0].bytes), *right = load(until.file[1], found[1].bytes);
        if (left && right) print_elements(left, right, &found[0]);
        else printf("  their elements were not kept: no room for %lld bytes each in %s?\n", found[0].bytes, folder);
        free(left);
        free(right);
    }
    for (int i = 0; again && i < 2; i++) end(&again[i]);
    free(again);
    for (int i = 0; i < 2; i++) remove(until.file[i]);
    rmdir(folder);
    return EXIT_FAILED;
}

static bool went_well(const side *s)
{
    if (WIFEXITED(s->status) && !WEXITSTATUS(s->status)) return true;
    if (WIFSIGNALED(s->status))
        fprintf(stderr, "situ diff: %s: the program was ended by signal %d\n", s->title, WTERMSIG(s->status));
    else fprintf(stderr, "situ diff: %s: the program ended with status %d\n", s->title, WEXITSTATUS(s->status));
    return false;
}

static int end_of(side s[2], char **program)
{
    bool well = went_well(&s[0]);
    well &= went_well(&s[1]);
    if (!s[0].results && !s[1].results) {
        fprintf(stderr, "situ diff: %s computed nothing with situ%s\n", *program, well ? "" : ", or did not get that far");
        return EXIT_FAILED;
    }
    if (s[0].ahead || s[1].ahead) {
        printf("equal as far as both went; but %s has %lld results, %s %lld\n", s[0].title, s[0].results, s[1].title, s[1].results);
        return EXIT_FAILED;
    }
    printf("%lld results, no bit differs\n", s[0].results);
    return well ? EXIT_DONE : EXIT_FAILED;
}

/* ---- the command ------------------------------------------------------------------------------------------------------ */

static bool known_device(const char *value)
{
    static const char *const names[] = {"cpu", "sim", "opencl", "cuda", "pjrt", "tpu"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(value, names[i])) return true;
    fprintf(stderr, "situ diff: %s is none of cpu, sim, opencl, cuda, pjrt, tpu\n", value);
    return false;
}

static int operations_on(const char *device, const char *more)
{
    situ_device d = situ_gpu(0);
    if (more) {
        fprintf(stderr, "situ diff: --operations takes no program: %s\n", more);
        return EXIT_USAGE;
    }
    if (!strcmp(device, "sim") || !strcmp(device, "cuda")) place_on(device);
    else if (situ_device_parse(device, &d)) return cli_fail("diff");
    return cli_diff_operations(d);
}

static int run(int argc, char **argv)
{
    const char *value;
    int rest, got;
    bool operations = false;
    side *s = calloc(2, sizeof *s);
    if (!s) return EXIT_FAILED;
    s[0].title = "left", s[1].title = "right";
    while ((got = cli_next_option(&cli_diff, argc, argv, &value, &rest)) >= 0) {
        side *which = &s[got == RIGHT_DEVICE || got == RIGHT_BUILD];
        if (got == OPERATIONS) operations = true;
        else if (got == LEFT_BUILD || got == RIGHT_BUILD) which->build = value;
        else if (known_device(value)) which->device = value;
        else got = -2;
        if (got == -2) break;
    }
    int code = got == -3 ? EXIT_DONE : EXIT_USAGE;
    if (got == -1 && operations) {
        code = operations_on(s[1].device ? s[1].device : "sim", rest < argc ? argv[rest] : NULL);
        free(s);
        return code;
    }
    if (got == -1 && rest >= argc) fprintf(stderr, "situ diff: which program? situ diff [options] PROGRAM [ARGUMENT...]\n");
    if (got == -1 && rest < argc) {
        bool builds = s[0].build || s[1].build;
        if (!s[0].device) s[0].device = "cpu";
        if (!s[1].device) s[1].device = builds ? s[0].device : "sim";
        result found[2];
        int how = both(s, argv + rest, NULL, found);
        for (int i = 0; i < 2; i++)
            if (how >= 0) end(&s[i]);
        if (how < 0) fprintf(stderr, "situ diff: no process could be started: %s\n", situ_plain_reason(errno));
        if (how == 2)
            printf("%d results of each run are none of the other's: the program does not do the same work in both\n", AHEAD);
        code = how < 0 || how == 2 ? EXIT_FAILED : how ? tell(s, argv + rest, found) : end_of(s, argv + rest);
    }
    free(s);
    return code;
}
