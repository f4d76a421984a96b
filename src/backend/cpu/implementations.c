/* Tuned implementations of structured operations, in order of preference. */
#include "backend/cpu/layers/attention.h"
#include "backend/cpu/layers/quantised.h"
#include "backend/cpu/convolution/convolve.h"
#include "backend/cpu/fft/fft.h"
#include "backend/cpu/gemm/gemm.h"
#include "backend/cpu/kernel.h"
#include "backend/cpu/layers/int8.h"
#include "backend/cpu/linalg/linalg.h"
#include "backend/cpu/layers/normalise.h"
#include "backend/cpu/layers/pooling.h"
#include "backend/cpu/movement/choose.h"
#include "backend/cpu/movement/search.h"
#include "backend/cpu/movement/shuffle.h"
#include "backend/cpu/movement/sort.h"

const situ_cpu_implementation situ_cpu_implementations[] = {
    {"matmul", "gemm", situ_gemm_accepts, situ_gemm_run},
    {"matmul", "gemm of f32", situ_gemm_half_accepts, situ_gemm_half_run},
    {"packed", "gemm", situ_gemm_pack_accepts, situ_gemm_pack},
    {"conv2d", "direct", situ_convolve_accepts, situ_convolve_value},
    {"conv2d_input", "direct", situ_convolve_accepts, situ_convolve_input},
    {"conv2d_weight", "direct", situ_convolve_accepts, situ_convolve_weight},
    {"channel_moments", "sweeps", situ_normalise_accepts, situ_channel_moments_run},
    {"batch_norm", "sweeps", situ_normalise_accepts, situ_batch_norm_run},
    {"batch_norm_sums", "sweeps", situ_normalise_accepts, situ_batch_norm_sums_run},
    {"batch_norm_input", "sweeps", situ_normalise_accepts, situ_batch_norm_input_run},
    {"layer_norm", "sweeps", situ_normalise_accepts, situ_layer_norm_run},
    {"layer_norm_input", "sweeps", situ_normalise_accepts, situ_layer_norm_input_run},
    {"layer_norm_sums", "sweeps", situ_normalise_accepts, situ_layer_norm_sums_run},
    {"self_attention", "heads", situ_attention_accepts, situ_attention_run},
    {"self_attention_back", "heads", situ_attention_accepts, situ_attention_back_run},
    {"cached_attention", "heads", situ_cached_accepts, situ_cached_run},
    {"rows_product", "rows", situ_rows_product_accepts, situ_rows_product_run},
    {"rounded_product", "integers", situ_int8_accepts, situ_int8_run},
    {"dequantise", "vectors", situ_dequantise_accepts, situ_dequantise_run},
    {"max_take", "rows", situ_max_pooling_accepts, situ_max_pooling_run},
    {"avg_pool2d", "pairs", situ_pooling_accepts, situ_pooling_mean},
    {"avg_spread", "pairs", situ_pooling_accepts, situ_pooling_spread},
    {"sort", "keys", situ_sort_accepts, situ_sort_run},
    {"permutation", "records", situ_shuffle_accepts, situ_shuffle_run},
    {"topk", "keys", situ_topk_accepts, situ_topk_run},
    {"searchsorted", "tree", situ_search_accepts, situ_search_run},
    {"take", "blocks", situ_take_accepts, situ_take_run},
    {"compress", "blocks", situ_compress_accepts, situ_compress_run},
    {"fft", "lanes", situ_lanes_fft_accepts, situ_lanes_fft},
    {"cholesky", "blocks", situ_blocks_accepts, situ_blocks_cholesky},
    {"solve", "blocks", situ_blocks_accepts, situ_blocks_solve},
    {"inv", "blocks", situ_blocks_accepts, situ_blocks_inv},
    {"solve_triangular", "blocks", situ_blocks_accepts, situ_blocks_solve_triangular},
    {"det", "blocks", situ_blocks_accepts, situ_blocks_det},
    {"qr", "blocks", situ_blocks_accepts, situ_blocks_qr},
    {"eigh", "blocks", situ_blocks_accepts, situ_blocks_eigh},
    {"svd", "blocks", situ_blocks_accepts, situ_blocks_svd},
    {NULL, NULL, NULL, NULL},
};
