/* The table of operations: operations.def and elements.def. */
#include <string.h>

#include "elements.h"
#include "function_kinds.h"
#include "generate.h"
#include "interpret.h"
#include "loss_kinds.h"
#include "move_kinds.h"
#include "record.h"
#include "reduce_kinds.h"

static situ_tensor *record_none(const statement *s, situ_tensor **in, situ_site site)
{
    (void)s, (void)in, (void)site;
    return NULL;
}

const row rows[] = {
#define ELEMENT(n, k, operands, off) \
    {.name = #n, .group = G_ELEMENT, .kind = k, .arity = operands, .variant = EL_##n, .ulp = off, .make = make_element, \
     .interpret = interpret_element, .record = record_element, .function = (void *)(situ_##n), .weight = 6},
#include "elements.def"
#undef ELEMENT
#define OPERATION(n, g, v, often, maker, interpreter, recorder) \
    {.name = #n, .group = g, .variant = v, .make = make_##maker, .interpret = interpret_##interpreter, .record = record_##recorder, \
     .weight = often},
#define CHECKED(n, g, v, often, maker, interpreter, recorder, checker) \
    {.name = #n, .group = g, .variant = v, .make = make_##maker, .interpret = interpret_##interpreter, .record = record_##recorder, \
     .weight = often, .check = check_##checker},
#define REDUCTION(n, v, often, maker, interpreter) \
    {.name = #n, .group = G_REDUCE, .variant = v, .make = make_##maker, .interpret = interpret_##interpreter, .record = record_reduce, \
     .function = (void *)(situ_##n), .weight = often},
#include "operations.def"
#undef OPERATION
#undef CHECKED
#undef REDUCTION
};
const int row_count = (int)(sizeof rows / sizeof *rows);

int row_named(const char *name)
{
    for (int i = 0; i < row_count; i++)
        if (!strcmp(rows[i].name, name)) return i;
    return -1;
}

int assigned_by(const statement *s)
{
    const char *name = rows[s->row].name;
    if (s->off || rows[s->row].group != G_STATE || strncmp(name, "assign", 6) != 0) return 0;
    return strcmp(name, "assign_all") ? 1 : s->nin / 2;
}
