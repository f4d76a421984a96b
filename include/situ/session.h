/* Sessions: a network's call that costs nothing but its arithmetic, for audio callbacks, control loops and servers.
 *
 *     situ_session *s = situ_session_open(net, TENSORS(x));
 *     float *in = situ_session_input(s, 0);                  // [count of x], yours to fill before each run
 *     const float *out = situ_session_result(s, 0);
 *     for (;;) {
 *         fill(in);
 *         if (situ_session_run(s)) break;
 *         use(out);
 *     }
 *     situ_session_close(s);
 *
 * A run computes in the calling thread alone. It takes no lock, allocates nothing, calls no function of the system, waits for
 * nobody, and uses at most 16 KB of stack, apart from functions of the program in the network (situ_custom_new). It gives the bits
 * of the ordinary call. docs/serving.md says what else is guaranteed.
 */
#ifndef SITU_SESSION_H
#define SITU_SESSION_H

#include <situ/nn.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct situ_session situ_session;

typedef struct SITU_BY_NAME situ_session_open_options {
    SITU_OPTION_HEAD;
    const char *state; /* = none: pairs "input=result", such as "1=1,2=2": after a run the input gets the result, for the next run.
                        * A recurrent layer's states, a cache */
} situ_session_open_options;
/* Calls the network with these inputs at inference, and binds what it computes: inputs of these shapes and dtypes, in memory of the
 * session, which begins with their values. What the network decides by values in memory stays as it was decided here. It is for
 * networks on the CPU. Nobody may train the network meanwhile; afterwards they may. NULL on an error. */
SITU_API situ_session *situ_session_open(
    situ_module *net, situ_list inputs, const situ_session_open_options *options, situ_site site);
/* NULL is fine. The network may be freed before. */
SITU_API SITU_TOLD void situ_session_close(situ_session *session);

/* The memory of input i and of result i: contiguous, row-major, the same until the session is closed. NULL with an error if
 * there is none. Inputs keep what is written there. */
SITU_API SITU_TOLD void *situ_session_input(situ_session *session, int i);
SITU_API SITU_TOLD const void *situ_session_result(const situ_session *session, int i);
/* How many there are, and the shape and dtype of each. */
SITU_API SITU_TOLD int situ_session_inputs(const situ_session *session);
SITU_API SITU_TOLD int situ_session_results(const situ_session *session);
SITU_API SITU_TOLD situ_shape situ_session_input_shape(const situ_session *session, int i);
SITU_API SITU_TOLD situ_shape situ_session_result_shape(const situ_session *session, int i);
SITU_API SITU_TOLD situ_dtype situ_session_input_dtype(const situ_session *session, int i);
SITU_API SITU_TOLD situ_dtype situ_session_result_dtype(const situ_session *session, int i);

/* Computes the results from the inputs, by one version of the network's values as a whole: the newest that was complete when the
 * run began. One thread at a time. 0, or a negative code, without an error in the thread and with the state as before: an input
 * is an index out of range, the session is NULL, closed, or in a run of another thread. */
SITU_API int situ_session_run(situ_session *session);
/* The inputs of .state get the values that they had when the session was opened. 0 or a negative code, as from a run. */
SITU_API int situ_session_reset(situ_session *session);

#ifdef __cplusplus
}
#endif

#include <situ/call/session.h>

#endif
