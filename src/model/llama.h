/* Private parts of models of the Llama family. */
#ifndef SITU_MODEL_LLAMA_H
#define SITU_MODEL_LLAMA_H

#include <situ/models.h>

#include "nn/module.h"

/* The cache of keys and values of earlier tokens: for each layer two variables [batch, context, kv_heads * width]. */
typedef struct situ_llama_memory {
    int64_t batch, context, at;
    uint64_t version; /* version of keys[0] after the last step; if keys[0] has an older one, that step was dropped */
    situ_tensor **keys, **values;
} situ_llama_memory;

typedef struct situ_llama_model {
    situ_llama_options o; /* all options filled in; only epsilon may be 0 */
    situ_llama_memory *memory;
} situ_llama_model;

/* The model of a module; NULL, with an error, if it is no Llama model. */
situ_llama_model *situ_llama_self(const situ_module *m);
situ_llama_model *situ_llama_of(const situ_module *m, const char *function, situ_site site);
/* Logits of the tokens: of all, or with a cache of the last ones [batch, vocabulary]. Their keys and values are added
 * to the cache. */
situ_tensor *situ_llama_run(situ_module *m, situ_tensor *tokens, situ_llama_memory *memory, situ_site site);
void situ_llama_forget(situ_llama_model *l);

/* A matrix [rows, in], for products with rows of x or as a lookup table. Stored as f32, halves, or quantised blocks u8
 * [rows, bytes]. */
typedef struct situ_matrix_part {
    int64_t rows, in;
    int64_t type;       /* type of quantisation, as in GGUF */
    bool bias;          /* products get a bias [rows], the parameter 1 */
    double low_rank_by; /* the adapter's children lora_A and lora_B: their product is multiplied by this; 0: no adapter */
} situ_matrix_part;
/* The matrix of a module; NULL: it is another kind of module. */
situ_matrix_part *situ_matrix_of(const situ_module *m);
situ_module *situ_matrix_layer(int64_t rows, int64_t in, bool bias, situ_site site);
/* Adds an adapter. 0 or a negative code. */
int situ_matrix_adapt(situ_module *m, int64_t rank, double by, situ_site site);
/* Removes it again; allocates nothing. */
void situ_matrix_adapt_no_more(situ_module *m);

#endif
