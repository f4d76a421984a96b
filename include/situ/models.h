/* Language models of the Llama family (Touvron et al. 2023): RMS norms, rotary positions, grouped heads, SwiGLU.
 *
 *     situ_module *model = situ_llama_open("model.gguf", .keep = true);
 *     situ_tensor *logits = situ_llama_step(model, prompt);              // [batch, count] integers: what the next token may be
 *     while (...) {
 *         situ_scope *scope = situ_scope_open();
 *         int64_t token = situ_item_int(situ_sample(logits, situ_fold_in(key, i), .temperature = 0.8, .top_p = 0.95));
 *         ...
 *         logits = situ_llama_step(model, situ_full(SHAPE(1, 1), token));
 *     }
 *
 * A model is a network as any other: called with tokens [batch, count] it gives logits [batch, count, vocabulary], with gradients.
 */
#ifndef SITU_MODELS_H
#define SITU_MODELS_H

#include <situ/sequence.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SITU_BY_NAME situ_llama_options {
    SITU_OPTION_HEAD;
    int64_t layers;     /* = 2 in [1, inf): blocks of attention and SwiGLU */
    int64_t width;      /* = 64 in [1, inf): of a token's vector */
    int64_t heads;      /* = 4 in [1, inf): of queries; they divide width, into an even number */
    int64_t kv_heads;   /* = 0 in [0, inf): of keys and values, a divisor of heads; 0: as many */
    int64_t hidden;     /* = 0 in [0, inf): width inside of SwiGLU; 0: four times width */
    int64_t vocabulary; /* = 256 in [1, inf): how many tokens there are */
    double rope_base;   /* = 10000 in (0, inf): of rotary positions */
    double epsilon;     /* = 1e-5 in [0, inf): of the norms */
    bool tied;          /* = false: logits are products with the table of the tokens' vectors, instead of a matrix of their own */
} situ_llama_options;
/* A model with random weights, normal with deviation 0.02. Parameters have Hugging Face's names,
 * "model.layers.0.self_attn.q_proj.weight". NULL on an error. */
SITU_API situ_module *situ_llama(const situ_llama_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_llama_open_options {
    SITU_OPTION_HEAD;
    bool keep; /* = false: matrices stay as they are in the file (f16, bf16, Q8_0, Q4_0, Q4_1) where they are multiplied by
                          * such, for inference alone; false: f32, trained as any other */
    situ_device
        device; /* = default: where the weights are; default: the thread's default device. Blocks are kept on the CPU alone */
} situ_llama_open_options;
/* The model of a GGUF file, or of safetensors: what situ_llama_save wrote, or Hugging Face's with config.json beside it. f32
 * matrices on the CPU share the file's pages. NULL on an error. */
SITU_API situ_module *situ_llama_open(const char *path, const situ_llama_open_options *options, situ_site site);
typedef struct SITU_BY_NAME situ_llama_save_options {
    SITU_OPTION_HEAD;
    int64_t shard_bytes; /* = 0 in [0, inf): as in situ_save */
} situ_llama_save_options;
/* Writes the parameters as situ_module_save does, with the sizes that situ_llama_open reads; what a low-rank adapter has learnt is
 * added to its matrix. Kept halves and blocks are written as f32. 0 or a negative code. */
SITU_API int situ_llama_save(situ_module *model, const char *path, const situ_llama_save_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_llama_adapt_options {
    SITU_OPTION_HEAD;
    double alpha; /* = 16 in (0, inf): what the adapter gives is multiplied by alpha / rank */
} situ_llama_adapt_options;
/* Freezes the model, and adds to queries and values of each layer a trainable product of two matrices of low rank, "lora_A" and
 * "lora_B" below the matrix's name (Hu et al. 2021). lora_B begins with 0. How many there are, or a negative code. */
SITU_API int situ_llama_adapt(situ_module *model, int64_t rank, const situ_llama_adapt_options *options, situ_site site);

/* ---- one token after the other --------------------------------------------------------------------------------------- */

typedef struct SITU_BY_NAME situ_llama_begin_options {
    SITU_OPTION_HEAD;
    int64_t context; /* = 2048 in [1, inf): tokens that it remembers at most */
    int64_t batch;   /* = 1 in [1, inf): texts side by side */
} situ_llama_begin_options;
/* Forgets what came before: the next step is the first one. 0 or a negative code. */
SITU_API int situ_llama_begin(situ_module *model, const situ_llama_begin_options *options, situ_site site);
/* Goes on by tokens [batch, count]: logits [batch, vocabulary] of the token behind them, without gradients. The first step begins.
 * What does not fit the context is SITU_BAD_ARGUMENT, and so is going on from a step that failed. */
SITU_API situ_tensor *situ_llama_step(situ_module *model, situ_tensor *tokens, situ_site site);
/* How many tokens it remembers. */
SITU_API int64_t situ_llama_position(const situ_module *model);

typedef struct SITU_BY_NAME situ_sample_options {
    SITU_OPTION_HEAD;
    double temperature; /* = 1 in [0, inf): logits are divided by it; 0: the largest one is taken */
    int64_t top_k;      /* = 0 in [0, inf): of the so many largest; 0: of all */
    double top_p;       /* = 1 in (0, 1]: of the fewest whose probabilities sum up to it (Holtzman et al. 2020) */
} situ_sample_options;
/* A token, i64, for each row of logits [..., vocabulary], drawn by key (u32[2]) from their softmax. A row with NaN, or of -inf
 * alone, has none: its token is SITU_BAD_INDEX, the number of the vocabulary's tokens, where it is computed. */
SITU_API situ_tensor *situ_sample(situ_tensor *logits, situ_tensor *key, const situ_sample_options *options, situ_site site);

/* ---- sentences as vectors -------------------------------------------------------------------------------------------- */

typedef struct SITU_BY_NAME situ_bert_open_options {
    SITU_OPTION_HEAD;
    int64_t heads;      /* = 12 in [1, inf): of attention, which a file's shapes do not say */
    double epsilon;     /* = 1e-12 in [0, inf): of the norms */
    int64_t padding;    /* = 0 in [0, inf): the token that fills rows up, and is not looked at */
    bool pool;          /* = true: the mean over a row's tokens, of length 1, [batch, width]; false: all, [batch, count, width] */
    situ_device device; /* = default: where the weights are; default: the thread's default device */
} situ_bert_open_options;
/* A BERT encoder (J. Devlin et al. 2019) from safetensors with Hugging Face's names, such as all-MiniLM-L6-v2. Called with tokens
 * [batch, count], as situ_tokenizer_batch gives them of texts, it gives vectors: the product of two is how near the sentences are.
 * It can be trained on as any network, without dropout. NULL on an error. */
SITU_API situ_module *situ_bert_open(const char *path, const situ_bert_open_options *options, situ_site site);

#ifdef __cplusplus
}
#endif

#include <situ/call/models.h>

#endif
