#include "base/error.h"

#include "base/debug.h"
#include "base/parts.h"
#include "os/file.h"
#include "os/library.h"
#include "os/lock.h"
#include "os/plain.h"
#include "os/thread.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__thread int situ_error_code;
__thread situ_speaker situ_speaking;
void (*_Atomic situ_after_call)(void);

void situ_spoken(const situ_speaker *before)
{
    situ_speaking = *before;
    void (*after)(void) = atomic_load_explicit(&situ_after_call, memory_order_relaxed);
    if (__builtin_expect(after != NULL, 0) && !before->name) after();
}
_Atomic int situ_speakers_wanted;

static __thread bool seen; /* the program has read the message; declared before the pointer, so that it lies beside the
                            * error code */
/* Only a pointer to the message is thread-local: a library that is loaded late finds little space for thread-locals. */
enum { MESSAGE = sizeof((situ_error *)0)->message };
static __thread char *error_message;
static char no_memory[] = "out of memory while an error was reported";
static situ_thread_key message_key;
static situ_once message_once = SITU_ONCE_INIT;

/* SITU_DEBUG=errors: prints the error when the program or a thread ends without having taken it or read its message.
 * Calling situ_failed does not count as reading: its code does not say the reason. */
static void tell_unseen(void)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    if (!situ_debug(SITU_DEBUG_ERRORS)) return;
    if (!situ_error_code) situ_linked.error_late();
    if (situ_error_code && !seen && !atomic_flag_test_and_set(&told))
        fprintf(
            stderr, "situ: an error that the program never read: %s (%s)\n", situ_error_peek(), situ_code_name(situ_error_code));
}
__attribute__((destructor)) static void tell_at_exit(void) { tell_unseen(); }

/* Destructor of the thread-local message. If another destructor of this thread raises an error later, a new message is
 * allocated. */
static void message_end(void *message)
{
    tell_unseen();
    free(message);
    error_message = NULL;
}

static void make_key(void)
{
    situ_library_stay();
    situ_thread_key_make(&message_key, message_end);
}

static char *message_space(void)
{
    if (error_message) return error_message;
    situ_call_once(&message_once, make_key);
    error_message = malloc(MESSAGE);
    if (error_message) situ_thread_key_set(message_key, error_message);
    return error_message;
}

bool situ_speaks_python;

void situ_say(char *text)
{
    enum { BOTH, C, PYTHON } part = BOTH;
    char *out = text;
    bool quoted = false; /* inside quotes: the user's words, kept as they are */
    for (const char *in = text; *in; in++) {
        quoted ^= *in == '"';
        bool option = !quoted && *in == '.' && (out == text || strchr(" (", out[-1])) && in[1] >= 'a' &&
            in[1] <= 'z'; /* a leading .axis is written axis in Python; x.axis stays */
        if (*in >= 1 && *in <= 3) part = *in == 1 ? C : *in == 2 ? PYTHON : BOTH;
        else if (option && situ_speaks_python) continue;
        else if (part == BOTH || (part == PYTHON) == situ_speaks_python) *out++ = *in;
    }
    *out = 0;
}

/* Length of the function's name at the start of a message: "gather: " is 8; 0 if there is none. */
static size_t name_in_front(const char *what)
{
    size_t n = strspn(what, "abcdefghijklmnopqrstuvwxyz0123456789_");
    char path[64];
    if (!n || n >= sizeof path || strncmp(what + n, ": ", 2)) return 0;
    memcpy(path, what, n);
    path[n] = 0;
    return situ_file_exists(path) ? 0 : n + 2; /* an existing file is what the message is about, not a function's name */
}

/* Replaces the internal operation's name at the start of a message by the function that the user called. */
static void speak(char *what, size_t capacity)
{
    const char *name = situ_speaking.name;
    if (situ_speaks_python && !strncmp(name, "situ_", 5)) name += 5;
    size_t old = name_in_front(what), length = strlen(name) + 2, rest = strlen(what + old);
    if (length >= capacity) return;
    if (length + rest >= capacity) rest = capacity - length - 1;
    memmove(what + length, what + old, rest);
    memcpy(what, name, length - 2);
    memcpy(what + length - 2, ": ", 2);
    what[length + rest] = 0;
}

void situ_error_met(const char *where)
{
    const char *name = situ_speaking.name;
    if (!situ_error_code || !error_message || !name || strstr(error_message, where)) return;
    if (situ_speaks_python && !strncmp(name, "situ_", 5)) name += 5;
    char *at = strstr(error_message, name);
    size_t length = strlen(where) + 2;
    if (!at || strncmp(at + strlen(name), ": ", 2)) return;
    at += strlen(name) + 2;
    size_t rest = strlen(at) + 1, capacity = (size_t)(error_message + MESSAGE - at);
    if (length + rest > capacity) return;
    memmove(at + length, at, rest);
    memcpy(at, where, length - 2);
    memcpy(at + length - 2, ": ", 2);
}

