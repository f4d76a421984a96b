/* The tree of modules: creating, adopting, numbering, freeing. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "nn/module.h"
#include "os/lock.h"
#include "os/thread.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

static int no_memory(const char *operation) { return situ_fail(SITU_NO_MEMORY, NULL, "%s: out of host memory", operation); }

situ_module *situ_module_custom(const situ_module_kind *kind, void *self)
{
    SITU_SPEAK_AT("situ_module_custom");
    situ_module *m = NULL;
    if (!kind || (!kind->forward && !kind->forward_n))
        situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_module_custom: the kind has no forward function");
    else if (!(m = situ_calloc(1, sizeof *m))) no_memory("situ_module_custom");
    if (!m) {
        if (kind && kind->release) kind->release(self);
        return NULL;
    }
    m->handle = (situ_handle)SITU_HANDLE_NEW(MODULE);
    m->kind = kind;
    m->self = self;
    m->training = m->foreign = true;
    if (!(m->path = situ_strdup(""))) {
        no_memory("situ_module_custom");
        situ_module_free(m);
        return NULL;
    }
    return m;
}

situ_module *situ_module_root(const situ_module *m)
{
    while (m->parent) m = m->parent;
    return (situ_module *)(uintptr_t)m;
}

int situ_module_place(const situ_module *root, situ_device d)
{
    for (int i = 0; i < root->devices; i++)
        if (situ_device_equal(root->device[i], d)) return i;
    return -1;
}

const char *situ_module_text(const situ_module *m, char *text, size_t size)
{
    (void)situ_module_number(m);
    if (m->parent) snprintf(text, size, "layer %s (%s)", m->path, m->kind->name ? m->kind->name : "custom");
    else snprintf(text, size, "the network (%s)", m->kind->name ? m->kind->name : "custom");
    return text;
}

/* ---- numbering, after a change of the tree ------------------------------------------------------------------------ */

static char *join(const char *path, const char *name)
{
    size_t size = strlen(path) + strlen(name) + 2;
    char *text = situ_malloc(size);
    if (text) snprintf(text, size, "%s%s%s", path, *path ? "." : "", name);
    return text;
}

int situ_module_owned(const situ_module *m)
{
    int n = m->owns;
    for (int i = 0; i < m->children; i++) n += situ_module_owned(m->child[i]);
    return n;
}

/* Gives m and its children their paths, and their parameters indices in `all`; depth: nesting of the user's modules. */
static int number(situ_module *m, situ_parameter **all, int *parameters, int *modules, uint32_t pass)
{
    m->number = (*modules)++;
    m->first = *parameters;
    for (int i = 0; i < m->owns; i++) {
        situ_parameter *p = m->own[i];
        if (p->pass == pass && p->owner != m) continue; /* shared, and counted with another module */
        char *path = join(m->path, p->name);
        if (!path) return no_memory("situ_module_adopt");
        situ_free(p->path);
        p->path = path;
        p->pass = pass;
        p->owner = m;
        p->index = *parameters;
        all[(*parameters)++] = p;
    }
    for (int i = 0; i < m->children; i++) {
        situ_module *c = m->child[i];
        char *path = join(m->path, c->name);
        if (!path) return no_memory("situ_module_adopt");
        situ_free(c->path);
        c->path = path;
        int rc = number(c, all, parameters, modules, pass);
        if (rc) return rc;
    }
    m->total = *parameters - m->first;
    return 0;
}

static uint32_t passes; /* counts numberings of all networks; protected by the lock below */

static int renumber(situ_module *root)
{
    int parameters = 0, modules = 0;
    situ_parameter **all = situ_calloc((size_t)situ_module_owned(root) + 1, sizeof *all);
    int rc = all ? number(root, all, &parameters, &modules, ++passes) : no_memory("situ_module_adopt");
    if (rc) {
        situ_free(all);
        root->total = 0; /* on an error the old `all` must not be read */
        return rc;
    }
    situ_free(root->all);
    root->all = all;
    return 0;
}

SITU_LOCK(lock); /* several threads may ask for names */

