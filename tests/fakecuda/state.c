/* Settings, counts, failures on request, violations. */
#include "fake.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { NEEDS_INIT = 1, NEEDS_CONTEXT = 2, NOT_CAPTURED = 4, FAILURES = 32, KEPT = 64, LINE = 400 };

fake_settings fake_set;
pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;
bool fake_initialised;

static const struct { const char *name; int needs; } functions[] = {
#define I NEEDS_INIT
#define C NEEDS_CONTEXT
#define U NOT_CAPTURED
#define F(name, needs) {#name, needs},
#include "functions.def"
#undef F
#undef I
#undef C
#undef U
};

static long calls[FAKE_FUNCTIONS];
static long long bytes_copied[4];
static struct { int function, nth, code; } failures[FAILURES]; /* function -1: any */
static uint32_t random_state = 1;

/* ---------------------------------------------------------------- violations */

static pthread_mutex_t report_lock = PTHREAD_MUTEX_INITIALIZER;
static char kept[KEPT][LINE];
static int violations, kept_count;

static void keep(const char *line)
{
    violations++;
    for (int i = 0; i < kept_count; i++)
        if (!strcmp(kept[i], line)) return;
    if (kept_count == KEPT) return; /* enough has been said */
    fake_copy_text(kept[kept_count++], LINE, line);
    FILE *file = fake_set.report[0] ? fopen(fake_set.report, "a") : stderr;
    if (!file) return;
    fprintf(file, "fakecuda: %s\n", line);
    if (file == stderr) fflush(stderr);
    else fclose(file);
}

static void keep_formatted(const char *format, va_list list)
{
    char line[LINE];
    vsnprintf(line, sizeof line, format, list);
    pthread_mutex_lock(&report_lock);
    keep(line);
    pthread_mutex_unlock(&report_lock);
}

FAKE_API void fakecuda_violation(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    keep_formatted(format, list);
    va_end(list);
}

int fake_refuse(int code, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    keep_formatted(format, list);
    va_end(list);
    return code;
}

FAKE_API int fakecuda_violations(char *text, size_t size)
{
    size_t used = 0;
    if (size) text[0] = 0;
    pthread_mutex_lock(&report_lock);
    for (int i = 0; i < kept_count && text; i++) {
        int n = snprintf(text + used, size - used, "%s\n", kept[i]);
        if (n < 0 || (size_t)n >= size - used) break;
        used += (size_t)n;
    }
    int n = violations;
    pthread_mutex_unlock(&report_lock);
    return n;
}

/* ---------------------------------------------------------------- settings */

void fake_copy_text(char *to, size_t size, const char *from)
{
    if (size) snprintf(to, size, "%s", from ? from : "");
}

static long number(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtol(text, NULL, 10) : otherwise;
}

static void read_capabilities(void)
{
    const char *text = getenv("FAKECUDA_CAPABILITY");
    int last = 80;
    for (int i = 0; i < FAKE_DEVICES; i++) {
        int major, minor;
        if (text && sscanf(text, "%d.%d", &major, &minor) == 2) last = 10 * major + minor;
        text = text ? strchr(text, ',') : NULL;
        text = text ? text + 1 : NULL;
        fake_set.capability[i] = last;
    }
}

static int find_function(const char *name)
{
    for (int i = 0; i < FAKE_FUNCTIONS; i++)
        if (!strcmp(functions[i].name, name)) return i;
    return -1;
}

static void ask_failure(const char *function, int nth, int code)
{
    int f = strcmp(function, "*") ? find_function(function) : -1;
    if (f < 0 && strcmp(function, "*")) {
        fakecuda_violation("request: there is no function %s to fail", function);
        return;
    }
    for (int i = 0; i < FAILURES; i++) {
        if (code ? failures[i].nth > 0 : failures[i].function != f) continue;
        failures[i].function = f;
        failures[i].nth = code ? nth : 0;
        failures[i].code = code;
        if (code) return;
    }
}

static void read_failures(void)
{
    char copy[1024], *rest = NULL;
    fake_copy_text(copy, sizeof copy, getenv("FAKECUDA_FAIL"));
    for (char *one = strtok_r(copy, ",", &rest); one; one = strtok_r(NULL, ",", &rest)) {
        char name[64];
        int nth, code;
        if (sscanf(one, "%63[^:]:%d:%d", name, &nth, &code) == 3) ask_failure(name, nth, code);
        else fakecuda_violation("request: FAKECUDA_FAIL has \"%s\", not function:nth:code", one);
    }
}

static void read_settings(void)
{
    fake_set.devices = (int)number("FAKECUDA_DEVICES", 1);
    if (fake_set.devices < 0 || fake_set.devices > FAKE_DEVICES) fake_set.devices = FAKE_DEVICES;
    fake_set.memory = (unsigned long long)number("FAKECUDA_MEMORY", 1024) << 20;
    fake_set.driver = (int)number("FAKECUDA_DRIVER", 12040);
    fake_set.track = (int)number("FAKECUDA_TRACK", 1);
    fake_set.peers = (int)number("FAKECUDA_PEERS", 1);
    const char *order = getenv("FAKECUDA_ORDER");
    fake_set.order = order && !strcmp(order, "lazy") ? 1 : order && !strcmp(order, "eager") ? 2 : 0;
    random_state = (uint32_t)number("FAKECUDA_SEED", 1) * 2654435761u + 12345;
    fake_copy_text(fake_set.cache, sizeof fake_set.cache, getenv("FAKECUDA_CACHE"));
    fake_copy_text(fake_set.compiler, sizeof fake_set.compiler, getenv("FAKECUDA_CXX"));
    fake_copy_text(fake_set.report, sizeof fake_set.report, getenv("FAKECUDA_REPORT"));
    fake_copy_text(fake_set.log, sizeof fake_set.log, getenv("FAKECUDA_LOG"));
    read_capabilities();
}

