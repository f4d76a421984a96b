#include "train/log.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

int situ_log_open(situ_step_log *log, int64_t capacity)
{
    *log = (situ_step_log){.capacity = capacity, .columns = 1, .name = {"loss"}};
    log->rows = situ_malloc((size_t)capacity * sizeof *log->rows);
    return log->rows ? 0 : situ_fail(SITU_NO_MEMORY, NULL, "situ_trainer_fit: out of host memory");
}

void situ_log_close(situ_step_log *log)
{
    situ_release(log->variable);
    situ_free(log->value);
    situ_free(log->rows);
    *log = (situ_step_log){0};
}

void situ_log_begin(situ_step_log *log)
{
    log->at = log->weight = 0;
    memset(log->sum, 0, sizeof log->sum);
}

int situ_log_column(situ_step_log *log, const char *name, situ_site site)
{
    for (int i = 0; i < log->columns; i++)
        if (!strcmp(log->name[i], name)) return i;
    if (log->fixed)
        return situ_fail(SITU_BAD_ARGUMENT, site,
            "situ_trainer_log: \"%s\" was not logged in the first step; each step logs the same names", name);
    if (log->columns == SITU_LOGS || strlen(name) >= SITU_LOG_NAME || !*name)
        return situ_fail(SITU_BAD_ARGUMENT, site,
            "situ_trainer_log: \"%s\": a step logs at most %d values, by names of 1 to %d characters", name, SITU_LOGS - 1,
            SITU_LOG_NAME - 1);
    strcpy(log->name[log->columns], name);
    return log->columns++;
}

/* The first row defines the columns. */
static int begin(situ_step_log *log, const situ_tensor *value, situ_site site)
{
    log->fixed = true;
    log->value = situ_malloc((size_t)(log->capacity * log->columns) * sizeof *log->value);
    if (!log->value) return situ_fail(SITU_NO_MEMORY, site, "situ_trainer_fit: out of host memory");
    log->variable = situ_variable(
        situ_zeros(SHAPE(log->capacity * log->columns), .device = value->device), .trainable = false, .name = "losses");
    return -situ_error_code;
}

int situ_log_add(situ_step_log *log, situ_tensor *const *value, int64_t rows, situ_site site)
{
    situ_tensor *part[SITU_LOGS];
    for (int i = 0; i < log->columns; i++) {
        if (!value[i])
            return situ_fail(SITU_BAD_ARGUMENT, site,
                "situ_trainer_give: \"%s\" was not logged in this step; each step logs the same names", log->name[i]);
        part[i] = situ_reshape(situ_cast(value[i], SITU_F32), SHAPE(1));
    }
    if (!log->fixed && begin(log, value[0], site)) return -situ_error_code;
    situ_tensor *row = log->columns == 1 ? part[0] : situ_concat(TENSORS_OF(part, log->columns));
    log->rows[log->at] = rows;
    int rc = situ_assign_slice(log->variable, row, SHAPE(log->columns * log->at));
    log->at += !rc;
    return rc;
}

int situ_log_read(situ_step_log *log, situ_site site)
{
    if (!log->at) return -situ_error_code;
    if (situ_read(log->variable, log->value, (size_t)(log->capacity * log->columns) * sizeof *log->value)) return -situ_error_code;
    log->last = log->value[(log->at - 1) * log->columns];
    for (int64_t i = 0; i < log->at; i++) {
        log->weight += log->rows[i];
        for (int c = 0; c < log->columns; c++) log->sum[c] += (double)log->value[i * log->columns + c] * (double)log->rows[i];
    }
    return 0;
}
