/* Models of the Llama family, inside. */
#ifndef SITU_MODEL_LLAMA_H
#define SITU_MODEL_LLAMA_H

#include <situ/models.h>

#include "nn/module.h"

/* What a model remembers of the tokens before: for each layer keys and values [batch, context, kv_heads width], variables. */
typedef struct situ_llama_memory {
    int64_t batch, context, at;
    uint64_t version; /* of keys[0], after the last step: where it is older, that step was dropped */
    situ_tensor **keys, **values;
} situ_llama_memory;

typedef struct situ_llama_model {
    situ_llama_options o; /* nothing is 0 but epsilon */
    situ_llama_memory *memory;
} situ_llama_model;

/* The model; NULL where it is none, and with an error. */
situ_llama_model *situ_llama_self(const situ_module *m);
situ_llama_model *situ_llama_of(const situ_module *m, const char *function, situ_site site);
/* Logits of tokens: of all, or, with a memory, of the last ones [batch, vocabulary]. The memory gets their keys and values. */
situ_tensor *situ_llama_run(situ_module *m, situ_tensor *tokens, situ_llama_memory *memory, situ_site site);
void situ_llama_forget(situ_llama_model *l);

/* A matrix [rows, in] without bias, as it is multiplied by rows of x, or as a table of rows: f32, halves, or blocks u8 [rows,
 * bytes]. */
typedef struct situ_matrix_part {
    int64_t rows, in;
    int64_t type;       /* of blocks */
    double low_rank_by; /* its parts lora_A and lora_B give so many times their product; 0: there are none */
} situ_matrix_part;
/* NULL: m is none. */
situ_matrix_part *situ_matrix_of(const situ_module *m);
situ_module *situ_matrix_layer(int64_t rows, int64_t in, situ_site site);
/* Adds the parts. 0 or a negative code. */
int situ_matrix_adapt(situ_module *m, int64_t rank, double by, situ_site site);
/* Takes it out again; needs no memory. */
void situ_matrix_adapt_no_more(situ_module *m);

#endif
