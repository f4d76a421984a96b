/* What is written, recorded by somebody else: for a language whose forward functions the library cannot call. */
#ifndef SITU_ONNX_SAVE_H
#define SITU_ONNX_SAVE_H

#include "onnx/out.h"

/* Inputs and results of each recording; records: 0: the network is called with in[0]. Inputs are nodes of their own. */
typedef struct situ_onnx_recorded {
    int records;
    situ_list in[SITU_OUT_RECORDS], result[SITU_OUT_RECORDS];
} situ_onnx_recorded;
/* net: whose parameters have names, or NULL. 0 or a negative code. */
int situ_onnx_save_recorded(
    situ_module *net, const char *path, const situ_onnx_recorded *r, const situ_onnx_save_options *options, situ_site site);

#endif
