/* Tokenizers; their public class is in situ/_text.py. */
#include "binding.h"

#include "base/memory.h"
#include "model/tokenizer.h"

#define TOKENIZER "situ.tokenizer"

static void tokenizer_end(PyObject *capsule)
{
    situ_tokenizer *t = PyCapsule_GetPointer(capsule, TOKENIZER);
    if (t) situ_tokenizer_close(t);
}

/* tokenizer(path, lower) */
METHOD(py_tokenizer)
{
    BEGIN(2, "Tokenizer");
    const char *path = arg_text(c, 0, "path");
    situ_tokenizer_open_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .lower = arg_bool(c, 1, true)};
    return end_handle(c, c->failed ? NULL : (situ_tokenizer_open)(path, &o, c->site), TOKENIZER, tokenizer_end);
}

/* tokenizer_says(tokenizer): number of tokens, {"eos": 2} */
METHOD(py_tokenizer_says)
{
    BEGIN(1, "Tokenizer");
    situ_tokenizer *t = ARG_HANDLE(c, 0, situ_tokenizer, TOKENIZER);
    if (!call_leave(c)) return NULL;
    PyObject *named = PyDict_New();
    for (int i = 0; named && i < SITU_NAMED_TOKENS; i++) {
        if (t->named[i] < 0) continue;
        PyObject *number = PyLong_FromLong(t->named[i]);
        int rc = number ? PyDict_SetItemString(named, situ_token_names[i], number) : -1;
        Py_XDECREF(number);
        if (rc) return Py_DECREF(named), NULL;
    }
    return named ? Py_BuildValue("iN", (int)t->count, named) : NULL;
}

/* tokenizer_find(tokenizer, token): its index, or -1 */
METHOD(py_tokenizer_find)
{
    BEGIN(2, "Tokenizer.find");
    situ_tokenizer *t = ARG_HANDLE(c, 0, situ_tokenizer, TOKENIZER);
    const char *token = c->failed ? NULL : text_of(arg[1], "token");
    c->failed |= !token;
    return call_leave(c) ? PyLong_FromLong(situ_tokenizer_find(t, token)) : NULL;
}

static situ_tokenizer_encode_options options(call *c)
{
    situ_tokenizer_encode_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .bytes = -1};
    o.special = arg_bool(c, 2, false);
    o.frame = arg_bool(c, 3, true);
    o.most = arg_int(c, 4, 0);
    o.device = arg_device(c, 5);
    return o;
}

/* tokenizer_encode(tokenizer, bytes, special, frame, most, device) */
METHOD(py_tokenizer_encode)
{
    BEGIN(6, "Tokenizer.encode");
    situ_tokenizer *t = ARG_HANDLE(c, 0, situ_tokenizer, TOKENIZER);
    situ_tokenizer_encode_options o = options(c);
    char *text = NULL;
    Py_ssize_t size = 0;
    if (!c->failed && PyBytes_AsStringAndSize(arg[1], &text, &size)) c->failed = true;
    o.bytes = (int64_t)size;
    return call_end(c, c->failed ? NULL : (situ_tokenizer_encode)(t, text, &o, c->site));
}

/* tokenizer_batch(tokenizer, [bytes], special, frame, most, device) */
METHOD(py_tokenizer_batch)
{
    BEGIN(6, "Tokenizer.encode");
    situ_tokenizer *t = ARG_HANDLE(c, 0, situ_tokenizer, TOKENIZER);
    situ_tokenizer_encode_options o = options(c);
    Py_ssize_t count = c->failed ? 0 : PyList_Size(arg[1]);
    const char **text = count < 0 ? NULL : situ_malloc((size_t)count * sizeof *text + 1);
    if (!text) c->failed = true, PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count && !c->failed; i++) {
        char *bytes;
        if (PyBytes_AsStringAndSize(PyList_GetItem(arg[1], i), &bytes, NULL)) c->failed = true;
        else text[i] = bytes;
    }
    PyObject *out = call_end(c, c->failed ? NULL : (situ_tokenizer_batch)(t, text, (int)count, &o, c->site));
    situ_free(text);
    return out;
}

/* tokenizer_decode(tokenizer, bytes of int32): bytes */
METHOD(py_tokenizer_decode)
{
    BEGIN(2, "Tokenizer.decode");
    situ_tokenizer *t = ARG_HANDLE(c, 0, situ_tokenizer, TOKENIZER);
    char *tokens = NULL;
    Py_ssize_t size = 0;
    if (!c->failed && PyBytes_AsStringAndSize(arg[1], &tokens, &size)) c->failed = true;
    int64_t count = (int64_t)size / 4,
            bytes = c->failed ? 0 : situ_tokenizer_decode(t, (const int32_t *)(void *)tokens, count, NULL, 0);
    PyObject *out = bytes < 0 || c->failed ? NULL : PyBytes_FromStringAndSize(NULL, (Py_ssize_t)bytes);
    if (out) situ_tokenizer_decode(t, (const int32_t *)(void *)tokens, count, PyBytes_AsString(out), bytes);
    if (call_leave(c)) return out;
    Py_XDECREF(out);
    return NULL;
}

PyMethodDef text_methods[] = {FAST(tokenizer), FAST(tokenizer_says), FAST(tokenizer_find), FAST(tokenizer_encode),
    FAST(tokenizer_batch), FAST(tokenizer_decode), {NULL, NULL, 0, NULL}};
