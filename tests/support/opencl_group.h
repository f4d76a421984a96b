/* Runs a fused group on an OpenCL device and on the CPU with the same random operands, and compares the results.
 *
 *     if (!same_on_opencl(&g, seed, "label", exact)) ...     // differences are reported */
#ifndef SITU_TEST_OPENCL_GROUP_H
#define SITU_TEST_OPENCL_GROUP_H

#include <stdio.h>

#include "backend/cpu/kernel.h"
#include "codegen/group_text.h"
#include "device/device.h"
#include "support/group_data.h"
#include "support/opencl_devices.h"

/* Runs the group on a device; the results are in `out`, one block for each. */
static inline bool group_on_device(situ_dev *d, const situ_fused *g, group_data *data, char **out)
{
    situ_kernel_desc desc = {.name = "test", .group = g, .naddress = data->naddress, .nargument = g->nword};
    situ_buffer *buffer[SITU_FUSED_STORES + SITU_FUSED_LOADS + 2] = {NULL};
    char *address[SITU_FUSED_STORES + SITU_FUSED_LOADS + 2];
    situ_fault fault = {0};
    if ((desc.workspace = d->backend->workspace(&desc))) desc.naddress++;
    void *kernel = d->backend->compile(d, &desc);
    bool good = CHECK(kernel != NULL);
    for (int i = 0; i < data->naddress && good; i++) {
        good = CHECK((buffer[i] = situ_buffer_new(d, (size_t)data->bytes[i], NULL, NULL)) != NULL);
        if (!good) break;
        good = CHECK_EQ(d->backend->upload(d, buffer[i]->address, data->block[i], (size_t)data->bytes[i]), 0);
        address[i] = buffer[i]->address + (data->address[i] - data->block[i]);
    }
    if (good && data->alias >= 0) address[0] = address[data->alias];
    if (good && desc.workspace) {
        buffer[data->naddress] = situ_buffer_new(d, desc.workspace, NULL, NULL);
        if (CHECK(good = buffer[data->naddress] != NULL)) address[data->naddress] = buffer[data->naddress]->address;
    }
    if (good) good = CHECK_EQ(d->backend->launch(d, kernel, address, data->argument, &fault), 0) && CHECK_EQ(fault.code, 0);
    if (good && d->backend->finish) good = CHECK_EQ(d->backend->finish(d, &fault, NULL), 0) && CHECK_EQ(fault.code, 0);
    for (int i = 0; i < data->nresult && good; i++)
        good = CHECK_EQ(d->backend->download(d, out[i], address[i], (size_t)data->bytes[i]), 0);
    for (int i = 0; i <= data->naddress; i++) situ_buffer_unref(buffer[i]);
    if (kernel) d->backend->drop(d, kernel);
    return good;
}

static inline bool group_on_cpu(const situ_fused *g, group_data *data)
{
    situ_kernel_desc desc = {.name = "test", .group = g, .naddress = data->naddress, .nargument = g->nword};
    situ_fault fault = {0};
    void *kernel = situ_cpu_kernel_new(&desc);
    if (!CHECK(kernel != NULL)) return false;
    bool good = CHECK_EQ(situ_cpu_kernel_run(kernel, data->address, data->argument, &fault, false), 0);
    situ_cpu_kernel_free(kernel);
    return good;
}

/* Whether two elements agree: f64 results of the device's own library approximately, everything else bit for bit. */
static inline bool near_element(situ_dtype d, const char *a, const char *b)
{
    if (same_element(d, a, b)) return true;
    double x = situ_element_get_f64(d, a), y = situ_element_get_f64(d, b);
    return d == SITU_F64 && fabs(x - y) <= 1e-14 * (fabs(x) + fabs(y));
}

static inline bool same_on_opencl(const situ_fused *g, uint64_t seed, const char *label, bool exact)
{
    situ_dev *d = situ_dev_open(tested_device(0), NULL);
    group_data data;
    random_state s = {seed};
    char *out[SITU_FUSED_STORES + 1] = {NULL};
    bool good = CHECK(data_make(&data, g, &s)) && CHECK(d != NULL);
    for (int i = 0; i < data.nresult && good; i++) good = CHECK((out[i] = malloc((size_t)data.bytes[i] + 1)) != NULL);
    if (good) data_reset(&data);
    good = good && group_on_device(d, g, &data, out) && group_on_cpu(g, &data);
    for (int i = 0; i < data.nresult && good; i++) {
        situ_dtype t = result_dtype(g, i);
        int64_t size = (int64_t)situ_dtype_size(t);
        const char *cpu = i == 0 && data.alias >= 0 ? data.block[data.alias] : data.block[i];
        for (int64_t k = 0; k < data.bytes[i] / size; k++) {
            const char *a = cpu + k * size, *b = out[i] + k * size;
            if (CHECK(exact ? same_element(t, a, b) : near_element(t, a, b))) continue;
            printf("  %s: result %d differs at %lld: CPU %.17g, the device %.17g\n", label, i, (long long)k, situ_element_get_f64(t, a), situ_element_get_f64(t, b));
            good = false;
            break;
        }
    }
    for (int i = 0; i < data.nresult; i++) free(out[i]);
    data_free(&data);
    return good;
}

#endif
