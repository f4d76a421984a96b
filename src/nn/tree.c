/* The tree of modules: making, adopting, numbering, freeing. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "nn/module.h"

static int no_memory(const char *operation)
{
    return situ_fail(SITU_NO_MEMORY, NULL, "%s: out of host memory", operation);
}

situ_module *situ_module_custom(const situ_module_kind *kind, void *self)
{
    situ_module *m = NULL;
    if (!kind || !kind->forward) situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_module_custom: the kind has no forward function");
    else if (!(m = situ_calloc(1, sizeof *m))) no_memory("situ_module_custom");
    if (!m) {
        if (kind && kind->release) kind->release(self);
        return NULL;
    }
    m->kind = kind;
    m->self = self;
    m->training = true;
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
    if (m->parent) snprintf(text, size, "layer %s (%s)", m->path, m->kind->name ? m->kind->name : "custom");
    else snprintf(text, size, "the network (%s)", m->kind->name ? m->kind->name : "custom");
    return text;
}

/* ---- numbering: after every change of the tree ------------------------------------------------------------------- */

static char *join(const char *path, const char *name)
{
    size_t size = strlen(path) + strlen(name) + 2;
    char *text = situ_malloc(size);
    if (text) snprintf(text, size, "%s%s%s", path, *path ? "." : "", name);
    return text;
}

static int count_parameters(const situ_module *m)
{
    int n = m->owns;
    for (int i = 0; i < m->children; i++) n += count_parameters(m->child[i]);
    return n;
}

/* Gives m and its parts their paths and places in `all`; depth is that of the user's nesting. */
static int number(situ_module *m, situ_parameter **all, int *parameters, int *modules)
{
    m->number = (*modules)++;
    m->first = *parameters;
    for (int i = 0; i < m->owns; i++) {
        situ_parameter *p = m->own[i];
        char *path = join(m->path, p->name);
        if (!path) return no_memory("situ_module_adopt");
        situ_free(p->path);
        p->path = path;
        p->index = *parameters;
        all[(*parameters)++] = p;
    }
    for (int i = 0; i < m->children; i++) {
        situ_module *c = m->child[i];
        char *path = join(m->path, c->name);
        if (!path) return no_memory("situ_module_adopt");
        situ_free(c->path);
        c->path = path;
        int rc = number(c, all, parameters, modules);
        if (rc) return rc;
    }
    m->total = *parameters - m->first;
    return 0;
}

static int renumber(situ_module *root)
{
    int parameters = 0, modules = 0;
    situ_parameter **all = situ_calloc((size_t)count_parameters(root) + 1, sizeof *all);
    if (!all) return no_memory("situ_module_adopt");
    int rc = number(root, all, &parameters, &modules);
    if (rc) {
        situ_free(all);
        return rc;
    }
    situ_free(root->all);
    root->all = all;
    return 0;
}

/* ---- parameters and parts --------------------------------------------------------------------------------------------- */

static bool name_is_good(const situ_module *m, const char *name)
{
    if (!name || !*name || strchr(name, '.')) return false;
    for (int i = 0; i < m->owns; i++)
        if (!strcmp(m->own[i]->name, name)) return false;
    for (int i = 0; i < m->children; i++)
        if (!strcmp(m->child[i]->name, name)) return false;
    return true;
}

static void parameter_free(situ_parameter *p)
{
    if (!p) return;
    for (int i = 0; i < SITU_MIRRORS; i++) situ_release(p->copy[i]);
    situ_free(p->name);
    situ_free(p->path);
    situ_free(p);
}

int situ_module_declare(situ_module *m, const char *name)
{
    if (situ_error_code) return -situ_error_code;
    if (!m) return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_module_declare: the module is NULL");
    if (!name_is_good(m, name))
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_module_declare: \"%s\" is no new name without a point", name ? name : "NULL");
    situ_parameter **grown = situ_realloc(m->own, (size_t)(m->owns + 1) * sizeof *grown);
    if (!grown) return no_memory("situ_module_declare");
    m->own = grown;
    situ_parameter *p = situ_calloc(1, sizeof *p);
    if (!p || !(p->name = situ_strdup(name))) {
        parameter_free(p);
        return no_memory("situ_module_declare");
    }
    p->owner = m;
    m->own[m->owns++] = p;
    int rc = renumber(situ_module_root(m));
    if (!rc) return m->owns - 1;
    m->owns--;
    parameter_free(p);
    return rc;
}

/* A part that has parameters on devices brings its devices along; they must be those of the whole. */
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
                     "situ_module_adopt: the part is on %s, the network on %s; move one with " SITU_SAY(
                         "situ_module_to", "to(device)"),
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

static int adopt(situ_module *m, const char *name, situ_module *part)
{
    if (situ_error_code) return -situ_error_code;
    if (!m || !part) return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_module_adopt: %s is NULL", m ? "the part" : "the module");
    if (!name_is_good(m, name))
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_module_adopt: \"%s\" is no new name without a point", name ? name : "NULL");
    situ_module *root = situ_module_root(m);
    int rc = adopt_devices(root, part);
    if (rc) return rc;
    situ_module **grown = situ_realloc(m->child, (size_t)(m->children + 1) * sizeof *grown);
    if (!grown) return no_memory("situ_module_adopt");
    m->child = grown;
    situ_free(part->name);
    if (!(part->name = situ_strdup(name))) return no_memory("situ_module_adopt");
    part->parent = m;
    m->child[m->children++] = part;
    if ((rc = renumber(root))) {
        m->children--;
        part->parent = NULL;
        return rc;
    }
    situ_free(part->all);
    part->all = NULL;
    drop_keys(part);
    return m->children - 1;
}

int situ_module_adopt(situ_module *m, const char *name, situ_module *part)
{
    if (part && (part->parent || part == (m ? situ_module_root(m) : NULL)))
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_module_adopt: the part belongs to a network already; make another one");
    int rc = adopt(m, name, part);
    if (rc < 0) situ_module_free(part);
    return rc;
}

situ_module *situ_module_child(const situ_module *m, int i)
{
    if (m && i >= 0 && i < m->children) return m->child[i];
    situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_module_child: there is no part %d; the module has %d", i, m ? m->children : 0);
    return NULL;
}

int situ_module_children(const situ_module *m) { return m ? m->children : 0; }

static void module_free(situ_module *m)
{
    for (int i = 0; i < m->children; i++) module_free(m->child[i]);
    for (int i = 0; i < m->owns; i++) parameter_free(m->own[i]);
    drop_keys(m);
    if (m->kind->release) m->kind->release(m->self);
    situ_free(m->child);
    situ_free(m->own);
    situ_free(m->all);
    situ_free(m->name);
    situ_free(m->path);
    situ_free(m);
}

void situ_module_free(situ_module *net)
{
    if (!net) return;
    if (net->parent) situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_module_free: this is a part of a network; free the whole");
    else module_free(net);
}
