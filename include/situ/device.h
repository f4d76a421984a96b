/* Devices: where tensors live and work runs. A device is a small value; naming one never fails, using an absent one does.
 *
 *     situ_device d = situ_try_gpu(0);      // gpu(0) if there is one, else the CPU
 *     char name[32];
 *     puts(situ_device_name(d, name));      // "gpu(0)"
 */
#ifndef SITU_DEVICE_H
#define SITU_DEVICE_H

#include <situ/error.h>

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum situ_device_kind {
    SITU_DEVICE_UNSET = 0, /* in options: the thread's default device                    */
    SITU_CPU = 1,          /* all cores and main memory; the only one is cpu(0) */
    SITU_GPU = 2,          /* CUDA cards, then other GPUs, then simulated ones            */
    SITU_TPU = 3,          /* TPUs, by a PJRT plugin                                      */
    SITU_NULL = 4,         /* checks everything, computes nothing                         */
    SITU_OPENCL = 5,       /* OpenCL devices, CPUs among them, by platform                */
    SITU_PJRT = 6,         /* other devices of PJRT plugins (SITU_PJRT_PLUGIN)             */
} situ_device_kind;

typedef struct situ_device {
    int16_t kind;  /* a situ_device_kind           */
    int16_t index; /* which of its kind, from 0    */
} situ_device;

/* A device of a kind. There is only one CPU and one null device, whatever the index; a negative index of other kinds is an error
 * when the device is used. In C: each kind has a macro, situ_cpu(), situ_gpu(), situ_gpu(1); the default index is 0. */
SITU_API situ_device situ_device_nth(situ_device_kind kind, int index);

/* The number of devices; 0 if there are none, never an error. */
SITU_API int situ_num_devices(situ_device_kind kind);
SITU_API int situ_num_gpus(void);
SITU_API int situ_num_tpus(void);
/* Opens the OpenCL library; so do listing devices and using one of its devices, but nothing else. */
SITU_API int situ_num_opencl(void);
/* Opens the plugins in SITU_PJRT_PLUGIN; so do situ_num_tpus, listing devices and using one of their devices, but nothing else. */
SITU_API int situ_num_pjrt(void);

/* The device if it exists, else the CPU. */
SITU_API situ_device situ_try_gpu(int index);
/* tpu(index), else gpu(index), else the CPU. */
SITU_API situ_device situ_try_tpu_gpu(int index);
/* Writes up to `most` GPUs to out (which may be NULL) and returns how many there are. If there is none, situ_try_all_gpus gives the
 * CPU (1 device), situ_all_gpus 0 devices. */
SITU_API int situ_try_all_gpus(situ_device *out, int most);
SITU_API int situ_all_gpus(situ_device *out, int most);

SITU_API bool situ_device_equal(situ_device a, situ_device b);
/* Writes the canonical name, "cpu(0)" or "gpu(1)", to a buffer of at least 32 bytes and returns it. */
SITU_API const char *situ_device_name(situ_device d, char *buffer);
/* Parses "cpu", "cpu:0", "cpu(0)", "gpu(1)", "cuda", "cuda:1", "tpu:0", "/GPU:0", "/device:CPU:0",
 * "/job:localhost/replica:0/task:0/device:GPU:1", "opencl(1)", "null"; 0 or a negative code. */
SITU_API SITU_TOLD int situ_device_parse(const char *text, situ_device *out);

/* Properties of a device; sizes in bytes, 0 or "" if unknown. */
typedef struct situ_device_info {
    char backend[16];     /* "cpu", "sim", "null", ...                                    */
    char name[128];       /* the model's name                                             */
    char driver[128];     /* driver and runtime version, instruction set, ...             */
    int64_t memory_used;  /* bytes in use on the device, by all processes if known */
    int64_t memory_total; /* bytes                                                        */
    double utilization;   /* 0..1 over the last second, negative where unknown            */
    bool bit_equal;       /* elementwise work and sums give the CPU's bits                */
    bool simulated;
} situ_device_info;
SITU_API SITU_TOLD int situ_device_describe(situ_device d, situ_device_info *out);

