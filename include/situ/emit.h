/* A network as one C file, for machines that have no situ: microcontrollers, kernels, other build systems.
 *
 *     situ_emit(net, "net.c", TENSORS(image));             // writes net.c and net.h
 *
 *     static net_context context;                          // there: memory for one call, net.h says how much
 *     net_run(&context, pixels, scores);                   // 0, or NET_BAD_INDEX
 *
 *     situ_emit_train(opt, "net.c", TENSORS(images), labels);   // the same file, which also trains
 *
 *     net_init(&context);                                  // there: the parameters as they are now
 *     net_train(&context, pixels, labels, &loss);          // 0, NET_BAD_INDEX or NET_NOT_FINITE
 *     bytes = net_save(&context, buffer);                  // a checkpoint for situ_checkpoint_load
 *
 * docs/emit.md lists the operations.
 */
#ifndef SITU_EMIT_H
#define SITU_EMIT_H

#include <situ/train.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SITU_BY_NAME situ_emit_options {
    SITU_OPTION_HEAD;
    const char *name; /* = none: what names in the file begin with; none: the file's name without folder and suffix */
} situ_emit_options;
/* Writes what a network computes, as in inference, for inputs of exactly these shapes: `path`, which ends in ".c", and the header
 * beside it. The file is C99 that needs no library: no memory is allocated, weights are constants, and all else lies in a struct
 * that the caller places. Its results have the bits that the CPU of this library gives, with any number of threads and any
 * instruction set, if the library multiplies by its own kernels. A network with an operation that cannot be
 * written is an error that names it (SITU_UNSUPPORTED), and no file is touched. 0 or a negative code. */
SITU_API int situ_emit(situ_module *net, const char *path, situ_list inputs, const situ_emit_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_emit_train_options {
    SITU_OPTION_HEAD;
    const char *name;  /* = none: what names in the file begin with; none: the file's name without folder and suffix */
    situ_loss_fn loss; /* = none: loss of the network's first result and the target; none: cross entropy */
} situ_emit_train_options;
/* The same with training: the file has the next steps of this optimizer for batches of these shapes, with all that belongs to
 * one: gradients, clipping, the update, running moments, dropout. The parameters lie in the context. A step there gives the bits
 * of the same step here, and so do the steps that follow; situ_checkpoint_load reads what was saved there, and the reverse.
 * Nothing is computed or changed here. 0 or a negative code. */
SITU_API int situ_emit_train(situ_optimizer *opt, const char *path, situ_list inputs, situ_tensor *target,
    const situ_emit_train_options *options, situ_site site);

#ifdef __cplusplus
}
#endif

#include <situ/call/emit.h>

#endif
