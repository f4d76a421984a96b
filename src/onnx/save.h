/* What is written, recorded by somebody else: for a language whose forward functions the library cannot call. */
#ifndef SITU_ONNX_SAVE_H
#define SITU_ONNX_SAVE_H

#include "onnx/out.h"

/* An input of recording `record`: x with a batch of this size along an axis (-1: as it is), its rows again and again; of all
 * recordings but 0 with other values of the same dtype and range, which nothing computes unless they are read. So what a forward
 * function reads and puts into the graph differs between the recordings. A node of its own. */
situ_tensor *situ_onnx_example(situ_tensor *x, int axis, int64_t batch, int record, situ_site site);

/* Inputs and results of each recording; records: 0: the network is called with in[0]. Inputs are nodes of their own. axis: which
 * axis of each input is the batch, or -1; NULL: as the options say. */
typedef struct situ_onnx_recorded {
    int records;
    const int *axis;
    situ_list in[SITU_OUT_RECORDS], result[SITU_OUT_RECORDS];
} situ_onnx_recorded;
/* net: whose parameters have names, or NULL. 0 or a negative code. */
int situ_onnx_save_recorded(
    situ_module *net, const char *path, const situ_onnx_recorded *r, const situ_onnx_save_options *options, situ_site site);

#endif
