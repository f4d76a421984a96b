/* emit: building the groups of steps. */
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
    int32_t node; /* walk index, for messages */
    double traffic;
    size_t named; /* length of the name */
    char name[200];
} situ_emitter;

/* A random key is read as a whole at every position, so it cannot share a load with another use. The value of such a
 * load has this bit. */
#define SITU_EMIT_KEY 0x80000000u

/* Builds the group of a step, or the post-op of a call; NULL: failed. */
situ_emitter *situ_emit_group(situ_build *b, int32_t self);
/* Appends to a name of `size` bytes, of which `used` are in use, as much as fits. */
void situ_emit_name(char *name, size_t size, size_t *used, const char *between, const char *text);
/* The address of a value, and of a result; a run-time word of a value. */
situ_address situ_emit_address(const situ_build *b, uint32_t x);
situ_address situ_emit_result(const situ_build *b, uint32_t x);
situ_word_source situ_emit_word(const situ_val *v, uint32_t k);

#endif
