/* Saving recordings that a binding made, for a language whose forward functions the library cannot call. */
#ifndef SITU_ONNX_SAVE_H
#define SITU_ONNX_SAVE_H

#include "onnx/out.h"

/* An input for recording `record`: rows of x, repeated to this batch size along an axis (-1: as it is). Recordings
 * other than 0 have other values of the same dtype and range, computed only if they are read. So if a forward function
 * reads a value and puts it into the graph, the recordings differ. Returns a new node. */
situ_tensor *situ_onnx_example(situ_tensor *x, int axis, int64_t batch, int record, situ_site site);

/* Inputs and results of each recording; records 0: the network is called with in[0]. Inputs have to be separate nodes.
 * axis: the batch axis of each input, or -1; NULL: from the options. */
typedef struct situ_onnx_recorded {
    int records;
    const int *axis;
    situ_list in[SITU_OUT_RECORDS], result[SITU_OUT_RECORDS];
} situ_onnx_recorded;
/* net: gives the parameters their names, or NULL. 0 or a negative code. */
int situ_onnx_save_recorded(
    situ_module *net, const char *path, const situ_onnx_recorded *r, const situ_onnx_save_options *options, situ_site site);

#endif
