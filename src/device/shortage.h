/* The out-of-memory message. */
#ifndef SITU_DEVICE_SHORTAGE_H
#define SITU_DEVICE_SHORTAGE_H

#include "device/pages.h"

/* Raises the error of a buffer that could not be allocated; called under the pages' lock. */
void situ_fail_shortage(struct situ_pages *p, int code, size_t bytes, const situ_label *label, situ_site site);

#endif
