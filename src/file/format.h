/* Writing files of named tensors: the interface of the formats. */
#ifndef SITU_FILE_FORMAT_H
#define SITU_FILE_FORMAT_H

#include <stdio.h>
#include <string.h>

#include <situ/ledger.h>

#include "file/archive.h"
#include "run/borrow.h"

/* A tensor to be written; its values are read when it is written, unless they were borrowed before. */
typedef struct situ_written {
    const char *name;
    situ_tensor *tensor;
    situ_borrow borrow; /* buffer NULL: not borrowed yet */
    situ_dtype dtype;
    situ_shape shape;
    uint64_t size; /* number of bytes */
} situ_written;

/* The header as text, with its size; the caller frees it by situ_free. NULL with an error. */
char *situ_safetensors_header(
    const situ_written *w, int64_t n, const situ_about *about, int64_t abouts, const char *path, size_t *size);
/* Writes the header, which the values follow. 0; 1: the file accepts no more (see errno); or a negative code with an
 * error. */
int situ_safetensors_begin(FILE *file, const situ_written *w, int64_t n, const situ_about *about, int64_t abouts, const char *path);
/* NumPy files. Checks whether they can hold these tensors; `one`: a single array. 0 or a negative code with an error. */
/* True if readers accept the name: not empty, without a component "..", not absolute. */
bool situ_npy_is_name(const char *name);
int situ_npy_check(const situ_written *w, int64_t n, bool one, const char *path);
/* Writes an array with its header. 0; 1: the file accepts no more; or a negative code. */
int situ_npy_put(FILE *file, const situ_written *w, const void *data);
typedef struct situ_zip situ_zip;
/* NULL: out of memory. */
situ_zip *situ_zip_new(void);
/* Extends a CRC-32 `sum` by these bytes. */
uint32_t situ_zip_sum(const situ_zip *z, uint32_t sum, const void *bytes, size_t n);
int situ_zip_put(situ_zip *z, FILE *file, const situ_written *w, const void *data);
int situ_zip_end(situ_zip *z, FILE *file);
void situ_zip_free(situ_zip *z);
/* Writes a tensor's values: directly from memory on the CPU, else through a host copy. 0; 1: the file accepts no more
 * (errno); or a negative code. */
int situ_write_values(FILE *file, situ_tensor *tensor, uint64_t size, const char *name, situ_site site);
/* Splits metadata lines "key=value" in place; `about` needs capacity for half as many as `text` has bytes, plus one.
 * Returns their number, or a negative code. */
int64_t situ_take_metadata(char *text, situ_about *about, const char *function, situ_site site);
/* Computes the tensors and fills in their properties. 0 or a negative code. */
int situ_file_compute(situ_written *w, int64_t n, const char *function, situ_site site);
/* Borrows the present values of all tensors: later changes of variables, even while another thread writes, do not
 * affect them. 0 or a negative code. */
int situ_file_borrow(situ_written *w, int64_t n, situ_site site);
void situ_file_give_back(situ_written *w, int64_t n);
/* Writes a whole new file that replaces the old one, or nothing. `function` is named by messages. 0 or a negative
 * code. */
int situ_file_write(const char *path, situ_written *w, int64_t n, const situ_about *about, int64_t abouts, situ_reason reason,
    const char *function, situ_site site);
/* Checks that names are valid for safetensors and unique, and sorts the tensors by them. 0 or a negative code. */
int situ_file_check_names(situ_written *w, int64_t n, const char *function, situ_site site);
/* Copies tensors in the order of a safetensors file: larger element sizes first, so that all values are aligned. */
void situ_file_sort_by_size(const situ_written *w, int64_t n, situ_written *out);
/* Writes a whole safetensors file. 0; 1: the file accepts no more (errno); or a negative code. */
int situ_file_put(FILE *file, situ_written *w, int64_t n, const situ_about *about, int64_t abouts, const char *path,
    situ_reason reason, situ_site site);
static inline bool situ_file_ends(const char *path, const char *with)
{
    size_t n = strlen(path), k = strlen(with);
    return n >= k && !strcmp(path + n - k, with);
}
/* Writes the index of a sharded set; tensor i is in shard[i]. 0; 1: the file accepts no more (errno); or a negative
 * code. */
int situ_safetensors_index(FILE *file, const situ_written *w, const int64_t *shard, int64_t n, int64_t shards, const char *stem);
/* The name of a shard: "stem-00001-of-00003.safetensors". */
int situ_shard_name(char *to, size_t capacity, const char *stem, int64_t i, int64_t shards);
/* Writes several files of at most `shard_bytes` of values and their index, replacing "name.safetensors" and older
 * shards of that name. 0 or a negative code. */
int situ_file_write_shards(const char *path, situ_written *w, int64_t n, const situ_about *about, int64_t abouts,
    int64_t shard_bytes, const char *function, situ_site site);
/* Checks whether a file may be written there, by its extension and folder; leaves nothing behind. 0 or a negative
 * code. */
int situ_file_may_save(const char *path, const char *function, situ_site site);
/* Like situ_file_write, for tensors that are not computed yet, with metadata as lines; shard_bytes 0: one file. */
int situ_file_save(
    const char *path, situ_written *w, int64_t n, const char *metadata, int64_t shard_bytes, const char *function, situ_site site);

#endif
