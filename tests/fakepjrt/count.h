/* Counts the objects of a plugin: each that is made must be destroyed once, and none may be used afterwards. */
#ifndef FAKEPJRT_COUNT_H
#define FAKEPJRT_COUNT_H

#include <pthread.h>
#include <stdlib.h>

#include "backend/pjrt/api.h"

enum { BUFFERS, EVENTS, PROGRAMS, EXECUTABLES, KINDS };
enum { MOST_LIVE = 1 << 16, NUMBER_OF_RESULTS = 44 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *live[KINDS][MOST_LIVE];
static int lives[KINDS];
static long made[KINDS], misused;
static pjrt_function *actual[PJRT_FUNCTIONS];

static int place_of(int kind, void *object)
{
    int i = lives[kind] - 1;
    while (i >= 0 && live[kind][i] != object) i--;
    return i;
}

static void begins(int kind, void *object)
{
    pthread_mutex_lock(&lock);
    if (object && lives[kind] < MOST_LIVE) live[kind][lives[kind]++] = object, made[kind]++;
    pthread_mutex_unlock(&lock);
}

static void is_used(int kind, void *object)
{
    pthread_mutex_lock(&lock);
    misused += place_of(kind, object) < 0;
    pthread_mutex_unlock(&lock);
}

static void ends(int kind, void *object)
{
    pthread_mutex_lock(&lock);
    int i = object ? place_of(kind, object) : -1;
    if (i >= 0) live[kind][i] = live[kind][--lives[kind]];
    else misused += object != NULL;
    pthread_mutex_unlock(&lock);
}

#define COUNTED(name, function, type, before, after) \
    static pjrt_error name(void *arguments) \
    { \
        type *a = arguments; \
        (void)a; \
        before; \
        pjrt_error error = actual[function](arguments); \
        if (!error) { \
            after; \
        } \
        return error; \
    }
COUNTED(from_host, PJRT_CLIENT_BUFFER_FROM_HOST, pjrt_from_host, (void)0, (begins(BUFFERS, a->buffer), begins(EVENTS, a->done)))
COUNTED(to_host, PJRT_BUFFER_TO_HOST, pjrt_to_host, is_used(BUFFERS, a->from), begins(EVENTS, a->event))
COUNTED(to_device, PJRT_BUFFER_COPY_TO_DEVICE, pjrt_to_device, is_used(BUFFERS, a->from), begins(BUFFERS, a->to))
COUNTED(ready, PJRT_BUFFER_READY, pjrt_of_one, is_used(BUFFERS, a->object), begins(EVENTS, a->out))
COUNTED(compiled, PJRT_CLIENT_COMPILE, pjrt_compile, (void)0, begins(PROGRAMS, a->program))
COUNTED(loaded, PJRT_PROGRAM_LOAD, pjrt_load, (void)0, begins(PROGRAMS, a->program))
COUNTED(inside, PJRT_PROGRAM_EXECUTABLE, pjrt_of_one, is_used(PROGRAMS, a->object), begins(EXECUTABLES, a->out))
COUNTED(waited, PJRT_EVENT_AWAIT, pjrt_one, is_used(EVENTS, a->object), (void)0)
COUNTED(no_buffer, PJRT_BUFFER_DESTROY, pjrt_one, ends(BUFFERS, a->object), (void)0)
COUNTED(no_event, PJRT_EVENT_DESTROY, pjrt_one, ends(EVENTS, a->object), (void)0)
COUNTED(no_program, PJRT_PROGRAM_DESTROY, pjrt_one, ends(PROGRAMS, a->object), (void)0)
COUNTED(no_executable, PJRT_EXECUTABLE_DESTROY, pjrt_one, ends(EXECUTABLES, a->object), (void)0)

static size_t results_of(pjrt_program program)
{
    pjrt_of_one of = {.size = 32, .object = program}, count = {.size = 32}; /* as every version knows them */
    if (actual[PJRT_PROGRAM_EXECUTABLE](&of)) return 0;
    count.object = of.out;
    if (actual[NUMBER_OF_RESULTS](&count)) return 0;
    actual[PJRT_EXECUTABLE_DESTROY](&(pjrt_one){.size = 24, .object = of.out});
    return (size_t)count.out;
}

static pjrt_error executed(void *arguments)
{
    pjrt_execute *a = arguments;
    is_used(PROGRAMS, a->program);
    for (size_t i = 0; i < a->arguments; i++) is_used(BUFFERS, a->argument[0][i]);
    pjrt_error error = actual[PJRT_PROGRAM_EXECUTE](arguments);
    size_t results = error ? 0 : results_of(a->program);
    for (size_t i = 0; i < results; i++) begins(BUFFERS, a->result[0][i]);
    if (!error && a->complete) begins(EVENTS, a->complete[0]);
    return error;
}

static void count_all(pjrt_table *t)
{
    static const struct {
        int function;
        pjrt_function *counted;
    } each[] = {{PJRT_CLIENT_BUFFER_FROM_HOST, from_host}, {PJRT_BUFFER_TO_HOST, to_host}, {PJRT_BUFFER_COPY_TO_DEVICE, to_device},
        {PJRT_BUFFER_READY, ready}, {PJRT_CLIENT_COMPILE, compiled}, {PJRT_PROGRAM_LOAD, loaded}, {PJRT_PROGRAM_EXECUTABLE, inside},
        {PJRT_EVENT_AWAIT, waited}, {PJRT_BUFFER_DESTROY, no_buffer}, {PJRT_EVENT_DESTROY, no_event}, {PJRT_PROGRAM_DESTROY, no_program},
        {PJRT_EXECUTABLE_DESTROY, no_executable}, {PJRT_PROGRAM_EXECUTE, executed}};
    for (int i = 0; i < PJRT_FUNCTIONS; i++) actual[i] = t->function[i];
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        if (actual[each[i].function]) t->function[each[i].function] = each[i].counted;
}

/* Of buffers, events, programs and executables: how many were made, and how many are left; then how often one was used
 * or destroyed that was not there. */
__attribute__((visibility("default"))) void fakepjrt_counts(long out[2 * KINDS + 1]);
void fakepjrt_counts(long out[2 * KINDS + 1])
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < KINDS; i++) out[i] = made[i], out[KINDS + i] = lives[i];
    out[2 * KINDS] = misused;
    pthread_mutex_unlock(&lock);
}

#endif
