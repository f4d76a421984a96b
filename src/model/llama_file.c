/* Loads and saves Llama models. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/device.h"
#include "file/format.h"
#include "file/json.h"
#include "math/f64.h"
#include "model/llama.h"
#include "op/blocks.h"
#include "os/plain.h"
#include "run/enqueue.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* ---- sizes of the model ----------------------------------------------------------------------------------------------------- */

enum { LAYERS, WIDTH, HEADS, KV_HEADS, HIDDEN, BASE, EPSILON, HEAD_WIDTH, ROTARY_WIDTH, FACTOR, ORIGINAL, LOW, HIGH, SIZES };
/* Each size's key in GGUF (and of situ_llama_save) behind the family's name, and in config.json. */
static const char *const keys[SIZES][2] = {{"block_count", "num_hidden_layers"}, {"embedding_length", "hidden_size"},
    {"attention.head_count", "num_attention_heads"}, {"attention.head_count_kv", "num_key_value_heads"},
    {"feed_forward_length", "intermediate_size"}, {"rope.freq_base", "rope_theta"},
    {"attention.layer_norm_rms_epsilon", "rms_norm_eps"}, {"attention.key_length", "head_dim"},
    {"rope.dimension_count", "head_dim"}, {"rope.scaling.factor", "factor"},
    {"rope.scaling.original_context_length", "original_max_position_embeddings"}, {"", "low_freq_factor"},
    {"", "high_freq_factor"}};

static int refuse(const situ_archive *a, const char *what, const char *more)
{
    return situ_fail(SITU_UNSUPPORTED, NULL, "situ_llama_open: %s: %s%s", a->path, what, more);
}

/* Contents of config.json. */
typedef struct config {
    situ_json j;
    char *space;
    double *size;
    const char *type, *strange; /* type: the model family; strange: a required feature that is not supported */
    const char *scaling;        /* how the rotary frequencies are scaled */
    bool window, windowless;
} config;

static void take_member(config *c, bool inner, const char *key, char first, const char *text, const char *number)
{
    if (!strcmp(key, "hidden_act") && first != 'n' && !(text && !strcmp(text, "silu"))) c->strange = "hidden_act";
    if (inner && (!strcmp(key, "rope_type") || !strcmp(key, "type"))) c->scaling = text ? text : "";
    if (!inner && !strcmp(key, "model_type")) c->type = text;
    if (!strcmp(key, "partial_rotary_factor") && first != 'n' && situ_plain_number(number, NULL) != 1)
        c->strange = "partial_rotary_factor";
    if (!strcmp(key, "sliding_window")) c->window = first != 'n';
    if (!strcmp(key, "use_sliding_window")) c->windowless = first == 'f';
    for (int i = 0; i < SIZES; i++)
        if (!strcmp(key, keys[i][1]) && first != 'n') c->size[i] = situ_plain_number(number, NULL);
}

/* Reads the members of the file, or with `inner` of its rope_parameters or rope_scaling. */
static void read_members(config *c, bool inner)
{
    situ_json *j = &c->j;
    for (bool more = situ_json_open(j, '{'); more; more = situ_json_next(j, '}')) {
        const char *key = situ_json_key(j, &c->space), *text = NULL;
        char first = situ_json_peek(j), number[64];
        const char *from = j->p;
        if (!key) return;
        if (!inner && (!strcmp(key, "rope_parameters") || !strcmp(key, "rope_scaling")) && first == '{') {
            read_members(c, true);
            continue;
        }
        if (first == '"') text = situ_json_string(j, &c->space);
        else situ_json_skip(j);
        snprintf(number, sizeof number, "%.*s", (int)(j->p - from < 63 ? j->p - from : 63), from);
        take_member(c, inner, key, first, text, number);
    }
}

