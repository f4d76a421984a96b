/* Writes a sequence of kernels as one module: each text is a function, and the main function calls them with the
 * results of earlier ones. */
#include "codegen/stable.h"

typedef struct writer {
    situ_source s;
    const situ_stable_program *p;
    int failing, known; /* failing: number of steps so far that can fail; known: for how many of them %f tells whether they did */
    int last;           /* the last of them */
} writer;

static void add_type(writer *w, int dtype, int64_t count)
{
    situ_stable_type(&w->s, dtype == SITU_BOOL ? SITU_U8 : dtype, 1, &count);
}

/* Writes the type of an argument or a result of the module. */
static void add_shape(writer *w, int dtype, int64_t count, int64_t row)
{
    int64_t dim[2] = {row ? count / row : count, row};
    situ_stable_type(&w->s, dtype == SITU_BOOL ? SITU_U8 : dtype, row ? 2 : 1, dim);
}

static int results_of(const situ_stable_kernel *k) { return k->results + k->can_fail; }

/* Writes the name of a step's result, as it is or, for a guarded step, after the guard. */
static void add_given(writer *w, int step, int of, bool guarded)
{
    const situ_stable_kernel *k = w->p->step[step].kernel;
    if (guarded && w->p->step[step].guarded) situ_source_add(&w->s, "%%g%d_%d", step, of);
    else if (results_of(k) > 1) situ_source_add(&w->s, "%%s%d#%d", step, of);
    else situ_source_add(&w->s, "%%s%d", step);
}

static void add_from(writer *w, const situ_stable_from *f)
{
    if (f->step < 0) situ_source_add(&w->s, "%%a%d", f->of);
    else add_given(w, f->step, f->of, true);
}

static bool is_part(const situ_stable_from *f, int64_t extent) { return f->word >= 0 || f->first || f->count != extent; }

/* Writes the words [first, first + count) as %NAME. */
static void write_words(writer *w, const char *name, int step, int i, int first, int count)
{
    situ_source_add(&w->s,
        "  %%%s%d_%d = \"stablehlo.slice\"(%%w) {start_indices = array<i64: %d>, limit_indices = array<i64: %d>, strides = "
        "array<i64: "
        "1>} : (tensor<%dxui64>) -> tensor<%dxui64>\n",
        name, step, i, first, first + count, w->p->words, count);
}

/* Writes operand i of a step, if it is a part of something, as %x. */
static void write_part(writer *w, int step, int i, const situ_stable_from *f, int dtype, int64_t extent)
{
    if (!is_part(f, extent)) return;
    if (f->word >= 0) {
        write_words(w, "o", step, i, f->word, 1);
        situ_source_add(&w->s,
            "  %%p%d_%d = \"stablehlo.reshape\"(%%o%d_%d) : (tensor<1xui64>) -> tensor<ui64>\n"
            "  %%q%d_%d = \"stablehlo.convert\"(%%p%d_%d) : (tensor<ui64>) -> tensor<i64>\n",
            step, i, step, i, step, i, step, i);
    }
    situ_source_add(&w->s, "  %%x%d_%d = \"stablehlo.%s\"(", step, i, f->word >= 0 ? "dynamic_slice" : "slice");
    add_from(w, f);
    if (f->word >= 0) situ_source_add(&w->s, ", %%q%d_%d) {slice_sizes = array<i64: %lld>} : (", step, i, (long long)extent);
    else
        situ_source_add(&w->s,
            ") {start_indices = array<i64: %lld>, limit_indices = array<i64: %lld>, strides = array<i64: 1>} : (",
            (long long)f->first, (long long)(f->first + extent));
    add_type(w, dtype, f->count);
    situ_source_append(&w->s, f->word >= 0 ? ", tensor<i64>) -> " : ") -> ");
    add_type(w, dtype, extent);
    situ_source_append(&w->s, "\n");
}

static void add_operand(writer *w, int step, int i, const situ_stable_from *f, int64_t extent)
{
    if (is_part(f, extent)) situ_source_add(&w->s, "%%x%d_%d", step, i);
    else add_from(w, f);
}

static void result_types(writer *w, const situ_stable_kernel *k)
{
    for (int i = 0; i < k->results; i++) {
        if (i) situ_source_append(&w->s, ", ");
        add_type(w, k->result[i].dtype, k->result[i].count);
    }
    if (k->can_fail) situ_source_append(&w->s, k->results ? ", tensor<4xi64>" : "tensor<4xi64>");
}

