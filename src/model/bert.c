/* BERT encoders, built from existing layers, with Hugging Face's parameter names. */
#include <stdio.h>

#include <situ/file.h>
#include <situ/models.h>

#include "base/memory.h"
#include "device/device.h"
#include "file/archive.h"
#include "nn/module.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

enum { EMBEDDINGS, ENCODER };         /* children of the model */
enum { TOKENS, PLACES, KINDS, NORM }; /* children of the embeddings */
enum { ATTENTION, FEED, OUTPUT };     /* children of a layer */
enum { SELF, BEHIND };                /* children of its attention */
enum { DENSE, DENSE_NORM };           /* children of a block that ends with a norm */
enum { QUERIES, KEYS, VALUES };       /* children of "self" */

typedef struct bert {
    int64_t layers, width, hidden, vocabulary, places, kinds, heads, padding;
    double epsilon;
    bool pool;
} bert;

static situ_tensor *through(situ_module *m, situ_tensor *x)
{
    return situ_error_code ? situ_poisoned() : (situ_module_call)(m, x, NULL, situ_frame_now->site);
}

/* Reshapes [batch, positions, width] to [batch, heads, positions, width / heads]. */
static situ_tensor *by_head(const bert *b, situ_tensor *x, situ_site site)
{
    if (situ_error_code) return situ_poisoned();
    x = situ_reshape(x, SHAPE(x->dim[0], x->dim[1], b->heads, b->width / b->heads));
    return situ_permute(x, AXES(0, 2, 1, 3));
}

/* seen [batch, 1, 1, positions] is added to the scores: 0 for a token, a large negative number for padding. */
static situ_tensor *attention(const bert *b, situ_module *m, situ_tensor *x, situ_tensor *seen, situ_site site)
{
    situ_module *self = m->child[SELF];
    situ_tensor *q = by_head(b, through(self->child[QUERIES], x), site), *k = by_head(b, through(self->child[KEYS], x), site);
    situ_tensor *v = by_head(b, through(self->child[VALUES], x), site);
    if (situ_error_code) return situ_poisoned();
    situ_tensor *scores = situ_div(situ_matmul(q, situ_transpose(k)),
        situ_sqrt(situ_full(SHAPE(1), b->width / b->heads, .dtype = SITU_F32, .device = x->device)));
    situ_tensor *y = situ_matmul(situ_softmax(situ_add(scores, seen)), v);
    y = situ_reshape(situ_permute(y, AXES(0, 2, 1, 3)), SHAPE(x->dim[0], x->dim[1], b->width));
    return through(m->child[BEHIND]->child[DENSE], y);
}

static situ_tensor *layer(const bert *b, situ_module *m, situ_tensor *x, situ_tensor *seen, situ_site site)
{
    situ_module *attends = m->child[ATTENTION], *output = m->child[OUTPUT];
    x = through(attends->child[BEHIND]->child[DENSE_NORM], situ_add(attention(b, attends, x, seen, site), x));
    situ_tensor *in = situ_gelu(through(m->child[FEED]->child[DENSE], x), .exact = true);
    return through(output->child[DENSE_NORM], situ_add(through(output->child[DENSE], in), x));
}

