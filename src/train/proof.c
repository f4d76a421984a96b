#include "train/proof.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "base/isa.h"
#include "base/memory.h"
#include "data/dataset.h"
#include "file/network.h"
#include "optim/optimizer.h"
#include "os/env.h"
#include "os/file.h"
#include "os/plain.h"
#include "os/wait.h"
#include "tensor/shape.h"
#include "train/checkpoint.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

enum { LEAF = 1 << 16, FIRST = SITU_PROOF_FIRST, SECOND = SITU_PROOF_SECOND, GRID = SITU_PROOF_GRID, SHARE = 100, KIND = 160 };

bool situ_proof_verifying(void) { return situ_env("SITU_VERIFY") != NULL; }

/* ---- opening -------------------------------------------------------------------------------------------------------------- */

static int no_room(const situ_proof *p) { return situ_fail(SITU_NO_MEMORY, p->site, "%s: out of host memory", p->function); }

/* A line of the plan of `situ verify`. */
static int take_line(situ_proof *p, char *line)
{
    if (!strncmp(line, "folder ", 7) && !p->folder) return (p->folder = situ_strdup(line + 7)) ? 0 : no_room(p);
    if (!strncmp(line, "told ", 5) && !p->told) return (p->told = situ_strdup(line + 5)) ? 0 : no_room(p);
    if (strncmp(line, "range ", 6))
        return situ_fail(SITU_BAD_FORMAT, p->site, "%s: SITU_VERIFY: no plan: %.40s", p->function, line);
    char *after;
    situ_proof_range r = {.from = strtoll(line + 6, &after, 10)};
    r.to = strtoll(after, NULL, 10);
    situ_proof_range *grown = situ_realloc(p->range, (size_t)(p->ranges + 1) * sizeof *grown);
    if (!grown) return no_room(p);
    p->range = grown;
    grown[p->ranges++] = r;
    return 0;
}

static int read_plan(situ_proof *p)
{
    char line[SITU_PROOF_PATH], why[SITU_PROOF_WHY];
    const char *path = situ_env("SITU_VERIFY");
    FILE *file = situ_file_open(path);
    if (!file) return situ_fail(SITU_IO, p->site, "%s: SITU_VERIFY: %s cannot be read", p->function, path);
    int rc = 0;
    while (!rc && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        rc = take_line(p, line);
    }
    fclose(file);
    if (rc) return rc;
    if (!p->folder || !p->told || !p->ranges)
        return situ_fail(SITU_BAD_FORMAT, p->site, "%s: SITU_VERIFY: %s is no plan of `situ verify`", p->function, path);
    situ_proof_log_read(&p->log, p->folder, why); /* `situ verify` has told what is wrong with it */
    if (!p->log.records) return situ_fail(SITU_BAD_FORMAT, p->site, "%s: %s", p->function, why);
    const situ_proof_record *last = &p->log.record[p->log.records - 1];
    size_t size;
    const char *end = p->log.ended ? situ_proof_line(last->text, "end", &size) : NULL;
    p->to_end = end && p->range[p->ranges - 1].to >= last->step && !strstr(end, " stopped\n");
    return 0;
}

situ_proof *situ_proof_new(const char *folder, bool writes, const char *function, situ_site site)
{
    situ_proof *p = situ_calloc(1, sizeof *p);
    if (!p) {
        situ_fail(SITU_NO_MEMORY, site, "%s: out of host memory", function);
        return NULL;
    }
    *p = (situ_proof){.handle = SITU_HANDLE_NEW(PROOF),
        .verifies = situ_proof_verifying(),
        .writes = writes,
        .function = function,
        .site = site,
        .began = situ_now()};
    int rc = p->verifies ? read_plan(p) : (p->folder = situ_strdup(folder)) ? 0 : no_room(p);
    int code = rc || p->verifies || !writes ? 0 : situ_folder_make(folder, false);
    if (code && situ_file_inspect(folder, NULL) != SITU_FILE_FOLDER)
        rc = situ_fail(SITU_IO, site, "%s: cannot make the folder \"%s\" for a proof: %s", function, folder, situ_file_why(code));
    if (!rc) return p;
    situ_proof_free(p);
    return NULL;
}

