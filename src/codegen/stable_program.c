/* The program around a kernel's function: a module whose arguments are the values that hold the operands. */
#include "codegen/stable.h"

static int held_type(int dtype) { return dtype == SITU_BOOL ? SITU_U8 : dtype; }

static void add_type(situ_source *s, int dtype, int64_t count) { situ_stable_type(s, held_type(dtype), 1, &count); }

/* Elements from a run-time place on, of an operand that is a part. */
static void write_part(situ_source *s, const situ_stable_operand *o, int i, int64_t count, int word, int words)
{
    situ_source_add(s,
        "  %%o%d = \"stablehlo.slice\"(%%w) {start_indices = array<i64: %d>, limit_indices = array<i64: %d>, strides = array<i64: "
        "1>} : "
        "(tensor<%dxui64>) -> tensor<1xui64>\n  %%p%d = \"stablehlo.reshape\"(%%o%d) : (tensor<1xui64>) -> tensor<ui64>\n"
        "  %%q%d = \"stablehlo.convert\"(%%p%d) : (tensor<ui64>) -> tensor<i64>\n"
        "  %%x%d = \"stablehlo.dynamic_slice\"(%%a%d, %%q%d) {slice_sizes = array<i64: %lld>} : (",
        i, word, word + 1, words, i, i, i, i, i, i, i, (long long)o->extent);
    add_type(s, o->dtype, count);
    situ_source_append(s, ", tensor<i64>) -> ");
    add_type(s, o->dtype, o->extent);
    situ_source_append(s, "\n");
}

static void result_types(situ_source *s, const situ_stable_kernel *k)
{
    for (int i = 0; i < k->results; i++) {
        if (i) situ_source_append(s, ", ");
        add_type(s, k->result[i].dtype, k->result[i].count);
    }
    if (k->can_fail) situ_source_append(s, k->results ? ", tensor<4xi64>" : "tensor<4xi64>");
}

static void write_call(situ_source *s, const situ_stable_kernel *k, const int64_t *count, int words)
{
    int results = k->results + k->can_fail;
    if (k->words < words && k->words)
        situ_source_add(s,
            "  %%v = \"stablehlo.slice\"(%%w) {start_indices = array<i64: 0>, limit_indices = array<i64: %d>, strides = array<i64: "
            "1>} : "
            "(tensor<%dxui64>) -> tensor<%dxui64>\n",
            k->words, words, k->words);
    situ_source_add(s, "  %%r:%d = \"func.call\"(", results);
    for (int i = 0; i < k->operands; i++) situ_source_add(s, "%s%%%c%d", i ? ", " : "", count[i] < 0 ? 'a' : 'x', i);
    if (k->words) situ_source_add(s, "%s%s", k->operands ? ", " : "", k->words < words ? "%v" : "%w");
    situ_source_append(s, ") {callee = @kernel} : (");
    for (int i = 0; i < k->operands; i++) {
        if (i) situ_source_append(s, ", ");
        add_type(s, k->operand[i].dtype, k->operand[i].extent);
    }
    if (k->words) situ_source_add(s, "%stensor<%dxui64>", k->operands ? ", " : "", k->words);
    situ_source_append(s, ") -> (");
    result_types(s, k);
    situ_source_append(s, ")\n  \"func.return\"(");
    for (int i = 0; i < results; i++) situ_source_add(s, results > 1 ? i ? ", %%r#%d" : "%%r#%d" : "%%r", i);
    situ_source_append(s, ") : (");
    result_types(s, k);
    situ_source_append(s, ") -> ()\n}\n");
}

char *situ_stable_program(const situ_stable_kernel *k, const int64_t *count, int words)
{
    situ_source s = {0};
    situ_source_append(&s, "module @situ {\nfunc.func public @main(");
    for (int i = 0; i < k->operands; i++) {
        situ_source_add(&s, "%s%%a%d: ", i ? ", " : "", i);
        add_type(&s, k->operand[i].dtype, count[i] < 0 ? k->operand[i].extent : count[i]);
    }
    if (words) situ_source_add(&s, "%s%%w: tensor<%dxui64>", k->operands ? ", " : "", words);
    situ_source_append(&s, ") -> (");
    result_types(&s, k);
    situ_source_append(&s, ") {\n");
    for (int i = 0, word = k->words; i < k->operands; i++)
        if (count[i] >= 0) write_part(&s, &k->operand[i], i, count[i], word++, words);
    write_call(&s, k, count, words);
    situ_source_append(&s, k->body);
    situ_source_append(&s, "}\n");
    return situ_source_take(&s);
}
