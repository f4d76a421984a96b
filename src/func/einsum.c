/* einsum: sums of products, described by letters of axes. */
#include <string.h>

#include <situ/linalg.h>

#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* Axes are numbered: first the letters, then the axes of an ellipsis, counted from the last. */
enum { LETTERS = 52, LABELS = LETTERS + SITU_MAX_DIMS };
typedef struct term {
    int label[SITU_MAX_DIMS], count;
    situ_tensor *t;
} term;
typedef struct sum {
    const char *text;
    situ_site site;
    int uses[LABELS]; /* [label] number of remaining terms, including the result, that have this label */
    int64_t size[LABELS];
} sum;

static int letter(char c)
{
    if (c >= 'a' && c <= 'z') return c - 'a';
    return c >= 'A' && c <= 'Z' ? 26 + c - 'A' : -1;
}

static int has(const term *t, int label)
{
    for (int i = 0; i < t->count; i++)
        if (t->label[i] == label) return i;
    return -1;
}

static bool refuse(const sum *s, const char *what)
{
    situ_fail(SITU_BAD_ARGUMENT, s->site,
        "einsum: \"%s\": %s; as in " SITU_SAY("situ_einsum(\"ij,jk\", TENSORS(a, b))", "situ.einsum(\"ij,jk\", a, b)"), s->text,
        what);
    return false;
}

/* Reads labels from *at to a comma, an arrow or the end; an ellipsis stands for `more` axes. */
static bool read_term(const sum *s, const char **at, term *out, int more)
{
    out->count = 0;
    bool dots = false;
    for (; **at && **at != ',' && **at != '-'; ++*at) {
        if (**at == ' ') continue;
        int label = letter(**at), n = 1;
        if (label < 0) {
            if (dots || strncmp(*at, "...", 3)) return refuse(s, "axes are letters, or one ... in each term");
            dots = true;
            *at += 2;
            n = more;
        }
        if (out->count + n > SITU_MAX_DIMS) return refuse(s, "a term has more axes than a tensor may have");
        for (int i = 0; i < n; i++) out->label[out->count++] = label >= 0 ? label : LETTERS + more - 1 - i;
    }
    return true;
}

/* Number of axes that a term's ellipsis stands for; -1: it has none. */
static int ellipsis(const char *at, int ndim)
{
    int letters = 0;
    bool dots = false;
    for (; *at && *at != ',' && *at != '-'; at++) {
        letters += letter(*at) >= 0;
        dots = dots || *at == '.';
    }
    return dots ? ndim - letters : -1;
}

/* A label that occurs twice in a term: takes the diagonal of the two axes, as its last axis. */
static void diagonals(term *t, situ_site site)
{
    for (int i = 0; i < t->count; i++)
        for (int k = i + 1; k < t->count; k++) {
            if (t->label[i] != t->label[k]) continue;
            t->t = situ_diagonal(situ_moveaxis(situ_moveaxis(t->t, k, -1), i, -2), 0);
            int label = t->label[i];
            memmove(t->label + k, t->label + k + 1, sizeof *t->label * (size_t)(t->count - k - 1));
            memmove(t->label + i, t->label + i + 1, sizeof *t->label * (size_t)(t->count - i - 2));
            t->label[(t->count -= 2)] = label;
            t->count++;
            k = i; /* another label has moved to position i */
        }
}

/* Removes a term from the counts of uses. */
static void take_away(sum *s, const term *t)
{
    for (int i = 0; i < t->count; i++) s->uses[t->label[i]]--;
}

/* Sums over the axes that neither a remaining term nor the other operand of the next product needs. */
static void drop(sum *s, term *t, const term *other, situ_site site)
{
    situ_axes axes = {.given = 1};
    int kept = 0;
    for (int i = 0; i < t->count; i++) {
        if (s->uses[t->label[i]] || has(other, t->label[i]) >= 0) t->label[kept++] = t->label[i];
        else axes.axis[axes.count++] = i;
    }
    t->count = kept;
    if (axes.count) t->t = situ_sum(t->t, .axes = axes, .dtype = (situ_dtype)t->t->dtype);
}

/* t with its axes in the order of these labels, with size 1 for labels that it lacks. If `to` is given, groups of axes
 * are merged. */
