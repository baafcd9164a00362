/* Other ways to compute a node: finding them, writing them out, and what they cost.
 *
 * A way is a base (a node or a pair of nodes), its relation to the target (equal, times a
 * constant, plus a constant, both) and up to two outer operations that lead from there to the
 * node in hand. Only nodes that do not depend on the node in hand are used. */
#ifndef FLEXGEN_MOVES_H
#define FLEXGEN_MOVES_H

#include "table.h"

/* how the target follows from the base: k1 a + k2 and k1 (a + k2) of a node,
 * k1 a + k2 b, k1 (a + k2 b) and k2 (k1 a + b) of a pair */
enum { EQUAL, SCALED, SHIFTED, AFFINE, OFFSET_FIRST, LINEAR, LINEAR_A, LINEAR_B };

typedef struct {
    uint32_t base;
    int relation, n_outer, outer[2];
    uint32_t with[2];
} Way;

#define MAX_WAYS 1024

typedef struct {
    int n;
    int64_t seen;
    Way way[MAX_WAYS];
} Ways;

typedef struct {
    int slot, fresh;
    Def def, old;
} Change;

typedef struct {
    int n, n_fresh, bad; /* the last change defines the node in hand */
    Change change[6];
} Plan;

typedef struct {
    int slot, sign;
} Operand;

/* keep a uniform sample when there are too many */
static inline void offer(Search *s, Ways *w, Way way) {
    int i = w->n;
    w->seen++;
    if (w->n < MAX_WAYS) w->n++;
    else {
        i = (int)(uniform(s) * (double)w->seen);
        if (i >= MAX_WAYS) return;
    }
    w->way[i] = way;
}

static inline int usable(const Search *s, uint32_t p) {
    return !marked(s, cell_a(p)) && (cell_op(p) == ALONE || !marked(s, cell_b(p)));
}

static inline void collect(Search *s, Ways *w, int table, double key, int relation, Way way) {
    uint32_t found[32];
    int n = look_up(&s->table[table], key, found, 32);
    for (int i = 0; i < n; i++) {
        if (!usable(s, found[i])) continue;
        way.base = found[i];
        way.relation = relation;
        offer(s, w, way);
    }
}

/* one operation: a op b, k a, a + k; `x` are three values of the target */
static void find_one(Search *s, Ways *w, const double *x, Way way) {
    collect(s, w, P_VALUE, fabs(x[0]), EQUAL, way);
    collect(s, w, N_RATIO, key_of(BY_RATIO, x[0], x[1], x[2]), SCALED, way);
    collect(s, w, N_DIFFERENCE, key_of(BY_DIFFERENCE, x[0], x[1], x[2]), SHIFTED, way);
}

static inline int peel(const double *x, int op, const double *c, double *y) {
    for (int j = 0; j < 3; j++) y[j] = op == PLUS ? x[j] - c[j] : op == MINUS ? x[j] + c[j] : x[j] / c[j];
    return fabs(y[0]) > 1e-9 * fabs(x[0]) || op == TIMES;
}

/* two operations */
static void find_two(Search *s, Ways *w, const double *x, Way way) {
    if (s->wide) {
        collect(s, w, P_RATIO, key_of(BY_RATIO, x[0], x[1], x[2]), SCALED, way);
        collect(s, w, P_DIFFERENCE, key_of(BY_DIFFERENCE, x[0], x[1], x[2]), SHIFTED, way);
    }
    collect(s, w, N_AFFINE, key_of(BY_AFFINE, x[0], x[1], x[2]), AFFINE, way);
    collect(s, w, N_AFFINE, key_of(BY_AFFINE, x[0], x[1], x[2]), OFFSET_FIRST, way);
    int last = way.n_outer++;
    for (int i = 0; i < s->n_live; i++) {
        int c = s->live[i];
        if (marked(s, c)) continue;
        way.with[last] = pack(ALONE, c, 0);
        for (int op = PLUS; op <= TIMES; op++) {
            double y[3];
            if (!peel(x, op, s->hi + c * STATES, y)) continue;
            way.outer[last] = op;
            collect(s, w, P_VALUE, fabs(y[0]), EQUAL, way);
            collect(s, w, N_DIFFERENCE, key_of(BY_DIFFERENCE, y[0], y[1], y[2]), SHIFTED, way);
            collect(s, w, N_RATIO, key_of(BY_RATIO, y[0], y[1], y[2]), SCALED, way);
        }
    }
}

