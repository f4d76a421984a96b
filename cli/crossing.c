/* The size from which on one of two is faster: for exercise 1 of the chapter (K1) and for situ tune --profile. */
#include <math.h>

#include "command.h"

int64_t row_crossing(double (*ratio)(int64_t size), int64_t low, int64_t high, double within)
{
    if (!(ratio(low) > 1) || !(ratio(high) <= 1)) return 0;
    while (high - low > 1 && (double)high > within * (double)low) {
        int64_t middle = (int64_t)sqrt((double)low * (double)high);
        if (middle == low) middle++;
        if (ratio(middle) > 1) low = middle;
        else high = middle;
    }
    return high;
}
