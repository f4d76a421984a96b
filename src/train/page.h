/* The HTML page of a report (train/report.h), and joining several reports. */
#ifndef SITU_TRAIN_PAGE_H
#define SITU_TRAIN_PAGE_H

#include "train/timeline.h"

/* Writes the page, with an open, empty run at its end, replacing the file at path. 0 or an errno. */
int situ_page_begin(const char *path);
/* situ_report_join with this clock for the timelines of traces. */
int situ_page_join(const char *path, const char *const *files, int count, situ_clock clock);
/* Draws traces, one above the other on one scale: into a picture if the path ends with .svg, else into a page. */
int situ_traces_draw(const char *path, const char *title, const char *const *traces, int count, situ_clock clock);

#endif