static void set(int code, situ_site site, const char *format, va_list values)
{
    char *text = message_space();
    seen = false;
    situ_error_code = code;
    if (!text) return;
    if (!site && situ_speaking.name) site = situ_speaking.site;
    int used = site ? snprintf(text, MESSAGE, "%s: ", site) : 0;
    if (used < 0 || used >= MESSAGE) used = 0;
    char *what = text + used;
    size_t capacity = (size_t)(MESSAGE - used);
    situ_plain_list(what, capacity, format, values);
    if (situ_speaking.name) speak(what, capacity);
    /* a message begins with the function's name, which has no prefix in Python */
    if (situ_speaks_python && !strncmp(what, "situ_", 5)) memmove(what, what + 5, strlen(what + 5) + 1);
    situ_say(what);
}

int situ_fail_again(int code, const char *message)
{
    if (situ_error_code) return -situ_error_code;
    situ_speaker before = situ_speak_not();
    situ_fail(code, NULL, "%s", message);
    situ_spoken(&before);
    return -code;
}

int situ_fail(int code, situ_site site, const char *format, ...)
{
    if (situ_error_code) return -situ_error_code;
    va_list values;
    va_start(values, format);
    set(code, site, format, values);
    va_end(values);
    return -code;
}

int situ_error_raise(int code, const char *format, ...)
{
    if (situ_error_code) return -situ_error_code;
    if (code <= 0) code = SITU_BAD_ARGUMENT;
    situ_speaker before = situ_speak_not(); /* the text is the user's own: no function's name goes in front */
    va_list values;
    va_start(values, format);
    set(code, NULL, format, values);
    va_end(values);
    situ_spoken(&before);
    return -code;
}

int situ_failed(void) { return situ_error_code; }

const char *situ_error_peek(void) { return !situ_error_code ? "" : error_message ? error_message : no_memory; }

const char *situ_error_message(void)
{
    if (situ_error_code) seen = true;
    return situ_error_peek();
}

int situ_error_take(situ_error *out)
{
    int code = situ_error_code;
    if (out) {
        out->code = code;
        snprintf(out->message, sizeof out->message, "%s", situ_error_message());
    }
    situ_error_code = 0;
    return code;
}

void situ_called_at(situ_site site)
{
    if (!situ_speaking.name) situ_speaking.site = site;
}

const char *situ_code_name(int code)
{
    switch (code < 0 && code > -1000 ? -code : code) {
    case SITU_OK: return "no error";
    case SITU_NO_MEMORY: return "out of memory";
    case SITU_NO_LIBRARY: return "library not found";
    case SITU_FORKED: return "used after fork";
    case SITU_NO_THREAD: return "no thread";
    case SITU_BAD_ARGUMENT: return "bad argument";
    case SITU_BAD_SHAPE: return "bad shape";
    case SITU_BAD_DTYPE: return "bad dtype";
    case SITU_BAD_DEVICE: return "bad device";
    case SITU_BAD_INDEX: return "bad index";
    case SITU_BAD_OPTION: return "bad option";
    case SITU_OVERWRITTEN: return "overwritten";
    case SITU_BUDGET: return "over budget";
    case SITU_BAD_NUMBER: return "number out of range";
    case SITU_NAN: return "not a number";
    case SITU_SINGULAR: return "singular (or not positive definite) matrix";
    case SITU_UNSUPPORTED: return "unsupported";
    case SITU_NO_GRADIENT: return "no gradient";
    case SITU_NO_DEVICE: return "no such device";
    case SITU_DEVICE_MEMORY: return "out of device memory";
    case SITU_DEVICE_LOST: return "device lost";
    case SITU_MISMATCH: return "mismatch between ranks";
    case SITU_RANK_LOST: return "rank lost";
    case SITU_IO: return "input/output";
    case SITU_BAD_FORMAT: return "bad format";
    default: return "unknown error";
    }
}

/* Interned strings: a small hash table with chains. Entries are never removed. */
typedef struct interned {
    struct interned *next;
    char text[];
} interned;

SITU_LOCK(intern_lock);
static interned *intern_table[1024];

situ_site situ_site_intern(const char *text)
{
    if (!text) return NULL;
    uint32_t h = 2166136261u;
    for (const char *c = text; *c; c++) h = (h ^ (unsigned char)*c) * 16777619u;
    interned **head = &intern_table[h % 1024];
    situ_mutex_lock(&intern_lock);
    interned *it = *head;
    while (it && strcmp(it->text, text)) it = it->next;
    if (!it && (it = malloc(sizeof *it + strlen(text) + 1))) {
        strcpy(it->text, text);
        it->next = *head;
        *head = it;
    }
    situ_mutex_unlock(&intern_lock);
    return it ? it->text : NULL;
}
