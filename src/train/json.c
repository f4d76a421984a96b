#include "os/plain.h"
#include "train/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Escapes '<' as well, so that no text can end the script element. */
void situ_json_text(situ_source *t, const char *text)
{
    char one[8];
    situ_source_append(t, "\"");
    for (const unsigned char *c = (const unsigned char *)(text ? text : ""); *c; c++) {
        bool plain = *c >= 32 && *c != '"' && *c != '\\' && *c != '<';
        snprintf(one, sizeof one, plain ? "%c" : "\\u%04x", *c);
        situ_source_append(t, one);
    }
    situ_source_append(t, "\"");
}

void situ_json_number(situ_source *t, double value)
{
    char text[40];
    situ_plain_format(text, sizeof text, "%.7g", value);
    situ_source_append(t, isfinite(value) ? text : "null");
}
