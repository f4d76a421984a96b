// situ/sim.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/sim.h: change that.
#ifndef SITU_CALL_SIM_HPP
#define SITU_CALL_SIM_HPP

namespace situ {

inline int sim_profile(const char *name, site at = {}) { situ_called_at(at); return checked(situ_sim_profile(name)); }
inline const char *sim_profile_name() { return checked(situ_sim_profile_name()); }
inline int sim_host_configure(const situ_sim_host_options *options, site at = {})
{
    situ_called_at(at); return checked(situ_sim_host_configure(options));
}
inline void sim_host(double seconds) { situ_sim_host(seconds); check(); }
inline void sim_reach(double seconds) { situ_sim_reach(seconds); check(); }
inline double sim_stretch(double *late) { return checked(situ_sim_stretch(late)); }
inline int sim_times(situ_device d, situ_sim_parts *out, site at = {})
{
    situ_called_at(at); return checked(situ_sim_times(d, out));
}

} // namespace situ
#endif
