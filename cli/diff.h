/* The parts of `situ diff`. */
#ifndef CLI_DIFF_H
#define CLI_DIFF_H

#include <situ.h>

/* The element at an address, of complex numbers the real part. */
double cli_element(situ_dtype d, const char *at);
/* The table of operations on a device beside the CPU: an exit status. */
int cli_diff_operations(situ_device d);
/* What that said of such a device when it was run last: false: it was not. */
bool cli_diff_known(const situ_device_info *info, char *text, size_t size);

#endif