/* Numbering is done on demand; after each added part it would take quadratic time. */
int situ_module_number(const situ_module *m)
{
    situ_module *root = situ_module_root(m);
    int rc = 0;
    if (__atomic_load_n(&root->numbered, __ATOMIC_ACQUIRE)) return 0;
    situ_mutex_lock(&lock);
    if (!root->numbered && !(rc = renumber(root))) __atomic_store_n(&root->numbered, true, __ATOMIC_RELEASE);
    situ_mutex_unlock(&lock);
    return rc;
}

void situ_module_changed(situ_module *root)
{
    root->numbered = false;
    root->built = false; /* the new part may have parameters that do not exist yet */
}

/* ---- parameters and children ----------------------------------------------------------------------------------------- */

static bool is_number(const char *name, int number)
{
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    return !strcmp(name, text);
}

static bool name_is_good(const situ_module *m, const char *name)
{
    if (!name || !*name || strchr(name, '.')) return false;
    if (!m->others && !m->owns && is_number(name, m->children)) return true;
    for (int i = 0; i < m->owns; i++)
        if (!strcmp(m->own[i]->name, name)) return false;
    for (int i = 0; i < m->children; i++)
        if (!strcmp(m->child[i]->name, name)) return false;
    return true;
}

void situ_parameter_let_go(situ_parameter *p, int i)
{
    situ_tensor *v = p->copy[i];
    p->copy[i] = NULL;
    if (v && v == p->lent) situ_heap_unref(situ_heap_of(v));
    else situ_release(v);
}

void situ_parameter_free(situ_parameter *p)
{
    if (!p || --p->holders > 0) return;
    for (int i = 0; i < SITU_MIRRORS; i++) {
        situ_heap *h = p->copy[i] && p->copy[i] != p->lent ? situ_heap_of(p->copy[i]) : NULL;
        if (h && h->shares) h->left = true; /* the program still holds it */
        else situ_parameter_let_go(p, i);
    }
    situ_free(p->name);
    situ_free(p->path);
    situ_free(p);
}

situ_parameter *situ_parameter_new(situ_module *owner, const char *name)
{
    static _Atomic int64_t ids;
    situ_parameter *p = situ_calloc(1, sizeof *p);
    if (!p || !(p->name = situ_strdup(name))) {
        situ_parameter_free(p);
        no_memory("situ_module_declare");
        return NULL;
    }
    p->owner = owner;
    p->holders = 1;
    p->id = ++ids;
    return p;
}

/* Declares the next own parameter, without variables. */
static int declare(situ_module *m, const char *name)
{
    situ_parameter **grown = situ_realloc(m->own, (size_t)(m->owns + 1) * sizeof *grown);
    if (!grown) return no_memory("situ_module_declare");
    m->own = grown;
    if (!(m->own[m->owns] = situ_parameter_new(m, name))) return -situ_error_code;
    m->owns++;
    situ_module_changed(situ_module_root(m));
    return m->owns - 1;
}

int situ_module_declare(situ_module *m, const char *name)
{
    SITU_SPEAK_AT("situ_module_declare");
    if (situ_error_code) return -situ_error_code;
    if (situ_ended(m, "situ_module_declare", "module", NULL)) return -situ_error_code;
    if (!m) return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_module_declare: the module is NULL");
    if (name_is_good(m, name)) return declare(m, name);
    return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_module_declare: \"%s\" is no new name without a point", name ? name : "NULL");
}

/* If a part has parameters on devices, the tree must be on the same devices, or takes them over. */
static int adopt_devices(situ_module *root, const situ_module *part)
{
    if (!part->devices) return 0;
    if (!root->devices) {
        memcpy(root->device, part->device, sizeof root->device);
        root->devices = part->devices;
        return 0;
    }
    bool same = root->devices == part->devices;
    for (int i = 0; i < part->devices && same; i++) same = situ_device_equal(root->device[i], part->device[i]);
    if (same) return 0;
    char a[32], b[32];
    return situ_fail(SITU_BAD_DEVICE, NULL,
        "situ_module_adopt: the part is on %s, the network on %s; move one with " SITU_SAY("situ_module_to", "to(device)"),
        situ_device_name(part->device[0], a), situ_device_name(root->device[0], b));
}

