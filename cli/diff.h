/* Private declarations of `situ diff`. */
#ifndef CLI_DIFF_H
#define CLI_DIFF_H

#include <situ.h>

/* The element at an address; for complex numbers its real part. */
double cli_element(situ_dtype d, const char *at);
/* Compares all operations on a device with the CPU; returns an exit status. */
int cli_diff_operations(situ_device d);
/* The summary of the last such comparison for a device; false: there was none. */
bool cli_diff_known(const situ_device_info *info, char *text, size_t size);

#endif
