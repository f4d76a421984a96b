/* The page of a report (train/report.h), and reports put together. */
#ifndef SITU_TRAIN_PAGE_H
#define SITU_TRAIN_PAGE_H

/* Writes the page with an open, empty run behind it, in the place of what is at path. 0 or an errno. */
int situ_page_begin(const char *path);

#endif