static situ_tensor *forward_bert(situ_module *m, situ_tensor *tokens, void *of)
{
    const bert *b = of;
    situ_site site = situ_frame_now->site;
    if (!(tokens = situ_value_of(tokens, site))) return situ_poisoned();
    if (tokens->ndim != 2 || !situ_dtype_is_integer((situ_dtype)tokens->dtype) || !tokens->dim[1] || tokens->dim[1] > b->places)
        return situ_refuse_input(m, tokens, "integers of [batch, count], no more than the model has positions");
    situ_module *embeddings = m->child[EMBEDDINGS], *layers = m->child[ENCODER]->child[0];
    int64_t batch = tokens->dim[0], count = tokens->dim[1];
    situ_tensor *there = situ_cast(situ_not_equal(tokens, (double)b->padding), SITU_F32); /* [batch, count] */
    situ_tensor *place = situ_arange(0, (double)count, 1, .dtype = SITU_I32, .device = tokens->device);
    situ_tensor *kind = situ_zeros(SHAPE(1), .dtype = SITU_I32, .device = tokens->device);
    situ_tensor *x = situ_add(through(embeddings->child[TOKENS], tokens), through(embeddings->child[KINDS], kind));
    x = through(embeddings->child[NORM], situ_add(x, through(embeddings->child[PLACES], place)));
    situ_tensor *seen = situ_mul(situ_reshape(situ_sub(1, there), SHAPE(batch, 1, 1, count)), -1e30);
    for (int i = 0; i < layers->children && !situ_error_code; i++) x = layer(b, layers->child[i], x, seen, site);
    if (!b->pool || situ_error_code) return x;
    situ_tensor *weight = situ_reshape(there, SHAPE(batch, count, 1));
    situ_tensor *sum = situ_sum(situ_mul(x, weight), .axes = AXES(1)), *n = situ_sum(there, .axes = AXES(1), .keepdims = true);
    situ_tensor *mean = situ_div(sum, situ_maximum(n, 1e-9));
    situ_tensor *length = situ_sqrt(situ_sum(situ_square(mean), .axes = AXES(1), .keepdims = true));
    return situ_div(mean, situ_maximum(length, 1e-12));
}

static const situ_module_kind bert_kind = {.name = "bert", .forward = forward_bert, .release = situ_free, .inputs = "tokens"};

/* ---- modules ------------------------------------------------------------------------------------------------------------- */

#define NAMES(...) \
    (const char *[]) { __VA_ARGS__ }

static situ_module *layer_of(const bert *b, situ_site site)
{
    situ_module *self = situ_module_dict(NAMES("query", "key", "value"),
        SITU_PARTS(situ_linear_layer(b->width, .in = b->width), situ_linear_layer(b->width, .in = b->width),
            situ_linear_layer(b->width, .in = b->width)));
    situ_module *behind = situ_module_dict(NAMES("dense", "LayerNorm"),
        SITU_PARTS(situ_linear_layer(b->width, .in = b->width), situ_layer_norm_layer(.eps = b->epsilon, .in = b->width)));
    situ_module *output = situ_module_dict(NAMES("dense", "LayerNorm"),
        SITU_PARTS(situ_linear_layer(b->width, .in = b->hidden), situ_layer_norm_layer(.eps = b->epsilon, .in = b->width)));
    situ_module *attends = situ_module_dict(NAMES("self", "output"), SITU_PARTS(self, behind));
    situ_module *feed = situ_module_dict(NAMES("dense"), SITU_PARTS(situ_linear_layer(b->hidden, .in = b->width)));
    return situ_module_dict(NAMES("attention", "intermediate", "output"), SITU_PARTS(attends, feed, output));
}

static situ_module *bert_of(const bert *b, situ_site site)
{
    situ_module *layers = situ_module_list((situ_parts){NULL, 0});
    char name[24];
    for (int64_t i = 0; layers && i < b->layers && !situ_error_code; i++) {
        snprintf(name, sizeof name, "%lld", (long long)i);
        situ_module_adopt(layers, name, layer_of(b, site));
    }
    situ_module *embeddings =
        situ_module_dict(NAMES("word_embeddings", "position_embeddings", "token_type_embeddings", "LayerNorm"),
            SITU_PARTS(situ_embedding_layer(b->vocabulary, b->width), situ_embedding_layer(b->places, b->width),
                situ_embedding_layer(b->kinds, b->width), situ_layer_norm_layer(.eps = b->epsilon, .in = b->width)));
    situ_module *encoder = situ_module_dict(NAMES("layer"), SITU_PARTS(layers)), *m = situ_layer(&bert_kind, b, sizeof *b, site);
    if (!m || situ_module_adopt(m, "embeddings", embeddings) < 0) {
        if (!m) situ_module_free(embeddings);
        situ_module_free(encoder);
        situ_module_free(m);
        return NULL;
    }
    return situ_module_adopt(m, "encoder", encoder) >= 0 ? m : situ_expected(m, 1);
}

