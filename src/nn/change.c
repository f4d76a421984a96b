/* Changing networks: replacing and cloning modules by name, freezing and sharing parameters. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "nn/module.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* True if the handle is valid; an error otherwise. */
static bool there(const situ_module *m, const char *operation)
{
    if (situ_error_code || situ_ended(m, operation, "network", NULL)) return false;
    if (!m) situ_fail(SITU_BAD_ARGUMENT, NULL, "%s: the network is NULL", operation);
    return m != NULL;
}

situ_module *situ_module_below(situ_module *m, const char *name)
{
    while (m && *name) {
        size_t n = strcspn(name, ".");
        situ_module *next = NULL;
        for (int i = 0; i < m->children && !next; i++)
            if (!strncmp(m->child[i]->name, name, n) && !m->child[i]->name[n]) next = m->child[i];
        m = next;
        name += n + (name[n] == '.');
    }
    return m;
}

situ_module *situ_module_part(situ_module *net, const char *name)
{
    SITU_SPEAK_AT("situ_module_part");
    if (!there(net, "situ_module_part")) return NULL;
    situ_module *part = name ? situ_module_below(net, name) : NULL;
    if (!part) situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_module_part: there is no part \"%s\"", name ? name : "NULL");
    return part;
}

int situ_module_freeze(situ_module *net, bool on)
{
    SITU_SPEAK_AT("situ_module_freeze");
    if (!there(net, "situ_module_freeze")) return -situ_error_code;
    for (int i = 0; i < net->owns; i++) net->own[i]->frozen = on;
    for (int i = 0; i < net->children; i++)
        if (situ_module_freeze(net->child[i], on)) return -situ_error_code;
    return 0;
}

/* ---- sharing ------------------------------------------------------------------------------------------------------------ */

static int share(situ_module *m, situ_module *with, bool really)
{
    int count = 0;
    for (int i = 0; i < m->owns; i++)
        for (int k = 0; k < with->owns; k++) {
            situ_parameter *p = m->own[i], *q = with->own[k];
            if (strcmp(p->name, q->name)) continue;
            bool both = (p->made || p->known) && (q->made || q->known);
            if (both && !situ_shape_equal((int)p->shape.ndim, p->shape.dim, (int)q->shape.ndim, q->shape.dim)) {
                char a[SITU_SHAPE_TEXT], b[SITU_SHAPE_TEXT];
                return situ_fail(SITU_BAD_SHAPE, NULL, "situ_module_share: %s has shape %s, and %s has shape %s", p->path,
                    situ_shape_text((int)p->shape.ndim, p->shape.dim, a, sizeof a), q->path,
                    situ_shape_text((int)q->shape.ndim, q->shape.dim, b, sizeof b));
            }
            count++;
            if (!really || p == q) continue;
            q->holders++;
            m->own[i] = q;
            situ_parameter_free(p);
        }
    for (int i = 0; i < m->children; i++)
        for (int k = 0; k < with->children; k++) {
            if (strcmp(m->child[i]->name, with->child[k]->name)) continue;
            int more = share(m->child[i], with->child[k], really);
            if (more < 0) return more;
            count += more;
        }
    return count;
}

int situ_module_share(situ_module *m, situ_module *with)
{
    SITU_SPEAK_AT("situ_module_share");
    if (!there(m, "situ_module_share") || !there(with, "situ_module_share")) return -situ_error_code;
    situ_module *root = situ_module_root(m);
    if (m == with || root != situ_module_root(with))
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_module_share: %s",
            m == with ? "both are the same part" : "they are parts of two networks; put both into one first");
    if (situ_module_number(root)) return -situ_error_code;
    int count = share(m, with, false);
    if (!count) return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_module_share: they have no parameter of one name");
    if (count > 0) share(m, with, true);
    situ_module_changed(root);
    return count;
}

