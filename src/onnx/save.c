/* Saves a network: calls it, and writes what it recorded. */
#include <errno.h>
#include <situ/grad.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "file/format.h"
#include "nn/module.h"
#include "onnx/model.h"
#include "onnx/out.h"
#include "onnx/save.h"
#include "os/file.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* Field numbers of messages, as in out.c. IR version 8 belongs to opset 18. */
enum { MODEL_IR = 1, MODEL_PRODUCER = 2, MODEL_GRAPH = 7, MODEL_OPSET = 8, MODEL_METADATA = 14, IR = 8 };
enum { LEAST_BATCH = 5 /* a recorded batch is at least this long, so that steps of slices can be seen */ };
static const uint64_t most_bytes = INT32_MAX; /* limit of a protocol-buffers message */

typedef struct saved {
    situ_out out;
    situ_module *net;
    situ_list inputs;
    situ_onnx_save_options o;
    int *axis; /* [input] axis of the batch, or -1 */
    situ_tensor **in[SITU_OUT_RECORDS], **result[SITU_OUT_RECORDS];
    int results, most; /* most: capacity of the arrays of results */
    char *text;        /* names, split in place */
    const char **in_name, **result_name;
} saved;

static void *zeros(saved *s, int count, size_t size)
{
    void *p = situ_arena_zeros(&s->out.arena, (size_t)count + 1, size);
    if (!p) situ_fail(SITU_NO_MEMORY, s->out.site, "situ_onnx_save: out of host memory");
    return p;
}

/* Allocates the arrays for all recordings; 0 or a negative code. */
static int make_room(saved *s, const situ_onnx_recorded *r)
{
    s->most = r ? r->result[0].count : situ_module_room(s->net);
    if (s->most < 1 || s->most > SITU_ONNX_PLACES)
        return situ_fail(
            SITU_BAD_ARGUMENT, s->out.site, "situ_onnx_save: %d results; 1 to %d are possible", s->most, SITU_ONNX_PLACES);
    s->axis = zeros(s, s->inputs.count, sizeof *s->axis);
    s->in_name = zeros(s, s->inputs.count, sizeof *s->in_name);
    s->result_name = zeros(s, s->most, sizeof *s->result_name);
    for (int k = 0; k < SITU_OUT_RECORDS; k++) {
        s->in[k] = zeros(s, s->inputs.count, sizeof **s->in);
        s->result[k] = zeros(s, s->most, sizeof **s->result);
    }
    return -situ_error_code;
}

/* ---- inputs ------------------------------------------------------------------------------------------------------------ */

/* Finds each input's batch axis; returns the batch size, 0: there is none. */
static int64_t find_batch(saved *s, const int *axes)
{
    situ_site site = s->out.site;
    int64_t batch = 0;
    bool given = axes || s->o.batch_axes.given;
    if (!axes && given && s->o.batch_axes.count > s->inputs.count)
        return situ_fail(
            SITU_BAD_OPTION, site, "situ_onnx_save: .batch_axes has %d axes for %d inputs", s->o.batch_axes.count, s->inputs.count);
    for (int i = 0; i < s->inputs.count; i++) {
        const situ_tensor *x = s->inputs.tensor[i];
        int axis = axes ? axes[i] : !given ? 0 : i < s->o.batch_axes.count ? s->o.batch_axes.axis[i] : -1;
        s->axis[i] = -1;
        if (!x || axis == -1 || (!given && (!x->ndim || (batch && x->dim[0] != batch)))) continue;
        if (axis < 0 || axis >= x->ndim)
            return situ_fail(
                SITU_BAD_OPTION, site, "situ_onnx_save: .batch_axes has %d for input %d, which has %d axes", axis, i, x->ndim);
        if (batch && x->dim[axis] != batch)
            return situ_fail(SITU_BAD_OPTION, site, "situ_onnx_save: the batch of input %d has %lld rows, that of another one %lld",
                i, (long long)x->dim[axis], (long long)batch);
        if (!x->dim[axis] && s->o.dynamic_batch)
            return situ_fail(
                SITU_BAD_ARGUMENT, site, "situ_onnx_save: input %d has no rows; a batch of one or more tells what follows", i);
        s->axis[i] = axis;
        if (!batch) s->out.batch_axis = axis, s->out.batch_from = s->in_name[i];
        batch = x->dim[axis];
    }
    return batch;
}

