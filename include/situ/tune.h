/* Tuning: which code multiplies matrices of which size on this machine: our own kernels, or a library that is found.
 *
 *     situ_tune(NULL);             // measures, and writes ~/.config/situ/tuning: what `situ tune` does
 *     puts(situ_tuning());         // "(the file): 19 sizes"
 *
 * A process reads the file once, before its first product, and never measures by itself: the same file gives the same
 * bits in every run. Without a file a fixed order decides. SITU_BLAS in the environment goes before both.
 */
#ifndef SITU_TUNE_H
#define SITU_TUNE_H

#include <situ/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A product of m x k and k x n matrices of SITU_F32 or SITU_F64. */
typedef struct situ_tune_size {
    int64_t m, k, n;
    situ_dtype dtype;
} situ_tune_size;

enum { SITU_TUNE_MOST = 8 };
/* The measurement for one size: billions of operations per second of each candidate, and the chosen one. */
typedef struct situ_tune_result {
    situ_tune_size size;
    int at, of; /* number of this size, from 1, and number of sizes */
    int count, chosen;
    const char *name[SITU_TUNE_MOST]; /* such as "own", "onednn" */
    double rate[SITU_TUNE_MOST];
} situ_tune_result;

typedef struct SITU_BY_NAME situ_tune_options {
    SITU_OPTION_HEAD;
    const situ_tune_size *sizes;                                  /* = none: `count` sizes; none: a list from 32 to 2048 and the
                                                                   * products of layers */
    int32_t count;                                                /* = 0 in [0, 4096]: number of sizes */
    double seconds;                                               /* = 0.1 in [0, 3600]: time for each candidate at each size */
    void (*progress)(void *self, const situ_tune_result *result); /* = none: called after each size */
    void *self;                                                   /* = none: argument of progress */
} situ_tune_options;
/* Measures every candidate at every size and writes the file `path` (NULL: the one that SITU_TUNING names, else situ/tuning
 * in XDG_CONFIG_HOME or ~/.config): whole, or not at all. Our own kernels are chosen unless another candidate is 5 %
 * faster. 0 or a negative code: bad options, no folder to write to or no regular file (SITU_IO), no memory. Other
 * processes choose by the new file from their start; this one goes on as it began. */
SITU_API int situ_tune(const char *path, const situ_tune_options *options, situ_site site);

/* What this process chooses by, as a sentence that names the file, its number of sizes, or why a file that is there is not
 * used: it was written on another machine, it is damaged (with the line), it is no regular file, it is neither this user's nor
 * root's, everybody may write it; or SITU_BLAS, and what came of it. Reads the file if that decides and has not been read yet.
 * The text is the library's and stays until situ_shutdown. */
SITU_API const char *situ_tuning(void);

#ifdef __cplusplus
}
#endif

#include <situ/call/tune.h>

#endif
