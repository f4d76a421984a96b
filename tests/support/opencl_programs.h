/* Programs that run on the CPU and on the tested device, there by generated source text alone. */
#ifndef SITU_TEST_OPENCL_PROGRAMS_H
#define SITU_TEST_OPENCL_PROGRAMS_H

#include <situ.h>
#include <stdio.h>
#include <string.h>

#include "backend/opencl/opencl.h"
#include "device/device.h"
#include "support/opencl_devices.h"
#include "support/random_element.h"

/* Whether the device can map memory. The tests turn that off, so that an operation without generated text is an error
 * instead of falling back to the host's kernel; this is the value to restore. */
static bool could;
typedef struct alone_state { bool *maps, exact; } alone_state;
static inline alone_state alone(void)
{
    static bool known, never;
    situ_device_info info = {0};
    need_tested(1);
    situ_dev *d = situ_dev_open(tested_device(0), NULL);
    if (!CHECK(d) || !CHECK(!situ_device_describe(d->device, &info))) SKIP("the device could not be opened");
    alone_state s = {testing_cuda() || testing_pjrt() ? &never : &((situ_opencl *)d->state)->maps, info.bit_equal};
    if (!known) could = *s.maps;
    known = true;
    *s.maps = false;
    return s;
}

static situ_device here;

/* A tensor with the same numbers on every device. */
static inline situ_tensor *some(situ_shape shape, situ_dtype dtype)
{
    int64_t n = 1;
    for (int i = 0; i < shape.ndim; i++) n *= shape.dim[i];
    random_state s = {(uint64_t)n + (uint64_t)dtype};
    char *data = calloc((size_t)n + 1, 16);
    for (int64_t i = 0; i < n; i++) random_element(&s, dtype, true, data + (size_t)i * situ_dtype_size(dtype));
    situ_tensor *t = situ_from_host(data, shape, .dtype = dtype, .device = here);
    free(data);
    return t;
}

static inline situ_tensor *below(situ_shape shape, int64_t least, int64_t most)
{
    int64_t n = 1, data[512] = {0};
    for (int i = 0; i < shape.ndim; i++) n *= shape.dim[i];
    random_state s = {(uint64_t)n};
    for (int64_t i = 0; i < n; i++) data[i] = random_between(&s, least, most);
    return situ_from_host(data, shape, .dtype = SITU_I64, .device = here);
}

#define F32(...) some(SHAPE(__VA_ARGS__), SITU_F32)
#define PROGRAM(name, ...) \
    static situ_tensor *name(void) { return __VA_ARGS__; }

/* The bytes of a program's result on a device. */
static inline int64_t result_on(situ_device d, situ_tensor *(*run)(void), char *out, size_t room, situ_dtype *dtype)
{
    here = d;
    situ_scope *scope = situ_scope_open();
    situ_tensor *y = run();
    situ_shape shape = situ_shape_of(y);
    int64_t bytes = (int64_t)situ_dtype_size(*dtype = situ_dtype_of(y));
    for (int i = 0; i < shape.ndim; i++) bytes *= shape.dim[i];
    if ((size_t)bytes > room || situ_read(y, out, (size_t)bytes)) bytes = -1;
    situ_scope_close(scope);
    return bytes;
}

#endif
