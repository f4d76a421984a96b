/* Explains how a tensor would be computed, as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/op.h"
#include "graph/walk.h"
#include "os/file.h"
#include "plan/plan.h"
#include "run/enqueue.h"

static int print_plan(FILE *f, situ_tensor *t)
{
    situ_walk w = {0};
    situ_mutex_lock(&situ_planner);
    int rc = situ_walk_collect(&w, &t, 1, NULL, 0, NULL);
    if (!rc) rc = situ_walk_decide(&w, &t, 1);
    situ_plan *p = rc ? NULL : situ_plan_make(&w, situ_plan_mode(), NULL);
    if (p) situ_plan_print(f, p);
    situ_plan_free(p);
    situ_walk_free(&w);
    situ_mutex_unlock(&situ_planner);
    return p ? 0 : -situ_error_code;
}

char *situ_explain(situ_tensor *t)
{
    SITU_SPEAK_AT("situ_explain");
    if (!(t = situ_take_operand(situ_thread_get(), t, "situ_explain", NULL))) return NULL;
    char *text = NULL, operand[512];
    size_t size = 0;
    FILE *f = situ_text_open(&text, &size);
    if (!f) return situ_fail(SITU_NO_MEMORY, NULL, "situ_explain: out of host memory"), NULL;
    fprintf(f, "%s is %s\n", situ_operand_text(t, operand, sizeof operand), situ_state(t));
    int rc = t->buffer || t->flags & SITU_NODE_SCALAR ? 0 : print_plan(f, t);
    fclose(f);
    if (!rc) return text;
    free(text);
    return NULL;
}