static situ_tensor *ordered(const term *t, const int *label, int count, situ_shape to, situ_site site)
{
    situ_axes order = {.given = 1};
    for (int i = 0; i < count; i++) {
        int axis = has(t, label[i]);
        if (axis >= 0) order.axis[order.count++] = axis;
    }
    return situ_reshape(situ_permute(t->t, order), to);
}

/* One batched matrix product. Batch axes: labels of both that are still needed; rows: labels of a only; summed: labels
 * of both; columns: labels of b only. */
static bool multiply(sum *s, term *a, const term *b, situ_site site)
{
    int left[LABELS], right[LABELS], group[4][LABELS], n[4] = {0}, l = 0, r = 0;
    for (int i = 0; i < a->count + b->count; i++) {
        int label = i < a->count ? a->label[i] : b->label[i - a->count];
        bool in_a = has(a, label) >= 0, both = in_a && has(b, label) >= 0;
        if (i >= a->count && both) continue;
        int g = both ? (s->uses[label] ? 0 : 2) : in_a ? 1 : 3;
        group[g][n[g]++] = label;
    }
    int64_t many[4] = {1, 1, 1, 1};
    for (int g = 0; g < 4; g++)
        for (int i = 0; i < n[g]; i++) many[g] *= s->size[group[g][i]];
    for (int g = 0; g < 3; g++)
        for (int i = 0; i < n[g]; i++) left[l++] = group[g][i];
    for (int k = 0; k < 3; k++)
        for (int i = 0, g = k ? k + 1 : 0; i < n[g]; i++) right[r++] = group[g][i];
    if (n[0] + n[1] + n[3] > SITU_MAX_DIMS)
        return refuse(s, "a product on the way has more axes than a tensor may have; another order of operands has fewer");
    situ_tensor *x = ordered(a, left, l, SHAPE(many[0], many[1], many[2]), site),
                *y = ordered(b, right, r, SHAPE(many[0], many[2], many[3]), site);
    x = n[2] ? situ_matmul(x, y) :
               situ_mul(situ_reshape(x, SHAPE(many[0], many[1], 1)), situ_reshape(y, SHAPE(many[0], 1, many[3])));
    situ_shape shape = {.ndim = 0};
    a->count = 0;
    for (int g = 0; g < 4; g++)
        for (int i = 0; i < n[g] && g != 2; i++) {
            shape.dim[shape.ndim++] = s->size[group[g][i]];
            a->label[a->count++] = group[g][i];
        }
    a->t = situ_reshape(x, shape);
    return !situ_error_code;
}

/* Records the sizes of labels; axes of size 1 broadcast as in NumPy. */
static bool sizes(sum *s, term *t, int count, situ_site site)
{
    char text[SITU_BRIEF_TEXT];
    for (int i = 0; i < LABELS; i++) s->size[i] = -1;
    for (int k = 0; k < count; k++)
        for (int i = 0; i < t[k].count; i++) {
            int label = t[k].label[i];
            int64_t n = t[k].t->dim[i], *size = &s->size[label];
            if (*size < 0 || *size == 1) *size = n;
            if (*size == n || n == 1) continue;
            situ_fail(SITU_BAD_SHAPE, site,
                "einsum: \"%s\": axis %d of operand %d, %s, has %lld elements; another with its letter has %lld", s->text, i, k + 1,
                situ_brief(t[k].t, text), (long long)n, (long long)*size);
            return false;
        }
    for (int k = 0; k < count; k++) {
        situ_shape shape = situ_shape_like(t[k].t);
        for (int i = 0; i < t[k].count; i++) shape.dim[i] = s->size[t[k].label[i]];
        t[k].t = situ_broadcast_to(t[k].t, shape);
    }
    return !situ_error_code;
}

/* The result's labels without an arrow: the ellipsis, then the letters that occur once, in alphabetical order. */
static void implied(const term *t, int count, int more, term *out)
{
    out->count = 0;
    for (int i = more - 1; i >= 0; i--) out->label[out->count++] = LETTERS + i;
    for (int c = 0; c < LETTERS; c++) {
        int label = c < 26 ? 26 + c : c - 26, n = 0; /* capitals come first, as in ASCII */
        for (int k = 0; k < count; k++)
            for (int i = 0; i < t[k].count; i++) n += t[k].label[i] == label;
        if (n == 1 && out->count < SITU_MAX_DIMS) out->label[out->count++] = label;
    }
}