void situ_proof_free(situ_proof *p)
{
    if (!p) return;
    situ_proof_log_free(&p->log);
    situ_free(p->range);
    situ_free(p->folder);
    situ_free(p->told);
    situ_proof_loop_free(p->loop);
    if (situ_handle_end(p, p->site)) situ_retire(p);
}

/* ---- verifying ------------------------------------------------------------------------------------------------------------ */

static int tell(situ_proof *p, const char *word, const char *text)
{
    char line[2000];
    snprintf(line, sizeof line, "%s %.1900s\n", word, text);
    int code = p->writes ? situ_file_append(p->told, line, strlen(line)) : 0;
    return code ? situ_fail(SITU_IO, p->site, "%s: %s: %s", p->function, p->told, situ_file_why(code)) : 0;
}

int situ_proof_differs(situ_proof *p, const char *format, ...)
{
    char text[1900];
    va_list list;
    va_start(list, format);
    situ_plain_list(text, sizeof text, format, list);
    va_end(list);
    p->differs = true;
    if (tell(p, "differs", text)) return -situ_error_code;
    return situ_fail(SITU_MISMATCH, p->site, "%s: situ verify: %s", p->function, text);
}

bool situ_proof_arrive(situ_proof *p, int64_t step)
{
    if (!p->verifies || p->now == p->ranges || step < p->range[p->now].to) return false;
    if (p->now == p->ranges - 1 && p->to_end) return false; /* what comes after the last entry is to be the end */
    while (p->now < p->ranges && step >= p->range[p->now].to) p->now++;
    p->jump = p->now == p->ranges || p->range[p->now].from > step;
    return p->jump;
}

/* Where two texts part: the beginnings of their first lines that differ. */
static bool part(const char **a, const char **b)
{
    while (**a || **b) {
        size_t n = strcspn(*a, "\n"), m = strcspn(*b, "\n");
        if (n != m || strncmp(*a, *b, n)) return true;
        *a += n + ((*a)[n] == '\n');
        *b += m + ((*b)[m] == '\n');
    }
    return false;
}

/* ---- hashes --------------------------------------------------------------------------------------------------------------- */

void situ_proof_tensor(char hash[static SITU_SHA256_TEXT], const char *kind, const void *bytes, size_t size)
{
    situ_sha256 all, leaf;
    char one[SITU_SHA256_TEXT];
    situ_sha256_start(&all);
    situ_sha256_add(&all, kind, strlen(kind) + 1);
    for (size_t at = 0; at < size; at += LEAF) {
        situ_sha256_start(&leaf);
        situ_sha256_add(&leaf, (const char *)bytes + at, size - at < LEAF ? size - at : LEAF);
        situ_sha256_end(&leaf, one);
        situ_sha256_add(&all, one, 64);
    }
    situ_sha256_end(&all, hash);
}

/* The values of a computed tensor on the host; *own is to be freed. NULL with an error, but for a tensor without elements. */
static const void *values(situ_tensor *t, situ_borrow *b, void **own, size_t *size, situ_site site)
{
    *own = NULL;
    *size = 0;
    if (situ_borrow_open(t, true, b, site)) return NULL;
    *size = situ_borrow_bytes(b);
    int rc = b->device.kind == SITU_CPU ? situ_borrow_wait(b, site) : 0;
    if (!rc && b->device.kind == SITU_CPU) {
        situ_borrow_note(b, SITU_REASON_CHECKPOINT, site);
        return b->data;
    }
    if (!rc && !(*own = situ_malloc(*size + 1))) situ_fail(SITU_NO_MEMORY, site, "situ_proof: out of host memory");
    if (*own && situ_borrow_read(b, *own, SITU_REASON_CHECKPOINT, site)) return NULL;
    return *own;
}

