/* Runs the tests: situ-tests [--list] [--file NAME] [filter ...]. A test runs if its "file/name" contains one of the
 * filters; with --file those of tests/unit/test_NAME.c alone.
 *
 * A test that crashes, hangs (SITU_TEST_LIMIT seconds, 300) or leaves the process is named, and a new process goes on
 * with the next test. The summary comes last. The exit status is 0 where no test failed. */
#define _GNU_SOURCE
#include "test.h"

#include <ftw.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <situ/error.h>
#include <situ/tensor.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { REPORTED_CHECKS = 10, PATHS = 8 };

static test_case *first_test;
static test_case *volatile running;
static char **arguments;
static int passed, failed, skipped, at;
static volatile int failed_checks;
static const char *skip_reason;
static jmp_buf leave_test;
static pthread_t test_thread;
static pid_t test_process;
static pthread_mutex_t report_lock = PTHREAD_MUTEX_INITIALIZER;
static char full_name[256];
static char scratch[64];

/* Sanitizers end the process by themselves; this is their way to call us first. Absent without them. */
extern void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

/* Asking for too much memory is something that tests do. GCC 12's leak checker takes thread memory of a loaded library
 * (as those that OpenCL brings) for a block of glibc 2.19 with a size in front if it begins 16 bytes into a page, and
 * then reads anywhere; the library's own thread memory is static and does not need that guess. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1:intercept_tls_get_addr=0"; }
const char *__tsan_default_options(void);
const char *__tsan_default_options(void) { return "allocator_may_return_null=1"; }

/* Drivers of OpenCL and the compiler inside them do not tidy up. They are C++, which nothing of ours is: where a stack
 * ends in its library, as those of clang's sanitizer do, it was them. */
const char *__lsan_default_suppressions(void) __attribute__((visibility("default")));
const char *__lsan_default_suppressions(void) { return "leak:libpocl\nleak:libLLVM\nleak:libclang\nleak:libOpenCL\nleak:libstdc++\n"; }

void test_register(test_case *test)
{
    test->next = first_test;
    first_test = test;
}

/* ---------------------------------------------------------------- checks */

/* Counts a failed check; returns whether it should still be described. */
static bool count_failure(const char *file, int line)
{
    if (!failed_checks) printf("FAIL %s\n", full_name);
    failed_checks = failed_checks + 1;
    if (failed_checks == REPORTED_CHECKS + 1) printf("  ... more checks failed\n");
    if (failed_checks > REPORTED_CHECKS) return false;
    printf("  %s:%d: ", file, line);
    return true;
}

bool test_check(bool holds, const char *file, int line, const char *text)
{
    if (holds) return true;
    pthread_mutex_lock(&report_lock);
    if (count_failure(file, line)) printf("%s\n", text);
    fflush(stdout);
    pthread_mutex_unlock(&report_lock);
    return false;
}

bool test_check_int(intmax_t a, intmax_t b, const char *file, int line, const char *a_text, const char *b_text)
{
    if (a == b) return true;
    pthread_mutex_lock(&report_lock);
    if (count_failure(file, line)) printf("%s is %jd, not %jd (%s)\n", a_text, a, b, b_text);
    fflush(stdout);
    pthread_mutex_unlock(&report_lock);
    return false;
}

bool test_check_string(const char *a, const char *b, const char *file, int line, const char *text)
{
    if (a == b || (a && b && !strcmp(a, b))) return true;
    pthread_mutex_lock(&report_lock);
    if (count_failure(file, line)) {
        printf("%s\n    is  \"%s\"\n    not \"%s\"\n", text, a ? a : "(NULL)", b ? b : "(NULL)");
    }
    fflush(stdout);
    pthread_mutex_unlock(&report_lock);
    return false;
}

bool test_check_near(double a, double b, double tolerance, const char *file, int line, const char *text)
{
    if (a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= tolerance) return true;
    pthread_mutex_lock(&report_lock);
    if (count_failure(file, line)) {
        printf("%s: %.17g and %.17g differ by %g, more than %g\n", text, a, b, fabs(a - b), tolerance);
    }
    fflush(stdout);
    pthread_mutex_unlock(&report_lock);
    return false;
}

bool test_check_code(int code, const char *file, int line, const char *text)
{
    static __thread situ_error error;
    if (!situ_error_take(&error) && !code) return true;
    if (error.code == code) return true;
    pthread_mutex_lock(&report_lock);
    if (count_failure(file, line)) {
        printf("expected %s (%d), found \"%s\" (%d)%s%s\n", text, code, situ_code_name(error.code), error.code,
               error.code ? ": " : "", error.message);
    }
    fflush(stdout);
    pthread_mutex_unlock(&report_lock);
    return false;
}

