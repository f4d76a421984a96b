/* The text that describes a cluster, and the ways that are found in it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "backend/sim/cluster.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    situ_cluster *c = situ_cluster_read(text, "fuzz", NULL);
    int last = c ? c->nodes * c->cards - 1 : 0;
    situ_flow flow[] = {{.from = 0, .to = c ? situ_cluster_card(c, last) : 0, .bytes = 1e6},
        {.from = c ? situ_cluster_card(c, last) : 0, .to = 0, .bytes = 1e9, .start = 1e-3}};
    /* what joins the nodes is checked, so that each copy ends */
    if (c && (situ_flows_run(c, flow, 2, NULL) || !(flow[0].end >= 0 && flow[1].end >= 1e-3))) abort();
    situ_cluster_free(c);
    situ_error_take(NULL);
    free(text);
    return 0;
}