__attribute__((constructor)) static void start(void)
{
    read_settings();
    read_failures();
}

/* What a test leaves behind is known when the process ends, if nobody asked before. */
__attribute__((destructor)) static void finish(void)
{
    char text[2048];
    if (fake_set.report[0] && fakecuda_live(text, sizeof text)) fakecuda_violation("leak: at the end of the process there are\n%s", text);
}

FAKE_API void fakecuda_reset(void)
{
    pthread_mutex_lock(&fake_lock);
    pthread_mutex_lock(&report_lock);
    violations = kept_count = 0;
    pthread_mutex_unlock(&report_lock);
    memset(calls, 0, sizeof calls);
    memset(bytes_copied, 0, sizeof bytes_copied);
    memset(failures, 0, sizeof failures);
    read_settings();
    read_failures();
    for (int i = 0; i < FAKE_DEVICES; i++)
        if (fake_context(i)) fake_context(i)->sticky = 0;
    pthread_mutex_unlock(&fake_lock);
}

FAKE_API void fakecuda_order(int order, unsigned seed)
{
    pthread_mutex_lock(&fake_lock);
    fake_set.order = order;
    random_state = seed * 2654435761u + 12345;
    pthread_mutex_unlock(&fake_lock);
}

FAKE_API void fakecuda_fail(const char *function, int nth, int code)
{
    pthread_mutex_lock(&fake_lock);
    ask_failure(function, nth, code);
    pthread_mutex_unlock(&fake_lock);
}

uint32_t fake_random(uint32_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return below ? (uint32_t)((uint64_t)random_state * below >> 32) : 0;
}

/* ---------------------------------------------------------------- calls */

const char *fake_function_name(int f) { return functions[f].name; }
void fake_count(fake_function f) { __atomic_fetch_add(&calls[f], 1, __ATOMIC_RELAXED); }
void fake_count_bytes(int direction, size_t bytes) { __atomic_fetch_add(&bytes_copied[direction], (long long)bytes, __ATOMIC_RELAXED); }

FAKE_API long fakecuda_calls(const char *function)
{
    long sum = 0;
    int f = find_function(function);
    for (int i = 0; i < FAKE_kernel; i++) sum += calls[i];
    return f >= 0 ? calls[f] : sum;
}

FAKE_API long long fakecuda_bytes(const char *direction)
{
    static const char *const names[] = {"HtoD", "DtoH", "DtoD", "PtoP"};
    for (int i = 0; i < 4; i++)
        if (!strcmp(names[i], direction)) return bytes_copied[i];
    return -1;
}

int fake_injected(fake_function f)
{
    int code = 0;
    for (int i = 0; i < FAILURES; i++) {
        if (failures[i].nth <= 0 || (failures[i].function != (int)f && failures[i].function != -1)) continue;
        if (failures[i].function == -1 && f >= FAKE_kernel) continue;
        if (!--failures[i].nth) code = failures[i].code;
    }
    return code;
}

static int allowed(fake_function f)
{
    int needs = functions[f].needs;
    if ((needs & NEEDS_INIT) && !fake_initialised) return fake_refuse(CUDA_ERROR_NOT_INITIALIZED, "order: %s before cuInit", functions[f].name);
    if (fake_is_executor() && needs) return fake_refuse(CUDA_ERROR_NOT_PERMITTED, "callback: a host function calls %s", functions[f].name);
    if (needs & NEEDS_CONTEXT) {
        CUcontext c = fake_current();
        if (!c) return fake_refuse(CUDA_ERROR_INVALID_CONTEXT, "context: %s in a thread without a current context", functions[f].name);
        if (!c->retains) return fake_refuse(CUDA_ERROR_CONTEXT_IS_DESTROYED, "context: %s while the thread's context, of device %d, is released", functions[f].name, c->object.device);
        if (c->sticky) return c->sticky;
    }
    return needs & NOT_CAPTURED ? fake_capture_check(f, functions[f].name) : 0;
}

int fake_enter(fake_function f)
{
    pthread_mutex_lock(&fake_lock);
    calls[f]++;
    int code = fake_injected(f);
    return code ? code : allowed(f);
}

int fake_leave(fake_function f, int code)
{
    if (fake_set.log[0]) {
        FILE *file = fopen(fake_set.log, "a");
        if (file) fprintf(file, "%s = %d\n", functions[f].name, code), fclose(file);
    }
    pthread_mutex_unlock(&fake_lock);
    return code;
}

/* For the libraries beside the driver: counts, and returns what was asked to go wrong. */
FAKE_API int fakecuda_enter(const char *function)
{
    int f = find_function(function), code = 0;
    pthread_mutex_lock(&fake_lock);
    if (f >= 0) {
        calls[f]++;
        code = fake_injected((fake_function)f);
    }
    pthread_mutex_unlock(&fake_lock);
    return code;
}
