/* Two runs compared step by step: each writes a line for every result into a pipe, and whoever reads both finds the
 * first that differs. `situ diff` does that (cli/diff.c); the environment tells this side:
 *
 *     SITU_DIGEST=5                    a line for each result into file descriptor 5
 *     SITU_DIGEST_DUMP=FILE:T.L.S.K    and the result with this name itself into FILE, before its line
 *
 * A line: "T.L.S.K HASH DTYPE BYTES DIMS NAME<tab>DEVICE<tab>SITE": the thread, its launch, the step that computes
 * among the launch's, and which of its results, so that runs on other devices, with other copies, have the same names.
 * DIMS as 2x3 or -, SITE may be empty. */
#ifndef SITU_RUN_DIGEST_H
#define SITU_RUN_DIGEST_H

#include "run/launch.h"

static inline bool situ_digesting(void) { return __builtin_expect(situ_plan_comparable, 0); }
void situ_digest_launch(situ_launch *l);
/* Digests what the step has just written. Returns the first element that is NaN, if the plan checks for it, or -1. */
int64_t situ_digest_step(const situ_launch *l, uint32_t step, char *const *address);

#endif
