/* The layers of a Llama model. */
#include <math.h>

#include "base/memory.h"
#include "func/attention.h"
#include "model/llama.h"
#include "op/rotary.h"
#include "op/support.h"
#include "run/enqueue.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

enum { EMBEDDING, LAYERS, NORM, ROTARY };                /* children of "model"; the last one if there are factors */
enum { INPUT_NORM, ATTENTION, OUTPUT_NORM, FEED };       /* children of a layer */
enum { QUERIES, KEYS, VALUES, OUT, GATE = 0, UP, DOWN }; /* children of attention, and of the feed-forward block */

/* What all layers of one call share: rotary angles of the positions, the cache. */
typedef struct pass {
    const situ_llama_options *o;
    situ_llama_memory *memory;
    situ_tensor *cosine, *sine, *at;
    situ_site site;
} pass;

static situ_tensor *through(situ_module *m, situ_tensor *x)
{
    return situ_error_code ? situ_poisoned() : (situ_module_call)(m, x, NULL, situ_frame_now->site);
}

/* Applies the rotary embedding to x [batch, positions, heads * width]. */
static situ_tensor *rotated(const pass *p, situ_tensor *x, int64_t heads)
{
    situ_site site = p->site;
    if (situ_error_code) return situ_poisoned();
    situ_shape flat = situ_shape_like(x);
    x = situ_reshape(x, SHAPE(flat.dim[0], flat.dim[1], heads, flat.dim[2] / heads));
    return situ_reshape(situ_rotary_by(x, p->cosine, p->sine, 1, site), flat);
}

/* Repeats each head of keys or values [batch, positions, kv_heads * width] for the queries that share it. */
static situ_tensor *spread(const pass *p, situ_tensor *x)
{
    situ_site site = p->site;
    int64_t groups = p->o->kv_heads, per = p->o->heads / groups;
    if (per == 1 || situ_error_code) return x;
    int64_t batch = x->dim[0], places = x->dim[1], width = x->dim[2] / groups;
    x = situ_broadcast_to(situ_reshape(x, SHAPE(batch, places, groups, 1, width)), SHAPE(batch, places, groups, per, width));
    return situ_reshape(x, SHAPE(batch, places, groups * per * width));
}

static situ_tensor *attention(const pass *p, situ_module *m, int layer, situ_tensor *x)
{
    situ_site site = p->site;
    situ_tensor *q = rotated(p, through(m->child[QUERIES], x), p->o->heads);
    situ_tensor *k = rotated(p, through(m->child[KEYS], x), p->o->kv_heads), *v = through(m->child[VALUES], x), *y;
    if (p->memory) {
        situ_tensor **keys = p->memory->keys + layer, **values = p->memory->values + layer;
        y = situ_cached_attention(q, k, v, *keys, *values, p->at, p->o->heads, p->o->kv_heads, site);
        situ_assign(*keys, situ_update_slice(*keys, k, SHAPE(0, p->memory->at, 0)));
        situ_assign(*values, situ_update_slice(*values, v, SHAPE(0, p->memory->at, 0)));
    } else {
        situ_tensor *all = situ_concat(TENSORS(q, spread(p, k), spread(p, v)), .axis = 2);
        y = situ_self_attention(all, p->o->heads, .causal = true);
    }
    return through(m->child[OUT], y);
}

static situ_tensor *layer(const pass *p, situ_module *m, int number, situ_tensor *x)
{
    situ_site site = p->site;
    x = situ_add(x, attention(p, m->child[ATTENTION], number, through(m->child[INPUT_NORM], x)));
    situ_module *feed = m->child[FEED];
    situ_tensor *in = through(m->child[OUTPUT_NORM], x);
    situ_tensor *gate = situ_silu(through(feed->child[GATE], in));
    return situ_add(x, through(feed->child[DOWN], situ_mul(gate, through(feed->child[UP], in))));
}

