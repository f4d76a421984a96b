/* Models of the file format ONNX (https://onnx.ai): opsets 1 to 28 as networks that go on training here, and networks of here as
 * files of opset 18.
 *
 *     situ_module *net = situ_onnx_load("model.onnx");
 *     situ_tensor *out[2];
 *     situ_module_call_n(net, TENSORS(x, h), out, 2);                 // inputs and results in the order of the file
 *     situ_optimizer *adam = situ_adam(net);
 *
 *     situ_onnx_save(net, "mine.onnx", TENSORS(images));              // of any network, called with such inputs
 *
 * docs/onnx.md lists the operators.
 */
#ifndef SITU_ONNX_H
#define SITU_ONNX_H

#include <situ/nn.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SITU_BY_NAME situ_onnx_load_options {
    SITU_OPTION_HEAD;
    bool trainable;     /* = true: weights are parameters that gradients and optimizers see */
    situ_device device; /* = default: where the weights are; default: the thread's default device */
} situ_onnx_load_options;
/* The graph of a file as a module. Its parameters have the file's names. They are the initializers of floats, and the Constant
 * nodes with two or more floats, also in branches; equal Constants become one parameter. Scalars and integers are constants.
 * Each call computes the shapes on the host, so sizes may change from call to call, and no tensor is read; only an If whose
 * condition depends on an input reads it. Call a graph without inputs with no tensors (TENSORS_OF(NULL, 0)): it runs where its
 * weights are, or on the thread's default device; or with any tensor: it runs on that tensor's device. The values may be in other
 * files (external data), in the file's folder or below. Functions and sparse tensors are not supported. Unknown operators are the
 * error SITU_UNSUPPORTED, which lists them all. NULL on an error. */
SITU_API situ_module *situ_onnx_load(const char *path, const situ_onnx_load_options *options, situ_site site);
/* The same of a file's bytes, which are copied; they have no folder with other files. */
SITU_API situ_module *situ_onnx_load_bytes(const void *bytes, size_t size, const situ_onnx_load_options *options, situ_site site);
/* The name of input or result i of such a module, or NULL after the last one. */
SITU_API SITU_TOLD const char *situ_onnx_input(const situ_module *net, int i);
SITU_API SITU_TOLD const char *situ_onnx_result(const situ_module *net, int i);
/* The operators of its graph and of the graphs in it, each with how many nodes it has: "Add 11, MatMul 2, Conv 1". */
SITU_API SITU_TOLD const char *situ_onnx_operators(const situ_module *net);

typedef struct SITU_BY_NAME situ_onnx_save_options {
    SITU_OPTION_HEAD;
    bool dynamic_batch;      /* = true: the file takes batches of any size; false: only of the size that the inputs have */
    situ_axes batch_axes;    /* = all: the batch axis of each input, -1 for an input without one (as are inputs beyond the list). By
                                * default it is axis 0 of each input whose axis 0 is as long as the first input's */
    const char *input_names; /* = none: "image,mask"; none: "input", or "input_0", "input_1", ... */
    const char *result_names; /* = none: "logits"; none: "output", or "output_0", "output_1", ... */
    const char *metadata;     /* = none: texts for the file, lines "key=value" */
    bool external_data;       /* = false: writes the weights to a second file, PATH.data; necessary above 2 GB */
} situ_onnx_save_options;
/* Writes the computation of a network to a file, as in inference: without dropout, and norms use their running moments. `inputs`
 * are examples of its inputs. The network is called with them, and also with other batch sizes and values; only the values that its
 * forward functions read are computed. If a number that they read from an input gets into the graph, that is an error
 * (SITU_UNSUPPORTED). A plain function is written as situ_function_layer(f, self), or as a module of your own. Parameters become
 * initializers with their names, and so do other variables and data. An operation that ONNX lacks is an error that names it
 * (SITU_UNSUPPORTED), and so is one that contains the batch size in a way that no operator can express, such as a loop over the
 * rows. 0 or a negative code. */
SITU_API int situ_onnx_save(
    situ_module *net, const char *path, situ_list inputs, const situ_onnx_save_options *options, situ_site site);

#ifdef __cplusplus
}
#endif

#include <situ/call/onnx.h>

#endif
