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
    int64_t layers;     /* = 2 in [1, inf): number of Transformer blocks */
    int64_t width;      /* = 64 in [1, inf): width of a token's vector */
    int64_t heads;      /* = 4 in [1, inf): query heads; width / heads has to be even */
    int64_t kv_heads;   /* = 0 in [0, inf): key and value heads, a divisor of heads; 0: as many as heads */
    int64_t hidden;     /* = 0 in [0, inf): width inside of SwiGLU; 0: four times width */
    int64_t vocabulary; /* = 256 in [1, inf): number of tokens */
    double rope_base;   /* = 10000 in (0, inf): base of the rotary embedding */
    double epsilon;     /* = 1e-5 in [0, inf): epsilon of the norms */
    bool tied;          /* = false: logits are products with the embedding table, instead of a separate matrix */
    bool bias;          /* = false: queries, keys and values have a bias, as in Qwen 2 */
    bool rope_factors; /* = false: the rotary frequencies are divided by "model.rotary.factors" [width / heads / 2], which are 1 and
                         * are not trained; Llama 3.1 has others */
} situ_llama_options;
/* A model with random weights, normal with standard deviation 0.02. Parameters have Hugging Face's names,
 * "model.layers.0.self_attn.q_proj.weight". NULL on an error. */
SITU_API situ_module *situ_llama(const situ_llama_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_llama_open_options {
    SITU_OPTION_HEAD;
    bool keep; /* = false: keeps matrices as they are in the file (f16, bf16, blocks) if products support that, for
                * inference only; false: f32, trainable */
    situ_device
        device; /* = default: device of the weights; default: the thread's default device. Quantised blocks stay on the CPU */
} situ_llama_open_options;
/* The model in a GGUF file, or in safetensors: written by situ_llama_save, or Hugging Face's with config.json beside it. The
 * families are llama (up to 3.3, with scaled rotary frequencies: linear, llama3), mistral and qwen2. f32 matrices on the CPU share
 * the file's pages. NULL on an error. */
SITU_API situ_module *situ_llama_open(const char *path, const situ_llama_open_options *options, situ_site site);
typedef struct SITU_BY_NAME situ_llama_save_options {
    SITU_OPTION_HEAD;
    int64_t shard_bytes; /* = 0 in [0, inf): as in situ_save */
} situ_llama_save_options;
/* Writes the parameters like situ_module_save, and the sizes that situ_llama_open reads; a low-rank adapter is added to its matrix.
 * Matrices kept as halves or blocks are written as f32. 0 or a negative code. */
SITU_API int situ_llama_save(situ_module *model, const char *path, const situ_llama_save_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_llama_adapt_options {
    SITU_OPTION_HEAD;
    double alpha; /* = 16 in (0, inf): the adapter's result is multiplied by alpha / rank */
} situ_llama_adapt_options;
/* Freezes the model, and adds to the query and value matrices of each layer a trainable product of two low-rank matrices, "lora_A"
 * and "lora_B" below the matrix's name (LoRA, Hu et al. 2021). lora_B is initially 0. Returns the number of adapters, or a negative
 * code. */
SITU_API int situ_llama_adapt(situ_module *model, int64_t rank, const situ_llama_adapt_options *options, situ_site site);

/* ---- generating token by token --------------------------------------------------------------------------------------- */

typedef struct SITU_BY_NAME situ_llama_begin_options {
    SITU_OPTION_HEAD;
    int64_t context; /* = 2048 in [1, inf): capacity of the cache in tokens */
    int64_t batch;   /* = 1 in [1, inf): number of texts generated in parallel */
} situ_llama_begin_options;
/* Clears the cache: the next step is the first one. 0 or a negative code. */
SITU_API int situ_llama_begin(situ_module *model, const situ_llama_begin_options *options, situ_site site);
/* Appends tokens [batch, count] and returns the logits [batch, vocabulary] of the next token, without gradients. The first step
 * calls situ_llama_begin. Tokens that do not fit into the context are SITU_BAD_ARGUMENT, and so is continuing after a failed step.
 */
SITU_API situ_tensor *situ_llama_step(situ_module *model, situ_tensor *tokens, situ_site site);
/* Number of tokens in the cache. */
SITU_API int64_t situ_llama_position(const situ_module *model);

typedef struct SITU_BY_NAME situ_sample_options {
    SITU_OPTION_HEAD;
    double temperature; /* = 1 in [0, inf): logits are divided by it; 0: takes the largest one */
    int64_t top_k;      /* = 0 in [0, inf): draws among this many largest; 0: among all */
    double top_p;       /* = 1 in (0, 1]: draws among the fewest whose probabilities sum up to it (Holtzman et al. 2020) */
} situ_sample_options;
/* A token, i64, for each row of logits [..., vocabulary], drawn by key (u32[2]) from their softmax. A row with NaN, or of
 * only -inf, is the error SITU_BAD_INDEX when it is computed; the message shows the vocabulary's size as its token. */
SITU_API situ_tensor *situ_sample(situ_tensor *logits, situ_tensor *key, const situ_sample_options *options, situ_site site);

/* ---- sentences as vectors -------------------------------------------------------------------------------------------- */

typedef struct SITU_BY_NAME situ_bert_open_options {
    SITU_OPTION_HEAD;
    int64_t heads;      /* = 12 in [1, inf): attention heads: they cannot be read from the file's shapes */
    double epsilon;     /* = 1e-12 in [0, inf): epsilon of the norms */
    int64_t padding;    /* = 0 in [0, inf): the token that pads rows and is not attended to */
    bool pool;          /* = true: the mean over a row's tokens, normalised to length 1, [batch, width]; false: all vectors, [batch,
                         * count, width] */
    situ_device device; /* = default: device of the weights; default: the thread's default device */
} situ_bert_open_options;
/* A BERT encoder (J. Devlin et al. 2019) from safetensors with Hugging Face's names, such as all-MiniLM-L6-v2. Called with tokens
 * [batch, count] (see situ_tokenizer_batch) it returns vectors, whose dot product tells how similar two sentences are. It can be
 * trained like any network, without dropout. NULL on an error. */
SITU_API situ_module *situ_bert_open(const char *path, const situ_bert_open_options *options, situ_site site);

#ifdef __cplusplus
}
#endif

#include <situ/call/models.h>

#endif