/* Checks how config.json scales the rotary frequencies: not, by one factor, or as Llama 3.1 does. */
static int check_scaling(const situ_archive *a, const config *c)
{
    static const char *const needed[] = {"factor", "original_max_position_embeddings", "low_freq_factor", "high_freq_factor"};
    const char *how = c->scaling ? c->scaling : "default";
    bool llama3 = !strcmp(how, "llama3"), linear = !strcmp(how, "linear");
    if (!llama3) c->size[LOW] = c->size[HIGH] = 0;
    if (!llama3 && !linear && strcmp(how, "default"))
        return refuse(a, "its config.json has a rope_type that is not known here (default, linear and llama3 are): ", how);
    if (!llama3 && !linear && c->size[FACTOR] > 0)
        return refuse(a, "its config.json scales the rotary frequencies by a factor and does not say how: rope_type is ", how);
    for (int i = FACTOR; i <= HIGH; i++)
        if ((llama3 || (linear && i == FACTOR)) && !(c->size[i] > 0 && c->size[i] < INFINITY))
            return refuse(a, "its config.json scales the rotary frequencies without a number above 0 for ", needed[i - FACTOR]);
    return llama3 && c->size[LOW] >= c->size[HIGH] ? refuse(a, "its config.json has a low_freq_factor above its ", needed[3]) : 0;
}

static int read_config(const situ_archive *a, double *size)
{
    const char *slash = strrchr(a->path, '/');
    char path[4096];
    snprintf(path, sizeof path, "%.*sconfig.json", slash ? (int)(slash + 1 - a->path) : 0, a->path);
    situ_mapping *file = situ_mapping_beside(path, a->path, false);
    char *space = file ? situ_malloc(file->size + 1) : NULL;
    if (!space) {
        if (file) situ_fail(SITU_NO_MEMORY, NULL, "situ_llama_open: out of host memory");
        situ_mapping_let_go(file);
        return -situ_error_code;
    }
    config c = {.j = situ_json_of(file->bytes, file->size), .space = space, .size = size};
    read_members(&c, false);
    if (c.window && !c.windowless) c.strange = "sliding_window";
    int rc = 0;
    if (!situ_json_end(&c.j)) rc = situ_fail(SITU_BAD_FORMAT, NULL, "situ_llama_open: %s: %s", path, c.j.error);
    else if (!c.type || (strcmp(c.type, "llama") && strcmp(c.type, "mistral") && strcmp(c.type, "qwen2")))
        rc = refuse(a, "its config.json says of another family: ", c.type ? c.type : "none");
    else if (c.strange) rc = refuse(a, "its config.json asks for something that is not known here: ", c.strange);
    else rc = check_scaling(a, &c);
    situ_free(space);
    situ_mapping_let_go(file);
    return rc;
}

/* Metadata of the model's family, "llama.block_count". */
static const char *of_family(const situ_archive *a, const char *family, const char *key)
{
    char name[96];
    snprintf(name, sizeof name, "%s.%s", family, key);
    return *key ? situ_archive_metadata(a, name) : NULL;
}

static int read_sizes(const situ_archive *a, double *size)
{
    const char *family = situ_archive_metadata(a, "general.architecture");
    if (!family && !strcmp(a->format, "gguf")) return refuse(a, "it does not name its model family", "");
    if (!family) return read_config(a, size);
    if (strcmp(family, "llama") && strcmp(family, "qwen2")) return refuse(a, "a model of another family: ", family);
    const char *parts = situ_archive_metadata(a, "split.count");
    if (parts && situ_plain_number(parts, NULL) > 1)
        return refuse(a, "it is one of the files of a model that was split; join them; there are ", parts);
    for (int i = 0; i < SIZES; i++) {
        const char *text = of_family(a, family, keys[i][0]);
        if (text) size[i] = situ_plain_number(text, NULL);
    }
    /* A factor without a type is linear; scale_linear is its older name. */
    const char *scaling = of_family(a, family, "rope.scaling.type"), *older = of_family(a, family, "rope.scale_linear");
    if (!(size[FACTOR] > 0) && older) size[FACTOR] = situ_plain_number(older, NULL);
    if (scaling && strcmp(scaling, "none") && strcmp(scaling, "linear"))
        return refuse(a, "its rotary frequencies are scaled in a way that is not known here: ", scaling);
    if (scaling && !strcmp(scaling, "none")) size[FACTOR] = 0;
    return size[FACTOR] >= 0 && size[FACTOR] < INFINITY ? 0 : refuse(a, "it has a wrong factor of its rotary frequencies", "");
}

