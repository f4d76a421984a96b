/* Calls of situ/device.h. Made by scripts/generate.py from include/situ/device.h: change that. */
#ifndef SITU_CALL_DEVICE_H
#define SITU_CALL_DEVICE_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#ifdef SITU_LINES_ /* the line of the call */
#define situ_device_parse(...) SITU_AT_AS_IT_IS_(situ_device_parse, __VA_ARGS__)
#define situ_device_describe(...) SITU_AT_AS_IT_IS_(situ_device_describe, __VA_ARGS__)
#define situ_device_processes(...) SITU_AT_AS_IT_IS_(situ_device_processes, __VA_ARGS__)
#define situ_sim_gpus(count) SITU_AT_(situ_sim_gpus, SITU_INTEGER(count))
#define situ_sim_configure(...) SITU_AT_AS_IT_IS_(situ_sim_configure, __VA_ARGS__)
#define situ_sim_count(...) SITU_AT_AS_IT_IS_(situ_sim_count, __VA_ARGS__)
#define situ_push_device(...) SITU_AT_AS_IT_IS_(situ_push_device, __VA_ARGS__)
#define situ_pop_device() SITU_AT_(situ_pop_device, )
#endif

/* Without an index it is 0. */
#define situ_cpu(...) situ_device_nth(SITU_CPU, SITU_INDEX_(__VA_ARGS__))
#define situ_gpu(...) situ_device_nth(SITU_GPU, SITU_INDEX_(__VA_ARGS__))
#define situ_tpu(...) situ_device_nth(SITU_TPU, SITU_INDEX_(__VA_ARGS__))
#define situ_null(...) situ_device_nth(SITU_NULL, SITU_INDEX_(__VA_ARGS__))
#define situ_opencl(...) situ_device_nth(SITU_OPENCL, SITU_INDEX_(__VA_ARGS__))
#define situ_pjrt(...) situ_device_nth(SITU_PJRT, SITU_INDEX_(__VA_ARGS__))
#define SITU_DEVICE_KINDS_(KIND) \
    KIND(SITU_CPU, cpu) KIND(SITU_GPU, gpu) KIND(SITU_TPU, tpu) KIND(SITU_NULL, null) KIND(SITU_OPENCL, opencl) \
    KIND(SITU_PJRT, pjrt)

#endif
