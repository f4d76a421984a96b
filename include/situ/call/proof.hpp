// situ/proof.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/proof.h: change that.
#ifndef SITU_CALL_PROOF_HPP
#define SITU_CALL_PROOF_HPP

namespace situ {

struct proof_open_options : options<situ_proof_open_options> {
    proof_open_options &loader(situ_loader *v) { return situ_proof_open_options::loader = v, *this; }
    proof_open_options &note(const char *v) { return situ_proof_open_options::note = v, *this; }
    proof_open_options &every(int64_t v) { return situ_proof_open_options::every = v, *this; }
    proof_open_options &resume(bool v = true) { return situ_proof_open_options::resume = v, *this; }
    proof_open_options &group(situ_group *v) { return situ_proof_open_options::group = v, *this; }
};
inline situ_proof *proof_open(const char *folder, situ_module *net, situ_optimizer *opt, const proof_open_options &o = {}, site at = {})
{
    return checked(situ_proof_open(folder, net, opt, &o, at));
}
inline int proof_step(situ_proof *proof, operand loss, const situ::list &batch)
{
    return checked(situ_proof_step(proof, loss.t, batch, loss.at));
}
inline int64_t proof_steps(const situ_proof *proof, site at = {})
{
    situ_called_at(at); return checked(situ_proof_steps(proof));
}
inline int proof_close(situ_proof *proof, char *commitment, site at = {})
{
    return checked(situ_proof_close(proof, commitment, at));
}

} // namespace situ
#endif