static int record(saved *s, int64_t batch, int k, situ_tensor **in, situ_tensor **result)
{
    for (int i = 0; i < s->inputs.count; i++)
        in[i] = s->inputs.tensor[i] ? situ_onnx_example(s->inputs.tensor[i], s->axis[i], batch, k, s->out.site) : NULL;
    return situ_error_code ? -situ_error_code :
                             (situ_module_call_n)(s->net, (situ_list){in, s->inputs.count}, result, s->most, NULL, s->out.site);
}

/* Takes recordings that a binding has made. */
static int take_recorded(saved *s, const situ_onnx_recorded *r)
{
    situ_out *o = &s->out;
    o->records = r->records;
    s->results = r->result[0].count;
    for (int k = 0; k < o->records; k++) {
        if (r->in[k].count != s->inputs.count || r->result[k].count != s->results)
            return situ_fail(SITU_BAD_ARGUMENT, o->site, "situ_onnx_save: as many inputs and results for each batch");
        memcpy(s->in[k], r->in[k].tensor, (size_t)s->inputs.count * sizeof(situ_tensor *));
        memcpy(s->result[k], r->result[k].tensor, (size_t)s->results * sizeof(situ_tensor *));
        for (int i = 0; i < s->inputs.count; i++)
            if (s->axis[i] >= 0) o->batch[k] = s->in[k][i]->dim[s->axis[i]];
    }
    return 0;
}

static int record_all(saved *s, int64_t batch)
{
    situ_out *o = &s->out;
    int64_t first = batch < LEAST_BATCH ? LEAST_BATCH : batch;
    bool grows = s->o.dynamic_batch && batch > 0;
    o->records = grows ? SITU_OUT_RECORDS : 2;
    o->batch[0] = batch;
    /* first with the inputs as given: errors in it are not about the batch size */
    s->results = record(s, batch, 0, s->in[0], s->result[0]);
    if (s->results < 0) return s->results;
    for (int k = !grows; k < o->records; k++) {
        o->batch[k] = !grows ? batch :
            k < 2            ? first + k :
                               3 * first + 2; /* far from the other sizes, so that loops that halve the batch have other lengths */
        int results = record(s, o->batch[k], k, s->in[k], s->result[k]);
        if (results == s->results) continue;
        situ_error e = {.message = "it gives another number of results"};
        situ_error_take(&e);
        if (!grows)
            return situ_fail(SITU_UNSUPPORTED, o->site,
                "situ_onnx_save: the network does not take other values of its inputs: %.1500s", e.message);
        return situ_fail(SITU_UNSUPPORTED, o->site,
            "situ_onnx_save: the network takes a batch of %lld, and not one of %lld with other values (%.1500s); " SITU_SAY(
                ".dynamic_batch = false", "dynamic_batch=False") " writes a file that takes this one alone",
            (long long)batch, (long long)o->batch[k], e.message);
    }
    return 0;
}

/* ---- names ------------------------------------------------------------------------------------------------------------- */

/* Splits "a,b" into names, or makes "input_0", ...; each name must be unique. */
static int name_all(saved *s, char *text, const char *otherwise, const char *option, int count, const char **name)
{
    situ_out *o = &s->out;
    for (int i = 0; i < count; i++) {
        char made[32];
        snprintf(made, sizeof made, count > 1 ? "%s_%d" : "%s", otherwise, i);
        const char *wanted = text ? text : made;
        char *comma = text ? strchr(text, ',') : NULL;
        if (comma) *comma++ = 0;
        if (text &&
            (!*wanted || situ_out_known(o, wanted, strlen(wanted)) || (!comma && i < count - 1) || (comma && i == count - 1)))
            return situ_fail(
                SITU_BAD_OPTION, o->site, "situ_onnx_save: %s has not %d different names with commas between", option, count);
        if (!(name[i] = situ_out_new_name(o, wanted))) return -situ_error_code;
        text = comma;
    }
    return 0;
}