/* three operations, of a random part of the choices */
static void find_three(Search *s, Ways *w, const double *x, int samples) {
    Way way = {0};
    for (int r = 0; r < samples; r++) {
        int a = s->live[below(s, s->n_live)];
        if (marked(s, a)) continue;
        const double *va = s->hi + a * STATES;
        double y[3];

        /* one outer operation with a, then two operations */
        way.n_outer = 0;
        way.outer[0] = below(s, 3);
        way.with[0] = pack(ALONE, a, 0);
        if (peel(x, way.outer[0], va, y)) {
            way.n_outer = 1;
            find_two(s, w, y, way);
        }
        for (int i = 0; i < s->n_live; i++) {
            int b = s->live[i];
            if (marked(s, b)) continue;
            const double *vb = s->hi + b * STATES;

            /* a pair of pairs */
            int lo = a < b ? a : b, hi = a < b ? b : a, combine = below(s, 3);
            if (a != b || combine == TIMES) {
                double c[3];
                for (int j = 0; j < 3; j++) c[j] = combined(s, combine, lo, hi, j);
                way.n_outer = 1;
                way.outer[0] = below(s, 3);
                way.with[0] = pack(combine, lo, hi);
                if (peel(x, way.outer[0], c, y)) find_one(s, w, y, way);
            }

            /* k1 a + k2 b by elimination, held against the third state */
            if (a == b) continue;
            double det = va[0] * vb[1] - va[1] * vb[0];
            if (fabs(det) < 1e-9 * fabs(va[0] * vb[1])) continue;
            double k1 = (x[0] * vb[1] - x[1] * vb[0]) / det, k2 = (va[0] * x[1] - va[1] * x[0]) / det;
            if (fabs(k1 * va[0]) < 1e-5 * fabs(x[0]) || fabs(k2 * vb[0]) < 1e-5 * fabs(x[0])) continue;
            double miss = k1 * va[2] + k2 * vb[2] - x[2];
            if (fabs(miss) > 1e-10 * fabs(x[2])) continue;
            for (int form = LINEAR; form <= LINEAR_B; form++)
                offer(s, w, (Way){pack(PLUS, lo, hi), form, 0, {0, 0}, {0, 0}});
        }
    }
}

/* ways through a user of v: v = u - c where u = v + c can be had without v */
static void find_turned(Search *s, Ways *w, int v) {
    for (int e = s->head[v]; e >= 0; e = s->next[e]) {
        const Def *d = &s->def[e >> 1];
        const double *u = s->hi + (e >> 1) * STATES;
        if (d->op != ADD) continue;
        int c = (e & 1) ? d->a : d->b;
        if (marked(s, c)) continue;
        int sv = (e & 1) ? d->sb : d->sa, sc = (e & 1) ? d->sa : d->sb;
        Way way = {0, 0, 1, {sv == sc ? MINUS : PLUS, 0}, {pack(ALONE, c, 0), 0}};
        find_one(s, w, u, way);
    }
}

static void flip(Def *d, int sign) {
    if (sign > 0) return;
    d->sa = -d->sa;
    d->sb = -d->sb;
    d->k = dd_neg(d->k);
}

/* values of a definition; 0 if it is constant, or loses too many digits */
static int values_of(const Search *s, const Def *d, dd *x) {
    double in = 0.0, out = 0.0;
    int varies = 0;
    for (int j = 0; j < STATES; j++) {
        dd a = value(s, d->a, j), b = d->b >= 0 ? value(s, d->b, j) : d->k;
        x[j] = apply_def(d, a, b);
        if (d->op == ADD || d->op == SHIFT) in += fabs(a.hi) + fabs(b.hi);
        out += fabs(x[j].hi);
        if (!(fabs(x[j].hi) < 1e200)) return 0;
        varies |= !dd_near(x[j], x[0], SAME);
    }
    return varies && in < 1e3 * out;
}