/* A size that is no positive whole number becomes 0, which situ_llama refuses. */
static int64_t count_of(double size) { return size >= 1 && size <= INT32_MAX && size == floor(size) ? (int64_t)size : 0; }

/* ---- names of parameters ---------------------------------------------------------------------------------------------------- */

static const char *const parts[][2] = {{"self_attn.q_proj.", "attn_q."}, {"self_attn.k_proj.", "attn_k."},
    {"self_attn.v_proj.", "attn_v."}, {"self_attn.o_proj.", "attn_output."}, {"mlp.gate_proj.", "ffn_gate."},
    {"mlp.up_proj.", "ffn_up."}, {"mlp.down_proj.", "ffn_down."}, {"input_layernorm.", "attn_norm."},
    {"post_attention_layernorm.", "ffn_norm."}};

static const char factors_name[] = "model.rotary.factors";

/* Writes a parameter's name in GGUF; returns its index in `parts`, -1: none. */
static int rename_for_gguf(const char *name, char *to, size_t size)
{
    static const char front[] = "model.layers.";
    if (strncmp(name, front, sizeof front - 1)) {
        const char *other = !strcmp(name, "model.embed_tokens.weight") ? "token_embd.weight" :
            !strcmp(name, "model.norm.weight")                         ? "output_norm.weight" :
            !strcmp(name, factors_name)                                ? "rope_freqs.weight" :
                                                                         "output.weight";
        snprintf(to, size, "%s", other);
        return -1;
    }
    name += sizeof front - 1;
    int digits = (int)strspn(name, "0123456789");
    for (int i = 0; i < (int)(sizeof parts / sizeof *parts); i++) {
        size_t n = strlen(parts[i][0]);
        if (strncmp(name + digits + 1, parts[i][0], n)) continue;
        snprintf(to, size, "blk.%.*s.%s%s", digits, name, parts[i][1], name + digits + 1 + n);
        return i;
    }
    return -1;
}

/* ---- values -------------------------------------------------------------------------------------------------------------- */

/* Decides how a matrix is stored: the bytes of a row, if it keeps the file's format; 0: it is converted to f32. */
static int64_t kept_bytes(const situ_entry *e, situ_matrix_part *part, situ_device device)
{
    if (!e->unpack && (e->dtype == SITU_F16 || e->dtype == SITU_BF16)) return 2 * part->in;
    for (int i = 0; i < SITU_BLOCK_TYPES && device.kind == SITU_CPU; i++) {
        const situ_block_format *f = &situ_block_formats[i];
        if (!f->name || strcmp(e->type, f->name) || part->in % f->numbers) continue;
        part->type = i;
        return part->in / f->numbers * f->bytes;
    }
    return 0;
}

/* The tensor in the format in which it is stored. */
static situ_tensor *kept(const situ_archive *a, int64_t i, int64_t rows, int64_t bytes, situ_device device, situ_site site)
{
    situ_entry e = a->entry[i];
    situ_archive one = *a;
    one.entry = &e;
    if (e.unpack) {
        e.dtype = SITU_U8;
        e.shape = SHAPE(rows, bytes);
        e.unpack = NULL;
    }
    return situ_archive_tensor(&one, 0, (situ_dtype)e.dtype, device, false, site);
}

/* Reorders rotary pairs of a weight or bias: in GGUF files of the family llama the two halves of a pair are
 * neighbours, here and in PyTorch they are half a head apart. */
static situ_tensor *apart(situ_tensor *w, int64_t heads, situ_site site)
{
    situ_shape shape = situ_shape_like(w);
    int64_t rows = shape.dim[0], columns = shape.ndim > 1 ? shape.dim[1] : 1;
    w = situ_reshape(w, SHAPE(heads, rows / heads / 2, 2, columns));
    return situ_reshape(situ_permute(w, AXES(0, 2, 1, 3)), shape);
}