/* Writes "word hash f32[2,3] name". */
static int put_tensor(FILE *out, const char *word, const char *name, situ_tensor *t, situ_site site)
{
    char kind[KIND], shape[128], hash[SITU_SHA256_TEXT];
    situ_borrow b = {0};
    void *own;
    size_t size;
    const void *bytes = values(t, &b, &own, &size, site);
    if (!situ_error_code) {
        situ_shape_text((int)b.ndim, b.dim, shape, sizeof shape);
        snprintf(kind, sizeof kind, "%s%s", situ_dtype_name((situ_dtype)b.dtype), shape);
        situ_proof_tensor(hash, kind, bytes, size);
        fprintf(out, "%s %s %s %s\n", word, hash, kind, name);
    }
    situ_free(own);
    if (b.buffer) situ_borrow_close(&b);
    return -situ_error_code;
}

/* Texts and tensors of the network and the optimizer. */
static int put_state(FILE *out, const situ_proof *p, const situ_proof_step_state *s)
{
    situ_status status;
    situ_sha256 h;
    char hash[SITU_SHA256_TEXT];
    situ_status_open(&status, p->function, p->site);
    situ_checkpoint_gather(&status, s->net, s->opt, NULL, false);
    int rc = status.rc ? status.rc : situ_file_compute(status.tensor, status.tensors, p->function, p->site);
    situ_sha256_start(&h);
    for (int64_t i = 0; i < status.abouts && !rc; i++) {
        const situ_about *a = &status.about[i];
        if (!strcmp(a->key, "situ.version")) continue;
        situ_sha256_add(&h, a->key, strlen(a->key) + 1);
        situ_sha256_add(&h, a->value, strlen(a->value) + 1);
    }
    situ_sha256_end(&h, hash);
    fprintf(out, "numbers %s\n", hash);
    for (int64_t i = 0; i < status.tensors && !rc; i++) /* values that each device has of its own are not the training's */
        if (strncmp(status.tensor[i].name, "situ/device/", 12))
            rc = put_tensor(out, "tensor", status.tensor[i].name, status.tensor[i].tensor, p->site);
    situ_status_close(&status);
    return rc ? rc : -situ_error_code;
}

static int put_batch(FILE *out, const situ_proof *p, const situ_proof_step_state *s)
{
    uint32_t bits;
    memcpy(&bits, &s->loss, sizeof bits);
    int rc = 0;
    for (int i = 0; i < s->fields && !rc; i++) {
        char name[24];
        snprintf(name, sizeof name, "%d", i);
        rc = put_tensor(out, "batch", name, s->batch[i], p->site);
    }
    situ_plain_print(out, "loss %08x %.9g\n", bits, (double)s->loss);
    return rc;
}

/* The text of an entry, to be freed by free; NULL with an error. */
static char *entry_text(const situ_proof *p, const situ_proof_step_state *s)
{
    char *text = NULL;
    size_t size;
    situ_scope *scope = situ_scope_open();
    FILE *out = situ_text_open(&text, &size);
    if (out) {
        fprintf(out, "step %lld\n", (long long)s->step);
        int rc = s->batch ? put_batch(out, p, s) : 0;
        if (!rc) put_state(out, p, s);
    }
    if ((!out || fclose(out)) && !situ_error_code) no_room(p);
    situ_scope_close(scope);
    if (!situ_error_code) return text;
    free(text);
    return NULL;
}

/* ---- options and data ----------------------------------------------------------------------------------------------------- */

