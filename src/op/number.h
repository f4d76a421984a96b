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

/* Reads and rewrites the C numbers among an elementwise operation's n (valid) operands, and the operation if
 * necessary, so that the result is that of the exact numbers. False with an error. */
bool situ_numbers_meet(situ_el *el, situ_tensor **in, int n, situ_site site);
/* Records a comparison of integer tensors without a common dtype, u64 with a signed one; NULL: another case. */
situ_tensor *situ_compare_integers(situ_el el, situ_tensor *a, situ_tensor *b, situ_site site);
/* True for u64 and a signed dtype, both as tensors. */
bool situ_no_common_integer(const situ_tensor *a, const situ_tensor *b);
/* Converts the number for kernels of this dtype; NULL with an error if it does not fit. A fraction fits an integer
 * dtype only if truncation is requested (`cut`). */
situ_tensor *situ_number_fit(situ_tensor *number, situ_dtype dtype, bool cut, const char *operation, situ_site site);
/* Position of the number among x's values, for a search from the left (first value that is not below it) or the right:
 * returns the number of x's dtype to search for instead, and changes the side if necessary. */
situ_tensor *situ_number_between(situ_tensor *number, situ_dtype dtype, bool *right);
/* Can a value of this dtype equal the number? */
bool situ_number_is_in(const situ_tensor *number, situ_dtype dtype);
/* The smallest and the largest integer of a dtype (bool: 0 and 1). */
__int128 situ_integer_lowest(situ_dtype d);
__int128 situ_integer_highest(situ_dtype d);
/* Writes "300" or "2.5" to `text`. */
#define SITU_NUMBER_TEXT 48
const char *situ_number_text(const situ_tensor *number, char *text);

#endif
