/* Double-double arithmetic: about 32 digits from two doubles, by Dekker (1971) and Knuth.
 *
 * Needs strict IEEE doubles: no contraction to fused operations, no fast mathematics. */
#ifndef FLEXGEN_DD_H
#define FLEXGEN_DD_H

#include <math.h>

typedef struct {
    double hi, lo;
} dd;

static inline dd dd_quick(double a, double b) {
    double s = a + b;
    return (dd){s, b - (s - a)};
}

static inline dd dd_two_sum(double a, double b) {
    double s = a + b, t = s - a;
    return (dd){s, (a - (s - t)) + (b - t)};
}

static inline void dd_split(double a, double *high, double *low) {
    double t = 134217729.0 * a; /* 2^27 + 1 */
    *high = t - (t - a);
    *low = a - *high;
}

static inline dd dd_two_prod(double a, double b) {
    double p = a * b, ah, al, bh, bl;
    dd_split(a, &ah, &al);
    dd_split(b, &bh, &bl);
    return (dd){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

static inline dd dd_neg(dd a) { return (dd){-a.hi, -a.lo}; }

static inline dd dd_signed(int sign, dd a) { return sign < 0 ? dd_neg(a) : a; }

static inline dd dd_add(dd a, dd b) {
    dd s = dd_two_sum(a.hi, b.hi), t = dd_two_sum(a.lo, b.lo);
    s = dd_quick(s.hi, s.lo + t.hi);
    return dd_quick(s.hi, s.lo + t.lo);
}

static inline dd dd_sub(dd a, dd b) { return dd_add(a, dd_neg(b)); }

static inline dd dd_mul(dd a, dd b) {
    dd p = dd_two_prod(a.hi, b.hi);
    return dd_quick(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

static inline dd dd_div(dd a, dd b) {
    double q = a.hi / b.hi;
    dd r = dd_sub(a, dd_mul((dd){q, 0.0}, b));
    double q2 = r.hi / b.hi;
    r = dd_sub(r, dd_mul((dd){q2, 0.0}, b));
    dd s = dd_quick(q, q2);
    return dd_add(s, (dd){r.hi / b.hi, 0.0});
}

/* whether two numbers are the same one up to the noise of rounded constants */
static inline int dd_near(dd a, dd b, double tolerance) {
    double scale = fabs(a.hi) > fabs(b.hi) ? fabs(a.hi) : fabs(b.hi);
    return fabs(dd_sub(a, b).hi) <= tolerance * scale;
}

#endif
