/* Compiles CUDA C to shared objects: preprocesses, finds the kernels, compiles, links. Results are cached in a folder
 * under a hash of all inputs. */
#define _GNU_SOURCE
#include "fake.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

__asm__(".section .rodata\n.globl fake_preamble\n.hidden fake_preamble\nfake_preamble:\n"
        ".incbin \"tests/fakecuda/preamble.inc\"\n.byte 0\n.previous\n");
__asm__(".section .rodata\n.globl fake_side\n.hidden fake_side\nfake_side:\n"
        ".incbin \"tests/fakecuda/kernel_side.c\"\n"
        ".incbin \"tests/fakecuda/kernel_side.h\"\n.byte 0\n.previous\n");

static const char *const defines[] = {"-D__CUDACC__=1", "-D__CUDACC_VER_MAJOR__=12", "-D__CUDA_ARCH__=800", "-D__NVCC__=1"};
#if defined(__x86_64__)
#define MACHINE "-mfma"
#else
#define MACHINE "-O1"
#endif
#define FLAGS "-x", "c++", "-std=c++17", "-O1", "-w", "-fPIC", "-ffp-contract=off", "-fno-math-errno", "-fno-builtin-erf", "-fwrapv", \
              "-fno-strict-aliasing", "-fno-exceptions", "-fno-rtti", "-fvisibility=hidden", "-nostdinc", "-nostdinc++", \
              "-fno-stack-protector", "-fno-asynchronous-unwind-tables"

/* ---------------------------------------------------------------- small things */

uint64_t fake_hash(const char *text, uint64_t seed)
{
    uint64_t h = 0xcbf29ce484222325u ^ seed;
    for (; *text; text++) h = (h ^ (unsigned char)*text) * 0x100000001b3u;
    return h ^ h >> 29;
}

static char own_folder[64];

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

