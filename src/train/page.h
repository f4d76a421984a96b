/* The HTML page of a report (train/report.h), and joining several reports. */
#ifndef SITU_TRAIN_PAGE_H
#define SITU_TRAIN_PAGE_H

/* Writes the page, with an open, empty run at its end, replacing the file at path. 0 or an errno. */
int situ_page_begin(const char *path);

#endif