static void write_call(writer *w, int step)
{
    const situ_stable_step *t = &w->p->step[step];
    const situ_stable_kernel *k = t->kernel;
    bool some = !t->own && k->words && (t->zeros || k->words < w->p->words);
    for (int i = 0; i < k->operands; i++) write_part(w, step, i, &t->operand[i], k->operand[i].dtype, k->operand[i].extent);
    if (t->zeros)
        situ_source_add(&w->s,
            "  %%v%d_0 = \"stablehlo.constant\"() {value = dense<0> : tensor<%dxui64>} : () -> tensor<%dxui64>\n", step, k->words,
            k->words);
    else if (some) write_words(w, "v", step, 0, t->word, k->words);
    situ_source_add(&w->s, results_of(k) > 1 ? "  %%s%d:%d = \"func.call\"(" : "  %%s%d = \"func.call\"(", step, results_of(k));
    for (int i = 0; i < k->operands; i++) {
        if (i) situ_source_append(&w->s, ", ");
        add_operand(w, step, i, &t->operand[i], k->operand[i].extent);
    }
    if (k->words) situ_source_add(&w->s, t->own ? "%s%%u%d" : some ? "%s%%v%d_0" : "%s%%w", k->operands ? ", " : "", step);
    situ_source_add(&w->s, ") {callee = @k%d} : (", t->same);
    for (int i = 0; i < k->operands; i++) {
        if (i) situ_source_append(&w->s, ", ");
        add_type(w, k->operand[i].dtype, k->operand[i].extent);
    }
    if (k->words) situ_source_add(&w->s, "%stensor<%dxui64>", k->operands ? ", " : "", k->words);
    situ_source_append(&w->s, ") -> (");
    result_types(w, k);
    situ_source_append(&w->s, ")\n");
}

/* Writes %c, the disjunction of the first numbers of all error words so far; and %f: is it set? */
static void write_fault(writer *w, int step)
{
    const situ_stable_kernel *k = w->p->step[step].kernel;
    situ_source_add(&w->s, "  %%b%d = \"stablehlo.slice\"(", w->failing);
    add_given(w, step, k->results, false);
    situ_source_append(&w->s,
        ") {start_indices = array<i64: 0>, limit_indices = array<i64: 1>, strides = array<i64: 1>} : (tensor<4xi64>) -> "
        "tensor<1xi64>\n");
    int n = w->failing;
    if (n)
        situ_source_add(&w->s, "  %%c%d = \"stablehlo.or\"(%%%c%d, %%b%d) : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>\n", n,
            n > 1 ? 'c' : 'b', n - 1, n);
    w->failing++;
    w->last = step;
}

/* Writes the guard: a result keeps the old value if an earlier step failed. */
static void write_guard(writer *w, int step)
{
    const situ_stable_step *t = &w->p->step[step];
    const situ_stable_kernel *k = t->kernel;
    int n = w->failing;
    if (w->known < n)
        situ_source_add(&w->s,
            "  %%z%d = \"stablehlo.constant\"() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>\n"
            "  %%y%d = \"stablehlo.compare\"(%%%c%d, %%z%d) {comparison_direction = #stablehlo<comparison_direction NE>} : "
            "(tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>\n"
            "  %%f%d = \"stablehlo.reshape\"(%%y%d) : (tensor<1xi1>) -> tensor<i1>\n",
            n, n, n > 1 ? 'c' : 'b', n - 1, n, n, n);
    w->known = n;
    for (int i = 0; i < k->results; i++) {
        const situ_stable_from *f = &t->operand[k->operands + i];
        int64_t count = k->result[i].count;
        int dtype = k->result[i].dtype;
        write_part(w, step, k->operands + i, f, dtype, count);
        situ_source_add(&w->s, "  %%g%d_%d = \"stablehlo.select\"(%%f%d, ", step, i, n);
        add_operand(w, step, k->operands + i, f, count);
        situ_source_append(&w->s, ", ");
        add_given(w, step, i, false);
        situ_source_append(&w->s, ") : (tensor<i1>");
        for (int j = 0; j < 2; j++) {
            situ_source_append(&w->s, ", ");
            add_type(w, dtype, count);
        }
        situ_source_append(&w->s, ") -> ");
        add_type(w, dtype, count);
        situ_source_append(&w->s, "\n");
    }
}

/* Writes all error words as one vector, %e. */
static void write_faults(writer *w)
{
    situ_source_append(&w->s, "  %e = \"stablehlo.concatenate\"(");
    for (int i = 0, n = 0; i < w->p->steps; i++) {
        const situ_stable_kernel *k = w->p->step[i].kernel;
        if (!k->can_fail) continue;
        if (n++) situ_source_append(&w->s, ", ");
        add_given(w, i, k->results, false);
    }
    situ_source_append(&w->s, ") {dimension = 0 : i64} : (");
    for (int i = 0; i < w->failing; i++) situ_source_append(&w->s, i ? ", tensor<4xi64>" : "tensor<4xi64>");
    situ_source_add(&w->s, ") -> tensor<%dxi64>\n", 4 * w->failing);
}

