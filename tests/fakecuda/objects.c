/* Handles: what they are, whether they still are. */
#include "fake.h"

#include <stdlib.h>

enum { MAGIC = 0x51701ca7 };

static const char *const kind_names[] = {"", "context", "stream", "event", "module", "function", "graph", "node", "executable graph"};

fake_object *fake_objects; /* those that live, and of late those that did */
static fake_object *graveyard;
static int numbers[16];

/* The dead leave the list, but for streams that still have work. */
static void sweep(void)
{
    for (fake_object **at = &fake_objects; *at;) {
        fake_object *o = *at;
        if (o->alive || o->kind == FAKE_CONTEXT || (o->kind == FAKE_STREAM && ((CUstream)o)->first)) {
            at = &o->next;
            continue;
        }
        *at = o->next;
        o->next = graveyard;
        graveyard = o;
    }
}

void *fake_new(fake_kind kind, size_t size, int device)
{
    static unsigned made;
    if (!(++made % 64)) sweep();
    fake_object *o = calloc(1, size);
    if (!o) return NULL;
    *o = (fake_object){MAGIC, (uint8_t)kind, true, numbers[kind]++, device, fake_objects};
    fake_objects = o;
    return o;
}

int fake_check(const void *object, fake_kind kind, int device, const char *what)
{
    const fake_object *o = object;
    if (!o) return fake_refuse(CUDA_ERROR_INVALID_HANDLE, "handle: %s with no %s", what, kind_names[kind]);
    if (o->magic != MAGIC || o->kind != kind) return fake_refuse(CUDA_ERROR_INVALID_HANDLE, "handle: %s with something that is no %s", what, kind_names[kind]);
    if (!o->alive) return fake_refuse(CUDA_ERROR_INVALID_HANDLE, "handle: %s with %s %d, which is destroyed", what, kind_names[kind], o->number);
    if (device >= 0 && o->device != device)
        return fake_refuse(CUDA_ERROR_INVALID_HANDLE, "device: %s with %s %d of device %d where it has to be of device %d", what, kind_names[kind],
                           o->number, o->device, device);
    return 0;
}

FAKE_API int fakecuda_live(char *text, size_t size)
{
    pthread_mutex_lock(&fake_lock);
    int count = fake_space_live(-1, text, size);
    size_t at = 0;
    while (at < size && text[at]) at++;
    for (fake_object *o = fake_objects; o; o = o->next) {
        bool counts = o->kind == FAKE_CONTEXT ? ((CUcontext)o)->retains > 0 : o->alive && o->kind != FAKE_FUNCTION && o->kind != FAKE_NODE;
        if (!counts) continue;
        count++;
        int n = at < size ? snprintf(text + at, size - at, "%s %d, device %d\n", kind_names[o->kind], o->number, o->device) : 0;
        if (n > 0) at += (size_t)n;
    }
    pthread_mutex_unlock(&fake_lock);
    return count;
}