void situ_proof_options(FILE *out, const situ_optimizer *opt, double rate)
{
    enum { MOST = 64 };
    situ_hyper h[MOST];
    char text[SITU_SHORTEST];
    fprintf(out, "optimizer %s\n", situ_optimizer_name(opt));
    int n = situ_optimizer_hyper(opt, h, MOST);
    for (int i = 0; i < n && i < MOST; i++) {
        situ_plain_shortest(text, 1, strcmp(h[i].name, "lr") ? h[i].value : rate);
        fprintf(out, "optimizer %s %s\n", h[i].name, text);
    }
    fprintf(out, "optimizer schedule %s\n", situ_schedule_name(&opt->schedule));
}

static void add_rows(situ_sha256 *h, const situ_column *c, int64_t first, int64_t end)
{
    for (int64_t row = first; row < end; row++) {
        int64_t bytes = c->start ? situ_column_length(c, row) * c->bytes : c->bytes;
        situ_sha256_add(h, &bytes, sizeof bytes);
        situ_sha256_add(h, c->data + (c->start ? c->start[row] * c->bytes : row * c->pitch), (size_t)bytes);
    }
}

void situ_proof_data(FILE *out, const situ_dataset *data)
{
    enum { PIECES = 64, LEAST = 256 };
    char text[1024], hash[SITU_SHA256_TEXT];
    situ_dataset_describe(data, text, sizeof text);
    fprintf(out, "data %s\n", text);
    bool there = data->count > 0 && !data->row;
    for (int i = 0; i < data->fields; i++) there &= data->field[i].data != NULL;
    if (!there) fprintf(out, "rows come from a function: batches alone tell which\n");
    int64_t piece = (data->count + PIECES - 1) / PIECES;
    if (piece < LEAST) piece = LEAST;
    for (int64_t first = 0; there && first < data->count; first += piece) {
        int64_t end = first + piece < data->count ? first + piece : data->count;
        situ_sha256 h;
        situ_sha256_start(&h);
        for (int i = 0; i < data->fields; i++) add_rows(&h, &data->field[i], first, end);
        situ_sha256_end(&h, hash);
        fprintf(out, "rows %s %lld to %lld\n", hash, (long long)first, (long long)end - 1);
    }
}

/* ---- the log -------------------------------------------------------------------------------------------------------------- */

static int cannot_write(const situ_proof *p, int code)
{
    return situ_fail(
        SITU_IO, p->site, "%s: the proof in \"%s\" cannot be written: %s", p->function, p->folder, situ_file_why(code));
}

/* Appends a record: to the chain, or aside of it. */
static int append(situ_proof *p, const char *text)
{
    char path[SITU_PROOF_PATH], hash[SITU_SHA256_TEXT];
    size_t size = strlen(text);
    char *all = situ_malloc(size + 80);
    if (!all) return no_room(p);
    situ_proof_path(path, sizeof path, p->folder);
    situ_proof_chain(p->hash, text, size, hash);
    int n = snprintf(all, size + 80, "%shash %s\n", text, hash);
    int code = situ_file_append(path, all, (size_t)n);
    situ_free(all);
    if (code) return cannot_write(p, code);
    if (strncmp(text, "aside ", 6)) strcpy(p->hash, hash);
    return 0;
}

/* Makes the log of these bytes. */
static int write_all(situ_proof *p, const char *bytes, size_t size)
{
    char path[SITU_PROOF_PATH];
    situ_file f;
    situ_proof_path(path, sizeof path, p->folder);
    FILE *out = situ_file_begin(&f, path, false);
    int code = out ? situ_file_end(&f, fwrite(bytes, 1, size, out) == size) : errno;
    return code ? cannot_write(p, code) : 0;
}

