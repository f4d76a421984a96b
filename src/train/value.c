/* The means of what was logged, by name, and where the time went. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "train/trainer.h"

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
    if (!situ_there(t, "situ_trainer_value", "trainer") || !name) return (double)NAN;
    for (int i = 0; i < t->values; i++)
        if (!strcmp(t->value[i].name, name)) return t->value[i].mean;
    return (double)NAN;
}

situ_trainer_rates situ_trainer_rates_of(const situ_trainer *t)
{
    situ_trainer_rates r = {0};
    if (!situ_there(t, "situ_trainer_rates_of", "trainer") || !(t->seconds > 0)) return r;
    r.seconds = t->seconds;
    r.waited = 1e-9 * (double)t->waited / t->seconds;
    r.copied = 1e-9 * (double)t->copied / t->seconds;
    r.computed = 1 - r.waited - r.copied;
    r.rows = (double)t->rows / t->seconds;
    r.steps = (double)t->steps / t->seconds;
    return r;
}
