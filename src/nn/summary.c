/* The table that describes a network's modules. */
#include <stdio.h>
#include <string.h>

#include <situ/grad.h>

#include "base/memory.h"
#include "device/device.h"
#include "nn/module.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

typedef struct row {
    const situ_module *part;
    int depth, results;
    situ_shape shape[SITU_MODULE_MOST];
    int64_t operations;
} row;

typedef struct summary {
    situ_call_watch watch;
    row *row;
    size_t count, capacity;
    int depth;
} summary;

static int64_t recorded(void)
{
    int64_t count = 0;
    for (const situ_scope *s = situ_thread_state.scope; s; s = s->parent) count += s->count;
    return count;
}

static uint64_t begin(situ_call_watch *w, const situ_module *m)
{
    summary *s = (summary *)(void *)w;
    if (s->count == s->capacity) {
        size_t capacity = 2 * s->capacity + 32;
        row *grown = situ_realloc(s->row, capacity * sizeof *grown);
        if (!grown) {
            situ_fail(SITU_NO_MEMORY, NULL, "situ_module_summary: out of host memory");
            return 0;
        }
        s->row = grown;
        s->capacity = capacity;
    }
    s->row[s->count] = (row){.part = m, .depth = s->depth++, .operations = recorded()};
    return s->count++;
}

static void after(situ_call_watch *w, uint64_t number, situ_tensor *const *out, int results)
{
    summary *s = (summary *)(void *)w;
    row *r = s->row + number;
    if (number >= s->count) return;
    s->depth = r->depth;
    r->operations = recorded() - r->operations;
    r->results = results < SITU_MODULE_MOST ? results : SITU_MODULE_MOST;
    for (int i = 0; i < r->results; i++) r->shape[i] = situ_shape_like(out[i]);
}

/* Counts the parameters of m, its own or with those of its children (number: index of the first). A shared one counts
 * once. */
static void sizes(const situ_module *m, int64_t *all, int64_t *trained, int64_t *bytes)
{
    const situ_module *root = situ_module_root(m);
    *all = *trained = *bytes = 0;
    for (int i = m->first; i < m->first + m->total; i++) {
        const situ_parameter *p = root->all[i];
        if (!p->made && !p->known) continue;
        int64_t count = situ_shape_count((int)p->shape.ndim, p->shape.dim);
        *all += count;
        if (!p->fixed && !p->frozen) *trained += count;
        *bytes += count * (int64_t)situ_dtype_size(p->made ? (situ_dtype)p->copy[0]->dtype : SITU_F32);
    }
}

static void print_row(FILE *file, const situ_module *m, int depth, const row *r)
{
    char name[128], shapes[SITU_SHAPE_TEXT * 2] = "", one[SITU_SHAPE_TEXT], operations[24] = "";
    int64_t all, trained, bytes;
    size_t used = 0;
    snprintf(name, sizeof name, "%*s%s%s%s", 2 * depth, "", m->name && depth ? m->name : "", m->name && depth ? " " : "",
        m->kind->name ? m->kind->name : "custom");
    for (int i = 0; r && i < r->results && used < sizeof shapes; i++)
        used += (size_t)snprintf(shapes + used, sizeof shapes - used, "%s%s", i ? " " : "",
            situ_shape_text((int)r->shape[i].ndim, r->shape[i].dim, one, sizeof one));
    if (r) snprintf(operations, sizeof operations, "%lld", (long long)r->operations);
    sizes(m, &all, &trained, &bytes);
    fprintf(file, "%-36s %-28s %12lld %10s\n", name, shapes, (long long)all, operations);
}

static void print_tree(FILE *file, const situ_module *m, int depth)
{
    print_row(file, m, depth, NULL);
    for (int i = 0; i < m->children; i++) print_tree(file, m->child[i], depth + 1);
}

static void print_end(FILE *file, const situ_module *net)
{
    int64_t all, trained, bytes;
    char text[24], name[32];
    const situ_module *root = situ_module_root(net);
    sizes(net, &all, &trained, &bytes);
    fprintf(file, "parameters %lld, trained %lld, %s", (long long)all, (long long)trained, situ_bytes_text(bytes, text));
    for (int i = 0; i < root->devices; i++) fprintf(file, "%s%s", i ? ", " : " on ", situ_device_name(root->device[i], name));
    fputc('\n', file);
}

/* Calls the network to find shapes; training mode is paused, so nothing changes. */
static int watch(situ_module *net, situ_list inputs, summary *s, situ_site site)
{
    bool without = situ_no_grad(true);
    situ_tensor *out[SITU_MODULE_MOST];
    situ_module_pause(net, true);
    situ_watch_now = &s->watch;
    int rc = (situ_module_call_n)(net, inputs, out, SITU_MODULE_MOST, NULL, site);
    situ_watch_now = NULL;
    situ_module_pause(net, false);
    situ_no_grad(without);
    return rc < 0 ? rc : 0;
}

int(situ_module_summary)(situ_module *net, situ_list inputs, const situ_module_summary_options *options, situ_site site)
{
    SITU_SPEAK("situ_module_summary", site);
    situ_module_summary_options o = {SITU_DEFAULTS(SITU_MODULE_SUMMARY_DEFAULTS)};
    summary s = {.watch = {begin, after}};
    if (situ_error_code || situ_ended(net, "situ_module_summary", "network", site) ||
        !SITU_TAKE_OPTIONS(o, options, "situ_module_summary", site))
        return -situ_error_code;
    if (!net) return situ_fail(SITU_BAD_ARGUMENT, site, "situ_module_summary: the network is NULL");
    FILE *file = o.file ? o.file : stdout;
    situ_scope *scope = situ_scope_open();
    int rc = inputs.count ? watch(net, inputs, &s, site) : situ_module_number(net);
    situ_scope_close(scope);
    if (!rc && !situ_error_code) rc = situ_module_number(net);
    if (!rc && !situ_error_code) {
        fprintf(file, "%-36s %-28s %12s %10s\n", "module", inputs.count ? "results" : "", "parameters",
            inputs.count ? "operations" : "");
        for (size_t i = 0; i < s.count; i++) print_row(file, s.row[i].part, s.row[i].depth, s.row + i);
        if (!s.count) print_tree(file, net, 0);
        print_end(file, net);
    }
    situ_free(s.row);
    return situ_error_code ? -situ_error_code : rc;
}
