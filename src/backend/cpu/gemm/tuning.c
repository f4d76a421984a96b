#include "backend/cpu/gemm/tuning.h"
#include "os/env.h"
#include "os/file.h"
#include "os/thread.h"

#include <situ/tune.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/cpu.h"
#include "backend/cpu/gemm/gemm.h"
#include "base/isa.h"
#include "base/memory.h"
#include "base/runtime.h"
#include "os/lock.h"
#include "os/machine.h"

enum { MOST_ROWS = 4096, MOST_SIDE = 1 << 30, LINE = 512 };

typedef struct row {
    int64_t m, k, n;
    int type, blas;
} row;

typedef struct table {
    row *rows;
    int count;
    char text[SITU_TUNING_TEXT]; /* the answer of situ_tuning */
} table;

static table *_Atomic in_force;
SITU_LOCK(reading);

bool situ_tuning_path(char *path, size_t size)
{
    const char *given = situ_env("SITU_TUNING"), *config = situ_env("XDG_CONFIG_HOME"), *home = situ_env("HOME");
    int n;
    if (given && *given) n = snprintf(path, size, "%s", given);
    else if (config && config[0] == '/') n = snprintf(path, size, "%s/situ/tuning", config);
    else if (home && home[0] == '/') n = snprintf(path, size, "%s/.config/situ/tuning", home);
    else return false;
    return n > 0 && (size_t)n < size;
}

void situ_tuning_machine(char *text, size_t size)
{
    situ_device_info info = {0};
    situ_cpu_name(info.name, sizeof info.name);
    snprintf(text, size, "%s %s", situ_isa_name(situ_isa_get()), info.name[0] ? info.name : "unknown");
}

/* ---- reading ------------------------------------------------------------------------------------------------------ */

/* Removes a comment and white space at the end of a line; false if the line was cut off by the buffer or the end of the
 * file. */
static bool tidy(char *line)
{
    size_t n = strlen(line);
    if (!n || line[n - 1] != '\n') return false;
    line[strcspn(line, "#")] = 0;
    for (n = strlen(line); n && strchr(" \t\r\n", line[n - 1]);) line[--n] = 0;
    return true;
}

static const char *read_row(const char *line, row *r)
{
    char dtype[8], key[16], more;
    long long m, k, n;
    if (sscanf(line, "%7s %lld %lld %lld %15s %c", dtype, &m, &k, &n, key, &more) != 5)
        return "a line is a dtype, three sizes and a name";
    r->type = !strcmp(dtype, "f32") ? SITU_GEMM_F32 : !strcmp(dtype, "f64") ? SITU_GEMM_F64 : -1;
    if (r->type < 0) return "the dtype must be f32 or f64";
    if (m < 1 || k < 1 || n < 1 || m > MOST_SIDE || k > MOST_SIDE || n > MOST_SIDE) return "sizes are from 1 to 2^30";
    r->blas = situ_blas_of(key);
    if (r->blas < 0) return "the name must be own, onednn, blis, openblas or mkl";
    r->m = m, r->k = k, r->n = n;
    return NULL;
}

/* Reads a line into the table; returns what is wrong with it, or NULL. *done: it was the last line. */
static const char *take_line(table *t, int number, const char *line, bool *done)
{
    char machine[256], more;
    int count;
    if (*done) return "there is more behind the end";
    if (number == 1) return strcmp(line, "situ tuning 1") ? "this is not a tuning file of this version" : NULL;
    if (number == 2) {
        situ_tuning_machine(machine, sizeof machine);
        return strncmp(line, "machine ", 8) || strcmp(line + 8, machine) ? "it was written on another machine" : NULL;
    }
    if (!*line) return NULL;
    if (sscanf(line, "end %d %c", &count, &more) == 1) {
        *done = true;
        return count == t->count ? NULL : "lines are missing";
    }
    if (t->count == MOST_ROWS) return "there are more lines than 4096";
    row r, *grown;
    const char *wrong = read_row(line, &r);
    if (wrong) return wrong;
    if (!(t->count & (t->count - 1))) {
        if (!(grown = situ_realloc(t->rows, sizeof r * (size_t)(t->count ? 2 * t->count : 1)))) return "there is no memory for it";
        t->rows = grown;
    }
    t->rows[t->count++] = r;
    return NULL;
}

static void read_lines(table *t, FILE *f, const char *path)
{
    char line[LINE];
    bool done = false;
    int number = 0;
    const char *wrong = NULL;
    while (!wrong && fgets(line, sizeof line, f))
        wrong = (number++, tidy(line)) ? take_line(t, number, line, &done) : "the line is cut off or too long";
    if (!wrong && ferror(f)) wrong = "it could not be read";
    if (!wrong && !done) wrong = "the end is missing";
    if (!wrong) {
        snprintf(t->text, sizeof t->text, "%s: %d sizes", path, t->count);
        return;
    }
    snprintf(t->text, sizeof t->text, "%s is not used: line %d: %s; `situ tune` writes it anew", path, number, wrong);
    t->count = 0;
}

static table *read_table(const char *given)
{
    char path[1024];
    table *t = situ_calloc(1, sizeof *t);
    if (!t) return NULL;
    if (given) snprintf(path, sizeof path, "%s", given);
    else if (!situ_tuning_path(path, sizeof path)) {
        snprintf(t->text, sizeof t->text,
            "no tuning file: neither SITU_TUNING, XDG_CONFIG_HOME nor HOME names a file of at most 1023 characters");
        return t;
    }
    const char *why;
    FILE *f = situ_file_open_trusted(path, &why);
    if (f) read_lines(t, f, path);
    else if (errno == ENOENT) snprintf(t->text, sizeof t->text, "no tuning file: %s does not exist; `situ tune` writes it", path);
    else snprintf(t->text, sizeof t->text, "%s is not used: %s", path, why);
    if (f) fclose(f);
    return t;
}

/* ---- in force ------------------------------------------------------------------------------------------------------ */

static void forget(void)
{
    table *t = atomic_exchange(&in_force, NULL);
    if (t) situ_free(t->rows);
    situ_free(t);
}

static const table *tuning(void)
{
    table *t = atomic_load_explicit(&in_force, memory_order_acquire);
    if (t) return t;
    situ_mutex_lock(&reading);
    if (!(t = in_force) && (t = read_table(NULL))) {
        situ_at_shutdown(SITU_END_POOL, forget);
        atomic_store(&in_force, t);
    }
    situ_mutex_unlock(&reading);
    return t;
}

void situ_tuning_use(const char *path)
{
    forget();
    if (!path) return;
    situ_at_shutdown(SITU_END_POOL, forget);
    atomic_store(&in_force, read_table(path));
}

const char *situ_tuning(void)
{
    const char *wish = situ_blas_wish();
    const table *t = wish ? NULL : tuning();
    return wish ? wish : t ? t->text : "no tuning file: out of memory";
}

static bool near(int64_t a, int64_t b) { return a <= 2 * b && b <= 2 * a; }
static double ratio(int64_t a, int64_t b) { return a > b ? (double)a / (double)b : (double)b / (double)a; }

int situ_tuning_find(int type, int64_t m, int64_t k, int64_t n)
{
    const table *t = tuning();
    double nearest = 9;
    int found = -1;
    for (int i = 0; t && i < t->count; i++) {
        const row *r = &t->rows[i];
        if (r->type != type || !near(m, r->m) || !near(k, r->k) || !near(n, r->n)) continue;
        double far = ratio(m, r->m) * ratio(k, r->k) * ratio(n, r->n);
        if (far >= nearest) continue;
        nearest = far;
        found = r->blas;
    }
    return found;
}