/* an intermediate result: a node that is there, one to be redefined, or a new one */
static Operand intermediate(Search *s, Plan *p, int v, Def d) {
    dd x[STATES];
    int sign = 1;
    if (p->bad || !values_of(s, &d, x)) {
        p->bad = 1;
        return (Operand){0, 1};
    }
    int slot = find_node(s, x, &sign);
    for (int i = 0; slot < 0 && i < p->n; i++) { /* used twice within the plan */
        if (!p->change[i].fresh) continue;
        int c = p->change[i].slot, ok = 1;
        sign = (s->hi[c * STATES] < 0) == (x[0].hi < 0) ? 1 : -1;
        for (int j = 0; ok && j < STATES; j++) ok = dd_near(value(s, c, j), dd_signed(sign, x[j]), SAME);
        if (ok) return (Operand){c, sign};
    }
    if (slot == v) p->bad = 1;
    if (slot >= 0 && (p->bad || !marked(s, slot))) return (Operand){slot, sign};
    for (int i = 0; slot >= 0 && i < p->n; i++)
        if (p->change[i].slot == slot) return (Operand){slot, sign};
    if (p->n >= 5 || (slot < 0 && p->n_fresh >= s->n_free)) {
        p->bad = 1;
        return (Operand){0, 1};
    }
    Change *c = &p->change[p->n++];
    c->fresh = slot < 0;
    if (c->fresh) {
        slot = s->free[s->n_free - 1 - p->n_fresh++];
        for (int j = 0; j < STATES; j++) {
            s->hi[slot * STATES + j] = x[j].hi;
            s->lo[slot * STATES + j] = x[j].lo;
        }
        sign = 1;
    }
    flip(&d, sign);
    c->slot = slot;
    c->def = d;
    return (Operand){slot, sign};
}

static Def pair_def(uint32_t p) {
    int op = cell_op(p);
    return (Def){op == TIMES ? MUL : ADD, cell_a(p), cell_b(p), 1, op == MINUS ? -1 : 1, {0, 0}};
}

/* k with t = k x, by least squares over the states: an exact ratio stays exact, and rounding
 * in the constants of the program is not magnified by a state where t happens to be small */
static dd ratio(const dd *t, const dd *x) {
    dd tx = {0, 0}, xx = {0, 0};
    for (int j = 0; j < STATES; j++) {
        tx = dd_add(tx, dd_mul(t[j], x[j]));
        xx = dd_add(xx, dd_mul(x[j], x[j]));
    }
    return dd_div(tx, xx);
}

/* k with t = sign x + k, as the mean over the states */
static dd offset(const dd *t, const dd *x, int sign) {
    dd sum = {0, 0};
    for (int j = 0; j < STATES; j++) sum = dd_add(sum, dd_sub(t[j], dd_signed(sign, x[j])));
    return dd_div(sum, (dd){STATES, 0});
}

/* k with t = k x + constant */
static dd slope(const dd *t, const dd *x) {
    dd u[STATES], y[STATES];
    dd zero[STATES] = {{0, 0}};
    dd mean_t = offset(t, zero, 1), mean_x = offset(x, zero, 1);
    for (int j = 0; j < STATES; j++) {
        u[j] = dd_sub(t[j], mean_t);
        y[j] = dd_sub(x[j], mean_x);
    }
    return ratio(u, y);
}

/* k1, k2 with t = k1 a + k2 b, from normal equations */
static void combination(const dd *t, const dd *a, const dd *b, dd *k1, dd *k2) {
    dd aa = {0, 0}, ab = {0, 0}, bb = {0, 0}, at = {0, 0}, bt = {0, 0};
    for (int j = 0; j < STATES; j++) {
        aa = dd_add(aa, dd_mul(a[j], a[j]));
        ab = dd_add(ab, dd_mul(a[j], b[j]));
        bb = dd_add(bb, dd_mul(b[j], b[j]));
        at = dd_add(at, dd_mul(a[j], t[j]));
        bt = dd_add(bt, dd_mul(b[j], t[j]));
    }
    dd det = dd_sub(dd_mul(aa, bb), dd_mul(ab, ab));
    *k1 = dd_div(dd_sub(dd_mul(at, bb), dd_mul(bt, ab)), det);
    *k2 = dd_div(dd_sub(dd_mul(aa, bt), dd_mul(ab, at)), det);
}

