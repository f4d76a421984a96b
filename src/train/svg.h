/* Curves and bars as a picture: one SVG file that needs nothing else, readable on light and dark pages. */
#ifndef SITU_TRAIN_SVG_H
#define SITU_TRAIN_SVG_H

#include "train/axis.h"

#include <stdio.h>

/* Draws the series into one chart with a legend, replacing the file at path. title and x_label may be NULL.
 * Returns 0 or a negative code. */
int situ_svg_curves(const char *path, const char *title, const char *x_label, int nseries, const situ_series *series);

/* The same into a file that is open; the horizontal axis reaches x_limit at least. */
void situ_svg_write(FILE *file, const char *title, const char *x_label, double x_limit, int nseries, const situ_series *series);

/* Can a picture be written there? An error before hours of training, not after them. What is there is left as it is. */
int situ_svg_check(const char *path);

/* A time, or a stretch of one: a bar from `from` to `to` seconds, labelled "what, who"; bars of one `who` have one colour.
 * Neighbours of one section share a heading and a scale. */
typedef struct situ_svg_bar {
    char section[104], what[56], who[32];
    double from, to;
} situ_svg_bar;

/* Draws bars one below the other, replacing the file at path; by powers of ten where all of a section begin at 0 and the
 * longest is 50 times the shortest. Bars that end before they begin or nowhere (NaN) are left out. Returns 0 or a negative code. */
int situ_svg_bars(const char *path, const char *title, int count, const situ_svg_bar *bars);

#endif
