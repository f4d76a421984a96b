// situ/text.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/text.h: change that.
#ifndef SITU_CALL_TEXT_HPP
#define SITU_CALL_TEXT_HPP

namespace situ {

struct tokenizer_open_options : options<situ_tokenizer_open_options> {
    tokenizer_open_options &lower(bool v = true) { return situ_tokenizer_open_options::lower = v, *this; }
};
struct tokenizer_encode_options : options<situ_tokenizer_encode_options> {
    tokenizer_encode_options &bytes(int64_t v) { return situ_tokenizer_encode_options::bytes = v, *this; }
    tokenizer_encode_options &special(bool v = true) { return situ_tokenizer_encode_options::special = v, *this; }
    tokenizer_encode_options &frame(bool v = true) { return situ_tokenizer_encode_options::frame = v, *this; }
    tokenizer_encode_options &most(int64_t v) { return situ_tokenizer_encode_options::most = v, *this; }
    tokenizer_encode_options &device(situ_device v) { return situ_tokenizer_encode_options::device = v, *this; }
};
inline situ_tokenizer *tokenizer_open(const char *path, const tokenizer_open_options &o = {}, site at = {})
{
    return checked(situ_tokenizer_open(path, &o, at));
}
inline void tokenizer_close(situ_tokenizer *tokenizer, site at = {})
{
    situ_called_at(at); situ_tokenizer_close(tokenizer); check();
}
inline int tokenizer_count(const situ_tokenizer *tokenizer) { return checked(situ_tokenizer_count(tokenizer)); }
inline int tokenizer_find(const situ_tokenizer *tokenizer, const char *token)
{
    return checked(situ_tokenizer_find(tokenizer, token));
}
inline int tokenizer_special(const situ_tokenizer *tokenizer, const char *use)
{
    return checked(situ_tokenizer_special(tokenizer, use));
}
inline tensor tokenizer_encode(const situ_tokenizer *tokenizer, const char *text, const tokenizer_encode_options &o = {}, site at = {})
{
    return situ_tokenizer_encode(tokenizer, text, &o, at);
}
inline tensor tokenizer_batch(const situ_tokenizer *tokenizer, const char *const *texts, int count, const tokenizer_encode_options &o = {}, site at = {})
{
    return situ_tokenizer_batch(tokenizer, texts, count, &o, at);
}
inline int64_t tokenizer_decode(const situ_tokenizer *tokenizer, const int32_t *tokens, int64_t count, char *out, int64_t most, site at = {})
{
    situ_called_at(at); return checked(situ_tokenizer_decode(tokenizer, tokens, count, out, most));
}
inline int64_t text_whole(const char *text) { return checked(situ_text_whole(text)); }

} // namespace situ
#endif