/* ---- files ---------------------------------------------------------------------------------------------------------------- */

/* Size of axis d of a tensor in the file, where names may have the prefix "bert."; 0: there is no such tensor. */
static int64_t size_of(const situ_archive *a, const char *name, int d)
{
    char longer[128];
    snprintf(longer, sizeof longer, "bert.%s", name);
    int64_t i = situ_archive_at(a, name);
    if (i < 0) i = situ_archive_at(a, longer);
    return i >= 0 && a->entry[i].shape.ndim > d ? a->entry[i].shape.dim[d] : 0;
}

static bool read_sizes(bert *b, const char *path, situ_site site)
{
    const situ_archive_open_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .map = true};
    situ_archive *a = (situ_archive_open)(path, &o, site);
    char name[96];
    if (!a) return false;
    b->vocabulary = size_of(a, "embeddings.word_embeddings.weight", 0);
    b->width = size_of(a, "embeddings.word_embeddings.weight", 1);
    b->places = size_of(a, "embeddings.position_embeddings.weight", 0);
    b->kinds = size_of(a, "embeddings.token_type_embeddings.weight", 0);
    b->hidden = size_of(a, "encoder.layer.0.intermediate.dense.weight", 0);
    do snprintf(name, sizeof name, "encoder.layer.%lld.output.dense.weight", (long long)b->layers);
    while (size_of(a, name, 0) && ++b->layers < SITU_MOST_NESTED);
    situ_archive_close(a);
    bool whole = b->vocabulary > 0 && b->width > 0 && b->places > 0 && b->kinds > 0 && b->hidden > 0 && b->layers > 0;
    if (whole && b->width % b->heads == 0) return true;
    situ_fail(whole ? SITU_BAD_OPTION : SITU_UNSUPPORTED, site,
        whole ? "situ_bert_open: %s: %lld heads do not divide the width %lld" :
                "situ_bert_open: %s: it lacks names of BERT, such as embeddings.word_embeddings.weight",
        path, (long long)b->heads, (long long)b->width);
    return false;
}

situ_module *(situ_bert_open)(const char *path, const situ_bert_open_options *options, situ_site site)
{
    SITU_SPEAK("situ_bert_open", site);
    situ_bert_open_options o = {SITU_DEFAULTS(SITU_BERT_OPEN_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_bert_open", site)) return NULL;
    if (!path || o.heads < 1 || !(o.epsilon >= 0) || o.padding < 0)
        return situ_fail(path ? SITU_BAD_OPTION : SITU_BAD_ARGUMENT, site, "situ_bert_open: %s",
                   path ? "heads, epsilon or padding is below its least" : "no file is named"),
               NULL;
    bert b = {.heads = o.heads, .epsilon = o.epsilon, .padding = o.padding, .pool = o.pool};
    if (situ_device_resolve(&o.device, site) || !read_sizes(&b, path, site)) return NULL;
    situ_module *m = bert_of(&b, site);
    if (!m || situ_module_to(m, o.device) < 0) return situ_module_free(m), NULL;
    const situ_module_load_options load = {.size = sizeof load, .unnamed = SITU_NAMED, .map = true, .rename = "^bert.="};
    int loaded = (situ_module_load)(m, path, &load, site); /* the file may have tensors that are not used: a pooler, position
                                                            * indices */
    if (loaded >= 0 && loaded < situ_module_count(m))
        situ_fail(SITU_BAD_FORMAT, site, "situ_bert_open: %s: %d of the model's %d parameters are there", path, loaded,
            situ_module_count(m));
    situ_module_set_training(m, false);
    if (!situ_error_code) return m;
    situ_module_free(m);
    return NULL;
}
