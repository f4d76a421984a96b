/* Kernels of OpenCL devices. */
#ifndef SITU_BACKEND_OPENCL_KERNEL_H
#define SITU_BACKEND_OPENCL_KERNEL_H

#include "backend/opencl/opencl.h"

/* The slots of the vtable. */
void *situ_opencl_compile(situ_dev *d, const struct situ_kernel_desc *desc);
void situ_opencl_drop(situ_dev *d, void *kernel);
int situ_opencl_launch(situ_dev *d, void *kernel, char *const *address, const uint64_t *argument, situ_fault *fault);
size_t situ_opencl_workspace(const struct situ_kernel_desc *desc);
void situ_opencl_explain(const void *kernel, const char **chosen, const char **refusals);

#endif