static int name_inputs(saved *s)
{
    size_t a = s->o.input_names ? strlen(s->o.input_names) : 0, b = s->o.result_names ? strlen(s->o.result_names) : 0;
    if (!(s->text = situ_malloc(a + b + 2))) return situ_fail(SITU_NO_MEMORY, s->out.site, "situ_onnx_save: out of host memory");
    memcpy(s->text, a ? s->o.input_names : "", a + 1);
    return name_all(s, a ? s->text : NULL, "input", ".input_names", s->inputs.count, s->in_name);
}

static int name_results(saved *s)
{
    size_t b = s->o.result_names ? strlen(s->o.result_names) : 0;
    char *text = s->text + (s->o.input_names ? strlen(s->o.input_names) : 0) + 1;
    memcpy(text, b ? s->o.result_names : "", b + 1);
    return name_all(s, b ? text : NULL, "output", ".result_names", s->results, s->result_name);
}

/* ---- the graph --------------------------------------------------------------------------------------------------------- */

static int write_graph(saved *s)
{
    situ_out *o = &s->out;
    situ_tensor *t[SITU_OUT_RECORDS];
    if (name_results(s)) return -situ_error_code;
    situ_message_text(&o->graph, SITU_GRAPH_NAME, "situ");
    for (int i = 0; i < s->inputs.count; i++) {
        for (int k = 0; k < o->records; k++) t[k] = s->in[k][i];
        if (!t[0]) continue;
        if (situ_out_input(o, t, s->in_name[i])) return -situ_error_code;
        situ_out_describe(o, SITU_GRAPH_INPUT, s->in_name[i], t);
    }
    for (int i = 0; i < s->results; i++) {
        for (int k = 0; k < o->records; k++) t[k] = s->result[k][i];
        situ_out_identity(o, situ_out_write(o, t), s->result_name[i]);
        if (situ_error_code) return -situ_error_code;
        situ_out_describe(o, SITU_GRAPH_OUTPUT, s->result_name[i], t);
    }
    if (!o->depends)
        return situ_fail(SITU_BAD_ARGUMENT, o->site,
            "situ_onnx_save: no result depends on an input; what a forward function reads and computes itself is not recorded");
    return o->graph.failed || o->initial.failed ? situ_fail(SITU_NO_MEMORY, o->site, "situ_onnx_save: out of host memory") : 0;
}

/* ---- the file ---------------------------------------------------------------------------------------------------------- */

static int fail_file(const saved *s, const char *path, int code)
{
    return situ_fail(SITU_IO, s->out.site, "situ_onnx_save: %s: %s", path, situ_file_why(code ? code : EIO));
}

/* Syncs and closes a file, which keeps its temporary name. */
static int end_file(const saved *s, situ_file *f, const char *path, int rc)
{
    int code = rc > 0 ? errno : 0, end = situ_file_close(f, !rc);
    if (rc < 0) return rc;
    return rc || end ? fail_file(s, path, code ? code : end) : 0;
}

/* Writes the bytes of the graph with weights inserted. 0, 1 or a negative code. */
static int write_pieces(FILE *file, const situ_out *o)
{
    size_t at = 0;
    if (fwrite(o->graph.bytes, 1, o->graph.size, file) != o->graph.size) return 1;
    for (uint32_t i = 0; i < o->values_count && !o->external; i++) {
        const situ_out_values *w = &o->values[i];
        if (fwrite(o->initial.bytes + at, 1, w->at - at, file) != w->at - at) return 1;
        int rc = situ_write_values(file, w->tensor, w->size, w->name, o->site);
        if (rc) return rc;
        at = w->at;
    }
    return o->initial.size > at && fwrite(o->initial.bytes + at, 1, o->initial.size - at, file) != o->initial.size - at;
}

static int write_external(saved *s, situ_file *f, const char *path)
{
    FILE *file = situ_file_begin(f, path, false);
    if (!file) return fail_file(s, path, errno);
    int rc = 0;
    uint64_t at = 0;
    errno = 0;
    for (uint32_t i = 0; i < s->out.values_count && !rc; i++) {
        const situ_out_values *w = &s->out.values[i];
        for (; at < w->at && !rc; at++) rc = fputc(0, file) == EOF;
        if (!rc) rc = situ_write_values(file, w->tensor, w->size, w->name, s->out.site);
        at += w->size;
    }
    return end_file(s, f, path, rc);
}