/* What differs in the first record, in words. */
static int tell_start(situ_proof *p, const char *there, const char *here)
{
    size_t n = strcspn(there, "\n"), m = strcspn(here, "\n");
    if (!strncmp(there, "rows ", 5) && !strncmp(here, "rows ", 5) && n > 70 && m > 70)
        return situ_proof_differs(p, "the data differ: rows %.*s are others than those of the log", (int)(n - 70), there + 70);
    if (!n || !m)
        return situ_proof_differs(
            p, "the %s here: %.*s", n ? "log has more than" : "log has less than", (int)(n + m), n ? there : here);
    return situ_proof_differs(p, "%s: \"%.*s\" in the log, \"%.*s\" here",
        !strncmp(there, "version ", 8)  ? "another version of situ, whose bits may differ" :
            !strncmp(there, "data ", 5) ? "other data" :
                                          "another option",
        (int)(n < 700 ? n : 700), there, (int)(m < 700 ? m : 700), here);
}

int situ_proof_start(situ_proof *p, const char *text)
{
    if (p->verifies) {
        const char *there = p->log.record[0].text, *here = text;
        return p->writes && part(&there, &here) ? tell_start(p, there, here) : 0;
    }
    if (!p->writes) return 0;
    int rc = write_all(p, "", 0);
    p->hash[0] = 0;
    return rc ? rc : append(p, text);
}

/* The last step up to this one of which every run has an entry; 0: none. */
static int64_t last_chained(const situ_proof *p, int64_t step)
{
    int64_t last = step - step % GRID, kept = p->states ? step - step % p->states : 0;
    if (last < SECOND && step >= SECOND) last = SECOND;
    if (!last && step >= FIRST) last = FIRST;
    return kept > last ? kept : last;
}

/* The last record of the log that a run which goes on after this step takes over. */
static int64_t record_before(const situ_proof *p, int64_t step)
{
    int64_t at = p->log.records - 1;
    while (at > 0) {
        const situ_proof_record *r = &p->log.record[at];
        bool of_state = situ_proof_is_entry(r) && !strstr(r->text, "\nbatch "), end = !strncmp(r->text, "end ", 4);
        if (r->step <= step && !of_state && !end && strncmp(r->text, "aside ran ", 10)) break;
        at--;
    }
    return at;
}

/* Takes what records up to this one say. */
static void take_records(situ_proof *p, int64_t at)
{
    situ_file_about about;
    char path[SITU_PROOF_PATH];
    for (int64_t i = 0; i <= at; i++) {
        const situ_proof_record *r = &p->log.record[i];
        int64_t every = situ_proof_number(r->text, "aside every");
        if (every) p->every = every;
        situ_proof_state_path(path, sizeof path, p->folder, r->step);
        if (strstr(r->text, "\nkept\n") && situ_file_inspect(path, &about) == SITU_FILE_REGULAR) p->bytes += about.size;
        if (situ_proof_is_entry(r)) p->entries++, p->last = r->step;
        if (situ_proof_is_entry(r) && !r->aside) p->chained = r->step;
        if (!r->aside) strcpy(p->hash, r->hash);
        p->log.text[r->end - 70] = 'h'; /* was made a zero, the end of the record's text */
    }
}

int situ_proof_resume(situ_proof *p, const char *text, int64_t step)
{
    char why[SITU_PROOF_WHY];
    if (situ_proof_log_read(&p->log, p->folder, why)) return situ_fail(SITU_BAD_FORMAT, p->site, "%s: %s", p->function, why);
    int64_t at = record_before(p, step), needed = last_chained(p, step);
    const char *there = p->log.record[0].text, *here = text;
    if (part(&there, &here))
        return situ_fail(SITU_BAD_ARGUMENT, p->site,
            "%s: the proof in \"%s\" is of another training: \"%.*s\" there, \"%.*s\" here", p->function, p->folder,
            (int)strcspn(there, "\n"), there, (int)strcspn(here, "\n"), here);
    take_records(p, at);
    if (p->chained < needed)
        return situ_fail(SITU_BAD_ARGUMENT, p->site,
            "%s: the proof in \"%s\" has no entry of step %lld, after which the training goes on; it is of another run",
            p->function, p->folder, (long long)needed);
    return write_all(p, p->log.text, (size_t)p->log.record[at].end);
}