static void drop_keys(situ_module *m)
{
    situ_release(m->key);
    m->key = NULL;
    for (int i = 0; i < SITU_MIRRORS; i++) {
        situ_release(m->key_on[i]);
        m->key_on[i] = NULL;
    }
}

int situ_module_attach(situ_module *m, const char *name, situ_module *part)
{
    situ_module *root = situ_module_root(m);
    int rc = adopt_devices(root, part), above = 0;
    for (const situ_module *outer = m; outer; outer = outer->parent) above++;
    if (!rc && above + part->height >= SITU_MOST_NESTED)
        rc = situ_fail(
            SITU_BAD_ARGUMENT, NULL, "situ_module_adopt: modules would lie more than %d deep in each other", SITU_MOST_NESTED);
    if (rc) return rc;
    situ_module **grown = situ_realloc(m->child, (size_t)(m->children + 1) * sizeof *grown);
    if (!grown) return no_memory("situ_module_adopt");
    m->child = grown;
    situ_free(part->name);
    if (!(part->name = situ_strdup(name))) return no_memory("situ_module_adopt");
    part->parent = m;
    m->others |= !is_number(name, m->children);
    m->child[m->children++] = part;
    for (situ_module *inner = part, *outer = m; outer && outer->height <= inner->height; inner = outer, outer = outer->parent)
        outer->height = inner->height + 1;
    situ_module_changed(root);
    situ_free(part->all);
    part->all = NULL;
    drop_keys(part);
    return m->children - 1;
}

int situ_module_adopt(situ_module *m, const char *name, situ_module *part)
{
    SITU_SPEAK_AT("situ_module_adopt");
    if (situ_ended(part, "situ_module_adopt", "part", NULL)) return -situ_error_code;
    if (situ_ended(m, "situ_module_adopt", "module", NULL)) m = NULL;
    if (part && (part->parent || part == (m ? situ_module_root(m) : NULL)))
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_module_adopt: the part belongs to a network already; make another one");
    int rc = situ_error_code ? -situ_error_code : 0;
    if (!rc && (!m || !part))
        rc = situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_module_adopt: %s is NULL", m ? "the part" : "the module");
    else if (!rc && !name_is_good(m, name))
        rc = situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_module_adopt: \"%s\" is no new name without a point", name ? name : "NULL");
    if (!rc) rc = situ_module_attach(m, name, part);
    if (rc < 0) situ_module_free(part);
    return rc;
}

/* ---- changing trees --------------------------------------------------------------------------------------------------- */

int situ_module_detach(situ_module *part)
{
    situ_module *m = part->parent, *root = situ_module_root(part);
    char *path = situ_strdup("");
    if (!path) return no_memory("situ_module_detach");
    int at = 0;
    while (m->child[at] != part) at++;
    memmove(m->child + at, m->child + at + 1, (size_t)(--m->children - at) * sizeof *m->child);
    part->parent = NULL;
    m->others = true;
    situ_free(part->path);
    part->path = path;
    situ_module_changed(part);
    situ_module_changed(root);
    memcpy(part->device, root->device, sizeof part->device);
    part->devices = root->devices;
    part->steps = root->steps;
    return 0;
}

void situ_module_shed(situ_module *m, int count)
{
    while (m->children > count) {
        situ_module *part = m->child[--m->children];
        part->parent = NULL;
        situ_module_free(part);
    }
    situ_module_changed(situ_module_root(m));
}

/* Copies the variable to each other device of a mirrored network. */
static int copy_held(const situ_module *root, situ_tensor *variable, const char *name, situ_tensor **copy)
{
    situ_site site = NULL;
    for (int k = 1; k < root->devices; k++) {
        situ_tensor *v =
            situ_variable(situ_to(variable, root->device[k]), .trainable = variable->flags & SITU_NODE_TRAINABLE, .name = name);
        if (situ_error_code) return -situ_error_code;
        copy[k] = v;
    }
    return 0;
}