/* Builds the fields before and after the graph. */
static int heads(saved *s, situ_message *front, situ_message *back, uint64_t size)
{
    situ_message part = {.bytes = NULL};
    size_t length = s->o.metadata ? strlen(s->o.metadata) : 0;
    char *text = situ_malloc(length + 1);
    situ_about *about = situ_malloc((length / 2 + 1) * sizeof *about);
    int64_t n = text && about ? 0 : situ_fail(SITU_NO_MEMORY, s->out.site, "situ_onnx_save: out of host memory");
    if (!n) {
        memcpy(text, length ? s->o.metadata : "", length + 1);
        n = situ_take_metadata(text, about, "situ_onnx_save", s->out.site);
    }
    situ_message_int(front, MODEL_IR, IR);
    situ_message_text(front, MODEL_PRODUCER, "situ");
    situ_message_text(&part, 1, "");
    situ_message_int(&part, 2, SITU_OUT_OPSET);
    situ_message_put(front, MODEL_OPSET, &part);
    situ_message_head(front, MODEL_GRAPH, size);
    for (int64_t i = 0; i < n; i++) {
        situ_message_text(&part, 1, about[i].key);
        situ_message_text(&part, 2, about[i].value);
        situ_message_put(back, MODEL_METADATA, &part);
    }
    situ_message_free(&part);
    situ_free(text);
    situ_free(about);
    if (!situ_error_code && (front->failed || back->failed))
        situ_fail(SITU_NO_MEMORY, s->out.site, "situ_onnx_save: out of host memory");
    return -situ_error_code;
}

static int write_model(saved *s, situ_file *f, const char *path)
{
    situ_message front = {.bytes = NULL}, back = {.bytes = NULL};
    uint64_t size = s->out.graph.size + s->out.initial.size;
    for (uint32_t i = 0; i < s->out.values_count && !s->out.external; i++) size += s->out.values[i].size;
    int rc = heads(s, &front, &back, size);
    if (!rc && size + front.size + back.size > most_bytes)
        rc = situ_fail(SITU_UNSUPPORTED, s->out.site,
            "situ_onnx_save: %s would have %llu bytes, and no reader takes more than 2 GB; write the weights beside it "
            "with " SITU_SAY(".external_data = true", "external_data=True"),
            path, (unsigned long long)size);
    FILE *file = rc ? NULL : situ_file_begin(f, path, false);
    if (!rc && !file) rc = fail_file(s, path, errno);
    if (file) {
        errno = 0;
        rc = fwrite(front.bytes, 1, front.size, file) != front.size;
        if (!rc) rc = write_pieces(file, &s->out);
        if (!rc && back.size) rc = fwrite(back.bytes, 1, back.size, file) != back.size;
        rc = end_file(s, f, path, rc);
    }
    situ_message_free(&front);
    situ_message_free(&back);
    return rc;
}

/* Renames the file to its final name; "": a pipe or a device, which needs none. */
static int place(const saved *s, situ_file *f, const char *path)
{
    if (*f->part && rename(f->part, path)) return fail_file(s, path, errno);
    *f->part = 0;
    return 0;
}

/* Both files are complete. An existing model is moved away before the weights are replaced, so that it is never read
 * with the new ones; it is moved back if they cannot be replaced. */
static int place_both(const saved *s, situ_file *model, const char *path, situ_file *data, const char *beside)
{
    char aside[sizeof model->part + 8];
    snprintf(aside, sizeof aside, "%s.before", model->part);
    bool moved = *model->part && *data->part && !rename(path, aside);
    int rc = place(s, data, beside);
    if (!rc) rc = place(s, model, path);
    else if (moved) moved = rename(aside, path) != 0;
    if (moved) situ_file_remove(aside);
    return rc;
}

static int write_file(saved *s, const char *path, const char *beside)
{
    situ_file model = {.stream = NULL}, data = {.stream = NULL};
    int rc = s->out.external ? write_external(s, &data, beside) : 0;
    if (rc) *data.part = 0; /* the file has been removed */
    if (!rc && (rc = write_model(s, &model, path))) *model.part = 0;
    if (!rc) rc = s->out.external ? place_both(s, &model, path, &data, beside) : place(s, &model, path);
    if (*model.part) situ_file_remove(model.part);
    if (*data.part) situ_file_remove(data.part);
    if (!rc) situ_file_sync_folder(path);
    return rc;
}

