/* Raising errors inside the library. */
#ifndef SITU_BASE_ERROR_H
#define SITU_BASE_ERROR_H

#include <stdbool.h>

#include <situ/error.h>

/* Sets this thread's error unless one sticks already ("site: message"; site may be NULL); returns -code. */
int situ_fail(int code, situ_site site, const char *format, ...) SITU_PRINTF(3, 4);

/* A part of a message that each language has its own words for, as in
 *     "labels are integers; write " SITU_SAY("situ_cast(labels, SITU_I64)", "labels.astype(\"int64\")")
 * situ_fail keeps one of the two; other texts with such parts go through situ_say. */
#define SITU_SAY(c, python) "\1" c "\2" python "\3"

/* Whether this copy of the library serves Python: its extension has one of its own. */
extern bool situ_speaks_python;

/* Leaves in `text` the words of the caller's language. */
void situ_say(char *text);

/* Whom messages speak for: the public function that the user called, where it is made of others, and its line for those of its
 * parts that have none. Names live as long as the process. */
typedef struct situ_speaker {
    const char *name; /* NULL: each operation speaks for itself */
    situ_site site;   /* while nobody speaks: what the macro of a function without a site told that function */
} situ_speaker;
extern __thread situ_speaker situ_speaking;

/* How many look for NaN now. Meanwhile every operation remembers for whom it speaks, not only those that may fail; this costs
 * memory. */
extern _Atomic int situ_speakers_wanted;

/* Whoever speaks already goes on: SITU_SPEAK("mse", site) at the start of a function lasts until its end. */
static inline situ_speaker situ_speak(const char *name, situ_site site)
{
    situ_speaker before = situ_speaking;
    if (!before.name) situ_speaking.name = name, situ_speaking.site = site;
    return before;
}
/* The same in a function without a site. */
static inline situ_speaker situ_speak_at(const char *name)
{
    situ_speaker before = situ_speaking;
    if (!before.name) situ_speaking.name = name, before.site = NULL;
    return before;
}
/* The line that the macro of a function without a site told it, where the function speaks for itself in no other way. */
static inline situ_site situ_told(void)
{
    situ_site site = situ_speaking.site;
    if (!situ_speaking.name) situ_speaking.site = NULL;
    return site;
}
/* Functions of the user's are called: their operations speak for themselves. */
static inline situ_speaker situ_speak_not(void)
{
    situ_speaker before = situ_speaking;
    situ_speaking = (situ_speaker){0};
    return before;
}
/* Whoever spoke before. */
static inline situ_speaker situ_speak_instead(const char *name, situ_site site)
{
    situ_speaker before = situ_speak_not();
    return situ_speak(name, site), before;
}
static inline void situ_spoken(const situ_speaker *before) { situ_speaking.name = before->name, situ_speaking.site = before->site; }
#define SITU_SPEAKER_ __attribute__((cleanup(situ_spoken), unused)) const situ_speaker situ_speaker_before
#define SITU_SPEAK(name, site) SITU_SPEAKER_ = situ_speak(name, site)
#define SITU_SPEAK_INSTEAD(name, site) SITU_SPEAKER_ = situ_speak_instead(name, site)
#define SITU_SPEAK_AT(name) SITU_SPEAKER_ = situ_speak_at(name)
#define SITU_SPEAK_NOT SITU_SPEAKER_ = situ_speak_not()

/* situ_error_message for the library itself: the program has not read it by that. */
const char *situ_error_peek(void);
/* Raises again what was raised before, word for word. */
int situ_fail_again(int code, const char *message);

/* Behind the name of who speaks the thread's error says where it was met, "name: where: ...", unless it says that already. */
void situ_error_met(const char *where);

/* The thread's error state, looked at by every call. */
extern __thread int situ_error_code;

#endif