__attribute__((destructor)) static void remove_own(void)
{
    if (own_folder[0]) nftw(own_folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static const char *folder(void)
{
    if (fake_set.cache[0]) {
        mkdir(fake_set.cache, 0777);
        return fake_set.cache;
    }
    if (!own_folder[0]) {
        strcpy(own_folder, "/tmp/fakecuda-XXXXXX");
        if (!mkdtemp(own_folder)) own_folder[0] = 0;
    }
    return own_folder;
}

/* The folder of this library, which also contains kernel_side.o. */
static void beside(char *path, size_t size)
{
    Dl_info info;
    fake_copy_text(path, size, dladdr(&own_folder, &info) ? info.dli_fname : "");
    char *slash = strrchr(path, '/');
    if (slash) *slash = 0;
    size_t n = strlen(path);
    snprintf(path + n, size - n, "/kernel_side.o");
}

const char *fake_compiler(void) { return fake_set.compiler[0] ? fake_set.compiler : "c++"; }

/* Runs a command; its output goes to `log`, or is discarded. */
static int run_command(char *const *arguments, const char *output)
{
    posix_spawn_file_actions_t files;
    pid_t child;
    int status = -1;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 2, output, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_adddup2(&files, 2, 1);
    int failed = posix_spawnp(&child, arguments[0], &files, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    if (failed) return -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    size_t used = 0, room = 1 << 16;
    char *text = malloc(room);
    while (file && text) {
        size_t n = fread(text + used, 1, room - used - 1, file);
        used += n;
        if (!n) break;
        if (room - used < 2) text = realloc(text, room *= 2);
    }
    if (file) fclose(file);
    if (text) text[used] = 0;
    return text;
}

static bool write_file(const char *path, const char *first, const char *second, const char *third)
{
    FILE *file = fopen(path, "w");
    if (!file) return false;
    bool ok = fputs(first, file) >= 0 && fputs(second, file) >= 0 && fputs(third, file) >= 0;
    return !fclose(file) && ok;
}

/* ---------------------------------------------------------------- finding kernels */

static bool word_at(const char *text, const char *p, const char *word)
{
    size_t n = strlen(word);
    return !strncmp(p, word, n) && !(isalnum((unsigned char)p[n]) || p[n] == '_') &&
           (p == text || !(isalnum((unsigned char)p[-1]) || p[-1] == '_'));
}

static const char *find_word(const char *text, const char *from, const char *word)
{
    for (const char *p = from; (p = strstr(p, word)); p++)
        if (word_at(text, p, word)) return p;
    return NULL;
}

static bool waits(const char *from, const char *to)
{
    static const char *const words[] = {"__syncthreads", "__syncwarp", "_sync(", "__shared__"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *p = strstr(from, words[i]);
        if (p && p < to) return true;
    }
    return false;
}

/* A row of the table for each "__global__ void [__launch_bounds__(n)] name(". */
static char *make_table(const char *text)
{
    size_t size = 256, used;
    for (const char *p = text; (p = find_word(text, p, "__global__")); p++) size += 256;
    char *table = malloc(size);
    if (!table) return NULL;
    used = (size_t)snprintf(table, size, "\nextern \"C\" __attribute__((visibility(\"default\"))) const fake_kernel fake_kernels[] = {\n");
    for (const char *p = text; (p = find_word(text, p, "__global__"));) {
        const char *next = find_word(text, p + 1, "__global__"), *end = next ? next : p + strlen(p);
        int bounds = 0;
        const char *b = strstr(p, "__launch_bounds__"), *open = strchr(p, '(');
        if (b && open && b < open) {
            bounds = atoi(open + 1);
            open = strchr(open + 1, '(');
        }
        if (!open) break;
        const char *last = open;
        while (last > p && isspace((unsigned char)last[-1])) last--;
        const char *first = last;
        while (first > p && (isalnum((unsigned char)first[-1]) || first[-1] == '_')) first--;
        if (last - first < 150)
            used += (size_t)snprintf(table + used, size - used, "FAKE_ENTRY(%.*s, %d, %d)\n", (int)(last - first), first, bounds,
                                     waits(p, end) || waits(text, p));
        p = end;
        if (!*p) break;
    }
    snprintf(table + used, size - used, "{0, 0, 0, 0, 0, 0}};\n");
    return table;
}

/* Replaces "extern __shared__ float x[];" by "float *x = (float *)fake_dynamic;", in place, keeping the length. */
static char *dynamic_shared(char *text)
{
    for (char *p = text; (p = strstr(p, "extern __shared__ "));) {
        char *end = strchr(p, ';'), *open = strchr(p, '[');
        if (!end || !open || open > end) break;
        char *last = open;
        while (isspace((unsigned char)last[-1])) last--;
        char *first = last;
        while (isalnum((unsigned char)first[-1]) || first[-1] == '_') first--;
        char *type = p + 18, with[512];
        if (!strncmp(type, "__align__", 9)) type = strchr(type, ')') + 1;
        int n = snprintf(with, sizeof with, "auto %.*s = (%.*s *)fake_dynamic", (int)(last - first), first, (int)(first - type), type);
        size_t before = (size_t)(p - text), rest = strlen(end) + 1;
        char *more = realloc(text, before + (size_t)n + rest + (size_t)(end - p));
        if (!more) return text;
        p = more + before;
        text = more;
        end = strchr(p, ';');
        memmove(p + n, end, rest);
        memcpy(p, with, (size_t)n);
    }
    return text;
}

/* ---------------------------------------------------------------- compiling */

typedef struct paths { char source[600], plain[600], whole[600], object[600], made[600], words[600]; } paths;

static int preprocess(const paths *f)
{
    char *arguments[] = {(char *)fake_compiler(), "-x", "c++", "-std=c++17", "-E", "-P", "-nostdinc", "-nostdinc++", (char *)defines[0],
                         (char *)defines[1], (char *)defines[2], (char *)defines[3], (char *)f->source, "-o", (char *)f->plain, NULL};
    return run_command(arguments, f->words);
}

static int compile(const paths *f)
{
    char *arguments[] = {(char *)fake_compiler(), FLAGS, MACHINE, fake_set.track ? "-fsanitize=thread" : "-O1", "-c", (char *)f->whole,
                         "-o", (char *)f->object, NULL};
    return run_command(arguments, f->words);
}

static int join(const paths *f)
{
    char side[600];
    beside(side, sizeof side);
    char *arguments[] = {(char *)fake_compiler(), "-shared", "-Wl,-z,defs", "-o", (char *)f->made, (char *)f->object, side, "-lm", NULL};
    return run_command(arguments, f->words);
}

static int make(const char *text, const paths *f)
{
    if (!write_file(f->source, text, "", "")) return -1;
    if (preprocess(f)) return -1;
    char *plain = read_file(f->plain);
    plain = plain ? dynamic_shared(plain) : NULL;
    char *table = plain ? make_table(plain) : NULL;
    bool written = table && write_file(f->whole, fake_preamble, plain, table);
    free(plain);
    free(table);
    return !written || compile(f) || join(f) ? -1 : 0;
}

/* One compiler at a time, so that nothing is compiled twice. */
int fake_build(const char *text, char *path, size_t path_size, char *log, size_t log_size)
{
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
    static int number;
    paths f;
    /* another build's kernel_side.o does the same, where it is of one text */
    uint64_t seed = fake_hash(fake_preamble, (uint64_t)fake_set.track) ^ fake_hash(fake_compiler(), 3) ^ fake_hash(fake_side, 5);
    uint64_t a = fake_hash(text, seed), b = fake_hash(text, a * 31);
    if (log_size) log[0] = 0;
    pthread_mutex_lock(&one);
    snprintf(path, path_size, "%s/%016llx%016llx.so", folder(), (unsigned long long)a, (unsigned long long)b);
    if (!access(path, R_OK)) {
        pthread_mutex_unlock(&one);
        return 0;
    }
    char base[560];
    snprintf(base, sizeof base, "%s/%d-%d", folder(), (int)getpid(), number++);
    snprintf(f.source, sizeof f.source, "%s.cu", base);
    snprintf(f.plain, sizeof f.plain, "%s.i", base);
    snprintf(f.whole, sizeof f.whole, "%s.cc", base);
    snprintf(f.object, sizeof f.object, "%s.o", base);
    snprintf(f.made, sizeof f.made, "%s.so", base);
    snprintf(f.words, sizeof f.words, "%s.log", base);
    int code = make(text, &f);
    char *words = read_file(f.words);
    if (code && log_size) fake_copy_text(log, log_size, words && *words ? words : "the compiler could not be run");
    free(words);
    if (!code && rename(f.made, path)) code = -1;
    const char *const made[] = {f.source, f.plain, f.whole, f.object, f.words};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (!getenv("FAKECUDA_KEEP")) remove(made[i]);
    pthread_mutex_unlock(&one);
    return code;
}

FAKE_API int fakecuda_compile(const char *text, char *log, size_t size)
{
    char path[700];
    return fake_build(text, path, sizeof path, log, size);
}
