/* situ verify: repeats a training that wrote a proof, all of it or some steps, and compares each hash. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <situ.h>

#include "command.h"
#include "data/augment.h"
#include "os/file.h"
#include "os/plain.h"
#include "os/process.h"
#include "os/wait.h"
#include "train/proof.h"

enum { STEPS, SEED, COMMITMENT, GPUS, DEVICE, DATA, SHOW };
enum { WORDS = 64 };

static const cli_option options[] = {
    [STEPS] = {"steps", "A..B or N", "repeat these steps, or N steps drawn by the seed, from the nearest state (default: all)",
        's'},
    [SEED] = {"seed", "N", "the number by which steps are drawn (default: another one each time, which is printed)", 0},
    [COMMITMENT] = {"commitment", "HASH", "the hash that was published: the log's last one has to be this", 'c'},
    [GPUS] = {"gpus", "N", "for a proof of `situ train`: repeat it on so many GPUs", 'g'},
    [DEVICE] = {"device", "D", "for a proof of `situ train`: repeat it on this device", 'd'},
    [DATA] = {"data", "DIR", "for a proof of `situ train`: where the data are here", 0},
    [SHOW] = {"show", NULL, "show what the program prints", 0},
    {0},
};

typedef struct settings {
    const char *folder, *commitment, *gpus, *device, *data;
    int64_t first, last, drawn, seed;
    bool seeded, show;
} settings;

static int run(int argc, char **argv);

const cli_command cli_verify = {
    .name = "verify",
    .summary = "repeats a training that wrote a proof, or some of its steps, and tells whether every bit is equal",
    .usage = "verify FOLDER [options] [-- PROGRAM [ARGUMENT...]]",
    .text =
        "FOLDER has the log of a training with .proof, or of situ train --proof. Its hashes are checked, then the training is\n"
        "repeated, here and as this machine computes, and each entry compared. It says \"equal\", or the first step, tensor and\n"
        "element that differs. Without a program it is the training of situ train that the log names. A program of your own\n"
        "is started as it stands behind --, also by mpirun; its trainer has to have .proof, or its loop situ_proof_step.\n"
        "SITU_ISA, SITU_SIM_GPUS and other variables say how it is repeated.\n",
    .options = options,
    .run = run,
};

static int fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int fail(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fprintf(stderr, "situ verify: ");
    situ_plain_print_list(stderr, format, values);
    fprintf(stderr, "\n");
    va_end(values);
    return EXIT_FAILED;
}

static bool read_steps(const char *value, settings *s)
{
    const char *dots = strstr(value, "..");
    char first[24];
    if (!dots) return cli_read_int("verify", "steps", value, 1, INT64_MAX / 4, &s->drawn);
    snprintf(first, sizeof first, "%.*s", (int)(dots - value < 23 ? dots - value : 23), value);
    return cli_read_int("verify", "steps", first, 1, INT64_MAX / 4, &s->first) &&
        cli_read_int("verify", "steps", dots + 2, s->first, INT64_MAX / 4, &s->last);
}

static bool read_option(int which, const char *value, settings *s)
{
    switch (which) {
    case STEPS: return read_steps(value, s);
    case SEED: return s->seeded = cli_read_int("verify", "seed", value, INT64_MIN, INT64_MAX, &s->seed);
    case COMMITMENT: s->commitment = value; return true;
    case GPUS: s->gpus = value; return true;
    case DEVICE: s->device = value; return true;
    case DATA: s->data = value; return true;
    default: return s->show = true;
    }
}

/* ---- what is repeated ----------------------------------------------------------------------------------------------------- */

/* The state that was kept nearest before a step; 0: the beginning. */
static int64_t state_before(const settings *s, const situ_proof_log *log, int64_t step)
{
    for (int64_t i = situ_proof_log_at(log, step) - 1; i > 0; i--) {
        char path[SITU_PROOF_PATH];
        const situ_proof_record *r = &log->record[i];
        situ_proof_state_path(path, sizeof path, s->folder, r->step);
        if (r->step < step && strstr(r->text, "\nkept\n") && situ_file_exists(path)) return r->step;
    }
    return 0;
}

/* The step of the last entry; 0: there is none. */
static int64_t last_entry(const situ_proof_log *log)
{
    int64_t i = log->records - 1;
    while (i > 0 && !situ_proof_is_entry(&log->record[i])) i--;
    return i > 0 ? log->record[i].step : 0;
}

