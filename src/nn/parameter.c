/* Parameters: initial values, names, devices. */
#include <stdio.h>
#include <string.h>

#include <situ/grad.h>

#include "base/memory.h"
#include "device/device.h"
#include "nn/module.h"
#include "run/enqueue.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* ---- keys and initial values -------------------------------------------------------------------------------------- */

situ_tensor *situ_module_root_key(situ_module *root, int i, situ_site site)
{
    if (root->key_on[i]) return root->key_on[i];
    situ_tensor *key = root->key ? situ_to(root->key, root->device[i]) : situ_key(0, .device = root->device[i]);
    situ_tensor *kept = situ_keep(key);
    if (kept->flags & SITU_NODE_POISON) return kept;
    return root->key_on[i] = kept;
}

/* The initial value of p on device i of its root. */
static situ_tensor *first_value(const situ_parameter *p, situ_module *root, int i, situ_site site)
{
    situ_device d = root->device[i];
    if (p->how != SITU_INIT_LAYER)
        return situ_initial(
            situ_fold_in(situ_module_root_key(root, i, site), p->index), p->shape, p->how, .gain = p->gain, .value = p->mean);
    if (p->deviation > 0)
        return situ_initial(
            situ_fold_in(situ_module_root_key(root, i, site), p->index), p->shape, SITU_INIT_NORMAL, .gain = p->deviation);
    if (p->bound == 0) return situ_full(p->shape, p->value, .dtype = SITU_F32, .device = d);
    situ_tensor *key = situ_fold_in(situ_module_root_key(root, i, site), p->index);
    return situ_uniform(key, p->shape, .low = -p->bound, .high = p->bound, .layout = SITU_ORIGINAL);
}

int situ_parameter_make(situ_parameter *p, situ_site site)
{
    situ_module *root = situ_module_root(p->owner);
    situ_tensor *made[SITU_MIRRORS];
    for (int i = 0; i < root->devices; i++) {
        made[i] = situ_variable(first_value(p, root, i, site), .trainable = !p->fixed, .name = p->path);
        if (!situ_error_code) continue;
        while (i-- > 0) situ_release(made[i]);
        return -situ_error_code;
    }
    if (p->fixed &&
        situ_store_first_values(made[0], site)) { /* stored now: the layer may assign it before a step, and a step that fails must
                                                   * leave it unchanged */
        for (int i = 0; i < root->devices; i++) situ_release(made[i]);
        return -situ_error_code;
    }
    memcpy(p->copy, made, sizeof *made * (size_t)root->devices);
    __atomic_store_n(&p->made, true, __ATOMIC_RELEASE);
    return 0;
}

void situ_parameter_told(situ_parameter *p, bool fixed)
{
    p->untold = false;
    p->fixed = fixed;
    for (int i = 0; i < SITU_MIRRORS; i++) {
        if (!p->copy[i]) continue;
        situ_slot_of(p->copy[i])->trainable = !fixed;
        p->copy[i]->flags = (uint16_t)((p->copy[i]->flags & ~SITU_NODE_TRAINABLE) | (fixed ? 0 : SITU_NODE_TRAINABLE));
    }
}

int situ_parameter_anew(situ_parameter *p, situ_site site)
{
    situ_module *root = situ_module_root(p->owner);
    if (situ_parameter_rounded(p))
        return situ_fail(SITU_BAD_ARGUMENT, site, "%s: %s is quantised, which has no first values; make the layer anew",
            situ_speaking.name ? situ_speaking.name : "init", p->path);
    if (p->lent && !p->how) return 0; /* the program's variable, which has the value that it was made with */
    for (int i = 0; p->made && i < root->devices; i++)
        if (situ_assign(p->copy[i], first_value(p, root, i, site))) return -situ_error_code;
    return 0;
}

void situ_module_take_key(situ_module *root, situ_tensor *kept)
{
    situ_release(root->key);
    root->key = kept;
    for (int i = 0; i < SITU_MIRRORS; i++) {
        situ_release(root->key_on[i]);
        root->key_on[i] = NULL;
    }
}

int situ_module_rekey(situ_module *root, situ_tensor *key)
{
    situ_site site = NULL;
    situ_tensor *kept = key ? situ_keep(key) : NULL;
    if (kept && (situ_eval)(TENSORS(kept), site)) { /* computed now, for calls in other threads */
        situ_release(kept);
        return -situ_error_code;
    }
    situ_module_take_key(root, kept);
    return 0;
}

