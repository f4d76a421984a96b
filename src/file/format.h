/* Files that are written: what a format is given. */
#ifndef SITU_FILE_FORMAT_H
#define SITU_FILE_FORMAT_H

#include <stdio.h>

#include <situ/ledger.h>

#include "file/archive.h"
#include "run/borrow.h"

/* A tensor to be written; its values are fetched when it is its turn, or were borrowed before. */
typedef struct situ_written {
    const char *name;
    situ_tensor *tensor;
    situ_borrow borrow; /* buffer NULL: not yet */
    situ_dtype dtype;
    situ_shape shape;
    uint64_t size; /* bytes */
} situ_written;

/* Writes the header; then the values of each follow. 0; 1: the file takes no more (errno); or a negative code with an error. */
int situ_safetensors_begin(FILE *file, const situ_written *w, int64_t n, const situ_about *about, int64_t abouts, const char *path);
/* NumPy's files. Can they hold these, `one` of them alone? 0 or a negative code with an error. */
/* Has it a name that the reader takes: not empty, no part of it "..", no slash in front? */
bool situ_npy_is_name(const char *name);
int situ_npy_check(const situ_written *w, int64_t n, bool one, const char *path);
/* An array with its header. 0; 1: the file takes no more; or a negative code. */
int situ_npy_put(FILE *file, const situ_written *w, const void *data);
typedef struct situ_zip situ_zip;
/* NULL: no memory. */
situ_zip *situ_zip_new(void);
/* CRC-32 of what had `sum`, and these bytes behind it. */
uint32_t situ_zip_sum(const situ_zip *z, uint32_t sum, const void *bytes, size_t n);
int situ_zip_put(situ_zip *z, FILE *file, const situ_written *w, const void *data);
int situ_zip_end(situ_zip *z, FILE *file);
void situ_zip_free(situ_zip *z);
/* A tensor's values: in place on the CPU, else by way of the host. 0; 1: the file takes no more (errno); or a negative code. */
int situ_write_values(FILE *file, situ_tensor *tensor, uint64_t size, const char *name, situ_site site);
/* Texts "key=value" line by line, cut out of `text`; there is room for half as many as it has bytes, and one. How many there are,
 * or a negative code. */
int64_t situ_take_metadata(char *text, situ_about *about, const char *function, situ_site site);
/* Computes the tensors and fills in what they are. 0 or a negative code. */
int situ_file_compute(situ_written *w, int64_t n, const char *function, situ_site site);
/* Borrows the values of all as they are now: what changes variables later, also while another thread writes, does not change them.
 * 0 or a negative code. */
int situ_file_borrow(situ_written *w, int64_t n, situ_site site);
void situ_file_give_back(situ_written *w, int64_t n);
/* A whole new file in its place, or nothing. `function` is what messages speak of. 0 or a negative code. */
int situ_file_write(const char *path, situ_written *w, int64_t n, const situ_about *about, int64_t abouts, situ_reason reason,
    const char *function, situ_site site);
/* Names that safetensors takes, and each once: sorts the tensors by them. 0 or a negative code. */
int situ_file_check_names(situ_written *w, int64_t n, const char *function, situ_site site);
/* Copies tensors in the order of a file of safetensors: larger elements first, so that each lies where its dtype wants it. */
void situ_file_sort_by_size(const situ_written *w, int64_t n, situ_written *out);
/* All that a file of safetensors has. 0; 1: the file takes no more (errno); or a negative code. */
int situ_file_put(FILE *file, situ_written *w, int64_t n, const situ_about *about, int64_t abouts, const char *path,
    situ_reason reason, situ_site site);
bool situ_file_ends(const char *path, const char *with);
/* The index of shards of which tensor i lies in shard[i]. 0; 1: the file takes no more (errno); or a negative code. */
int situ_safetensors_index(FILE *file, const situ_written *w, const int64_t *shard, int64_t n, int64_t shards, const char *stem);
/* The name of a shard, beside its index: "stem-00001-of-00003.safetensors". */
int situ_shard_name(char *to, size_t room, const char *stem, int64_t i, int64_t shards);
/* Several files of at most `shard_bytes` of values and their index, in the place of "name.safetensors" and of what shards of that
 * name are there. 0 or a negative code. */
int situ_file_write_shards(const char *path, situ_written *w, int64_t n, const situ_about *about, int64_t abouts,
    int64_t shard_bytes, const char *function, situ_site site);
/* Whether a file may be written there, by its end and its folder; leaves nothing behind. 0 or a negative code. */
int situ_file_may_save(const char *path, const char *function, situ_site site);
/* What situ_file_write does, of tensors not computed yet, with metadata in lines; shard_bytes 0: one file. */
int situ_file_save(
    const char *path, situ_written *w, int64_t n, const char *metadata, int64_t shard_bytes, const char *function, situ_site site);

#endif