situ_tensor *situ_llama_run(situ_module *m, situ_tensor *tokens, situ_llama_memory *memory, situ_site site)
{
    const situ_llama_model *l = m->self;
    situ_module *model = m->child[0], *layers = model->child[LAYERS];
    int64_t count = tokens->dim[1], at = memory ? memory->at : 0;
    situ_tensor *position = situ_arange(0, (double)count, 1, .dtype = SITU_I32, .device = tokens->device);
    if (memory) position = situ_add(position, situ_full(SHAPE(1), at, .dtype = SITU_I32, .device = tokens->device));
    pass p = {.o = &l->o, .memory = memory, .site = site};
    situ_tensor *factors = l->o.rope_factors ? through(model->child[ROTARY], tokens) : NULL;
    situ_rotary_angles(position, l->o.width / l->o.heads / 2, l->o.rope_base, factors, SITU_F32, &p.cosine, &p.sine, site);
    if (memory) p.at = situ_full(SHAPE(1), at, .dtype = SITU_I32, .device = tokens->device);
    situ_tensor *x = through(model->child[EMBEDDING], tokens);
    for (int i = 0; i < layers->children && !situ_error_code; i++) x = layer(&p, layers->child[i], i, x);
    if (memory && !situ_error_code)
        x = situ_reshape(situ_slice(x, .start = SHAPE(SITU_FULL, count - 1)), SHAPE(x->dim[0], x->dim[2]));
    x = through(model->child[NORM], x);
    return through(l->o.tied ? model->child[EMBEDDING] : m->child[1], x);
}

/* ---- the module ---------------------------------------------------------------------------------------------------------- */

static situ_tensor *forward_llama(situ_module *m, situ_tensor *tokens, void *self)
{
    (void)self;
    situ_site site = situ_frame_now->site;
    if (!(tokens = situ_value_of(tokens, site))) return situ_poisoned();
    if (tokens->ndim != 2 || !situ_dtype_is_integer((situ_dtype)tokens->dtype) || !tokens->dim[1])
        return situ_refuse_input(m, tokens, "integers of [batch, count]");
    return situ_llama_run(m, tokens, NULL, site);
}

void situ_llama_forget(situ_llama_model *l)
{
    situ_llama_memory *memory = l->memory;
    l->memory = NULL;
    for (int64_t i = 0; memory && i < l->o.layers; i++) {
        situ_release(memory->keys[i]);
        situ_release(memory->values[i]);
    }
    if (memory) situ_free(memory->keys);
    situ_free(memory);
}

static void release_llama(void *self)
{
    situ_llama_forget(self);
    situ_free(self);
}

static void *copy_llama(const void *self)
{
    situ_llama_model *l = situ_malloc(sizeof *l);
    if (l) *l = (situ_llama_model){.o = ((const situ_llama_model *)self)->o};
    return l;
}

static const situ_module_kind llama_kind = {
    .name = "llama", .forward = forward_llama, .release = release_llama, .copy = copy_llama, .inputs = "tokens"};

situ_llama_model *situ_llama_self(const situ_module *m) { return m && m->kind == &llama_kind ? m->self : NULL; }

situ_llama_model *situ_llama_of(const situ_module *m, const char *function, situ_site site)
{
    if (situ_error_code || situ_ended(m, function, "model", site)) return NULL;
    if (situ_llama_self(m)) return m->self;
    situ_fail(SITU_BAD_ARGUMENT, site, "%s: %s", function, m ? "the network is no model of the Llama family" : "the model is NULL");
    return NULL;
}

/* Gives its parameter, whose device is that of the tokens. */
static situ_tensor *forward_factors(situ_module *m, situ_tensor *tokens, void *self)
{
    situ_site site = situ_frame_now->site;
    return situ_module_use(m, 0, tokens, SHAPE(*(int64_t *)self), .value = 1, .fixed = true);
}

static const situ_module_kind factors_kind = {.name = "rotary", .forward = forward_factors, .release = situ_free};

static situ_module *factors_layer(int64_t half, situ_site site)
{
    situ_module *m = situ_with_parameters(situ_layer(&factors_kind, &half, sizeof half, site), (const char *[]){"factors", NULL});
    const situ_module_use_options o = {.value = 1, .fixed = true};
    return m ? situ_expected(m, situ_module_expect(m, 0, SHAPE(half), &o)) : NULL;
}

/* A module with named children. */
static situ_module *parts(const char *const *names, situ_parts all, situ_site site)
{
    (void)site;
    return situ_module_dict(names, all);
}

