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
    bool map; /* = true: tensors on the CPU share the file's pages without a copy. Another file may replace it meanwhile, as all
               * writers here do, but nobody may write into it, as numpy.save does. false: it is read at once */
} situ_archive_open_options;
/* Opens a file of safetensors, or of several by their index "name.safetensors.index.json" (which is also found by
 * "name.safetensors", where there is no such file; its texts are those of the first shard), a file of GGUF (version 2 or 3), or one
 * of NumPy: .npz, stored or deflated (by zlib, if it is found), or .npy, whose array is named "array". NULL on an error.
 *
 * Packed files, here and wherever the library reads them, may become 100 times as large as they are, or 256 MiB; SITU_UNPACKED=8G
 * in the environment allows more. What is unpacked counts in the limit of the CPU's memory (situ_memory_limit) meanwhile. */
SITU_API situ_archive *situ_archive_open(const char *path, const situ_archive_open_options *options, situ_site site);
/* Closes it; its tensors stay valid. NULL is fine. */
SITU_API SITU_TOLD void situ_archive_close(situ_archive *archive);

/* The number of tensors; for tensor i, in the file's order, its name, the dtype as named in the file ("F32", "Q4_1"), its shape and
 * its bytes in the file. Borrowed from the archive. GGUF lists dimensions from the innermost one, situ from the outermost: [576,
 * 49152] there is (49152, 576) here. */
SITU_API int64_t situ_archive_count(const situ_archive *archive);
SITU_API SITU_TOLD const char *situ_archive_name(const situ_archive *archive, int64_t i);
SITU_API SITU_TOLD const char *situ_archive_type(const situ_archive *archive, int64_t i);
SITU_API SITU_TOLD situ_shape situ_archive_shape(const situ_archive *archive, int64_t i);
SITU_API SITU_TOLD int64_t situ_archive_bytes(const situ_archive *archive, int64_t i);
/* The file's metadata: number of entries, key i (NULL: there is none), and the value of a key (NULL: it is absent). Numbers of GGUF
 * are written as text, lists as type and length: "[string x 49152]". */
SITU_API int64_t situ_archive_metadata_count(const situ_archive *archive);
SITU_API const char *situ_archive_metadata_key(const situ_archive *archive, int64_t i);
SITU_API const char *situ_archive_metadata(const situ_archive *archive, const char *key);

typedef struct SITU_BY_NAME situ_archive_get_options {
    SITU_OPTION_HEAD;
    situ_dtype dtype;   /* = default: dtype of the result; default: that in the file */
    situ_device device; /* = default: device of the result; default: the thread's default device */
    bool copy;          /* = false: in its own memory, even on the CPU */
} situ_archive_get_options;
/* The tensor with this name; if the archive has a single tensor, name may be NULL. Quantised blocks of GGUF (Q4_0, Q4_1, Q5_0,
 * Q5_1, Q8_0, Q8_1, Q2_K to Q6_K, Q8_K, IQ4_NL) are unpacked to f32. */
SITU_API situ_tensor *situ_archive_get(
    const situ_archive *archive, const char *name, const situ_archive_get_options *options, situ_site site);

/* ---- writing ------------------------------------------------------------------------------------------------------------- */

typedef struct SITU_BY_NAME situ_save_options {
    SITU_OPTION_HEAD;
    const char *names;    /* = none: the tensors' names, "a,b,c"; "\\," is a comma within a name; none: the names given by situ_name
                           */
    const char *metadata; /* = none: metadata for the file, lines "key=value" */
    int64_t shard_bytes;  /* = 0 in [0, inf): writes "name.safetensors" as several files with at most this many bytes of values, or
                           * one tensor, each: "name-00001-of-00003.safetensors" and so on, and an index
                           * "name.safetensors.index.json"; 0, or if everything fits into one: one file */
} situ_save_options;
/* Computes the tensors and writes them with their dtypes. The extension decides the format: .npz (stored), .npy (one tensor,
 * without a name), .safetensors or none: safetensors; others are errors. A new file or set of shards replaces the old one when it
 * is complete and on disk. A full disk leaves what was there; a kill leaves what was there or, during the renaming of shards,
 * shards without an index, but never a mixture that can be opened. If two programs write the same shards, one waits, at most 10
 * seconds. 0 or a negative code. */