static void main_types(writer *w, int failing)
{
    const situ_stable_program *p = w->p;
    for (int i = 0; i < p->results; i++) {
        const situ_stable_result *r = &p->step[p->result[i].step].kernel->result[p->result[i].of];
        if (i) situ_source_append(&w->s, ", ");
        add_shape(w, r->dtype, r->count, p->result[i].row);
    }
    if (failing) situ_source_add(&w->s, "%stensor<%dxi64>", p->results ? ", " : "", 4 * failing);
}

/* Writes a result as a matrix, %m. */
static void write_matrix(writer *w, int i)
{
    const struct situ_stable_given *g = &w->p->result[i];
    const situ_stable_result *r = &w->p->step[g->step].kernel->result[g->of];
    if (!g->row) return;
    situ_source_add(&w->s, "  %%m%d = \"stablehlo.reshape\"(", i);
    add_given(w, g->step, g->of, true);
    situ_source_append(&w->s, ") : (");
    add_type(w, r->dtype, r->count);
    situ_source_append(&w->s, ") -> ");
    add_shape(w, r->dtype, r->count, g->row);
    situ_source_append(&w->s, "\n");
}

/* Writes arguments that are matrices as vectors, which kernels expect. */
static void write_vectors(writer *w)
{
    for (int i = 0; i < w->p->arguments; i++) {
        const struct situ_stable_argument *a = &w->p->argument[i];
        if (!a->row) continue;
        situ_source_add(&w->s, "  %%a%d = \"stablehlo.reshape\"(%%r%d) : (", i, i);
        add_shape(w, a->dtype, a->count, a->row);
        situ_source_append(&w->s, ") -> ");
        add_type(w, a->dtype, a->count);
        situ_source_append(&w->s, "\n");
    }
}

static void write_return(writer *w)
{
    const situ_stable_program *p = w->p;
    if (w->failing > 1) write_faults(w);
    for (int i = 0; i < p->results; i++) write_matrix(w, i);
    situ_source_append(&w->s, "  \"func.return\"(");
    for (int i = 0; i < p->results; i++) {
        if (i) situ_source_append(&w->s, ", ");
        if (p->result[i].row) situ_source_add(&w->s, "%%m%d", i);
        else add_given(w, p->result[i].step, p->result[i].of, true);
    }
    if (w->failing) situ_source_append(&w->s, p->results ? ", " : "");
    if (w->failing > 1) situ_source_append(&w->s, "%e");
    if (w->failing == 1) add_given(w, w->last, p->step[w->last].kernel->results, false);
    situ_source_append(&w->s, ") : (");
    main_types(w, w->failing);
    situ_source_append(&w->s, ") -> ()\n}\n");
}

static void write_head(writer *w)
{
    const situ_stable_program *p = w->p;
    int failing = 0;
    situ_source_append(&w->s, "module @situ {\nfunc.func public @main(");
    for (int i = 0; i < p->arguments; i++) {
        situ_source_add(&w->s, "%s%%%c%d: ", i ? ", " : "", p->argument[i].row ? 'r' : 'a', i);
        add_shape(w, p->argument[i].dtype, p->argument[i].count, p->argument[i].row);
        if (p->argument[i].over >= 0) situ_source_add(&w->s, " {tf.aliasing_output = %d : i32}", p->argument[i].over);
    }
    if (p->words) situ_source_add(&w->s, "%s%%w: tensor<%dxui64>", p->arguments ? ", " : "", p->words);
    for (int i = 0; i < p->steps; i++)
        if (p->step[i].own) situ_source_add(&w->s, ", %%u%d: tensor<%dxui64>", i, p->step[i].kernel->words);
    situ_source_append(&w->s, ") -> (");
    for (int i = 0; i < p->steps; i++) failing += p->step[i].kernel->can_fail;
    main_types(w, failing);
    situ_source_append(&w->s, ") {\n");
    write_vectors(w);
}

char *situ_stable_program_text(const situ_stable_program *p)
{
    writer w = {.p = p};
    write_head(&w);
    for (int i = 0; i < p->steps; i++) {
        write_call(&w, i);
        if (p->step[i].guarded) write_guard(&w, i);
        if (p->step[i].kernel->can_fail) write_fault(&w, i);
    }
    write_return(&w);
    for (int i = 0; i < p->steps; i++) {
        if (p->step[i].same != i) continue;
        situ_source_add(&w.s, "func.func private @k%d", i);
        situ_source_append(&w.s, p->step[i].kernel->body);
    }
    situ_source_append(&w.s, "}\n");
    return situ_source_take(&w.s);
}
