/* Writes JSON values. */
#ifndef SITU_TRAIN_JSON_H
#define SITU_TRAIN_JSON_H

#include "base/text.h"

void situ_json_text(situ_source *t, const char *text);
/* With 7 digits; null if it is not finite. */
void situ_json_number(situ_source *t, double value);

#endif
