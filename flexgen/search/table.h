/* Hash tables of the values of nodes and of sums, differences and products of two nodes.
 *
 * A cell is one word: 36 bits of hash and the pair (operation, a, b). Keys are magnitudes
 * rounded to 2^-34, so equal values meet although they were computed in other ways:
 * the value itself, the ratio of two states (finds constant multiples), the difference of two
 * states (finds constant offsets), or the ratio of two differences (finds both together). */
#ifndef FLEXGEN_TABLE_H
#define FLEXGEN_TABLE_H

#include "graph.h"

enum { PLUS, MINUS, TIMES, ALONE }; /* what a cell combines */

#define TAG_MASK (~((1ULL << 28) - 1))
#define DROPPED_BITS 18
#define EDGE 512 /* closer than this to the rim of a bin: look next door too */

static inline uint32_t pack(int combine, int a, int b) {
    return ((uint32_t)combine << 26) | ((uint32_t)a << 13) | (uint32_t)b;
}
static inline int cell_op(uint32_t p) { return (int)((p >> 26) & 3); }
static inline int cell_a(uint32_t p) { return (int)((p >> 13) & 8191); }
static inline int cell_b(uint32_t p) { return (int)(p & 8191); }

static inline double combined(const Search *s, int combine, int a, int b, int state) {
    double x = s->hi[a * STATES + state];
    if (combine == ALONE) return x;
    double y = s->hi[b * STATES + state];
    return combine == PLUS ? x + y : combine == MINUS ? x - y : x * y;
}

static inline uint64_t mixed(uint64_t z) {
    z = (z ^ (z >> 33)) * 0xff51afd7ed558ccdULL;
    z = (z ^ (z >> 33)) * 0xc4ceb9fe1a85ec53ULL;
    return z ^ (z >> 33);
}

/* bin of a key; `rim` tells whether the neighbour bin may hold the same value */
static inline uint64_t bin(double key, int *rim) {
    uint64_t u;
    memcpy(&u, &key, 8);
    uint64_t sign = u >> 63;
    u &= ~(1ULL << 63);
    uint64_t rest = u & ((1ULL << DROPPED_BITS) - 1);
    *rim = rest < EDGE ? -1 : rest > (1ULL << DROPPED_BITS) - EDGE ? 1 : 0;
    return ((u >> DROPPED_BITS) << 1) | sign;
}

/* the key of three values, or 0 where it means nothing */
static inline double key_of(int kind, double x0, double x1, double x2) {
    double d = x1 - x0;
    if (x0 == 0.0) return 0.0;
    switch (kind) {
    case BY_VALUE:
        return fabs(x0);
    case BY_RATIO:
        return x1 / x0;
    case BY_DIFFERENCE:
        return fabs(d) > 1e-10 * fabs(x0) ? fabs(d) : 0.0;
    default:
        return fabs(d) > 1e-10 * fabs(x0) ? (x2 - x0) / d : 0.0;
    }
}

static inline uint64_t hash_of(const Search *s, const Table *t, uint32_t p) {
    int c = cell_op(p), a = cell_a(p), b = cell_b(p), rim;
    double x0 = combined(s, c, a, b, 0);
    double x1 = t->kind == BY_VALUE ? 0.0 : combined(s, c, a, b, 1);
    double x2 = t->kind == BY_AFFINE ? combined(s, c, a, b, 2) : 0.0;
    double key = key_of(t->kind, x0, x1, x2);
    if (key == 0.0 || !(fabs(key) < 1e300)) return 0;
    return mixed(bin(key, &rim)) | 1ULL << 63; /* never 0 */
}

static inline void put(const Search *s, Table *t, uint32_t p) {
    uint64_t h = hash_of(s, t, p);
    if (!h) return;
    uint64_t i = h & t->mask;
    while (t->cell[i]) i = (i + 1) & t->mask;
    t->cell[i] = (h & TAG_MASK) | p;
}

static void take(const Search *s, Table *t, uint32_t p) {
    uint64_t h = hash_of(s, t, p);
    if (!h) return;
    uint64_t i = h & t->mask, cell = (h & TAG_MASK) | p;
    while (t->cell[i] != cell) {
        if (!t->cell[i]) return;
        i = (i + 1) & t->mask;
    }
    /* close the gap: move later cells of the run back to where a search would find them */
    uint64_t j = i;
    for (;;) {
        j = (j + 1) & t->mask;
        if (!t->cell[j]) break;
        uint64_t home = hash_of(s, t, (uint32_t)(t->cell[j] & ~TAG_MASK)) & t->mask;
        if (((j - home) & t->mask) >= ((j - i) & t->mask)) {
            t->cell[i] = t->cell[j];
            i = j;
        }
    }
    t->cell[i] = 0;
}

/* cells under a bin, into `found`; returns how many */
static inline int scan(const Table *t, uint64_t b, uint32_t *found, int n, int most) {
    uint64_t h = mixed(b) | 1ULL << 63, tag = h & TAG_MASK;
    for (uint64_t i = h & t->mask; t->cell[i] && n < most; i = (i + 1) & t->mask)
        if ((t->cell[i] & TAG_MASK) == tag) found[n++] = (uint32_t)(t->cell[i] & ~TAG_MASK);
    return n;
}

static inline int look_up(const Table *t, double key, uint32_t *found, int most) {
    int rim;
    if (key == 0.0 || !(fabs(key) < 1e300)) return 0;
    uint64_t b = bin(key, &rim);
    int n = scan(t, b, found, 0, most);
    if (rim) n = scan(t, b + 2 * (uint64_t)(int64_t)rim, found, n, most);
    return n;
}

static void each_cell(Search *s, int slot, void (*act)(const Search *, Table *, uint32_t)) {
    for (int k = N_VALUE; k <= N_AFFINE; k++) act(s, &s->table[k], pack(ALONE, slot, 0));
    for (int k = P_VALUE; k <= (s->wide ? P_DIFFERENCE : P_VALUE); k++) {
        Table *t = &s->table[k];
        for (int i = 0; i < s->n_live; i++) {
            int other = s->live[i], a = slot < other ? slot : other, b = slot < other ? other : slot;
            if (a != b) {
                act(s, t, pack(PLUS, a, b));
                act(s, t, pack(MINUS, a, b));
            }
            act(s, t, pack(TIMES, a, b));
        }
    }
}

static void put_cell(const Search *s, Table *t, uint32_t p) { put(s, t, p); }

/* `slot` becomes usable as an operand */
static void publish(Search *s, int slot) {
    s->at[slot] = s->n_live;
    s->live[s->n_live++] = slot;
    each_cell(s, slot, put_cell);
}

static void withdraw(Search *s, int slot) {
    each_cell(s, slot, take);
    int last = s->live[--s->n_live];
    s->live[s->at[slot]] = last;
    s->at[last] = s->at[slot];
}

/* the node equal to the values `x` up to sign, or -1 */
static int find_node(const Search *s, const dd *x, int *sign) {
    uint32_t found[8];
    int n = look_up(&s->table[N_VALUE], fabs(x[0].hi), found, 8);
    for (int i = 0; i < n; i++) {
        int slot = cell_a(found[i]), ok = 1;
        *sign = (s->hi[slot * STATES] < 0) == (x[0].hi < 0) ? 1 : -1;
        for (int j = 0; ok && j < STATES; j++)
            ok = dd_near(value(s, slot, j), dd_signed(*sign, x[j]), SAME);
        if (ok) return slot;
    }
    return -1;
}

#endif