bool test_check_fails(bool told, int code, const char *file, int line, const char *text, const char *const *words)
{
    static __thread situ_error error;
    situ_error_take(&error);
    for (; *words && strstr(error.message, *words); words++) {}
    if (told && error.code == code && !*words) return true;
    pthread_mutex_lock(&report_lock);
    if (count_failure(file, line)) {
        printf("%s %s, with \"%s\" (%d), not (%d): %s\n", text, told ? "fails" : "does not say that it failed",
               situ_code_name(error.code), error.code, code, error.message);
        if (*words) printf("    the message lacks \"%s\"\n", *words);
    }
    fflush(stdout);
    pthread_mutex_unlock(&report_lock);
    return false;
}

void test_skip(const char *why)
{
    if (!pthread_equal(pthread_self(), test_thread)) {
        fprintf(stderr, "SKIP(\"%s\") outside of the test's own thread\n", why);
        abort();
    }
    skip_reason = why;
    longjmp(leave_test, 1);
}

/* ---------------------------------------------------------------- scratch files */

const char *test_path(const char *name)
{
    static char paths[PATHS][512];
    static int next;
    if (!scratch[0]) {
        strcpy(scratch, "/tmp/situ-tests-XXXXXX");
        if (!mkdtemp(scratch)) {
            perror("mkdtemp");
            abort();
        }
    }
    char *path = paths[next++ % PATHS];
    snprintf(path, sizeof paths[0], "%s/%s", scratch, name);
    return path;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

static void remove_scratch(void)
{
    if (scratch[0]) nftw(scratch, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    scratch[0] = 0;
}

/* ---------------------------------------------------------------- this program again */

/* Without /proc of a path: an emulator's is its own. False: it is not known. */
static bool find_self(char *path, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", path, size - 1);
    path[n < 0 ? 0 : n] = 0;
    return n > 0;
}

const char *test_self(void)
{
    static char command[1400];
    char path[1024];
    const char *emulator = getenv("SITU_TEST_EMULATOR");
    if (!find_self(path, sizeof path)) SKIP("no /proc/self/exe");
    snprintf(command, sizeof command, "%s '%s'", emulator ? emulator : "", path);
    return command;
}

/* ---------------------------------------------------------------- ends that no test should have */

static void print_summary(void) { printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped); }

/* A process of its own does the tests behind this one: nothing of this process can be trusted any more. */
static void go_on(void)
{
    static char state[64];
    snprintf(state, sizeof state, "%d %d %d %d", at + 1, passed, failed, skipped);
    setenv("SITU_TEST_STATE", state, 1);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL); /* execv keeps the mask, and an alarm: an emulator may take long to start */
    alarm(0);
    if (getenv("SITU_TEST_EMULATOR")) { /* the system cannot start a program for another processor */
        char path[1024], *const shell[] = {"sh", "-c", "exec $SITU_TEST_EMULATOR \"$0\" \"$@\"", path};
        char *all[64] = {NULL};
        memcpy(all, shell, sizeof shell);
        for (int i = 1; arguments[i] && i < 59; i++) all[3 + i] = arguments[i];
        if (find_self(path, sizeof path)) execv("/bin/sh", all);
    } else {
        execv("/proc/self/exe", arguments);
    }
    print_summary(); /* no such file: what follows is lost */
    fflush(stdout);
}

static void died(const char *how)
{
    if (!running || getpid() != test_process) return; /* a test's child may end as it likes */
    running = NULL;
    failed++;
    if (!failed_checks) printf("FAIL %s\n", full_name);
    printf("  %s\n", how);
    fflush(stdout);
    remove_scratch();
    go_on();
}

/* Not everything here is safe in a signal handler; the process is lost in any case, and an alarm ends a second hang. */
static void on_signal(int number)
{
    static char how[64];
    if (getpid() != test_process) {
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    signal(SIGALRM, SIG_DFL);
    alarm(5);
    if (number == SIGALRM) snprintf(how, sizeof how, "ran out of time");
    else snprintf(how, sizeof how, "crashed: %s", strsignal(number));
    died(how);
    _exit(1);
}

static void on_exit_early(void)
{
    if (!running || getpid() != test_process) return;
    died("left the process");
    _exit(1);
}

static void on_death(void) { died("stopped by a sanitizer"); }

static void watch_for_crashes(void)
{
    static char stack[65536];
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&alternate, NULL);
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_NODEFER};
    sigaction(SIGALRM, &action, NULL);
    atexit(on_exit_early);
    if (__sanitizer_set_death_callback) {
        __sanitizer_set_death_callback(on_death);
        return;
    }
    const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) sigaction(signals[i], &action, NULL);
}

