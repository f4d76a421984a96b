// situ/group.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/group.h: change that.
#ifndef SITU_CALL_GROUP_HPP
#define SITU_CALL_GROUP_HPP

namespace situ {

struct group_open_options : options<situ_group_open_options> {
    group_open_options &deadline(double v) { return situ_group_open_options::deadline = v, *this; }
    group_open_options &communicator(const void *v) { return situ_group_open_options::communicator = v, *this; }
};
struct group_reduce_options : options<situ_group_reduce_options> {
    group_reduce_options &reduction(situ_group_reduction v) { return situ_group_reduce_options::reduction = v, *this; }
};
struct group_tree_sum_options : options<situ_group_tree_sum_options> {
    group_tree_sum_options &like(situ_tensor *v) { return situ_group_tree_sum_options::like = v, *this; }
};
inline situ_group *group_open(const group_open_options &o = {}, site at = {})
{
    return checked(situ_group_open(&o, at));
}
inline void group_free(situ_group *group, site at = {}) { situ_called_at(at); situ_group_free(group); check(); }
inline int group_rank(const situ_group *group) { return checked(situ_group_rank(group)); }
inline int group_size(const situ_group *group) { return checked(situ_group_size(group)); }
inline const char *group_engine(const situ_group *group) { return checked(situ_group_engine(group)); }
inline tensor group_all_reduce(situ_group *group, operand x, const group_reduce_options &o = {})
{
    return situ_group_all_reduce(group, x.t, &o, x.at);
}
inline tensor group_reduce_scatter(situ_group *group, operand x, const group_reduce_options &o = {})
{
    return situ_group_reduce_scatter(group, x.t, &o, x.at);
}
inline tensor group_all_gather(situ_group *group, operand x) { return situ_group_all_gather(group, x.t, x.at); }
inline tensor group_broadcast(situ_group *group, operand x, int root)
{
    return situ_group_broadcast(group, x.t, root, x.at);
}
inline int group_barrier(situ_group *group, site at = {}) { return checked(situ_group_barrier(group, at)); }
inline int group_send(situ_group *group, operand x, int to) { return checked(situ_group_send(group, x.t, to, x.at)); }
inline tensor group_receive(situ_group *group, operand like, int from)
{
    return situ_group_receive(group, like.t, from, like.at);
}
inline int64_t group_cut(const situ_group *group, int64_t total, int64_t *first)
{
    return checked(situ_group_cut(group, total, first));
}
inline tensor group_tree_sum(situ_group *group, const situ::list &part, int64_t total, const group_tree_sum_options &o = {}, site at = {})
{
    return situ_group_tree_sum(group, part, total, &o, at);
}

} // namespace situ
#endif
