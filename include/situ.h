/* situ: tensors that compute where they live. Everything, in the order in which it builds on itself. */
#ifndef SITU_H
#define SITU_H

#define SITU_VERSION "0.2.0"

#include <situ/error.h>
#include <situ/dtype.h>
#include <situ/device.h>
#include <situ/sim.h>
#include <situ/ledger.h>
#include <situ/profile.h>
#include <situ/runtime.h>
#include <situ/tensor.h>
#include <situ/ops.h>
#include <situ/grad.h>
#include <situ/metric.h>
#include <situ/group.h>
#include <situ/nn.h>
#include <situ/session.h>
#include <situ/file.h>
#include <situ/activation.h>
#include <situ/sequence.h>
#include <situ/window.h>
#include <situ/onnx.h>
#include <situ/emit.h>
#include <situ/models.h>
#include <situ/text.h>
#include <situ/optim.h>
#include <situ/data.h>
#include <situ/checkpoint.h>
#include <situ/proof.h>
#include <situ/train.h>
#include <situ/tune.h>

#endif
