/* The trace: what each device and each thread of the host did when, as a file that `situ timeline run.json -o run.html` draws
 * and https://ui.perfetto.dev reads. Every step of a plan, every copy and every wait is a bar with the operation, the line that
 * asked for it and its bytes; arrows lead from the call that started work to the work. Simulated devices appear twice: with the
 * time that the work took here, and, in a process of its own, with simulated time.
 *
 *     situ_profile_start(0);
 *     ...                              // what is to be seen
 *     situ_profile_save("run.json");
 *     situ_profile_stop();
 *
 * Or without a change to the program: SITU_TRACE=run.json ./program, written when the process ends.
 */
#ifndef SITU_PROFILE_H
#define SITU_PROFILE_H

#include <situ/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Keeps the newest `most` events from now on (0: 262,144, about 25 MB), and drops an earlier trace. While tracing, work on real
 * GPUs is waited for step by step, so that each bar has its own length. */
SITU_API SITU_TOLD int situ_profile_start(int most);
/* Writes the events so far as JSON (Trace Event Format), replacing an older file when complete; more may follow. A link is
 * replaced, not followed; a pipe (with a reader) or a device is written to. Errors: no trace was started; SITU_IO. */
SITU_API SITU_TOLD int situ_profile_save(const char *path);
/* Ends the trace and frees its memory. */
SITU_API void situ_profile_stop(void);

#ifdef __cplusplus
}
#endif

#include <situ/call/profile.h>

#endif
