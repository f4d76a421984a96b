/* Row programs whose stages run side by side (interpreter/pipeline.c). */
#ifndef SITU_CPU_GROUP_PIPELINE_H
#define SITU_CPU_GROUP_PIPELINE_H

#include "backend/cpu/interpreter/group.h"

enum { SITU_PIPELINE_PLACES = 96, SITU_PIPELINE_SOURCES = 48, SITU_PIPELINE_REDUCTIONS = 4, SITU_PIPELINE_LANES = 64 };

/* Memory of an address of a stage: all rows, or a ring buffer of a few rows, `step` bytes apart. */
typedef struct situ_source {
    char *start;
    int64_t step;
    bool ring;
} situ_source;

typedef struct situ_pipeline_task {
    situ_source source[SITU_PIPELINE_SOURCES]; /* addresses of all stages, one stage after the other; set by the caller */
    char *place[SITU_PIPELINE_PLACES];
    float lanes[SITU_PIPELINE_REDUCTIONS][SITU_PIPELINE_LANES] __attribute__((aligned(64)));
    float partial[SITU_PIPELINE_REDUCTIONS][8];
} situ_pipeline_task;

typedef struct situ_pipeline situ_pipeline;
/* NULL: these stages cannot run side by side. Freed by situ_free. */
situ_pipeline *situ_pipeline_compile(const situ_row_program *w, situ_program *const *program);
/* Number of rows that the stage is behind the first one; -1: for the last stage. A ring buffer needs one more. */
int situ_pipeline_delay(const situ_pipeline *l, int stage);
/* True if the caller runs this stage, before the others: it computes one value for a row. */
bool situ_pipeline_apart(const situ_pipeline *l, int stage);
/* To be called when the sources are set. */
void situ_pipeline_open(const situ_pipeline *l, situ_pipeline_task *t, const situ_tile_frame *const *frame);
/* Runs row `row` of the first stage, and of each other stage the row that is its delay before; no store may be
 * indirect. */
void situ_pipeline_row(const situ_pipeline *l, situ_pipeline_task *t, int64_t row);

#endif
