// situ/session.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/session.h: change that.
#ifndef SITU_CALL_SESSION_HPP
#define SITU_CALL_SESSION_HPP

namespace situ {

struct session_open_options : options<situ_session_open_options> {
    session_open_options &state(const char *v) { return situ_session_open_options::state = v, *this; }
};
inline situ_session *session_open(situ_module *net, const situ::list &inputs, const session_open_options &o = {}, site at = {})
{
    return checked(situ_session_open(net, inputs, &o, at));
}
inline void session_close(situ_session *session, site at = {})
{
    situ_called_at(at); situ_session_close(session); check();
}
inline void *session_input(situ_session *session, int i, site at = {})
{
    situ_called_at(at); return checked(situ_session_input(session, i));
}
inline const void *session_result(const situ_session *session, int i, site at = {})
{
    situ_called_at(at); return checked(situ_session_result(session, i));
}
inline int session_inputs(const situ_session *session, site at = {})
{
    situ_called_at(at); return checked(situ_session_inputs(session));
}
inline int session_results(const situ_session *session, site at = {})
{
    situ_called_at(at); return checked(situ_session_results(session));
}
inline situ_shape session_input_shape(const situ_session *session, int i, site at = {})
{
    situ_called_at(at); return checked(situ_session_input_shape(session, i));
}
inline situ_shape session_result_shape(const situ_session *session, int i, site at = {})
{
    situ_called_at(at); return checked(situ_session_result_shape(session, i));
}
inline situ_dtype session_input_dtype(const situ_session *session, int i, site at = {})
{
    situ_called_at(at); return checked(situ_session_input_dtype(session, i));
}
inline situ_dtype session_result_dtype(const situ_session *session, int i, site at = {})
{
    situ_called_at(at); return checked(situ_session_result_dtype(session, i));
}
inline int session_run(situ_session *session) { return checked(situ_session_run(session)); }
inline int session_reset(situ_session *session) { return checked(situ_session_reset(session)); }

} // namespace situ
#endif
