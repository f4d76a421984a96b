/* What a training step changes, as a file of safetensors: a checkpoint of the network and its optimizer. Its header is text of the
 * emitted program, but for the counts of steps in it. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "emit/emit.h"
#include "run/enqueue.h"
#include "tensor/dtype.h"
#include "train/checkpoint.h"

/* The counts that grow with each step, in the order of the header. */
static const char *const counts[] = {"situ.network.calls", "situ.optimizer.steps", "situ.optimizer.averaged"};
enum { COUNTS = 3, PIECE = 100 };

/* Writes text as literals of moderate length, one piece each. */
static void write_pieces(situ_source *t, const char *from, const char *end)
{
    while (from < end) {
        situ_source_append(t, "\n    \"");
        for (int i = 0; i < PIECE && from < end; i++, from++) {
            unsigned char c = (unsigned char)*from;
            if (c == '"' || c == '\\') situ_source_add(t, "\\%c", c);
            else if (c < 32 || c > 126 || c == '?') situ_source_add(t, "\\%03o", c);
            else situ_source_add(t, "%c", c);
        }
        situ_source_append(t, "\",");
    }
}

/* The header in pieces, with "#" for each count. */
static void write_head(situ_emitted *e, const char *text, const situ_optimizer *opt)
{
    situ_source *t = &e->state;
    int64_t more[COUNTS];
    int n = 0;
    const char *end = text + strlen(text);
    while (end[-1] == ' ') end--;
    situ_source_add(t, "\nstatic const char *const %s_head[] = {", e->name);
    for (const char *at = text; at < end;) {
        const char *next = end;
        for (int i = 0; i < COUNTS; i++) {
            char key[64];
            if (!strcmp(counts[i], "situ.optimizer.averaged") && !(opt->average > 0)) continue;
            snprintf(key, sizeof key, "\"%s\":\"", counts[i]);
            const char *found = strstr(at, key);
            if (found && found + strlen(key) < next) next = found + strlen(key);
        }
        write_pieces(t, at, next);
        if (next < end) {
            char *after;
            more[n++] = strtoll(next, &after, 10) - e->words[0].step;
            situ_source_append(t, "\n    \"#\",");
            next = after;
        }
        at = next;
    }
    situ_source_add(t, "\n    0};\nstatic const int64_t %s_more[] = {", e->name);
    for (int i = 0; i < n; i++) situ_source_add(t, i ? ", %lld" : "%lld", (long long)more[i]);
    situ_source_append(t, "};\n");
    e->saved_bytes = end - text + 8 + 20 * n + 8;
}

/* Where the values of a tensor of the checkpoint lie. */
static int write_part(situ_emitted *e, situ_source *t, const situ_written *w)
{
    const situ_tensor *v = w->tensor;
    situ_buffer *b = v->flags & SITU_NODE_VARIABLE ? situ_slot_of(v)->buffer : v->buffer;
    if (!b || b->dev->device.kind != SITU_CPU || situ_node_aside(v)->stride)
        return situ_fail(SITU_UNSUPPORTED, e->site, "situ_emit: %s is not on the CPU", w->name);
    if (situ_await(b, e->site)) return -situ_error_code;
    int32_t k = situ_emit_array_number(e, b->address + situ_node_aside(v)->offset, w->dtype, situ_node_count(v), false, w->name);
    if (k < 0) return k;
    const situ_emit_array *a = &e->array[k];
    if (a->state >= 0) situ_source_add(t, "    {0, %lld", (long long)a->state);
    else situ_source_add(t, "    {(const unsigned char *)%s_w%d, 0", e->name, k);
    situ_source_add(t, ", %llu, %d},\n", (unsigned long long)w->size, (int)situ_dtype_size(w->dtype));
    e->saved_bytes += (int64_t)w->size;
    return 0;
}

static int write_parts(situ_emitted *e, const situ_status *s)
{
    situ_source *t = &e->state;
    int rc = 0;
    situ_source_add(t, "static const net_part %s_parts[] = {\n", e->name);
    for (int64_t i = 0; i < s->tensors && !rc; i++) rc = write_part(e, t, &s->tensor[i]);
    situ_source_append(t, "};\n");
    return rc;
}

static void write_functions(situ_emitted *e, int64_t parts)
{
    const char *n = e->name;
    situ_source *t = &e->state;
    situ_source_add(t,
        "\nsize_t %s_save(const %s_context *context, unsigned char *to)\n{\n"
        "    size_t at = net_head(to, %s_head, %s_more, context->step);\n"
        "    return net_save_parts(to, context->state.bytes, %s_parts, %lld, at);\n}\n",
        n, n, n, n, n, (long long)parts);
    situ_source_add(t,
        "\nint %s_load(%s_context *context, const unsigned char *from, size_t bytes)\n{\n"
        "    int64_t step = 0;\n"
        "    size_t at = net_read_head(from, bytes, %s_head, %s_more, &step);\n"
        "    if (!at || !net_load_parts(from, bytes, context->state.bytes, %s_parts, %lld, at)) return %s_BAD_STATE;\n"
        "    context->step = step;\n    return 0;\n}\n",
        n, n, n, n, n, (long long)parts, e->upper);
}

/* Brings the tensors into the order of a file, and makes its header. */
static char *header_of(situ_status *s, situ_site site)
{
    size_t size;
    situ_written *copy = situ_malloc((size_t)s->tensors * sizeof *copy + 1);
    if (copy) memcpy(copy, s->tensor, (size_t)s->tensors * sizeof *copy);
    else situ_fail(SITU_NO_MEMORY, site, "situ_emit: out of host memory");
    bool sorted = copy && !situ_file_check_names(copy, s->tensors, "situ_emit", site);
    if (sorted) situ_file_sort_by_size(copy, s->tensors, s->tensor);
    situ_free(copy);
    char *text = sorted ? situ_safetensors_header(s->tensor, s->tensors, s->about, s->abouts, "situ_emit", &size) : NULL;
    if (text) text[size] = 0;
    return text;
}

int situ_emit_state(situ_emitted *e, situ_optimizer *opt)
{
    situ_status s;
    situ_status_open(&s, "situ_emit", e->site);
    situ_checkpoint_gather(&s, opt->net, opt, NULL, false);
    int rc = s.rc ? s.rc : situ_file_compute(s.tensor, s.tensors, "situ_emit", e->site);
    char *text = rc ? NULL : header_of(&s, e->site);
    if (!text) rc = -situ_error_code;
    if (!rc) write_head(e, text, opt);
    if (!rc) rc = write_parts(e, &s);
    if (!rc) write_functions(e, s.tensors);
    situ_free(text);
    situ_status_close(&s);
    return rc;
}