/* ---------------------------------------------------------------- running */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void name_of(const test_case *test, char *out, size_t size)
{
    const char *file = strrchr(test->file, '/');
    file = file ? file + 1 : test->file;
    if (!strncmp(file, "test_", 5)) file += 5;
    const char *dot = strrchr(file, '.');
    int length = dot ? (int)(dot - file) : (int)strlen(file);
    snprintf(out, size, "%.*s/%s", length, file, test->name);
}

static void run_test(test_case *test, unsigned limit)
{
    name_of(test, full_name, sizeof full_name);
    failed_checks = 0;
    skip_reason = NULL;
    situ_error_take(NULL);
    double start = now();
    running = test;
    alarm(limit);
    situ_scope *scope = test->in_scope ? situ_scope_open() : NULL;
    if (!setjmp(leave_test)) test->run();
    if (test->in_scope) (situ_scope_close)(scope); /* without the macro's own variable: a test may leave by longjmp */
    alarm(0);
    running = NULL;
    double seconds = now() - start;
    situ_error left;
    if (situ_error_take(&left)) {
        pthread_mutex_lock(&report_lock);
        if (count_failure(test->file, test->line)) printf("left an error behind: %s\n", left.message);
        pthread_mutex_unlock(&report_lock);
    }
    if (failed_checks) failed++;
    else if (skip_reason) skipped++, printf("SKIP %s: %s\n", full_name, skip_reason);
    else passed++;
    if (seconds > 1) printf("slow %s: %.1f s\n", full_name, seconds);
    fflush(stdout);
}

static int order(const void *a, const void *b)
{
    const test_case *x = *(test_case *const *)a, *y = *(test_case *const *)b;
    int by_file = strcmp(x->file, y->file);
    return by_file ? by_file : x->line - y->line;
}

static bool wanted(const test_case *test, const char *file, int count, char **filters)
{
    char name[256];
    name_of(test, name, sizeof name);
    if (file && (strncmp(name, file, strlen(file)) || name[strlen(file)] != '/')) return false;
    for (int i = 0; i < count; i++) {
        if (strstr(name, filters[i])) return true;
    }
    return count == 0;
}

/* The tests that are asked for, in the order of their files and lines, and then NULL; the caller frees the list. */
static test_case **choose(const char *file, int filters, char **filter, int *count)
{
    int all = 0;
    for (test_case *t = first_test; t; t = t->next) all++;
    test_case **tests = calloc((size_t)all + 1, sizeof *tests);
    if (!tests) return NULL;
    *count = 0;
    for (test_case *t = first_test; t; t = t->next) {
        if (wanted(t, file, filters, filter)) tests[(*count)++] = t;
    }
    qsort(tests, (size_t)*count, sizeof *tests, order);
    return tests;
}

/* Where a process that died has left off; the processes that tests start do not see it. */
static void take_up(void)
{
    const char *state = getenv("SITU_TEST_STATE");
    if (state && sscanf(state, "%d %d %d %d", &at, &passed, &failed, &skipped) != 4) at = 0;
    unsetenv("SITU_TEST_STATE");
}

static int list(test_case **tests)
{
    for (; *tests; tests++) {
        name_of(*tests, full_name, sizeof full_name);
        printf("%s\n", full_name);
    }
    return 0;
}

int main(int argc, char **argv)
{
    bool listing = false, wrong = false;
    const char *file = NULL;
    int first = 1;
    for (; first < argc && argv[first][0] == '-'; first++) {
        if (!strcmp(argv[first], "--list")) listing = true;
        else if (!strcmp(argv[first], "--file") && first + 1 < argc) file = argv[++first];
        else wrong = true;
    }
    if (wrong) {
        fprintf(stderr, "usage: %s [--list] [--file NAME] [filter ...]\n", argv[0]);
        return 2;
    }
    int count;
    test_case **tests = choose(file, argc - first, argv + first, &count);
    if (!tests) return 2;
    if (listing) return list(tests);

    const char *limit_text = getenv("SITU_TEST_LIMIT");
    unsigned limit = limit_text ? (unsigned)atoi(limit_text) : 300;
    arguments = argv;
    test_thread = pthread_self();
    test_process = getpid();
    take_up();
    watch_for_crashes();
    for (; at < count; at++) run_test(tests[at], limit);
    free(tests);
    remove_scratch();
    if (!count) printf("no test has a name with that text\n");
    print_summary();
    return failed != 0 || !count;
}