int situ_module_init(situ_module *net, situ_tensor *key)
{
    SITU_SPEAK_AT("situ_module_init");
    situ_site site = NULL;
    if (situ_error_code) return -situ_error_code;
    if (situ_ended(net, "situ_module_init", "network", site)) return -situ_error_code;
    if (!net || net->parent)
        return situ_fail(SITU_BAD_ARGUMENT, site, "situ_module_init: %s",
            net ? "this is a part of a network; initialise the whole" : "the network is NULL");
    if (!situ_usable(&key, 1, "situ_module_init", site)) return -situ_error_code;
    if (situ_dtype_of(key) != SITU_U32 || situ_ndim(key) != 1 || situ_dim(key, 0) != 2)
        return situ_fail(SITU_BAD_ARGUMENT, site,
            "situ_module_init: the key is not u32[2]; make one with " SITU_SAY("situ_key(seed)", "situ.random.key(seed)"));
    if (situ_module_number(net) || situ_module_rekey(net, key)) return -situ_error_code;
    net->steps = 0;
    bool made = false;
    for (int k = 0; k < net->total; k++) {
        situ_parameter *p = net->all[k];
        if (situ_parameter_anew(p, site)) return -situ_error_code;
        made |= p->made;
    }
    return made ? (situ_eval)(TENSORS_OF(NULL, 0), site) : 0; /* from here on other threads see the new values */
}

int situ_module_expect(situ_module *m, int i, situ_shape shape, const situ_module_use_options *options)
{
    if (situ_error_code || !situ_shape_check(&shape, false, m->kind->name, NULL)) return -situ_error_code;
    situ_parameter *p = m->own[i];
    p->shape = shape;
    p->bound = options->bound;
    p->value = options->value;
    p->deviation = options->deviation;
    p->fixed = options->fixed;
    p->known = true;
    return 0;
}

void situ_module_sizes(situ_module *m, int i, situ_shape shape)
{
    if (!m || i >= m->owns) return;
    m->own[i]->shape = shape;
    m->own[i]->declared = true;
}

/* Places a network that was not called yet on the default device. Other threads may call it afterwards, so its values
 * are enqueued, as after a first call. */
static int make_known(situ_parameter *p)
{
    situ_module *root = situ_module_root(p->owner);
    if (p->made || !p->known) return 0;
    if (!root->devices) {
        situ_device d = {0, 0};
        if (situ_device_resolve(&d, NULL) || !situ_dev_open(d, NULL)) return -situ_error_code;
        root->device[0] = d;
        root->devices = 1;
    }
    if (situ_parameter_make(p, situ_speaking.site)) return -situ_error_code;
    for (int i = 0; i < root->devices; i++)
        if (situ_store_first_values(p->copy[i], situ_speaking.site)) return -situ_error_code;
    return 0;
}

/* ---- by index and name -------------------------------------------------------------------------------------------- */

int situ_module_count(const situ_module *net)
{
    return situ_is_usable(net, "situ_module_count", "network") && !situ_module_number(net) ? net->total : 0;
}

/* Parameter i of this part of a network; NULL with an error. */
static situ_parameter *parameter_at(const situ_module *net, int i, const char *operation)
{
    if (situ_ended(net, operation, "network", NULL)) return NULL;
    if (!net) situ_fail(SITU_BAD_ARGUMENT, NULL, "%s: the network is NULL", operation);
    else if (situ_module_number(net)) return NULL;
    else if (i < 0 || i >= net->total)
        situ_fail(SITU_BAD_ARGUMENT, NULL, "%s: there is no parameter %d; the network has %d", operation, i, net->total);
    else return situ_module_root(net)->all[net->first + i];
    return NULL;
}

static situ_tensor *made_copy(situ_parameter *p, int place, const char *operation)
{
    if (make_known(p)) return situ_poisoned();
    if (p->made) return p->copy[place];
    situ_fail(SITU_BAD_SHAPE, NULL,
        "%s: %s has no shape yet; the first " SITU_SAY("situ_module_call", "call") " of the network tells it", operation, p->path);
    return situ_poisoned();
}

situ_tensor *situ_module_parameter(situ_module *net, int i)
{
    SITU_SPEAK_AT("situ_module_parameter");
    situ_parameter *p = parameter_at(net, i, "situ_module_parameter");
    return p ? made_copy(p, 0, "situ_module_parameter") : situ_poisoned();
}

const char *situ_module_name(const situ_module *net, int i)
{
    SITU_SPEAK_AT("situ_module_name");
    const situ_parameter *p = parameter_at(net, i, "situ_module_name");
    return p ? p->path + (net->parent ? strlen(net->path) + 1 : 0) : "";
}

bool situ_module_trainable(const situ_module *net, int i)
{
    SITU_SPEAK_AT("situ_module_trainable");
    const situ_parameter *p = parameter_at(net, i, "situ_module_trainable");
    return p && !p->fixed && !p->frozen;
}

situ_tensor *situ_module_copy(situ_module *net, int i, situ_device device)
{
    SITU_SPEAK_AT("situ_module_copy");
    situ_parameter *p = parameter_at(net, i, "situ_module_copy");
    if (!p || make_known(p)) return situ_poisoned();
    const situ_module *root = situ_module_root(net);
    int place = situ_module_place(root, device);
    if (place >= 0) return made_copy(p, place, "situ_module_copy");
    char name[32];
    situ_fail(SITU_BAD_DEVICE, NULL, "situ_module_copy: %s has no copy on %s; see " SITU_SAY("situ_module_mirror", "net.mirror"),
        p->path, situ_device_name(device, name));
    return situ_poisoned();
}

