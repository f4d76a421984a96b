// situ/device.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/device.h: change that.
#ifndef SITU_CALL_DEVICE_HPP
#define SITU_CALL_DEVICE_HPP

namespace situ {

inline situ_device device_nth(situ_device_kind kind, int index) { return checked(situ_device_nth(kind, index)); }
inline int num_devices(situ_device_kind kind) { return checked(situ_num_devices(kind)); }
inline int num_gpus() { return checked(situ_num_gpus()); }
inline int num_tpus() { return checked(situ_num_tpus()); }
inline int num_opencl() { return checked(situ_num_opencl()); }
inline int num_pjrt() { return checked(situ_num_pjrt()); }
inline situ_device try_tpu_gpu(int index) { return checked(situ_try_tpu_gpu(index)); }
inline int try_all_gpus(situ_device *out, int most) { return checked(situ_try_all_gpus(out, most)); }
inline int all_gpus(situ_device *out, int most) { return checked(situ_all_gpus(out, most)); }
inline bool device_equal(situ_device a, situ_device b) { return checked(situ_device_equal(a, b)); }
inline const char *device_name(situ_device d, char *buffer) { return checked(situ_device_name(d, buffer)); }
inline int device_parse(const char *text, situ_device *out, site at = {})
{
    situ_called_at(at); return checked(situ_device_parse(text, out));
}
inline int device_describe(situ_device d, situ_device_info *out, site at = {})
{
    situ_called_at(at); return checked(situ_device_describe(d, out));
}
inline int device_processes(situ_device d, situ_device_process *out, int most, site at = {})
{
    situ_called_at(at); return checked(situ_device_processes(d, out, most));
}
inline void devices_visit(void (*visit)(void *, const char *, situ_device, const situ_device_info *, const char *), void *self)
{
    situ_devices_visit(visit, self); check();
}
inline int sim_gpus(int count, site at = {}) { situ_called_at(at); return checked(situ_sim_gpus(count)); }
inline int sim_configure(situ_device d, const situ_sim_options *options, site at = {})
{
    situ_called_at(at); return checked(situ_sim_configure(d, options));
}
inline int sim_count(situ_device d, situ_sim_counters *out, site at = {})
{
    situ_called_at(at); return checked(situ_sim_count(d, out));
}
inline double sim_clock() { return checked(situ_sim_clock()); }
inline situ_device default_device() { return checked(situ_default_device()); }
inline int push_device(situ_device d, site at = {}) { situ_called_at(at); return checked(situ_push_device(d)); }
inline int pop_device(site at = {}) { situ_called_at(at); return checked(situ_pop_device()); }
inline int strict(bool on) { return checked(situ_strict(on)); }
inline situ_device cpu(int index = 0) { return situ_device_nth(SITU_CPU, index); }
inline situ_device gpu(int index = 0) { return situ_device_nth(SITU_GPU, index); }
inline situ_device tpu(int index = 0) { return situ_device_nth(SITU_TPU, index); }
inline situ_device null(int index = 0) { return situ_device_nth(SITU_NULL, index); }
inline situ_device opencl(int index = 0) { return situ_device_nth(SITU_OPENCL, index); }
inline situ_device pjrt(int index = 0) { return situ_device_nth(SITU_PJRT, index); }

} // namespace situ
#endif