int situ_module_hold(situ_module *m, const char *name, situ_tensor *variable)
{
    situ_module *root = situ_module_root(m);
    if (situ_module_number(root)) return -situ_error_code;
    for (int i = 0; i < root->total; i++)
        for (int k = 0; k < SITU_MIRRORS; k++)
            if (root->all[i]->copy[k] == variable) return 1;
    if (root->devices && situ_module_place(root, variable->device) != 0) {
        char a[32], b[32];
        return situ_fail(SITU_BAD_DEVICE, NULL, "the variable %s is on %s, the network on %s; make it there", name,
            situ_device_name(variable->device, a), situ_device_name(root->device[0], b));
    }
    situ_tensor *copy[SITU_MIRRORS] = {variable};
    int i = copy_held(root, variable, name, copy) ? -situ_error_code : declare(m, name);
    for (int k = 1; k < root->devices && i < 0; k++) situ_release(copy[k]);
    if (i < 0) return i;
    situ_parameter *p = m->own[i];
    root->device[0] = variable->device;
    if (!root->devices) root->devices = 1;
    memcpy(p->copy, copy, sizeof copy);
    atomic_fetch_add(&situ_heap_of(variable)->refs, 1);
    p->lent = variable;
    p->shape = situ_shape_like(variable);
    p->fixed = !(variable->flags & SITU_NODE_TRAINABLE);
    p->made = p->known = true;
    return 0;
}

int situ_module_drop(situ_module *m, const char *name)
{
    int at = 0;
    while (at < m->owns && strcmp(m->own[at]->name, name)) at++;
    if (at == m->owns) return 0;
    situ_parameter *p = m->own[at];
    memmove(m->own + at, m->own + at + 1, (size_t)(--m->owns - at) * sizeof *m->own);
    situ_parameter_free(p);
    situ_module_changed(situ_module_root(m));
    return 0;
}

void situ_parameter_give(situ_parameter *p, situ_tensor *const *variables, int count)
{
    situ_module *root = situ_module_root(p->owner);
    for (int k = 0; k < SITU_MIRRORS; k++) situ_parameter_let_go(p, k);
    for (int k = 0; k < count; k++) {
        p->copy[k] = variables[k];
        root->device[k] = variables[k]->device;
    }
    root->devices = count;
    p->shape = situ_shape_like(p->copy[0]);
    p->fixed = !(p->copy[0]->flags & SITU_NODE_TRAINABLE);
    p->made = p->known = true;
}

int situ_module_give(situ_module *m, int i, situ_tensor *variable)
{
    if (i < 0 || i >= m->owns)
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "there is no parameter %d; the module declared %d", i, m->owns);
    situ_parameter_give(m->own[i], &variable, 1);
    return 0;
}

int situ_module_own(situ_module *m, const char *name, situ_tensor *variable)
{
    int i = declare(m, name);
    return i < 0 ? i : situ_module_give(m, i, variable);
}

situ_module *situ_module_child(const situ_module *m, int i)
{
    SITU_SPEAK_AT("situ_module_child");
    if (situ_ended(m, "situ_module_child", "module", NULL)) return NULL;
    if (m && i >= 0 && i < m->children) return m->child[i];
    situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_module_child: there is no part %d; the module has %d", i, m ? m->children : 0);
    return NULL;
}

int situ_module_children(const situ_module *m) { return situ_is_usable(m, "situ_module_children", "module") ? m->children : 0; }

static void module_free(situ_module *m, situ_site site)
{
    for (int i = 0; i < m->children; i++) module_free(m->child[i], site);
    for (int i = 0; i < m->owns; i++) situ_parameter_free(m->own[i]);
    drop_keys(m);
    if (m->kind->release) m->kind->release(m->self);
    situ_free(m->child);
    situ_free(m->own);
    situ_free(m->all);
    situ_free(m->name);
    situ_free(m->path);
    if (situ_handle_end(m, site)) situ_retire(m);
}

void situ_module_free(situ_module *net)
{
    situ_site site = situ_passed_site();
    if (!net || situ_ended(net, "situ_module_free", "network", site)) return;
    if (net->parent) situ_fail(SITU_BAD_ARGUMENT, site, "situ_module_free: this is a part of a network; free the whole");
    else module_free(net, site);
}