static bool read_all(sum *s, term *t, int count, term *out)
{
    const char *at = s->text;
    int more = 0;
    for (int k = 0; k < count; k++) {
        int n = ellipsis(at, t[k].t->ndim);
        if (n > more) more = n;
        if (n < -1) return refuse(s, "a term has more letters than its operand has axes");
        if (!read_term(s, &at, &t[k], n < 0 ? 0 : n)) return false;
        if (t[k].count != t[k].t->ndim) return refuse(s, "a term has other axes than its operand");
        if (k + 1 < count && *at++ != ',') return refuse(s, "there are more operands than terms");
    }
    if (*at == ',') return refuse(s, "there are more terms than operands");
    implied(t, count, more, out);
    if (!*at) return true;
    if (*at++ != '-' || *at++ != '>') return refuse(s, "the result comes after an arrow");
    if (!read_term(s, &at, out, more)) return false;
    if (*at) return refuse(s, "there is one result");
    for (int i = 0; i < out->count; i++) {
        bool known = false;
        for (int k = 0; k < count; k++) known = known || has(&t[k], out->label[i]) >= 0;
        if (!known) return refuse(s, "an axis of the result is in no operand");
        if (has(out, out->label[i]) != i) return refuse(s, "an axis of the result is there twice");
    }
    return true;
}

situ_tensor *(situ_einsum)(const char *subscripts, situ_list operands, situ_site site)
{
    SITU_SPEAK("einsum", site);
    enum { MOST_OPERANDS = 16 };
    sum s = {.text = subscripts ? subscripts : "", .site = site};
    term t[MOST_OPERANDS], out = {.count = 0};
    if (operands.count < 1 || operands.count > MOST_OPERANDS || !operands.tensor || !subscripts)
        return situ_refused(SITU_BAD_ARGUMENT, site, "einsum: %d operands; 1 to %d are possible, with a text of their axes",
            operands.count, MOST_OPERANDS);
    if (!situ_together(operands.tensor, operands.count, "einsum", "", site)) return situ_poisoned();
    situ_dtype dtype = SITU_BOOL;
    for (int k = 0; k < operands.count; k++) {
        t[k].t = operands.tensor[k];
        if (situ_is_number(t[k].t)) return refuse(&s, "an operand is a number"), situ_poisoned();
        dtype = k ? situ_dtype_promote(dtype, (situ_dtype)t[k].t->dtype) : (situ_dtype)t[k].t->dtype;
    }
    if (dtype == SITU_BOOL)
        return situ_refused(SITU_BAD_DTYPE, site,
            "einsum: there is no product of bools; write " SITU_SAY("situ_cast(x, SITU_I64)", "x.astype(\"int64\")"));
    bool half = situ_dtype_is_float(dtype) && situ_dtype_size(dtype) == 2;
    if (!read_all(&s, t, operands.count, &out) || !sizes(&s, t, operands.count, site)) return situ_poisoned();
    for (int i = 0; i < out.count; i++) s.uses[out.label[i]]++;
    for (int k = 0; k < operands.count; k++) {
        t[k].t = situ_cast(t[k].t, half ? SITU_F32 : dtype);
        diagonals(&t[k], site);
        for (int i = 0; i < t[k].count; i++) s.uses[t[k].label[i]]++;
    }
    take_away(&s, &t[0]);
    for (int k = 1; k < operands.count && !situ_error_code; k++) {
        take_away(&s, &t[k]);
        drop(&s, &t[0], &t[k], site);
        drop(&s, &t[k], &t[0], site);
        if (situ_error_code || !multiply(&s, &t[0], &t[k], site)) return situ_poisoned();
    }
    drop(&s, &t[0], &out, site);
    situ_shape shape = {.ndim = out.count};
    for (int i = 0; i < out.count; i++) shape.dim[i] = s.size[out.label[i]];
    return situ_error_code ? situ_poisoned() : situ_cast(ordered(&t[0], out.label, out.count, shape, site), dtype);
}