SITU_API int situ_save(const char *path, situ_list tensors, const situ_save_options *options, situ_site site);

/* ---- networks -------------------------------------------------------------------------------------------------------------- */

typedef struct SITU_BY_NAME situ_module_save_options {
    SITU_OPTION_HEAD;
    const char *metadata; /* = none: as in situ_save */
    int64_t shard_bytes;  /* = 0 in [0, inf): as in situ_save */
} situ_module_save_options;
/* Saves parameters and running moments by name, as situ_save does. 0 or a negative code. */
SITU_API int situ_module_save(situ_module *net, const char *path, const situ_module_save_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_module_load_options {
    SITU_OPTION_HEAD;
    bool strict; /* = true: names that the file or the network lacks are an error; false: they are skipped */
    bool map;    /* = true: parameters on the CPU that no call has created yet share the file's pages */
    const char
        *rename; /* = none: rules "old=new" separated by blanks; each replaces old by new in every name of the file, "^old" only at
                  * its beginning */
} situ_module_load_options;
/* Loads a file into a network or a part of one: all values, or none with an error that lists what is missing, surplus or of another
 * shape. Parameters that do not exist yet get the file's shapes. Floats of another dtype are converted to f32, or to the
 * parameter's dtype; f64 stays f64; PyTorch's "num_batches_tracked" is ignored. Returns the number of parameters, or a negative
 * code. */
SITU_API int situ_module_load(situ_module *net, const char *path, const situ_module_load_options *options, situ_site site);

/* ---- files that are no files -------------------------------------------------------------------------------------------- */

/* A virtual file: bytes in memory, or a reader or a writer of the program, under a path that every function of this library takes
 * which reads or writes one file by its path: networks, archives, checkpoints, ONNX files, language models, tokenizers, data sets.
 * What is wrong in it is the same error as in a file.
 *
 *     situ_virtual_file *f = situ_virtual_file_open("net.safetensors", .bytes = bytes, .size = size);
 *     situ_module_load(net, situ_virtual_file_path(f));
 *     situ_virtual_file_close(f);
 */
typedef struct situ_virtual_file situ_virtual_file;

/* Gives the next bytes, at most `size`: returns their number, 0 at the end, or a negative number if it cannot. */
typedef int64_t (*situ_virtual_read_fn)(void *self, void *to, int64_t size);
/* Takes the next bytes of what is written: 0, or another number if it cannot. */
typedef int (*situ_virtual_write_fn)(void *self, const void *from, int64_t size);

typedef struct SITU_BY_NAME situ_virtual_file_open_options {
    SITU_OPTION_HEAD;
    const void *bytes;           /* = none: what is read, as often as one likes */
    int64_t bytes_size;          /* = 0 in [0, inf): how many there are */
    bool borrow;                 /* = false: tensors may share the bytes, as those of a mapped file: nobody may change them until
                                  * release is called; false: what stays is copied */
    situ_virtual_read_fn read;   /* = none: gives the bytes instead, once */
    situ_virtual_write_fn write; /* = none: takes what is written */
    void (*release)(void *self); /* = none: called with self when nothing needs the bytes and the functions any more */
    void *self;                  /* = none: argument of the functions */
} situ_virtual_file_open_options;
/* The name's end says the format where files have theirs from it ("net.npz"). The functions are called by the thread that reads or
 * writes. What fails half way has been given to the writer in part: the error of the writing function says so. */
SITU_API situ_virtual_file *situ_virtual_file_open(const char *name, const situ_virtual_file_open_options *options, situ_site site);
/* The path, "virtual:1/net.safetensors"; it is the file's until it is closed. */
SITU_API SITU_TOLD const char *situ_virtual_file_path(const situ_virtual_file *file);
/* The path then means nothing any more. NULL is fine. */
SITU_API SITU_TOLD void situ_virtual_file_close(situ_virtual_file *file);

#ifdef __cplusplus
}
#endif

#include <situ/call/file.h>

#endif