static situ_module *layer_of(const situ_llama_options *o, situ_site site)
{
    int64_t key_width = o->width / o->heads * o->kv_heads;
    situ_module *attention = parts((const char *[]){"q_proj", "k_proj", "v_proj", "o_proj"},
        SITU_PARTS(situ_matrix_layer(o->width, o->width, o->bias, site), situ_matrix_layer(key_width, o->width, o->bias, site),
            situ_matrix_layer(key_width, o->width, o->bias, site), situ_matrix_layer(o->width, o->width, false, site)),
        site);
    situ_module *feed = parts((const char *[]){"gate_proj", "up_proj", "down_proj"},
        SITU_PARTS(situ_matrix_layer(o->hidden, o->width, false, site), situ_matrix_layer(o->hidden, o->width, false, site),
            situ_matrix_layer(o->width, o->hidden, false, site)),
        site);
    situ_module *before = situ_rms_norm_layer(.eps = o->epsilon, .in = o->width),
                *behind = situ_rms_norm_layer(.eps = o->epsilon, .in = o->width);
    return parts((const char *[]){"input_layernorm", "self_attn", "post_attention_layernorm", "mlp"},
        SITU_PARTS(before, attention, behind, feed), site);
}

static bool check_sizes(situ_llama_options *o, situ_site site)
{
    if (!o->kv_heads) o->kv_heads = o->heads;
    if (!o->hidden) o->hidden = 4 * o->width;
    const int64_t sizes[] = {o->layers, o->width, o->heads, o->kv_heads, o->hidden, o->vocabulary};
    bool fits = o->rope_base > 0 && o->rope_base < INFINITY && o->epsilon >= 0 && o->epsilon < INFINITY;
    for (int i = 0; i < 6; i++) fits &= sizes[i] > 0 && sizes[i] <= INT32_MAX;
    if (fits && o->layers <= SITU_MOST_NESTED && o->width % (2 * o->heads) == 0 && o->heads % o->kv_heads == 0) return true;
    situ_fail(SITU_BAD_OPTION, site,
        "situ_llama: %lld layers, width %lld, %lld heads, %lld of keys and values, hidden %lld, %lld tokens, rope_base %g, epsilon "
        "%g; heads divide the width into an even number, those of keys divide heads, and nothing is below 1 but epsilon",
        (long long)o->layers, (long long)o->width, (long long)o->heads, (long long)o->kv_heads, (long long)o->hidden,
        (long long)o->vocabulary, o->rope_base, o->epsilon);
    return false;
}

situ_module *(situ_llama)(const situ_llama_options *options, situ_site site)
{
    SITU_SPEAK("situ_llama", site);
    situ_llama_model l = {.o = {SITU_DEFAULTS(SITU_LLAMA_DEFAULTS)}};
    if (situ_error_code || !SITU_TAKE_OPTIONS(l.o, options, "situ_llama", site) || !check_sizes(&l.o, site)) return NULL;
    const situ_llama_options *o = &l.o;
    situ_module *layers = situ_module_list((situ_parts){NULL, 0});
    char name[24];
    for (int64_t i = 0; layers && i < o->layers && !situ_error_code; i++) {
        snprintf(name, sizeof name, "%lld", (long long)i);
        situ_module_adopt(layers, name, layer_of(o, site));
    }
    situ_module *table = situ_matrix_layer(o->vocabulary, o->width, false, site);
    situ_module *model = parts((const char *[]){"embed_tokens", "layers", "norm"},
        SITU_PARTS(table, layers, situ_rms_norm_layer(.eps = o->epsilon, .in = o->width)), site);
    if (o->rope_factors && model && situ_module_adopt(model, "rotary", factors_layer(o->width / o->heads / 2, site)) < 0) {
        situ_module_free(model);
        return NULL;
    }
    situ_module *m = situ_layer(&llama_kind, &l, sizeof l, site);
    if (m) m->self_size = 0; /* the clone gets a cache of its own: kind->copy */
    if (!m || situ_module_adopt(m, "model", model) < 0) {
        if (!m) situ_module_free(model);
        situ_module_free(m);
        return NULL;
    }
    return o->tied || situ_module_adopt(m, "lm_head", situ_matrix_layer(o->vocabulary, o->width, false, site)) >= 0 ?
        m :
        situ_expected(m, 1);
}