/* Copies the properties of p to q, and its values on these devices. */
static int clone_parameter(const situ_parameter *p, situ_parameter *q, int devices)
{
    situ_site site = NULL;
    q->fixed = p->fixed;
    q->frozen = p->frozen;
    q->untold = p->untold;
    q->known = p->known;
    q->declared = p->declared;
    q->shape = p->shape;
    q->bound = p->bound;
    q->value = p->value;
    q->deviation = p->deviation;
    q->how = p->how;
    q->gain = p->gain;
    q->mean = p->mean;
    for (int i = 0; p->made && i < devices; i++) {
        q->copy[i] = situ_variable(situ_copy_to(p->copy[i], situ_device_of(p->copy[i])), .trainable = !p->fixed,
            .name = situ_node_aside(p->copy[i])->name);
        if (situ_error_code) {
            q->copy[i] = NULL;
            return -situ_error_code;
        }
    }
    q->made = p->made;
    return 0;
}

/* Number of modules below m that hold p. With a twin, they hold the twin from now on. */
static int places(situ_module *m, const situ_parameter *p, situ_parameter *twin)
{
    int count = 0;
    for (int i = 0; i < m->owns; i++) {
        if (m->own[i] != p) continue;
        count++;
        if (twin) m->own[i] = twin;
    }
    for (int i = 0; i < m->children; i++) count += places(m->child[i], p, twin);
    return count;
}

/* m is `part` or a module below it. A part that leaves its network gets its own copy of each parameter that it shares
 * with the rest. */
static int separate(situ_module *m, situ_module *part)
{
    for (int i = 0; i < m->owns; i++) {
        situ_parameter *p = m->own[i], *twin;
        int inside = p->holders > 1 ? places(part, p, NULL) : 1;
        if (inside == p->holders) continue;
        if (!(twin = situ_parameter_new(m, p->name))) return -situ_error_code;
        if (clone_parameter(p, twin, situ_module_root(part)->devices)) {
            situ_parameter_free(twin);
            return -situ_error_code;
        }
        twin->holders = places(part, p, twin);
        p->holders -= twin->holders;
    }
    for (int i = 0; i < m->children; i++)
        if (separate(m->child[i], part)) return -situ_error_code;
    return 0;
}

/* ---- replacing ----------------------------------------------------------------------------------------------------------- */

static int replace(situ_module *old, situ_module *part)
{
    situ_module *m = old->parent;
    int at = 0, rc = situ_module_attach(m, old->name, part);
    if (rc < 0) return rc;
    while (m->child[at] != old) at++;
    if ((rc = separate(old, old)) || (rc = situ_module_detach(old))) {
        situ_module_detach(part);
        return rc;
    }
    memmove(m->child + at + 1, m->child + at, (size_t)(m->children - 1 - at) * sizeof *m->child);
    m->child[at] = part;
    return 0;
}

situ_module *situ_module_replace(situ_module *net, const char *name, situ_module *part)
{
    SITU_SPEAK_AT("situ_module_replace");
    if (situ_ended(part, "situ_module_replace", "part", NULL)) return NULL;
    bool is_there = there(net, "situ_module_replace");
    situ_module *old = is_there && name ? situ_module_below(net, name) : NULL;
    bool whole = part && !part->parent && part != (is_there ? situ_module_root(net) : NULL);
    if (!situ_error_code && (!old || !old->parent || !whole))
        situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_module_replace: %s%s%s",
            !part      ? "the new part is NULL" :
                !whole ? "the new part belongs to a network already" :
                         "there is no part ",
            whole ? name ? name : "NULL" : "", "");
    if (!situ_error_code && !replace(old, part)) return old;
    if (whole && !part->parent) situ_module_free(part);
    return NULL;
}

/* ---- cloning ------------------------------------------------------------------------------------------------------------- */

static situ_module *clone_one(const situ_module *m)
{
    char text[128];
    void *self = m->self;
    if (self && m->self_size) self = situ_malloc(m->self_size);
    else if (self && m->kind->copy) self = m->kind->copy(self);
    else if (self) {
        situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_module_clone: the kind of %s says nothing of how to copy it; give it .copy",
            situ_module_text(m, text, sizeof text));
        return NULL;
    }
    if (m->self && !self) {
        situ_fail(SITU_NO_MEMORY, NULL, "situ_module_clone: out of host memory");
        return NULL;
    }
    if (m->self_size) memcpy(self, m->self, m->self_size);
    situ_module *n = situ_module_custom(m->kind, self);
    if (!n) return NULL;
    n->invariant = m->invariant;
    n->self_size = m->self_size;
    n->training = m->training;
    n->foreign = m->foreign;
    n->precision = m->precision;
    return n;
}

