/* B3: how many there are: 0 where there is none, and no error. */
#include "chapter.h"

int row_B3(void)
{
    printf("num_gpus %d, num_tpus %d\n", situ_num_gpus(), situ_num_tpus());
    HOLDS(situ_num_gpus() >= 0);
    HOLDS(situ_num_tpus() >= 0);
    HOLDS(!situ_failed());
    return row_end();
}
