// situ/ledger.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/ledger.h: change that.
#ifndef SITU_CALL_LEDGER_HPP
#define SITU_CALL_LEDGER_HPP

namespace situ {

struct guard_options : options<situ_guard_options> {
    guard_options &to_host(int64_t v) { return situ_guard_options::to_host = v, *this; }
    guard_options &to_device(int64_t v) { return situ_guard_options::to_device = v, *this; }
    guard_options &peer(int64_t v) { return situ_guard_options::peer = v, *this; }
    guard_options &waits(int64_t v) { return situ_guard_options::waits = v, *this; }
    guard_options &bytes(int64_t v) { return situ_guard_options::bytes = v, *this; }
    guard_options &mode(situ_guard_mode v) { return situ_guard_options::mode = v, *this; }
    guard_options &nan(bool v = true) { return situ_guard_options::nan = v, *this; }
};
inline situ_ledger_totals ledger_sum() { return checked(situ_ledger_sum()); }
inline void ledger_reset() { situ_ledger_reset(); check(); }
inline int64_t ledger_merged() { return checked(situ_ledger_merged()); }
inline int ledger_record(int most, site at = {}) { situ_called_at(at); return checked(situ_ledger_record(most)); }
inline int ledger_list(situ_ledger_entry *out, int most) { return checked(situ_ledger_list(out, most)); }
inline const char *transfer_name(situ_transfer t) { return checked(situ_transfer_name(t)); }
inline const char *reason_name(situ_reason r) { return checked(situ_reason_name(r)); }
inline situ_guard guard_open(const guard_options &o = {}, site at = {}) { return checked(situ_guard_open(&o, at)); }
inline int64_t guard_close(situ_guard guard) { return checked(situ_guard_close(guard)); }
inline int memory_of(situ_device d, situ_memory *out, site at = {})
{
    situ_called_at(at); return checked(situ_memory_of(d, out));
}
inline int memory_limit(situ_device d, int64_t bytes, site at = {})
{
    situ_called_at(at); return checked(situ_memory_limit(d, bytes));
}
inline int memory_reset_peak(situ_device d, site at = {})
{
    situ_called_at(at); return checked(situ_memory_reset_peak(d));
}
inline int memory_trim(situ_device d, site at = {}) { situ_called_at(at); return checked(situ_memory_trim(d)); }

} // namespace situ
#endif
