/* emit: the groups of steps, in the making. */
#ifndef SITU_PLAN_EMIT_H
#define SITU_PLAN_EMIT_H

#include "plan/build.h"

typedef struct situ_emitter {
    situ_build *b;
    const situ_work *work;
    situ_fused g;
    uint32_t loaded[SITU_FUSED_LOADS];
    situ_address address[SITU_FUSED_LOADS + SITU_FUSED_STORES + 2];
    int naddress;
    situ_word_source word[SITU_FUSED_WORDS];
    int32_t load_register[SITU_FUSED_LOADS];
    int last;     /* register of the last member */
    int32_t node; /* for messages */
    double traffic;
    size_t named; /* characters of the name */
    char name[200];
} situ_emitter;

/* A random key is read whole at every position: never through the load of another use. Such a load's value has this bit. */
#define SITU_EMIT_KEY 0x80000000u

/* The group of one step, or the post-op of a call; NULL: failed. */
situ_emitter *situ_emit_group(situ_build *b, int32_t self);
/* More of a name of `size` characters, `used` so far, as much as there is room for. */
void situ_emit_name(char *name, size_t size, size_t *used, const char *between, const char *text);
/* Where a value lies, and where a result goes; a word of a value. */
situ_address situ_emit_address(const situ_build *b, uint32_t x);
situ_address situ_emit_result(const situ_build *b, uint32_t x);
situ_word_source situ_emit_word(const situ_val *v, uint32_t k);

#endif