typedef struct reading {
    situ_archive *a;
    situ_module *model;
    const situ_llama_options *sizes;
    double size[SIZES];
    bool gguf, keep, pairs; /* pairs: the two halves of a rotary pair are neighbours */
    situ_device device;
    bool *used;
    situ_site site;
} reading;

static int fits(const reading *r, const situ_parameter *p, int64_t i, const char *name)
{
    const situ_entry *e = i < 0 ? NULL : &r->a->entry[i];
    char has[SITU_SHAPE_TEXT], wants[SITU_SHAPE_TEXT];
    if (!e) return situ_fail(SITU_BAD_FORMAT, r->site, "situ_llama_open: %s lacks %s", r->a->path, name);
    if (e->dtype < 0 || !situ_dtype_is_float((situ_dtype)e->dtype))
        return situ_fail(
            SITU_UNSUPPORTED, r->site, "situ_llama_open: %s: %s holds %s, which is not known here", r->a->path, name, e->type);
    if (situ_shape_equal((int)e->shape.ndim, e->shape.dim, (int)p->shape.ndim, p->shape.dim)) return 0;
    return situ_fail(SITU_BAD_FORMAT, r->site, "situ_llama_open: %s: %s is %s; by the sizes that the file tells it must be %s",
        r->a->path, name, situ_shape_text((int)e->shape.ndim, e->shape.dim, has, sizeof has),
        situ_shape_text((int)p->shape.ndim, p->shape.dim, wants, sizeof wants));
}

/* What divides the rotary frequencies: one factor, or by Llama 3.1's rule that factor for wavelengths beyond original
 * / low, none for those below original / high, and between them a mean of the two. */
static situ_tensor *made_factors(const reading *r, int64_t half, situ_site site)
{
    const double *z = r->size;
    float *factor = situ_malloc((size_t)half * sizeof *factor);
    if (!factor) return situ_fail(SITU_NO_MEMORY, site, "situ_llama_open: out of host memory"), situ_poisoned();
    for (int64_t i = 0; i < half; i++) {
        double wavelength = 2 * 3.14159265358979323846 * situ_f64_pow(z[BASE], (double)i / (double)half);
        double share = z[LOW] > 0 ? (z[ORIGINAL] / wavelength - z[LOW]) / (z[HIGH] - z[LOW]) : 0;
        share = fmin(fmax(share, 0), 1);
        factor[i] = (float)(1 / ((1 - share) / z[FACTOR] + share));
    }
    situ_tensor *t = situ_from_host(factor, SHAPE(half), .device = r->device);
    situ_free(factor);
    return t;
}

/* The parameter's value: as the file keeps it, as f32, or made from the numbers that the file has. */
static situ_tensor *value_of(const reading *r, const situ_parameter *p, int64_t i, int64_t bytes, situ_site site)
{
    if (bytes) return kept(r->a, i, situ_matrix_of(p->owner)->rows, bytes, r->device, site);
    if (i < 0) return made_factors(r, p->shape.dim[0], site);
    return situ_archive_tensor(r->a, i, SITU_F32, r->device, false, site);
}

static int read_one(const reading *r, situ_parameter *p)
{
    situ_site site = r->site;
    char name[64];
    int part = -1;
    if (r->gguf) part = rename_for_gguf(p->path, name, sizeof name);
    const char *in_file = r->gguf ? name : p->path;
    int64_t i = situ_archive_at(r->a, in_file);
    bool factors = !strcmp(p->path, factors_name), made = factors && i < 0;
    if (!made && fits(r, p, i, in_file)) return -situ_error_code;
    if (!made) r->used[i] = true;
    situ_matrix_part *matrix = p == p->owner->own[0] ? situ_matrix_of(p->owner) : NULL;
    int64_t bytes = r->keep && matrix ? kept_bytes(&r->a->entry[i], matrix, r->device) : 0;
    situ_tensor *t = value_of(r, p, i, bytes, site);
    if (factors && !made && r->size[FACTOR] > 0 && !situ_error_code) t = situ_mul(t, r->size[FACTOR]);
    bool of_queries = part == 0, of_keys = part == 1;
    if (r->pairs && (of_queries || of_keys) && !situ_error_code) t = apart(t, of_keys ? r->sizes->kv_heads : r->sizes->heads, site);
    /* Borrowed host memory is never changed in place, which training needs; and a borrowed small vector would keep the
     * whole file mapped. */
    bool hold = bytes || (t->ndim > 1 && !made && !r->a->entry[i].unpack);
    if (situ_error_code) t = NULL;
    else t = hold ? situ_variable_holding(t, !bytes, p->path, site) : situ_variable(t, .name = p->path);
    if (situ_error_code || situ_store_first_values(t, site)) return -situ_error_code;
    p->copy[0] = t;
    p->shape = situ_shape_like(t);
    p->fixed = bytes != 0 || factors;
    p->made = true;
    return 0;
}