/* twin: by the index of a parameter in the old network, its copy in the new one. */
static situ_module *clone_tree(const situ_module *m, situ_parameter **twin, int devices)
{
    situ_module *n = clone_one(m);
    if (!n) return NULL;
    for (int i = 0; i < m->owns && !situ_error_code; i++) {
        const situ_parameter *p = m->own[i];
        int k = situ_module_declare(n, p->name);
        if (k < 0) break;
        if (!twin[p->index]) {
            twin[p->index] = n->own[k];
            clone_parameter(p, n->own[k], devices);
        } else {
            situ_parameter_free(n->own[k]);
            n->own[k] = twin[p->index];
            n->own[k]->holders++;
        }
    }
    for (int i = 0; i < m->children && !situ_error_code; i++) {
        situ_module *part = clone_tree(m->child[i], twin, devices);
        if (part && situ_module_attach(n, m->child[i]->name, part) < 0) situ_module_free(part);
    }
    if (!situ_error_code) return n;
    situ_module_free(n);
    return NULL;
}

situ_module *situ_module_clone(situ_module *net)
{
    SITU_SPEAK_AT("situ_module_clone");
    if (!there(net, "situ_module_clone")) return NULL;
    situ_module *root = situ_module_root(net);
    if (situ_module_number(root)) return NULL;
    situ_parameter **twin = situ_calloc((size_t)root->total + 1, sizeof *twin);
    if (!twin) situ_fail(SITU_NO_MEMORY, NULL, "situ_module_clone: out of host memory");
    situ_module *n = twin ? clone_tree(net, twin, root->devices) : NULL;
    situ_free(twin);
    if (!n) return NULL;
    memcpy(n->device, root->device, sizeof n->device);
    n->devices = root->devices;
    n->steps = root->steps;
    if (root->key) n->key = (situ_keep)(root->key, NULL);
    if (!situ_error_code) return n;
    n->key = NULL;
    situ_module_free(n);
    return NULL;
}

/* ---- publishing ----------------------------------------------------------------------------------------------------------- */

/* 1 if p and q are corresponding parameters that both have a value. */
static int matches_twin(const situ_module *net, const situ_parameter *p, const situ_module *from, const situ_parameter *q)
{
    size_t skip = net->parent ? strlen(net->path) + 1 : 0, other = from->parent ? strlen(from->path) + 1 : 0;
    const char *name = p->path + skip;
    char a[SITU_SHAPE_TEXT], b[SITU_SHAPE_TEXT];
    if (strcmp(name, q->path + other))
        return situ_fail(SITU_BAD_ARGUMENT, NULL,
            "situ_module_publish: one network has %s where the other has %s; make one by %s of the "
            "other",
            name, q->path + other, SITU_SAY("situ_module_clone", "clone"));
    if (!p->made || !q->made)
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_module_publish: %s of the %s has no value yet; call it once, or load it",
            name, p->made ? "second network" : "first network");
    if (!situ_shape_equal((int)p->shape.ndim, p->shape.dim, (int)q->shape.ndim, q->shape.dim))
        return situ_fail(SITU_BAD_SHAPE, NULL, "situ_module_publish: %s is %s in one network and %s in the other", name,
            situ_shape_text((int)p->shape.ndim, p->shape.dim, a, sizeof a),
            situ_shape_text((int)q->shape.ndim, q->shape.dim, b, sizeof b));
    return 0;
}

/* Lists the variables of net on all its devices, and their new values: those of `from`, copied to the device if
 * necessary. */
static int list_changes(const situ_module *net, const situ_module *from, situ_tensor **variable, situ_tensor **value)
{
    const situ_module *root = situ_module_root(net), *source = situ_module_root(from);
    int n = 0;
    for (int i = 0; i < net->total; i++) {
        const situ_parameter *p = root->all[net->first + i], *q = source->all[from->first + i];
        if (matches_twin(net, p, from, q)) return -situ_error_code;
        for (int k = 0; k < root->devices; k++) {
            int place = situ_module_place(source, root->device[k]);
            variable[n] = p->copy[k];
            value[n] = place >= 0 ? q->copy[place] : (situ_to)(q->copy[0], root->device[k], NULL);
            if (situ_error_code) return -situ_error_code;
            n++;
        }
    }
    return n;
}