int situ_proof_finish(situ_proof *p, int64_t steps, const char *reason, const char *ran)
{
    char text[800];
    if (!p->writes) return 0;
    snprintf(text, sizeof text, "aside ran %.700s\n", ran);
    int rc = append(p, text);
    snprintf(text, sizeof text, "end %lld %.40s\n", (long long)steps, reason);
    return rc ? rc : append(p, text);
}

void situ_proof_ran(const situ_proof *p, const char *device, int ranks, char *text, size_t size)
{
    situ_plain_format(text, size, "%.3f s, on %s, ranks %d, %s", 1e-9 * (double)(situ_now() - p->began), device, ranks,
        situ_isa_name(situ_isa_get()));
}

/* ---- entries -------------------------------------------------------------------------------------------------------------- */

/* Writes the place of the first element that differs, and of f32 both values. */
static void put_element(const situ_borrow *b, const char *here, const situ_entry *e, char *text, size_t size)
{
    size_t at = 0, one = situ_dtype_size((situ_dtype)b->dtype), bytes = situ_borrow_bytes(b);
    float there_value, here_value;
    while (at < bytes && here[at] == (char)e->data[at]) at++;
    if (at == bytes) {
        snprintf(text, size, "; the state that was kept of this step has the values from here, not those of the log");
        return;
    }
    int64_t flat = (int64_t)(at / one), below = 1;
    int used = snprintf(text, size, "; the first element that differs is [");
    for (int d = 0; d < b->ndim; d++) below *= b->dim[d];
    for (int d = 0; d < b->ndim; d++) {
        below /= b->dim[d];
        used += snprintf(text + used, size - (size_t)used, "%s%lld", d ? "," : "", (long long)(flat / below % b->dim[d]));
    }
    used += snprintf(text + used, size - (size_t)used, "]");
    if (b->dtype != SITU_F32) return;
    memcpy(&there_value, e->data + at / one * one, sizeof there_value);
    memcpy(&here_value, here + at / one * one, sizeof here_value);
    situ_plain_format(text + used, size - (size_t)used, ": %.9g in the run, %.9g here", (double)there_value, (double)here_value);
}

/* Finds the element that differs, in the state that the run kept of this step. Writes it in words. */
static void find_element(const situ_proof *p, const situ_proof_step_state *s, const char *name, char *text, size_t size)
{
    char path[SITU_PROOF_PATH];
    situ_site site = p->site;
    situ_proof_state_path(path, sizeof path, p->folder, s->step);
    snprintf(text, size, "; which element is not known, since no state of this step was kept");
    situ_archive *a = situ_file_exists(path) ? situ_archive_open(path) : NULL;
    int64_t entry = a ? situ_archive_at(a, name) : -1;
    situ_status status;
    situ_scope *scope = situ_scope_open();
    situ_status_open(&status, p->function, site);
    situ_checkpoint_gather(&status, s->net, s->opt, NULL, false);
    for (int64_t i = 0; i < status.tensors && entry >= 0 && !status.rc; i++) {
        situ_borrow b = {0};
        void *copy;
        size_t bytes;
        if (strcmp(status.tensor[i].name, name)) continue;
        const char *here = values(status.tensor[i].tensor, &b, &copy, &bytes, site);
        if (here && bytes == a->entry[entry].size) put_element(&b, here, &a->entry[entry], text, size);
        situ_free(copy);
        if (b.buffer) situ_borrow_close(&b);
    }
    situ_status_close(&status);
    situ_scope_close(scope);
    if (a) situ_archive_close(a);
    if (situ_error_code) situ_error_take(NULL);
}