static int read_all(reading *r)
{
    situ_module *m = r->model;
    if (situ_module_number(m)) return -situ_error_code;
    m->device[0] = r->device;
    m->devices = 1;
    for (int k = 0; k < m->total; k++) {
        situ_scope *scope = situ_scope_open(); /* only one matrix at a time is in memory as f32 */
        int rc = read_one(r, m->all[k]);
        situ_scope_close(scope);
        if (rc) return rc;
    }
    for (int64_t i = 0; i < r->a->entries; i++)
        if (!r->used[i] && !strstr(r->a->entry[i].name, "rotary_emb.inv_freq"))
            return refuse(r->a, "it has a tensor that is no part of a Llama model: ", r->a->entry[i].name);
    return 0;
}

static situ_module *model_of(reading *r, situ_site site)
{
    situ_archive *a = r->a;
    double *size = r->size;
    bool gguf = r->gguf;
    size[BASE] = 10000, size[EPSILON] = 1e-5;
    int64_t table = situ_archive_at(a, gguf ? "token_embd.weight" : "model.embed_tokens.weight");
    bool none = table < 0 || a->entry[table].shape.ndim != 2;
    if ((!none || situ_archive_metadata(a, "general.architecture")) && read_sizes(a, size)) return NULL;
    if (none) {
        situ_fail(SITU_BAD_FORMAT, site, "situ_llama_open: %s has no table of tokens%s", a->path,
            situ_archive_metadata(a, "rank") ? "; it is an adapter, not a model" : "");
        return NULL;
    }
    int64_t heads = count_of(size[HEADS]), width = count_of(size[WIDTH]);
    for (int i = HEAD_WIDTH; i <= ROTARY_WIDTH; i++)
        if (size[i] > 0 && (!heads || size[i] != (double)(width / heads))) {
            refuse(a, "its heads are not as wide as width / heads, or turn in part", "");
            return NULL;
        }
    int64_t layers = count_of(size[LAYERS]);
    return situ_llama(.layers = layers, .width = width, .heads = heads, .kv_heads = count_of(size[KV_HEADS]),
        .hidden = count_of(size[HIDDEN]), .vocabulary = a->entry[table].shape.dim[0], .rope_base = size[BASE],
        .epsilon = size[EPSILON], .tied = situ_archive_at(a, gguf ? "output.weight" : "lm_head.weight") < 0,
        .bias = situ_archive_at(a, gguf ? "blk.0.attn_q.bias" : "model.layers.0.self_attn.q_proj.bias") >= 0,
        .rope_factors = size[FACTOR] > 0 || situ_archive_at(a, gguf ? "rope_freqs.weight" : factors_name) >= 0);
}