/* The range that has these steps: from a state to the first entry at or after the last of them. */
static situ_proof_range range_of(const settings *s, const situ_proof_log *log, int64_t first, int64_t last)
{
    int64_t at = situ_proof_log_at(log, last);
    return (situ_proof_range){state_before(s, log, first), at < log->records ? log->record[at].step : last_entry(log)};
}

static int by_start(const void *a, const void *b)
{
    const situ_proof_range *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* Fills in the ranges, in order and without overlaps; returns their number. */
static int64_t plan(settings *s, const situ_proof_log *log, situ_proof_range *range, int64_t most)
{
    int64_t last = last_entry(log), n = 0;
    if (!s->drawn) {
        bool all = !s->first;
        range[n++] = all ? (situ_proof_range){0, last} : range_of(s, log, s->first, s->last < last ? s->last : last);
        return n;
    }
    situ_draws draws = situ_draws_of(s->seed, 0, 0, 0);
    for (; n < s->drawn && n < most; n++) {
        int64_t step = 1 + (int64_t)(situ_draw_bits(&draws) % (uint64_t)last);
        range[n] = range_of(s, log, step, step);
    }
    qsort(range, (size_t)n, sizeof *range, by_start);
    int64_t kept = 0;
    for (int64_t i = 1; i < n; i++) {
        if (range[i].from < range[kept].to) {
            if (range[i].to > range[kept].to) range[kept].to = range[i].to;
        } else range[++kept] = range[i];
    }
    return kept + 1;
}

/* Tells how much is repeated, before it starts. */
static int64_t tell_plan(const settings *s, const situ_proof_log *log, const situ_proof_range *range, int64_t n)
{
    int64_t last = last_entry(log), steps = 0;
    for (int64_t i = 0; i < n; i++) steps += range[i].to - range[i].from;
    double share = last ? (double)steps / (double)last : 1, seconds = 0;
    size_t size, entries = 0;
    const char *ran = log->records > 2 ? situ_proof_line(log->record[log->records - 2].text, "aside ran", &size) : NULL;
    for (int64_t i = 1; i < log->records; i++) entries += situ_proof_is_entry(&log->record[i]);
    if (ran) seconds = situ_plain_number(ran, NULL);
    printf("%s/proof.log: %zu entries up to step %lld; their hashes are right\n", s->folder, entries, (long long)last);
    situ_plain_print(stdout, "repeating %lld of %lld steps, in %lld range%s", (long long)steps, (long long)last, (long long)n,
        n == 1 ? "" : "s");
    if (ran) situ_plain_print(stdout, ": about %.2g of the %.2g s that the run took, and loading", share * seconds, seconds);
    if (s->drawn)
        situ_plain_print(
            stdout, "; seed %lld; one forged step is missed with a chance of %.3g %%", (long long)s->seed, 100 * (1 - share));
    printf("\n");
    fflush(stdout);
    return steps;
}

/* ---- running the program -------------------------------------------------------------------------------------------------- */

/* The program of a proof of `situ train`: its words, of which only the known ones are taken; NULL with a message. */
static bool own_program(const settings *s, const situ_proof_log *log, char *text, size_t room, char **word)
{
    static const char *const known[] = {"--epochs", "--key", "--batch", "--hidden", "--dropout", "--lr", "--clip"};
    static char path[PATH_MAX];
    size_t size;
    int n = 0;
    const char *note = situ_proof_line(log->record[0].text, "note", &size), front[] = "situ train ";
    if (!note || size >= room || strncmp(note, front, sizeof front - 1)) {
        fail("this is no proof of situ train: give the program that wrote it, situ verify %s -- PROGRAM [ARGUMENT...]", s->folder);
        return false;
    }
    snprintf(text, room, "%.*s", (int)size, note);
    if (!situ_process_program(situ_process_id(), path, sizeof path)) snprintf(path, sizeof path, "situ");
    word[n++] = path;
    word[n++] = (char *)(uintptr_t) "train";
    char *noted = strstr(text, " --data ");
    const char *data = s->data ? s->data : noted ? noted + 8 : NULL;
    if (noted) *noted = 0;
    for (char *at = strtok(text + sizeof front - 1, " "); at && n < WORDS - 16; at = strtok(NULL, " ")) {
        bool good = !strcmp(at, "--deterministic");
        char *value = NULL;
        for (size_t i = 0; i < sizeof known / sizeof *known && !good && !value; i++)
            if (!strcmp(at, known[i]) && !(value = strtok(NULL, " "))) break;
        if (!good && !value) {
            fail("%s/proof.log: the note has %s, which is no option of situ train on which weights depend", s->folder, at);
            return false;
        }
        word[n++] = at;
        if (value) word[n++] = value;
    }
    const char *const more[] = {"--proof", s->folder, "--quiet", data ? "--data" : NULL, data, s->gpus ? "--gpus" : NULL, s->gpus,
        s->device ? "--device" : NULL, s->device};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (more[i]) word[n++] = (char *)(uintptr_t)more[i];
    word[n] = NULL;
    return true;
}

/* Starts the program and waits for it. Its status; -1: it could not be started. */
static int start(char **word, const char *plan_path, bool show)
{
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        setenv("SITU_VERIFY", plan_path, 1);
        int nowhere = show ? -1 : open("/dev/null", O_WRONLY);
        if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
        char errors[PATH_MAX + 8];
        snprintf(errors, sizeof errors, "%s.err", plan_path);
        int file = show ? -1 : open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (file >= 0) dup2(file, STDERR_FILENO);
        execvp(*word, word);
        fprintf(stderr, "situ verify: %s cannot be run: %s\n", *word, situ_plain_reason(errno));
        _exit(127);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return child > 0 ? status : -1;
}

typedef struct found {
    int64_t entries, states, last;
    char differs[2000];
} found;

static void read_told(const char *path, found *f)
{
    char line[2100];
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        if (!strncmp(line, "equal ", 6)) f->entries++, f->last = strtoll(line + 6, NULL, 10);
        else if (!strncmp(line, "state ", 6)) f->states++;
        else if (!strncmp(line, "differs ", 8) && !*f->differs) snprintf(f->differs, sizeof f->differs, "%.1990s", line + 8);
    }
    if (file) fclose(file);
}