situ_tensor *situ_module_find(situ_module *net, const char *name)
{
    SITU_SPEAK_AT("situ_module_find");
    if (situ_ended(net, "situ_module_find", "network", NULL)) return situ_poisoned();
    if (net && situ_module_number(net)) return situ_poisoned();
    char names[1024] = "";
    size_t used = 0, skip = net && net->parent ? strlen(net->path) + 1 : 0;
    for (int i = 0; net && i < net->total; i++) {
        const char *candidate = situ_module_root(net)->all[net->first + i]->path + skip;
        if (name && !strcmp(candidate, name)) return situ_module_parameter(net, i);
        if (used < sizeof names) used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", candidate);
    }
    situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_module_find: there is no parameter \"%s\"; the network has %s", name ? name : "NULL",
        net && net->total ? names : "none");
    return situ_poisoned();
}

/* ---- devices ---------------------------------------------------------------------------------------------------------- */

situ_device situ_module_device(const situ_module *net)
{
    const situ_module *root = situ_is_usable(net, "situ_module_device", "network") ? situ_module_root(net) : NULL;
    return root && root->devices ? root->device[0] : (situ_device){0, 0};
}

int situ_module_devices(const situ_module *net, situ_device *out, int most)
{
    const situ_module *root = situ_is_usable(net, "situ_module_devices", "network") ? situ_module_root(net) : NULL;
    for (int i = 0; root && out && i < root->devices && i < most; i++) out[i] = root->device[i];
    return root ? root->devices : 0;
}

static int check_devices(const situ_module *net, const situ_device *devices, int count, situ_device *out)
{
    if (situ_error_code) return -situ_error_code;
    if (situ_ended(net, "situ_module_mirror", "network", NULL)) return -situ_error_code;
    if (!net || net->parent)
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_module_mirror: %s",
            net ? "this is a part of a network; move the whole" : "the network is NULL");
    if (!devices || count < 1 || count > SITU_MIRRORS)
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_module_mirror: %d devices; 1 to %d are possible", count, SITU_MIRRORS);
    for (int i = 0; i < count; i++) {
        out[i] = devices[i];
        if (situ_device_resolve(&out[i], NULL) || !situ_dev_open(out[i], NULL)) return -situ_error_code;
        for (int k = 0; k < i; k++) {
            char name[32];
            if (situ_device_equal(out[i], out[k]))
                return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_module_mirror: %s is there twice", situ_device_name(out[i], name));
        }
    }
    return 0;
}

/* made[i] = p's variable on device[i]: the existing one, or a copy of the first. */
static int copy_parameter(const situ_module *net, const situ_parameter *p, const situ_device *device, int count, situ_tensor **made)
{
    situ_site site = NULL;
    for (int i = 0; i < count; i++) {
        int place = situ_module_place(net, device[i]);
        made[i] =
            place >= 0 ? p->copy[place] : situ_variable(situ_to(p->copy[0], device[i]), .trainable = !p->fixed, .name = p->path);
        if (!situ_error_code) continue;
        while (i-- > 0)
            if (situ_module_place(net, device[i]) < 0) situ_release(made[i]);
        return -situ_error_code;
    }
    return 0;
}

static void take_devices(situ_module *net, const situ_device *device, int count, situ_tensor *(*made)[SITU_MIRRORS])
{
    for (int k = 0; k < net->total; k++) {
        situ_parameter *p = net->all[k];
        if (!p->made) continue;
        for (int i = 0; i < net->devices; i++) {
            bool stays = false;
            for (int j = 0; j < count; j++) stays |= situ_device_equal(net->device[i], device[j]);
            if (!stays) situ_parameter_let_go(p, i);
        }
        memset(p->copy, 0, sizeof p->copy);
        memcpy(p->copy, made[k], sizeof *p->copy * (size_t)count);
    }
    for (int i = 0; i < SITU_MIRRORS; i++) {
        situ_release(net->key_on[i]);
        net->key_on[i] = NULL;
    }
    memcpy(net->device, device, sizeof *device * (size_t)count);
    net->devices = count;
}

int situ_module_mirror(situ_module *net, const situ_device *devices, int count)
{
    SITU_SPEAK_AT("situ_module_mirror");
    situ_device device[SITU_MIRRORS];
    int rc = check_devices(net, devices, count, device);
    if (rc || (rc = situ_module_number(net))) return rc;
    situ_tensor *(*made)[SITU_MIRRORS] = situ_calloc((size_t)net->total + 1, sizeof *made);
    if (!made) return situ_fail(SITU_NO_MEMORY, NULL, "situ_module_mirror: out of host memory");
    for (int k = 0; k < net->total && !rc; k++) {
        if (!net->all[k]->made || !(rc = copy_parameter(net, net->all[k], device, count, made[k]))) continue;
        while (k-- > 0)
            for (int i = 0; net->all[k]->made && i < count; i++)
                if (situ_module_place(net, device[i]) < 0) situ_release(made[k][i]);
        break;
    }
    if (!rc) take_devices(net, device, count, made);
    situ_free(made);
    return rc;
}

int situ_module_to(situ_module *net, situ_device device)
{
    SITU_SPEAK_AT("situ_module_to");
    return situ_module_mirror(net, &device, 1);
}