situ_module *(situ_llama_open)(const char *path, const situ_llama_open_options *options, situ_site site)
{
    SITU_SPEAK("situ_llama_open", site);
    situ_llama_open_options o = {SITU_DEFAULTS(SITU_LLAMA_OPEN_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_llama_open", site) ||
        !situ_take_device(&o.device, "situ_llama_open", site) || situ_device_resolve(&o.device, site))
        return NULL;
    situ_archive *a = situ_archive_open(path);
    if (!a) return NULL;
    reading r = {.a = a, .gguf = !strcmp(a->format, "gguf"), .keep = o.keep, .device = o.device, .site = site};
    const char *family = situ_archive_metadata(a, "general.architecture");
    r.pairs = r.gguf && family && !strcmp(family, "llama");
    r.model = model_of(&r, site);
    r.used = situ_calloc((size_t)a->entries + 1, sizeof *r.used);
    if (r.model && !r.used) situ_fail(SITU_NO_MEMORY, site, "situ_llama_open: out of host memory");
    if (r.model && !situ_error_code) {
        r.sizes = &situ_llama_of(r.model, "situ_llama_open", site)->o;
        read_all(&r);
    }
    situ_free(r.used);
    situ_error error = {.code = situ_error_code};
    if (error.code) situ_error_take(&error);
    situ_archive_close(a);
    if (!error.code) return r.model;
    situ_module_free(r.model);
    situ_fail_again(error.code, error.message);
    return NULL;
}

/* ---- saving -------------------------------------------------------------------------------------------------------------- */

/* A parameter in f32, with its adapter added. */
static situ_tensor *whole(const situ_parameter *p, situ_site site)
{
    situ_tensor *w = p->copy[0];
    const situ_matrix_part *part = situ_matrix_of(p->owner);
    if (!part || p != p->owner->own[0]) return w;
    w = w->dtype == SITU_U8 ? situ_dequantise(w, (situ_block_type)part->type) : situ_cast(w, SITU_F32);
    if (part->low_rank_by == 0) return w;
    situ_tensor *a = p->owner->child[0]->own[0]->copy[0], *b = p->owner->child[1]->own[0]->copy[0];
    return situ_add(w, situ_mul(situ_matmul(b, a), part->low_rank_by));
}

static int write_all(situ_module *m, const char *path, const char *metadata, int64_t shard_bytes, situ_site site)
{
    situ_written *w = situ_calloc((size_t)m->total + 1, sizeof *w);
    if (!w) return situ_fail(SITU_NO_MEMORY, site, "situ_llama_save: out of host memory");
    int n = 0;
    for (int k = 0; k < m->total; k++)
        situ_module_parameter(m, k); /* created now if it does not exist yet; an adapter's parameters come after those of its matrix
                                      */
    for (int k = 0; k < m->total && !situ_error_code; k++) {
        if (strstr(m->all[k]->path, ".lora_")) continue;
        w[n].name = m->all[k]->path;
        w[n++].tensor = whole(m->all[k], site);
    }
    int rc = situ_error_code ? -situ_error_code : situ_file_save(path, w, n, metadata, shard_bytes, "situ_llama_save", site);
    situ_free(w);
    return rc;
}

int(situ_llama_save)(situ_module *model, const char *path, const situ_llama_save_options *options, situ_site site)
{
    SITU_SPEAK("situ_llama_save", site);
    situ_llama_save_options s = {SITU_DEFAULTS(SITU_LLAMA_SAVE_DEFAULTS)};
    const situ_llama_model *l = situ_llama_of(model, "situ_llama_save", site);
    if (!l || !SITU_TAKE_OPTIONS(s, options, "situ_llama_save", site) || situ_module_number(model)) return -situ_error_code;
    if (!path) return situ_fail(SITU_BAD_ARGUMENT, site, "situ_llama_save: no file is named");
    const situ_llama_options *o = &l->o;
    double size[] = {
        (double)o->layers, (double)o->width, (double)o->heads, (double)o->kv_heads, (double)o->hidden, o->rope_base, o->epsilon};
    char metadata[1024] = "format=pt\ngeneral.architecture=llama"; /* transformers requires the key "format" */
    size_t used = strlen(metadata);
    for (int i = 0; i <= EPSILON; i++)
        used += (size_t)situ_plain_format(metadata + used, sizeof metadata - used, "\nllama.%s=%.17g", keys[i][0], size[i]);
    situ_scope *scope = situ_scope_open();
    int rc = write_all(model, path, metadata, s.shard_bytes, site);
    situ_scope_close(scope);
    return rc;
}