/* the definitions that a way stands for; 0 if it does not hold at all states */
static int write_plan(Search *s, Plan *p, int v, const Way *w) {
    dd target[3][STATES], x[STATES], y[STATES];
    Operand with[2];
    Def d;
    p->n = p->n_fresh = p->bad = 0;
    for (int j = 0; j < STATES; j++) target[0][j] = value(s, v, j);
    for (int i = 0; i < w->n_outer; i++) {
        with[i] = (Operand){cell_a(w->with[i]), 1};
        if (cell_op(w->with[i]) != ALONE) with[i] = intermediate(s, p, v, pair_def(w->with[i]));
        if (p->bad) return 0;
        for (int j = 0; j < STATES; j++) {
            dd c = dd_signed(with[i].sign, value(s, with[i].slot, j)), t = target[i][j];
            target[i + 1][j] = w->outer[i] == PLUS    ? dd_sub(t, c)
                               : w->outer[i] == MINUS ? dd_add(t, c)
                                                      : dd_div(t, c);
        }
    }
    const dd *t = target[w->n_outer];
    int sign = 1, pending = 0;
    Operand now = {cell_a(w->base), 1};
    if (w->relation >= LINEAR) {
        dd k1, k2;
        for (int j = 0; j < STATES; j++) {
            x[j] = value(s, cell_a(w->base), j);
            y[j] = value(s, cell_b(w->base), j);
        }
        combination(t, x, y, &k1, &k2);
        if (k1.hi == 0.0 || k2.hi == 0.0) return 0;
        Operand first = {cell_a(w->base), 1}, other = {cell_b(w->base), 1};
        dd common = w->relation == LINEAR_A ? k1 : k2;
        if (w->relation != LINEAR) k1 = dd_div(k1, common), k2 = dd_div(k2, common);
        if (w->relation != LINEAR_A) first = intermediate(s, p, v, (Def){SCALE, first.slot, -1, 1, 1, k1});
        if (w->relation != LINEAR_B) other = intermediate(s, p, v, (Def){SCALE, other.slot, -1, 1, 1, k2});
        if (p->bad) return 0;
        d = (Def){ADD, first.slot, other.slot, first.sign, other.sign, {0, 0}};
        if (w->relation != LINEAR) {
            Operand sum = intermediate(s, p, v, d);
            d = (Def){SCALE, sum.slot, -1, 1, 1, dd_signed(sum.sign, common)};
        }
        pending = 1;
    } else {
        if (cell_op(w->base) != ALONE) {
            d = pair_def(w->base);
            pending = 1;
            if (w->relation != EQUAL) now = intermediate(s, p, v, d);
        }
        if (p->bad) return 0;
        if (w->relation == EQUAL) {
            if (!pending || !values_of(s, &d, x)) return 0;
            sign = (x[0].hi < 0) == (t[0].hi < 0) ? 1 : -1;
        } else {
            for (int j = 0; j < STATES; j++) x[j] = value(s, now.slot, j);
            d = (Def){SCALE, now.slot, -1, 1, 1, ratio(t, x)};
            pending = 1;
            if (w->relation == SHIFTED) {
                d.op = SHIFT;
                d.sa = (t[1].hi - t[0].hi < 0) == (x[1].hi - x[0].hi < 0) ? 1 : -1;
                d.k = offset(t, x, d.sa);
            }
            if (w->relation == OFFSET_FIRST) {
                dd k = slope(t, x);
                for (int j = 0; j < STATES; j++) y[j] = dd_div(t[j], k);
                d = (Def){SHIFT, now.slot, -1, 1, 1, offset(y, x, 1)};
                now = intermediate(s, p, v, d);
                d = (Def){SCALE, now.slot, -1, 1, 1, dd_signed(now.sign, k)};
            }
            if (w->relation == AFFINE) {
                d.k = slope(t, x);
                now = intermediate(s, p, v, d);
                if (p->bad) return 0;
                for (int j = 0; j < STATES; j++) y[j] = value(s, now.slot, j);
                d = (Def){SHIFT, now.slot, -1, now.sign, 1, offset(t, y, now.sign)};
            }
        }
    }
    if (p->bad) return 0;
    for (int i = w->n_outer - 1; i >= 0; i--) {
        now = intermediate(s, p, v, d);
        if (p->bad) return 0;
        sign *= now.sign;
        int c = with[i].slot, sc = with[i].sign;
        if (w->outer[i] == TIMES) d = (Def){MUL, now.slot, c, sign * sc, 1, {0, 0}};
        else if (now.slot == c) return 0;
        else d = (Def){ADD, now.slot, c, sign, w->outer[i] == PLUS ? sc : -sc, {0, 0}};
        sign = 1;
    }
    if (!values_of(s, &d, y)) return 0;
    flip(&d, sign);
    for (int j = 0; j < STATES; j++)
        if (!dd_near(dd_signed(sign, y[j]), target[0][j], SAME)) return 0;
    if (d.b >= 0 && d.b < d.a) { /* one spelling of commuting operands */
        int a = d.a, sa = d.sa;
        d.a = d.b;
        d.b = a;
        if (d.op == ADD) {
            d.sa = d.sb;
            d.sb = sa;
        }
    }
    const Def *old = &s->def[v];
    if (p->n == 0 && old->op == d.op && old->a == d.a && old->b == d.b) return 0;
    p->change[p->n++] = (Change){v, 0, d, *old};
    return 1;
}

#endif
