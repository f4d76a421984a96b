/* The file's own test, compiled with -DNAME_TEST: a program whose status is 0 if each function gives the bits that the library gave
 * for the inputs that it was written with. */
#include <situ/tensor.h>

#include "base/memory.h"
#include "device/thread.h"
#include "emit/emit.h"
#include "run/enqueue.h"
#include "tensor/dtype.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

static void value_name(situ_source *t, const situ_emit_function *f, int i)
{
    if (i < f->inputs) situ_emit_input_name(t, f, i);
    else situ_emit_result_name(t, f, i - f->inputs);
}

/* The values of a stored tensor, by situ_free; NULL with an error. */
static char *values_of(situ_tensor *x, situ_site site)
{
    size_t bytes = situ_node_bytes(x);
    char *to = situ_calloc(bytes + 1, 1);
    if (!to) situ_fail(SITU_NO_MEMORY, site, "situ_emit: out of host memory");
    else if ((situ_read)(x, to, bytes, site)) situ_free(to), to = NULL;
    return to;
}

static int write_values(situ_emitted *e, const situ_emit_function *f, int i)
{
    char *values = values_of(f->node[i], e->site);
    situ_dtype d = (situ_dtype)f->node[i]->dtype;
    if (!values) return -situ_error_code;
    situ_source_add(&e->test, "static const %s test_", situ_emit_type(d));
    value_name(&e->test, f, i);
    situ_emit_values(&e->test, d, situ_node_count(f->node[i]), values);
    if (i >= f->inputs) {
        int64_t count = situ_node_count(f->node[i]);
        situ_source_add(&e->test, "static %s test_got_", situ_emit_type(d));
        value_name(&e->test, f, i);
        situ_source_add(&e->test, "[%lld];\n", (long long)(count + !count));
    }
    situ_free(values);
    return 0;
}

/* FNV-1a over the bytes of the elements, the lowest first. */
static uint64_t hash(uint64_t h, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)bytes[i]) * 0x100000001b3u;
    return h;
}

/* Computes the next values of the variables, which keep theirs, and their hash in the order of the state. */
static int hash_next(situ_emitted *e, situ_tensor *loss)
{
    situ_thread *th = situ_thread_get();
    uint32_t n = 0;
    situ_tensor **root = situ_malloc((th->dirty_count + 1) * sizeof *root);
    if (!root) return situ_fail(SITU_NO_MEMORY, e->site, "situ_emit: out of host memory");
    root[n++] = loss;
    for (uint32_t i = 0; i < th->dirty_count; i++) root[n++] = th->dirty[i]->pending;
    int rc = situ_enqueue(root, n, n, false, true, e->site);
    e->after = 0xcbf29ce484222325u;
    for (uint32_t k = 0; k < e->arrays && !rc; k++) {
        for (uint32_t i = 0; i < th->dirty_count && e->array[k].state >= 0 && !rc; i++) {
            if (th->dirty[i]->buffer->address != e->array[k].address) continue;
            char *values = values_of(root[i + 1], e->site);
            if (values) e->after = hash(e->after, values, situ_node_bytes(root[i + 1]));
            else rc = -situ_error_code;
            situ_free(values);
        }
    }
    situ_free(root);
    return rc;
}

int situ_emit_expected(situ_emitted *e, situ_emit_function *f)
{
    int first = e->functions > 1 ? f->inputs : 0, rc = 0; /* inputs are those of the first function */
    if (f->trains) rc = hash_next(e, situ_emit_results(f)[0]);
    else rc = (situ_eval)((situ_list){situ_emit_results(f), f->results}, e->site);
    for (int i = first; i < f->inputs + f->results && !rc; i++) rc = write_values(e, f, i);
    return rc;
}

static void write_call(const situ_emitted *e, const situ_emit_function *f, situ_source *t)
{
    situ_source_add(t, "    if (%s_%s(&context", e->name, f->trains ? "train" : "run");
    for (int i = 0; i < f->inputs + f->results; i++) {
        situ_source_append(t, i < f->inputs ? ", test_" : ", test_got_");
        value_name(t, f, i);
    }
    situ_source_append(t, ")) return 2;\n");
    for (int i = f->inputs; i < f->inputs + f->results; i++) {
        situ_source_append(t, "    if (test_differs(test_got_");
        value_name(t, f, i);
        situ_source_append(t, ", test_");
        value_name(t, f, i);
        situ_source_append(t, ", sizeof test_");
        value_name(t, f, i);
        situ_source_add(t, ")) return %d;\n", 3 + f->trains);
    }
}

void situ_emit_test(const situ_emitted *e, situ_source *t)
{
    situ_source_add(t, "\n#ifdef %s_TEST\n", e->upper);
    if (e->test.text) situ_source_append(t, e->test.text);
    situ_source_append(t,
        "static int test_differs(const void *a, const void *b, size_t n)\n{\n"
        "    const unsigned char *p = (const unsigned char *)a, *q = (const unsigned char *)b;\n"
        "    for (; n; n--)\n        if (*p++ != *q++) return 1;\n    return 0;\n}\n");
    situ_source_add(t, "int main(void)\n{\n    static %s_context context;\n", e->name);
    if (e->state_bytes) situ_source_add(t, "    uint64_t h = 0xcbf29ce484222325u;\n    %s_init(&context);\n", e->name);
    for (int k = e->functions; k-- > 0;) write_call(e, &e->function[k], t);
    for (uint32_t i = 0; i < e->arrays && e->state_bytes; i++) {
        const situ_emit_array *a = &e->array[i];
        int size = (int)situ_dtype_size(a->dtype);
        if (a->state >= 0)
            situ_source_add(t, "    h = net_hash(h, context.state.bytes + %lld, %lld, %d);\n", (long long)a->state,
                (long long)a->count * size, size);
    }
    if (e->state_bytes) situ_source_add(t, "    if (h != 0x%llxu) return 5;\n", (unsigned long long)e->after);
    situ_source_append(t, "    return 0;\n}\n#endif\n");
}
