/* Raising errors inside the library. */
#ifndef SITU_BASE_ERROR_H
#define SITU_BASE_ERROR_H

#include <stdbool.h>

#include <situ/error.h>

/* Sets this thread's error to "site: message", unless an error is set already; site may be NULL. Returns -code. */
int situ_fail(int code, situ_site site, const char *format, ...) SITU_PRINTF(3, 4);

/* A part of a message that reads differently in C and in Python, as in
 *     "labels are integers; write " SITU_SAY("situ_cast(labels, SITU_I64)", "labels.astype(\"int64\")")
 * situ_fail keeps one of the two. Other strings with such parts go through situ_say. */
#define SITU_SAY(c, python) "\1" c "\2" python "\3"

/* Whether this copy of the library serves Python. (The Python extension links its own copy.) */
extern bool situ_speaks_python;

/* Resolves the SITU_SAY parts of a string in place, for the caller's language. */
void situ_say(char *text);

/* In whose name messages are written: the public function that the user called, if it is composed of others, and its
 * call site, for those of its parts that have none. Names live as long as the process. */
typedef struct situ_speaker {
    const char *name; /* NULL: each operation uses its own name */
    situ_site site;   /* if name is NULL: the call site that the macro of a function without a site parameter passed */
} situ_speaker;
extern __thread situ_speaker situ_speaking;

/* Number of NaN searches (SITU_DEBUG=nan) in progress. Meanwhile every operation remembers its speaker, which costs
 * memory; otherwise only operations that can fail do. */
extern _Atomic int situ_speakers_wanted;

/* SITU_SPEAK("mse", site) at the start of a function makes it the speaker until its end, unless there is a speaker
 * already. */
static inline situ_speaker situ_speak(const char *name, situ_site site)
{
    situ_speaker before = situ_speaking;
    if (!before.name) situ_speaking.name = name, situ_speaking.site = site;
    return before;
}
/* The same in a function without a site parameter. */
static inline situ_speaker situ_speak_at(const char *name)
{
    situ_speaker before = situ_speaking;
    if (!before.name) situ_speaking.name = name, before.site = NULL;
    return before;
}
/* The call site that the macro of a function without a site parameter passed; NULL if there is a speaker. */
static inline situ_site situ_passed_site(void)
{
    situ_site site = situ_speaking.site;
    if (!situ_speaking.name) situ_speaking.site = NULL;
    return site;
}
/* Before calling a user's function: removes the speaker, so that its operations use their own names. */
static inline situ_speaker situ_speak_not(void)
{
    situ_speaker before = situ_speaking;
    situ_speaking = (situ_speaker){0};
    return before;
}
/* Makes this function the speaker, even if there is one already. */
static inline situ_speaker situ_speak_instead(const char *name, situ_site site)
{
    situ_speaker before = situ_speak_not();
    return situ_speak(name, site), before;
}
/* Restores the speaker. Where a public function ends that no other one called, situ_after_call follows. */
void situ_spoken(const situ_speaker *before);
/* Once a thread was in eager mode (run/eager.c): starts what the calling thread has recorded, if it is in that mode; else NULL. */
extern void (*_Atomic situ_after_call)(void);
#define SITU_SPEAKER_ __attribute__((cleanup(situ_spoken), unused)) const situ_speaker situ_speaker_before
#define SITU_SPEAK(name, site) SITU_SPEAKER_ = situ_speak(name, site)
#define SITU_SPEAK_INSTEAD(name, site) SITU_SPEAKER_ = situ_speak_instead(name, site)
#define SITU_SPEAK_AT(name) SITU_SPEAKER_ = situ_speak_at(name)
#define SITU_SPEAK_NOT SITU_SPEAKER_ = situ_speak_not()

/* situ_error_message for the library itself: does not count as the program having read it. */
const char *situ_error_peek(void);
/* Raises an earlier error again with exactly this message. */
int situ_fail_again(int code, const char *message);

/* Inserts where the error happened into the thread's message, behind the speaker's name ("name: where: ..."), unless it
 * is in there already. */
void situ_error_met(const char *where);

/* The thread's error code; tested by every call. */
extern __thread int situ_error_code;

#endif
