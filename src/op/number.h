/* Numbers of the source where they meet a tensor: they keep their value. Comparisons are those of the exact numbers;
 * elsewhere an integer that the dtype does not hold is an error.
 *
 *     situ_less(bytes, 256)      // true everywhere
 *     situ_add(bytes, 256)       // an error: u8 holds 0 to 255
 */
#ifndef SITU_OP_NUMBER_H
#define SITU_OP_NUMBER_H

#include "op/elementwise.h"
#include "op/support.h"

/* Reads and rewrites the numbers among an elementwise operation's n operands (usable ones), perhaps the operation, too, so
 * that its value is the exact one. False with an error. */
bool situ_numbers_meet(situ_el *el, situ_tensor **in, int n, situ_site site);
/* A comparison of integer tensors that no dtype holds both of, u64 with a signed one; NULL: it is none. */
situ_tensor *situ_compare_integers(situ_el el, situ_tensor *a, situ_tensor *b, situ_site site);
/* u64 and a signed dtype, as tensors. */
bool situ_no_common_integer(const situ_tensor *a, const situ_tensor *b);
/* The number as one that kernels take for this dtype; NULL with an error if it does not fit. A fraction fits an integer dtype
 * only where it is asked for by name (`cut`): it is cut off then. */
situ_tensor *situ_number_fit(situ_tensor *number, situ_dtype dtype, bool cut, const char *operation, situ_site site);
/* Where the number lies among x's values, for a search from the left (first value that is not below it) or the right: the
 * number of x's dtype to search for instead, and which way. */
situ_tensor *situ_number_between(situ_tensor *number, situ_dtype dtype, bool *right);
/* Whether a value of this dtype equals the number. */
bool situ_number_is_in(const situ_tensor *number, situ_dtype dtype);
/* The smallest and the largest integer of a dtype (bool: 0 and 1). */
__int128 situ_integer_lowest(situ_dtype d);
__int128 situ_integer_highest(situ_dtype d);
/* "300", "2.5" in `text`. */
#define SITU_NUMBER_TEXT 48
const char *situ_number_text(const situ_tensor *number, char *text);

#endif