/* Creates parameters whose shape is known without a call. */
static int make_known(situ_module *net)
{
    const situ_module *root = situ_module_root(net);
    for (int i = 0; i < net->total && !situ_error_code; i++)
        if (root->all[net->first + i]->known && !root->all[net->first + i]->made) (void)situ_module_parameter(net, i);
    return -situ_error_code;
}

int situ_module_publish(situ_module *net, situ_module *from)
{
    SITU_SPEAK_AT("situ_module_publish");
    if (!there(net, "situ_module_publish") || !there(from, "situ_module_publish")) return -situ_error_code;
    situ_module *root = situ_module_root(net);
    if (situ_module_number(root) || situ_module_number(situ_module_root(from))) return -situ_error_code;
    if (net->total != from->total)
        return situ_fail(SITU_BAD_ARGUMENT, NULL,
            "situ_module_publish: one network has %d parameters, the other %d; make one by %s of "
            "the other",
            net->total, from->total, SITU_SAY("situ_module_clone", "clone"));
    if (make_known(net) || make_known(from)) return -situ_error_code;
    size_t most = (size_t)net->total * (size_t)root->devices + 1;
    situ_tensor **variable = situ_malloc(2 * most * sizeof(situ_tensor *));
    if (!variable) return situ_fail(SITU_NO_MEMORY, NULL, "situ_module_publish: out of host memory");
    situ_scope *scope = situ_scope_open();
    int n = list_changes(net, from, variable, variable + most), rc = n < 0 ? n : 0;
    if (n > 0) rc = (situ_assign_all)(TENSORS_OF(variable, n), TENSORS_OF(variable + most, n), NULL);
    if (n > 0 && !rc) rc = (situ_eval)(TENSORS_OF(variable, n), NULL); /* from here on other threads see the new values */
    situ_scope_close(scope);
    situ_free(variable);
    return rc;
}

/* ---- initial values -------------------------------------------------------------------------------------------------------- */

/* True if name equals path, or its last component ("weight" in "0.weight"). */
static bool matches(const char *path, const char *name)
{
    size_t a = strlen(path), b = strlen(name);
    return !b || (a >= b && !strcmp(path + a - b, name) && (a == b || path[a - b - 1] == '.'));
}

int(situ_module_initialize)(situ_module *net, const char *name, situ_init how, const situ_initial_options *options, situ_site site)
{
    SITU_SPEAK("situ_module_initialize", site);
    situ_initial_options o = {SITU_DEFAULTS(SITU_INITIAL_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_module_initialize", site)) return -situ_error_code;
    if (situ_ended(net, "situ_module_initialize", "network", site)) return -situ_error_code;
    if (!net || !name || how < SITU_INIT_LAYER || how > SITU_INIT_EYE || !isfinite(o.gain) || o.gain < 0 || !isfinite(o.value))
        return situ_fail(SITU_BAD_ARGUMENT, site, "situ_module_initialize: %s",
            !net      ? "the network is NULL" :
                !name ? "the name is NULL" :
                        "an initializer of the table, a gain of at least 0 and a finite value are needed");
    if (situ_module_number(net)) return -situ_error_code;
    situ_parameter **all = situ_module_root(net)->all + net->first;
    size_t skip = net->parent ? strlen(net->path) + 1 : 0;
    int count = 0;
    bool made = false;
    for (int i = 0; i < net->total; i++) {
        situ_parameter *p = all[i];
        if (!matches(p->path + skip, name) || (p->fixed && !*name)) continue;
        made |= p->made;
        p->how = how;
        p->gain = o.gain;
        p->mean = o.value;
        count++;
        if (situ_parameter_anew(p, site)) return -situ_error_code;
    }
    if (made && (situ_eval)(TENSORS_OF(NULL, 0), site)) return -situ_error_code; /* from here on other threads see the new values */
    return count ? count : situ_fail(SITU_BAD_ARGUMENT, site, "situ_module_initialize: no parameter is called \"%s\"", name);
}
