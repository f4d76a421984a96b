/* Calls of situ/session.h. Made by scripts/generate.py from include/situ/session.h: change that. */
#ifndef SITU_CALL_SESSION_H
#define SITU_CALL_SESSION_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#define SITU_SESSION_OPEN_DEFAULTS ()

#ifndef __cplusplus
#define situ_session_open(...) situ_session_open_(__VA_ARGS__, )
#define situ_session_open_(net, inputs, ...) \
    SITU_OPTIONS_(situ_session_open_options, SITU_SESSION_OPEN_DEFAULTS, situ_session_open, (SITU_HANDLE(situ_module \
    *, net), (inputs),), "situ_session_open(net, TENSORS(a, b), .state = ...)", __VA_ARGS__)
#endif

#ifdef SITU_LINES_ /* the line of the call */
#define situ_session_close(session) SITU_AT_(situ_session_close, SITU_HANDLE(situ_session *, session))
#define situ_session_input(session, i) \
    SITU_AT_(situ_session_input, SITU_HANDLE(situ_session *, session), SITU_INTEGER(i))
#define situ_session_result(session, i) \
    SITU_AT_(situ_session_result, SITU_HANDLE(const situ_session *, session), SITU_INTEGER(i))
#define situ_session_inputs(session) SITU_AT_(situ_session_inputs, SITU_HANDLE(const situ_session *, session))
#define situ_session_results(session) SITU_AT_(situ_session_results, SITU_HANDLE(const situ_session *, session))
#define situ_session_input_shape(session, i) \
    SITU_AT_(situ_session_input_shape, SITU_HANDLE(const situ_session *, session), SITU_INTEGER(i))
#define situ_session_result_shape(session, i) \
    SITU_AT_(situ_session_result_shape, SITU_HANDLE(const situ_session *, session), SITU_INTEGER(i))
#define situ_session_input_dtype(session, i) \
    SITU_AT_(situ_session_input_dtype, SITU_HANDLE(const situ_session *, session), SITU_INTEGER(i))
#define situ_session_result_dtype(session, i) \
    SITU_AT_(situ_session_result_dtype, SITU_HANDLE(const situ_session *, session), SITU_INTEGER(i))
#endif

#endif
