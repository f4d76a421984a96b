/* Means of logged values by name, the shares of time, and hyper-parameters. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "nn/hyper.h"
#include "train/trainer.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

const situ_hyper situ_trainer_rows[SITU_TRAINER_ROWS] = {SITU_TRAINER_HYPER};

void situ_trainer_set_value(situ_trainer *t, const char *before, const char *name, double mean)
{
    char whole[sizeof t->value->name];
    int i = 0;
    snprintf(whole, sizeof whole, "%s%s", before, name);
    while (i < t->values && strcmp(t->value[i].name, whole)) i++;
    if (i == SITU_VALUES) return;
    memcpy(t->value[i].name, whole, sizeof whole);
    t->value[i].mean = mean;
    if (i == t->values) t->values++;
}

double situ_trainer_value(const situ_trainer *t, const char *name)
{
    if (!situ_is_usable(t, "situ_trainer_value", "trainer") || !name) return (double)NAN;
    for (int i = 0; i < t->values; i++)
        if (!strcmp(t->value[i].name, name)) return t->value[i].mean;
    return (double)NAN;
}

situ_trainer_rates situ_trainer_rates_of(const situ_trainer *t)
{
    situ_trainer_rates r = {0};
    if (!situ_is_usable(t, "situ_trainer_rates_of", "trainer") || !(t->seconds > 0)) return r;
    r.seconds = t->seconds;
    r.waited = 1e-9 * (double)t->waited / t->seconds;
    r.copied = 1e-9 * (double)t->copied / t->seconds;
    r.computed = 1 - r.waited - r.copied;
    r.rows = (double)t->rows / t->seconds;
    r.steps = (double)t->steps / t->seconds;
    return r;
}

int situ_trainer_hyper(const situ_trainer *t, situ_hyper *out, int most)
{
    SITU_SPEAK_AT("situ_trainer_hyper");
    if (situ_ended(t, "situ_trainer_hyper", "trainer", NULL)) return -situ_error_code;
    if (!t) return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_trainer_hyper: the trainer is NULL");
    return situ_hyper_list(situ_trainer_rows, SITU_TRAINER_ROWS, &t->o, out, most);
}
