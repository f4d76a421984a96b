/* Charts of curves and bars: one SVG file that needs no other file, readable on light and dark pages. */
#ifndef SITU_TRAIN_SVG_H
#define SITU_TRAIN_SVG_H

#include "train/axis.h"
#include "train/timeline.h"

#include <stdio.h>

/* Draws the series into one chart with a legend, replacing the file at path. title and x_label may be NULL.
 * Returns 0 or a negative code. */
int situ_svg_curves(const char *path, const char *title, const char *x_label, int nseries, const situ_series *series);

/* Writes the same to an open file; the horizontal axis reaches at least x_limit. */
void situ_svg_write(FILE *file, const char *title, const char *x_label, double x_limit, int nseries, const situ_series *series);

/* Checks that a picture can be written there, before hours of training rather than after. An existing file is not
 * changed. */
int situ_svg_check(const char *path);

/* A time, or an interval, shown as a bar from `from` to `to` seconds with the label "what, who". Bars with the same
 * `who` have one colour. Neighbouring bars of one section share a heading and a scale. */
typedef struct situ_svg_bar {
    char section[104], what[56], who[32];
    double from, to;
} situ_svg_bar;

/* Draws bars, one below the other, replacing the file at path. A section's scale is logarithmic if all its bars begin
 * at 0 and the longest is 50 times the shortest. Bars that end before they begin, or at NaN, are left out. Returns 0
 * or a negative code. */
int situ_svg_bars(const char *path, const char *title, int count, const situ_svg_bar *bars);

/* Draws timelines, one below the other with one scale, replacing the file at path. Returns 0 or a negative code. */
int situ_svg_timelines(const char *path, const char *title, int count, const situ_trace_view *timelines);

#endif
