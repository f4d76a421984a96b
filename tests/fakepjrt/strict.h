/* A plugin that refuses each struct which has not exactly the size that its version knows. How large a real plugin
 * knows it, it says itself: its error on one of size 1 has "expected N". Of an earlier version than its own the sizes
 * of the structs that have grown since are here. */
#ifndef FAKEPJRT_STRICT_H
#define FAKEPJRT_STRICT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/pjrt/api.h"

static const struct {
    int function, minor;
    size_t bytes;
} grown[] = {{PJRT_CLIENT_CREATE, 54, 72}, {PJRT_CLIENT_CREATE, 61, 88}, {PJRT_PROGRAM_LOAD, 54, 48}, {PJRT_PROGRAM_LOAD, 71, 64},
    {PJRT_OPTIONS, 54, 72}, {PJRT_OPTIONS, 64, 80}, {PJRT_OPTIONS, 76, 88}, {PJRT_OPTIONS, 78, 112}, {PJRT_OPTIONS, 97, 120}};

static pjrt_function *beneath[PJRT_FUNCTIONS];
static int strict_minor; /* 0: the plugin's own */

/* What the real plugin knows of the struct that begins at `size`, an argument of the function or one that lies in it. */
static size_t real_bytes(int function, void *arguments, size_t *size)
{
    size_t given = *size, bytes = 0;
    char text[256];
    *size = 1;
    pjrt_error error = beneath[function](arguments);
    *size = given;
    if (!error) return 0;
    pjrt_text message = {.size = 40, .object = error};
    beneath[PJRT_ERROR_MESSAGE](&message);
    snprintf(text, sizeof text, "%.*s", (int)message.length, message.out);
    const char *at = strstr(text, ": expected ");
    if (at) bytes = strtoul(at + 11, NULL, 10);
    beneath[PJRT_ERROR_DESTROY](&(pjrt_one){.size = 24, .object = error});
    return bytes;
}

/* Is it as large as the version knows it? Then it is made as large as the real plugin knows it. */
static bool fits(int function, int which, void *arguments, size_t *size)
{
    size_t real = real_bytes(function, arguments, size), known = real;
    if (!real) fprintf(stderr, "fakepjrt: the plugin does not say how large it knows struct %d\n", which);
    for (size_t i = 0; i < sizeof grown / sizeof *grown; i++)
        if (strict_minor && grown[i].function == which && grown[i].minor <= strict_minor) known = grown[i].bytes;
    if (*size != known) fprintf(stderr, "fakepjrt: struct %d has %zu bytes, not %zu\n", which, *size, known);
    bool fit = *size == known;
    *size = fit ? real : 1;
    return fit;
}

static pjrt_error checked(int function, void *arguments)
{
    bool fit = fits(function, function, arguments, arguments);
    if (fit && function == PJRT_CLIENT_COMPILE) {
        pjrt_source *source = (pjrt_source *)(uintptr_t)((pjrt_compile *)arguments)->source;
        fits(function, PJRT_SOURCE, arguments, &source->size);
    }
    if (fit && function == PJRT_PROGRAM_EXECUTE) fits(function, PJRT_OPTIONS, arguments, &((pjrt_execute *)arguments)->options->size);
    return beneath[function](arguments);
}

#define CHECKED(X) \
    X(3) X(5) X(8) X(9) X(10) X(12) X(14) X(16) X(20) X(22) X(23) X(26) X(29) X(34) X(40) X(49) X(50) X(51) X(55) X(56) X(58) X(69) X(70) X(72)
#define DEFINE(n) \
    static pjrt_error checked_##n(void *arguments) { return checked(n, arguments); }
CHECKED(DEFINE)

static void check_sizes(pjrt_table *t)
{
    for (int i = 0; i < PJRT_FUNCTIONS; i++) beneath[i] = t->function[i];
#define PLACE(n) \
    if (t->function[n]) t->function[n] = checked_##n;
    CHECKED(PLACE)
}

#endif