/* Prints the end of what the program said on stderr. */
static void show_errors(const char *plan_path)
{
    char path[PATH_MAX + 8], line[1000];
    snprintf(path, sizeof path, "%s.err", plan_path);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) fprintf(stderr, "  %s", line);
    if (file) fclose(file);
}

/* How many entries lie in the ranges. */
static int64_t entries_in(const situ_proof_log *log, const situ_proof_range *range, int64_t n)
{
    int64_t count = 0;
    for (int64_t i = 1; i < log->records; i++)
        for (int64_t k = 0; k < n && situ_proof_is_entry(&log->record[i]); k++)
            if (log->record[i].step > range[k].from && log->record[i].step <= range[k].to) {
                count++;
                break;
            }
    return count;
}

static int judge(const situ_proof_log *log, const found *f, int64_t wanted, int status, const char *plan_path, double seconds)
{
    if (*f->differs) {
        printf("differs: %s\n", f->differs);
        return EXIT_FAILED;
    }
    if (f->entries < wanted || !WIFEXITED(status) || WEXITSTATUS(status)) {
        printf("not verified: %lld of %lld entries were compared, and they are equal; then the program %s\n", (long long)f->entries,
            (long long)wanted,
            WIFSIGNALED(status)            ? "was ended by a signal" :
                WEXITSTATUS(status) == 127 ? "could not be started" :
                WEXITSTATUS(status)        ? "failed:" :
                                             "ended: does its trainer have .proof, or its loop situ_proof_step?");
        show_errors(plan_path);
        return EXIT_FAILED;
    }
    situ_plain_print(stdout, "equal: %lld entries", (long long)f->entries);
    if (f->states) printf(" and %lld states", (long long)f->states);
    situ_plain_print(stdout, ", every bit, in %.2g s\n", seconds);
    if (log->ended) return EXIT_DONE;
    printf("but the log has no end: the run was killed, or the log was cut after step %lld%s\n", (long long)last_entry(log),
        log->torn ? ", within a record" : "");
    return EXIT_FAILED;
}

/* Where a repetition has its plan, and what its program tells. */
typedef struct place {
    char folder[32], plan[64], told[64], errors[80];
} place;

static bool write_plan(const settings *s, const place *at, const situ_proof_range *range, int64_t n)
{
    char real[SITU_FILE_PATH];
    situ_file f;
    FILE *file = situ_file_real_path(s->folder, real) ? situ_file_begin(&f, at->plan, true) : NULL;
    if (file) fprintf(file, "folder %s\ntold %s\n", real, at->told);
    for (int64_t i = 0; i < n && file; i++) fprintf(file, "range %lld %lld\n", (long long)range[i].from, (long long)range[i].to);
    return file && !situ_file_end(&f, true);
}