/* A process that uses a device: PID, name of the program, bytes on the device (-1: unknown). */
typedef struct situ_device_process {
    int64_t pid, memory;
    char name[64];
} situ_device_process;
/* Writes up to `most` processes that use the device and returns how many there are, or a negative code. If only the library's own
 * use is known (all devices except NVIDIA's), that is this process, if it has memory there. */
SITU_API SITU_TOLD int situ_device_processes(situ_device d, situ_device_process *out, int most);
/* Visits every device of every backend, and each backend without devices: calls visit(self, device, info, reason). For an absent
 * device info is NULL, and reason says why ("libcuda.so.1: not found: no NVIDIA driver is installed"). Libraries that a backend's
 * devices lack are reported the same way ("cuDNN was not found ...; convolutions run as generated text"). */
SITU_API void situ_devices_visit(
    void (*visit)(void *self, const char *backend, situ_device d, const situ_device_info *info, const char *reason), void *self);

/* Adds simulated GPUs so that there are `count` of them (as SITU_SIM_GPUS does at start); 0 or a negative code. */
SITU_API SITU_TOLD int situ_sim_gpus(int count);

/* Options of a simulated GPU; speeds affect only the virtual clock. Unset fields (0) do not change. */
typedef struct situ_sim_options {
    uint32_t size;
    int64_t memory;          /* bytes, the device's limit                         */
    double flops;            /* floating-point operations a second                */
    double memory_bandwidth; /* bytes a second                                    */
    double link_bandwidth;   /* bytes a second to the host and to each other      */
    double link_latency;     /* seconds                                           */
    double launch_latency;   /* seconds a kernel                                  */
    int64_t fail_allocation; /* makes the k-th allocation from now fail, -1: none */
    int64_t lose_at;         /* the device is lost at its k-th kernel from now; -1: never; a lost device is restored */
    double delay;            /* real seconds that each kernel and copy takes at least, so that work on several devices ends in
                              * another order than it was started; -1: none */
} situ_sim_options;
SITU_API SITU_TOLD int situ_sim_configure(situ_device d, const situ_sim_options *options);
/* situ_sim_configure(situ_gpu(0), SITU_SIM(.memory = 1 << 30, .fail_allocation = 3)) */
#define SITU_SIM(...) (&(const situ_sim_options){.size = sizeof(situ_sim_options), __VA_ARGS__})

/* Counters of the simulated device itself, independent of the ledger. */
typedef struct situ_sim_counters {
    int64_t kernels, allocations, frees;
    int64_t upload_count, upload_bytes;     /* host to device                        */
    int64_t download_count, download_bytes; /* device to host                        */
    int64_t peer_count, peer_bytes;         /* device to device, at the destination  */
    double virtual_seconds;                 /* simulated time at which its last work ended */
    double busy_seconds;                    /* simulated seconds during which it worked */
} situ_sim_counters;
SITU_API SITU_TOLD int situ_sim_count(situ_device d, situ_sim_counters *out);
/* The virtual clock of the calling thread in simulated seconds: a timeline of simulated devices, the same in every run. It advances
 * with the thread's own copies and, when the thread waits or reads, to the end of what it waited for. Work starts after the call
 * that started it, after earlier work on its device, and after what it needs from other devices. Work of the host and the CPU takes
 * no virtual time. */
SITU_API double situ_sim_clock(void);

/* The default device of this thread, cpu(0) at first. Push and pop nest. */
SITU_API situ_device situ_default_device(void);
SITU_API SITU_TOLD int situ_push_device(situ_device d);
SITU_API SITU_TOLD int situ_pop_device(void);
/* Strict mode of this thread: there is no default device, so a missing .device is an error. */
SITU_API int situ_strict(bool on);

#ifdef __cplusplus
}
#endif

#include <situ/call/device.h>

#endif