/* Tells at which line an entry differs from the log's. */
static int tell_entry(situ_proof *p, const situ_proof_step_state *s, const char *there, const char *here)
{
    char element[400];
    size_t n = strcspn(there, "\n"), m = strcspn(here, "\n");
    long long step = s->step, before = p->last;
    if (!strncmp(here, "batch ", 6))
        return situ_proof_differs(p,
            "step %lld: the batch differs: other rows, another order, or rows that cannot be repeated (from the time, a network, "
            "another generator)",
            step);
    if (!strncmp(here, "loss ", 5))
        return situ_proof_differs(p,
            "step %lld: the loss differs: %.*s in the log, %.*s here (the step before that was equal: %lld)", step,
            n > 14 ? (int)(n - 14) : 0, there + (n > 14 ? 14 : 0), m > 14 ? (int)(m - 14) : 0, here + (m > 14 ? 14 : 0), before);
    if (!strncmp(here, "numbers ", 8))
        return situ_proof_differs(p,
            "step %lld: numbers of the network or the optimizer differ: learning rate, steps, hyper-parameters or schedule", step);
    if (strncmp(here, "tensor ", 7) || strncmp(there, "tensor ", 7) || n < 73 || m < 73)
        return situ_proof_differs(p, "step %lld: \"%.*s\" in the log, \"%.*s\" here", step, (int)(n < 600 ? n : 600), there,
            (int)(m < 600 ? m : 600), here);
    char name[400];
    const char *at = memchr(here + 72, ' ', m - 72);
    int length = at ? (int)(here + m - at - 1) : 0;
    snprintf(name, sizeof name, "%.*s", length < 399 ? length : 399, at ? at + 1 : "");
    find_element(p, s, name, element, sizeof element);
    return situ_proof_differs(p, "step %lld: tensor %.*s differs%s (the last step that was equal: %lld)", step, (int)(m - 72),
        here + 72, element, before);
}

static int compare(situ_proof *p, const situ_proof_step_state *s, const situ_proof_record *r, const char *found)
{
    char number[24];
    char *text = entry_text(p, s);
    if (!text) return -situ_error_code;
    const char *there = r->text + (r->aside ? 6 : 0), *here = text;
    if (!s->batch) { /* the state alone */
        const char *from = strstr(there, "\nnumbers "), *own = strstr(here, "\nnumbers ");
        there = from ? from + 1 : there;
        here = own ? own + 1 : here;
    }
    bool differ = part(&there, &here) && (*here || strcmp(there, "kept\n") != 0);
    int rc = differ ? tell_entry(p, s, there, here) : 0;
    free(text);
    if (rc) return rc;
    p->last = s->step;
    p->entries++;
    snprintf(number, sizeof number, "%lld", (long long)s->step);
    return tell(p, found, number);
}

int situ_proof_compare_state(situ_proof *p, const situ_proof_step_state *s)
{
    int64_t at = situ_proof_log_at(&p->log, s->step);
    if (!p->writes || at == p->log.records || p->log.record[at].step != s->step) return 0;
    return compare(p, s, &p->log.record[at], "state");
}

int situ_proof_verify_step(situ_proof *p, int64_t step, bool *entry)
{
    int64_t at = situ_proof_log_at(&p->log, step);
    const situ_proof_record *r = at < p->log.records ? &p->log.record[at] : NULL, *last = &p->log.record[p->log.records - 1];
    *entry = p->writes && r && r->step == step && strstr(r->text, "\nbatch ");
    if (!p->writes || !p->to_end || step <= last->step) return 0;
    return situ_proof_differs(
        p, "step %lld: the training goes on after step %lld, where the log has its end", (long long)step, (long long)last->step);
}

int situ_proof_verify_state(situ_proof *p, const situ_proof_step_state *s)
{
    for (int64_t at = situ_proof_log_at(&p->log, s->step); at < p->log.records - p->log.ended; at++) {
        const situ_proof_record *r = &p->log.record[at];
        if (r->step > s->step) break;
        if (situ_proof_is_entry(r) && !strstr(r->text, "\nbatch ")) return p->writes ? compare(p, s, r, "equal") : 0;
    }
    return 0;
}

