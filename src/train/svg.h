/* Curves as a picture: one SVG file that needs nothing else, readable on light and dark pages. */
#ifndef SITU_TRAIN_SVG_H
#define SITU_TRAIN_SVG_H

#include "train/axis.h"

/* Draws the series into one chart with a legend, replacing the file at path. title and x_label may be NULL.
 * Returns 0 or a negative code. */
int situ_svg_curves(const char *path, const char *title, const char *x_label, int nseries, const situ_series *series);

#endif