/* ---- public function -------------------------------------------------------------------------------------------------- */

static int check(const char *path, situ_list inputs, situ_site site)
{
    if (!path) return situ_fail(SITU_BAD_ARGUMENT, site, "situ_onnx_save: no file is named");
    if (inputs.count < 1 || inputs.count > SITU_ONNX_PLACES || !inputs.tensor || !inputs.tensor[0])
        return situ_fail(SITU_BAD_ARGUMENT, site, "situ_onnx_save: the network is called with 1 to %d inputs", SITU_ONNX_PLACES);
    for (int i = 0; i < inputs.count; i++) {
        if (!inputs.tensor[i]) continue;
        if (!situ_usable(inputs.tensor + i, 1, "situ_onnx_save", site)) return -situ_error_code;
        if (situ_is_number(inputs.tensor[i]))
            return situ_fail(SITU_BAD_ARGUMENT, site, "situ_onnx_save: input %d is a number, no tensor", i);
    }
    return 0;
}

static int save(saved *s, const char *path, const situ_onnx_recorded *recorded, const int *axes)
{
    situ_site site = s->out.site;
    const char *slash = strrchr(path, '/');
    size_t size = strlen(path) + 6;
    char *beside = situ_arena_alloc(&s->out.arena, size);
    if (!beside) return situ_fail(SITU_NO_MEMORY, site, "situ_onnx_save: out of host memory");
    snprintf(beside, size, "%s.data", path);
    if (s->o.external_data) s->out.external = slash ? beside + (slash + 1 - path) : beside;
    int64_t batch = make_room(s, recorded) || name_inputs(s) ? -situ_error_code : find_batch(s, axes);
    if (batch < 0 || (recorded ? take_recorded(s, recorded) : record_all(s, batch)) || write_graph(s)) return -situ_error_code;
    return write_file(s, path, beside);
}

/* Its state is allocated, because its tables are too large for the stack. */
int situ_onnx_save_recorded(
    situ_module *net, const char *path, const situ_onnx_recorded *r, const situ_onnx_save_options *options, situ_site site)
{
    saved *s = situ_calloc(1, sizeof *s);
    if (!s) return situ_fail(SITU_NO_MEMORY, site, "situ_onnx_save: out of host memory");
    s->net = s->out.net = net;
    s->inputs = r->in[0];
    s->o = (situ_onnx_save_options){SITU_DEFAULTS(SITU_ONNX_SAVE_DEFAULTS)};
    s->out.site = site;
    s->out.row_of = situ_out_row_of;
    int rc = check(path, s->inputs, site);
    if (!rc &&
        (!SITU_TAKE_OPTIONS(s->o, options, "situ_onnx_save", site) || !situ_take_axes(&s->o.batch_axes, "situ_onnx_save", site)))
        rc = -situ_error_code;
    if (!rc) {
        situ_arena_init(&s->out.arena, NULL);
        s->out.nodes = &s->out.graph;
        situ_scope *scope = situ_scope_open();
        rc = save(s, path, r->records ? r : NULL, r->axis);
        situ_scope_close(scope);
        situ_out_free(&s->out);
        situ_free(s->text);
        if (situ_error_code) rc = -situ_error_code;
    }
    situ_free(s);
    return rc;
}

int(situ_onnx_save)(situ_module *net, const char *path, situ_list inputs, const situ_onnx_save_options *options, situ_site site)
{
    SITU_SPEAK("situ_onnx_save", site);
    if (situ_error_code || situ_ended(net, "situ_onnx_save", "network", site)) return -situ_error_code;
    if (!net) return situ_fail(SITU_BAD_ARGUMENT, site, "situ_onnx_save: the network is NULL");
    bool without = situ_no_grad(true);
    situ_module_act(net, true);
    int rc = situ_onnx_save_recorded(net, path, &(situ_onnx_recorded){.in = {inputs}}, options, site);
    situ_module_act(net, false);
    situ_no_grad(without);
    return rc;
}
