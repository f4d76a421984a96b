/* Files of named tensors: safetensors and NumPy's .npz and .npy are read and written, GGUF is read.
 *
 *     situ_module_save(net, "net.safetensors");                          // names as PyTorch gives them: "0.weight"
 *     situ_module_load(net, "net.safetensors");
 *
 *     situ_save("both.safetensors", TENSORS(x, y), .names = "input,target");
 *     situ_archive *a = situ_archive_open("both.safetensors");
 *     situ_tensor *t = situ_archive_get(a, "input", .device = situ_gpu(0));
 *     situ_archive_close(a);                                             // t stays
 *
 * What a file says of its tensors is checked as a whole before anything of it is used, and the checksums of .npz; those of values
 * that are packed, when they are unpacked. One that is written gets its name when it is whole and on the disk:
 * a kill or a full disk leaves what was there before. `situ info FILE` prints what is in one.
 */
#ifndef SITU_FILE_H
#define SITU_FILE_H

#include <situ/nn.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- reading ------------------------------------------------------------------------------------------------------------ */

/* An open file. */
typedef struct situ_archive situ_archive;

typedef struct SITU_BY_NAME situ_archive_open_options {
    SITU_OPTION_HEAD;
    bool map; /* = true: tensors on the CPU share the file's pages, without a copy; another file may take its name meanwhile, as all
               * writers here do it, but nobody may write into it, as numpy.save does. false: it is read at once */
} situ_archive_open_options;
/* Opens a file of safetensors, or of several by their index "name.safetensors.index.json" (which is also found by
 * "name.safetensors", where there is no such file; its texts are those of the first shard), a file of GGUF (version 2 or 3), or one
 * of NumPy: .npz, stored or deflated (by zlib, if it is found), or .npy, whose array is named "array". NULL on an error.
 *
 * Packed files, here and wherever the library reads them, may become 100 times as large as they are, or 256 MiB; SITU_UNPACKED=8G
 * in the environment allows more. What is unpacked counts in the limit of the CPU's memory (situ_memory_limit) meanwhile. */
SITU_API situ_archive *situ_archive_open(const char *path, const situ_archive_open_options *options, situ_site site);
/* Closes it; tensors from it stay. NULL is fine. */
SITU_API SITU_TOLD void situ_archive_close(situ_archive *archive);

/* How many tensors there are; of the i-th one, in the file's order, the name, the dtype as the file calls it ("F32", "Q4_1"), the
 * shape and the bytes in the file. Borrowed from the archive. A GGUF file counts dimensions from the innermost one, situ from the
 * outermost: its [576, 49152] is (49152, 576) here. */
SITU_API int64_t situ_archive_count(const situ_archive *archive);
SITU_API SITU_TOLD const char *situ_archive_name(const situ_archive *archive, int64_t i);
SITU_API SITU_TOLD const char *situ_archive_type(const situ_archive *archive, int64_t i);
SITU_API SITU_TOLD situ_shape situ_archive_shape(const situ_archive *archive, int64_t i);
SITU_API SITU_TOLD int64_t situ_archive_bytes(const situ_archive *archive, int64_t i);
/* Texts about the file: how many, the i-th key (NULL: there is none), the value of a key (NULL: it is not there). GGUF's numbers
 * are written out, of its lists the type and the length: "[string x 49152]". */
SITU_API int64_t situ_archive_metadata_count(const situ_archive *archive);
SITU_API const char *situ_archive_metadata_key(const situ_archive *archive, int64_t i);
SITU_API const char *situ_archive_metadata(const situ_archive *archive, const char *key);

typedef struct SITU_BY_NAME situ_archive_get_options {
    SITU_OPTION_HEAD;
    situ_dtype dtype;   /* = default: of the result; default: that of the file */
    situ_device device; /* = default: where it goes; default: the thread's default device */
    bool copy;          /* = false: in memory of its own, also on the CPU */
} situ_archive_get_options;
/* The tensor of this name; of an archive with one tensor alone, name may be NULL. GGUF's blocks of few bits (Q4_0, Q4_1, Q5_0,
 * Q5_1, Q8_0, Q8_1, Q2_K to Q6_K, Q8_K) are unpacked to f32. */
SITU_API situ_tensor *situ_archive_get(
    const situ_archive *archive, const char *name, const situ_archive_get_options *options, situ_site site);

/* ---- writing ------------------------------------------------------------------------------------------------------------- */

typedef struct SITU_BY_NAME situ_save_options {
    SITU_OPTION_HEAD;
    const char *names;    /* = none: the tensors' names, "a,b,c", "\\," is a comma in one; none: those that situ_name gave */
    const char *metadata; /* = none: texts for the file, lines "key=value" */
    int64_t shard_bytes;  /* = 0 in [0, inf): "name.safetensors" becomes several files with at most so many bytes of values each, or
                           * one tensor: "name-00001-of-00003.safetensors" and so on, and "name.safetensors.index.json", which says
                           * where each is; 0, or where all fit into one: one file */
} situ_save_options;
/* Computes the tensors and writes them, each with its dtype, as the path's end says: .npz (stored), .npy (one tensor, without a
 * name), .safetensors or none: safetensors; another end is an error. Shards take the place of other shards and of a file of that
 * name when all are whole and on the disk, the index last: a full disk leaves what was there, a kill what was there or, in the
 * moment when names change, shards without an index, but no mixture that can be opened; of two writers one waits, at
 * most 10 seconds. 0 or a negative code. */
SITU_API int situ_save(const char *path, situ_list tensors, const situ_save_options *options, situ_site site);

/* ---- networks -------------------------------------------------------------------------------------------------------------- */

typedef struct SITU_BY_NAME situ_module_save_options {
    SITU_OPTION_HEAD;
    const char *metadata; /* = none: as in situ_save */
    int64_t shard_bytes;  /* = 0 in [0, inf): as in situ_save */
} situ_module_save_options;
/* Parameters and running moments under their names, as situ_save writes them. 0 or a negative code. */
SITU_API int situ_module_save(situ_module *net, const char *path, const situ_module_save_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_module_load_options {
    SITU_OPTION_HEAD;
    bool strict; /* = true: names that the file or the network lacks are an error; false: they are left out */
    bool map;    /* = true: parameters on the CPU that no call has made yet share the file's pages */
    const char
        *rename; /* = none: rules "old=new" with blanks between, each applied to every name of the file in turn: old is replaced
                         * wherever it stands, "^old" only at the beginning */
} situ_module_load_options;
/* Gives a network, or a part of one, the values of a file: all of them or, with an error that lists what is missing, superfluous
 * and of another shape, none. Parameters that were not made yet get the file's shapes. Floats of another dtype are converted to
 * f32, or to what a parameter has; f64 stays f64; PyTorch's "num_batches_tracked" is passed over. How many parameters were loaded,
 * or a negative code. */
SITU_API int situ_module_load(situ_module *net, const char *path, const situ_module_load_options *options, situ_site site);

#ifdef __cplusplus
}
#endif

#include <situ/call/file.h>

#endif
