/* Calls of situ/device.h. Made by scripts/generate.py from include/situ/device.h: change that. */
#ifndef SITU_CALL_DEVICE_H
#define SITU_CALL_DEVICE_H

#ifdef SITU_LINES_ /* the line of the call */
#define situ_device_parse(...) SITU_AT_(situ_device_parse, __VA_ARGS__)
#define situ_device_describe(...) SITU_AT_(situ_device_describe, __VA_ARGS__)
#define situ_device_processes(...) SITU_AT_(situ_device_processes, __VA_ARGS__)
#define situ_sim_gpus(...) SITU_AT_(situ_sim_gpus, __VA_ARGS__)
#define situ_sim_configure(...) SITU_AT_(situ_sim_configure, __VA_ARGS__)
#define situ_sim_count(...) SITU_AT_(situ_sim_count, __VA_ARGS__)
#define situ_push_device(...) SITU_AT_(situ_push_device, __VA_ARGS__)
#define situ_pop_device() SITU_AT_(situ_pop_device, )
#endif

#endif