/* Runs the program for all ranges at once, or for each of them, as a loop of its own needs it. */
static int run_ranges(
    const settings *s, const situ_proof_log *log, const situ_proof_range *range, int64_t n, char **word, place *at)
{
    size_t size;
    found f = {0};
    int status = 0;
    int64_t before = situ_now(), at_once = situ_proof_line(log->record[0].text, "program", &size) ? 1 : n;
    for (int64_t i = 0; i < n && !status && !*f.differs; i += at_once) {
        if (!write_plan(s, at, range + i, at_once)) return fail("the plan cannot be written: %s", situ_plain_reason(errno));
        status = start(word, at->plan, s->show);
        f = (found){0};
        read_told(at->told, &f);
    }
    return judge(log, &f, entries_in(log, range, n), status, at->plan, 1e-9 * (double)(situ_now() - before));
}

/* Makes a folder with an empty file for what is found; runs the program. */
static int repeat(const settings *s, const situ_proof_log *log, const situ_proof_range *range, int64_t n, char **word)
{
    situ_file f;
    place at = {.folder = "/tmp/situ-verify-XXXXXX"};
    if (!mkdtemp(at.folder)) return fail("no folder for the plan: %s", situ_plain_reason(errno));
    snprintf(at.plan, sizeof at.plan, "%s/plan", at.folder);
    snprintf(at.errors, sizeof at.errors, "%s.err", at.plan);
    snprintf(at.told, sizeof at.told, "%s/told", at.folder);
    FILE *file = situ_file_begin(&f, at.told, true);
    if (file) situ_file_end(&f, true);
    int code = run_ranges(s, log, range, n, word, &at);
    remove(at.plan);
    remove(at.told);
    remove(at.errors);
    rmdir(at.folder);
    return code;
}

/* ---- the command ---------------------------------------------------------------------------------------------------------- */

/* Checks what needs no repetition. EXIT_DONE: the rest can be repeated. */
static int check(const settings *s, const situ_proof_log *log)
{
    size_t size;
    const char *version = situ_proof_line(log->record[0].text, "version", &size);
    if (version && (strlen(SITU_VERSION) != size || strncmp(version, SITU_VERSION, size))) {
        printf(
            "another version: the log is of situ %.*s, this is %s, and their bits may differ\n", (int)size, version, SITU_VERSION);
        return EXIT_FAILED;
    }
    if (s->commitment && strcmp(s->commitment, log->chain)) {
        printf("another log: its last hash is %s, not the commitment: it was cut, edited as a whole, or is of another run\n",
            log->chain);
        return EXIT_FAILED;
    }
    if (last_entry(log)) return EXIT_DONE;
    printf("there is no entry in the log: it was cut, or the run was killed before its first step\n");
    return EXIT_FAILED;
}

static int verify(settings *s, char **program)
{
    enum { MOST = 1 << 16 };
    char why[SITU_PROOF_WHY], text[8192], *own[WORDS];
    situ_proof_log log;
    int code = EXIT_FAILED;
    if (situ_proof_log_read(&log, s->folder, why)) printf("not verified: %s\n", why);
    else if (!check(s, &log) && (program || own_program(s, &log, text, sizeof text, own))) {
        if (s->drawn > MOST) s->drawn = MOST;
        situ_proof_range *range = malloc((size_t)(s->drawn + 1) * sizeof *range);
        int64_t n = range ? plan(s, &log, range, s->drawn) : 0;
        if (s->first > last_entry(&log))
            fail("the log has no step %lld; its last is %lld", (long long)s->first, (long long)last_entry(&log));
        else if (n && tell_plan(s, &log, range, n)) code = repeat(s, &log, range, n, program ? program : own);
        free(range);
    }
    situ_proof_log_free(&log);
    return code;
}

static int run(int argc, char **argv)
{
    settings s = {0};
    const char *value;
    int rest, got;
    while ((got = cli_next_option(&cli_verify, argc, argv, &value, &rest)) >= 0)
        if (!read_option(got, value, &s)) return EXIT_USAGE;
    if (got == -3) return EXIT_DONE;
    if (got == -2) return EXIT_USAGE;
    if (rest >= argc) {
        fprintf(stderr, "situ verify: which folder? `situ verify --help` tells more\n");
        return EXIT_USAGE;
    }
    s.folder = argv[rest++];
    if (rest < argc && strcmp(argv[rest - 2], "--")) { /* getopt puts it right before the arguments */
        fprintf(stderr, "situ verify: unexpected argument %s; a program stands behind --\n", argv[rest]);
        return EXIT_USAGE;
    }
    if (!s.seeded) s.seed = situ_now() & 0xffffffff;
    return verify(&s, rest < argc ? argv + rest : NULL);
}