int situ_proof_verify_end(situ_proof *p, const situ_proof_step_state *s, const char *reason)
{
    int64_t steps = s->step;
    const situ_proof_record *last = &p->log.record[p->log.records - 1];
    if (!p->writes || p->now == p->ranges) return 0;
    int rc = situ_proof_verify_state(p, s);
    if (rc) return rc;
    if (p->to_end && steps == last->step) {
        size_t size;
        char own[64];
        const char *there = situ_proof_line(last->text, "end", &size);
        snprintf(own, sizeof own, "%lld %s", (long long)steps, reason);
        if (strlen(own) != size || strncmp(own, there, size))
            rc = situ_proof_differs(p, "the end differs: \"%.*s\" in the log, \"%s\" here", (int)size, there, own);
        p->now = p->ranges;
        return rc;
    }
    situ_proof_arrive(p, steps);
    if (p->now == p->ranges) return 0;
    return situ_proof_differs(
        p, "the training ends after step %lld (%s); the log goes on to step %lld", (long long)steps, reason, (long long)last->step);
}

/* Does every run have an entry of this step? Such ones are in the chain, so that its last hash follows from the training alone. */
static bool is_chained(const situ_proof *p, int64_t step)
{
    return step == FIRST || step == SECOND || step % GRID == 0 || (p->states && step % p->states == 0);
}

bool situ_proof_due(const situ_proof *p, int64_t step) { return is_chained(p, step) || (p->every && step % p->every == 0); }

/* Chooses the steps between entries aside, after the second one: what entries take is at most a hundredth of the run's time. */
static void choose(situ_proof *p, int64_t step, int64_t took, int64_t now)
{
    if (step == FIRST) p->marked = now, p->first = took;
    if (p->every || step != SECOND || !p->marked) return;
    double between = (double)(now - took - p->marked - (p->spent - p->first)), one = between / (SECOND - FIRST);
    double steps = 2.5 * SHARE * (double)took / (one > 1 ? one : 1);
    double aside = steps < GRID ? steps * GRID / (GRID - steps) : GRID; /* of these hundredths the chain's entries take a part */
    p->every = aside < 1 ? 1 : aside < GRID ? (int64_t)aside + 1 : GRID;
}

static int write_entry(situ_proof *p, const situ_proof_step_state *s)
{
    situ_file_about about;
    int64_t before = situ_now(), known = p->every;
    bool chained = is_chained(p, s->step) || s->last || !s->batch, kept = false;
    char path[SITU_PROOF_PATH], every[40], *text = entry_text(p, s);
    if (!text) return -situ_error_code;
    situ_proof_state_path(path, sizeof path, p->folder, s->step);
    if (s->batch && p->states && s->step % p->states == 0 && situ_file_inspect(path, &about) == SITU_FILE_REGULAR) {
        kept = true;
        p->bytes += about.size;
    }
    int64_t now = situ_now();
    choose(p, s->step, now - before, now);
    size_t size = strlen(text) + 16;
    char *all = situ_malloc(size);
    if (all) snprintf(all, size, "%s%s%s", chained ? "" : "aside ", text, kept ? "kept\n" : "");
    free(text);
    int rc = all ? append(p, all) : no_room(p);
    situ_free(all);
    snprintf(every, sizeof every, "aside every %lld\n", (long long)p->every);
    if (!rc && p->every != known) rc = append(p, every);
    p->last = s->step;
    if (chained) p->chained = s->step;
    p->entries++;
    p->spent += situ_now() - before;
    return rc;
}

int situ_proof_enter(situ_proof *p, const situ_proof_step_state *s)
{
    if (!p->writes) return 0;
    if (p->verifies) {
        int64_t at = situ_proof_log_at(&p->log, s->step);
        return at < p->log.records && p->log.record[at].step == s->step ? compare(p, s, &p->log.record[at], "equal") : 0;
    }
    return write_entry(p, s);
}
