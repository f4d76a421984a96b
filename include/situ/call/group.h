/* Calls of situ/group.h. Made by scripts/generate.py from include/situ/group.h: change that. */
#ifndef SITU_CALL_GROUP_H
#define SITU_CALL_GROUP_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#define SITU_GROUP_OPEN_DEFAULTS ()
#define SITU_GROUP_REDUCE_DEFAULTS ()
#define SITU_GROUP_TREE_SUM_DEFAULTS ()

#ifndef __cplusplus
#define situ_group_open(...) \
    SITU_OPTIONS_(situ_group_open_options, SITU_GROUP_OPEN_DEFAULTS, situ_group_open, (), \
    "situ_group_open(.deadline = ..., .communicator = ...)", __VA_ARGS__)
#define situ_group_all_reduce(...) situ_group_all_reduce_(__VA_ARGS__, )
#define situ_group_all_reduce_(group, x, ...) \
    SITU_OPTIONS_(situ_group_reduce_options, SITU_GROUP_REDUCE_DEFAULTS, situ_group_all_reduce, \
    (SITU_HANDLE(situ_group *, group), SITU_OPERAND(x),), "situ_group_all_reduce(group, x, .reduction = ...)", \
    __VA_ARGS__)
#define situ_group_reduce_scatter(...) situ_group_reduce_scatter_(__VA_ARGS__, )
#define situ_group_reduce_scatter_(group, x, ...) \
    SITU_OPTIONS_(situ_group_reduce_options, SITU_GROUP_REDUCE_DEFAULTS, situ_group_reduce_scatter, \
    (SITU_HANDLE(situ_group *, group), SITU_OPERAND(x),), "situ_group_reduce_scatter(group, x, .reduction = ...)", \
    __VA_ARGS__)
#define situ_group_all_gather(group, x) \
    (situ_group_all_gather)(SITU_HANDLE(situ_group *, group), SITU_OPERAND(x), SITU_HERE)
#define situ_group_broadcast(group, x, root) \
    (situ_group_broadcast)(SITU_HANDLE(situ_group *, group), SITU_OPERAND(x), SITU_INTEGER(root), SITU_HERE)
#define situ_group_barrier(group) (situ_group_barrier)(SITU_HANDLE(situ_group *, group), SITU_HERE)
#define situ_group_send(group, x, to) \
    (situ_group_send)(SITU_HANDLE(situ_group *, group), SITU_TENSOR(x), SITU_INTEGER(to), SITU_HERE)
#define situ_group_receive(group, like, from) \
    (situ_group_receive)(SITU_HANDLE(situ_group *, group), SITU_OPERAND(like), SITU_INTEGER(from), SITU_HERE)
#define situ_group_tree_sum(...) situ_group_tree_sum_(__VA_ARGS__, )
#define situ_group_tree_sum_(group, part, total, ...) \
    SITU_OPTIONS_(situ_group_tree_sum_options, SITU_GROUP_TREE_SUM_DEFAULTS, situ_group_tree_sum, \
    (SITU_HANDLE(situ_group *, group), (part), SITU_INTEGER(total),), \
    "situ_group_tree_sum(group, TENSORS(a, b), total, .like = ...)", __VA_ARGS__)
#endif

#ifdef SITU_LINES_ /* the line of the call */
#define situ_group_free(group) SITU_AT_(situ_group_free, SITU_HANDLE(situ_group *, group))
#endif

#endif
