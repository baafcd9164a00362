/* A straight-line program as slots: one definition, one value per state, and its users.
 *
 * Values are anchored: they come from the program that was loaded, in double-double, and a
 * node keeps its value when it gets another definition, so nothing drifts. Nodes equal up to
 * sign are one node; the sign is part of the operand and costs nothing. */
#ifndef FLEXGEN_GRAPH_H
#define FLEXGEN_GRAPH_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dd.h"

#define STATES 6   /* values per node: three serve as hash keys, all confirm an equality */
#define MAX_SLOTS 8192
#define SAME 3e-13 /* relative; constants are rounded to 1e-16 and may be amplified */

enum { NONE, LEAF, ADD, MUL, SCALE, SHIFT, DIV, RECIP, FUNC };

/* ADD: sa a + sb b   MUL: sa a b   SCALE: k a   SHIFT: sa a + k   DIV: sa a / b
 * RECIP: k / a       FUNC: a function of sa a, never changed       unused operands: -1 */
typedef struct {
    int op, a, b, sa, sb;
    dd k;
} Def;

typedef struct {
    uint64_t *cell;
    uint64_t mask;
    int kind;
} Table;

enum { BY_VALUE, BY_RATIO, BY_DIFFERENCE, BY_AFFINE };
enum { N_VALUE, N_RATIO, N_DIFFERENCE, N_AFFINE, P_VALUE, P_RATIO, P_DIFFERENCE, N_TABLES };

typedef struct {
    int n_live;
    Def *def;
    int *ref, *live;
    double *hi, *lo;
    double cost;
} Snapshot;

typedef struct {
    int cap, n_live, n_free, n_out;
    Def *def;
    int *ref;               /* users and outputs */
    double *hi, *lo;        /* cap x STATES */
    int *live, *at, *free;  /* dense list of live slots and the place of each in it */
    int *head, *next, *prev; /* users of a slot: list of edges 2 user + operand */
    uint32_t *mark, epoch;  /* descendants of the node in hand */
    int *stack;
    int *out;
    dd *expected; /* n_out x STATES */
    double cost, w_mul, w_add;
    Table table[N_TABLES];
    int wide; /* whether pairs are also kept by ratio and difference */

    uint64_t rng;
    int64_t pick, picks;
    double hot, cold, triple;
    Snapshot best, proven;
} Search;

static inline dd value(const Search *s, int slot, int state) {
    int i = slot * STATES + state;
    return (dd){s->hi[i], s->lo[i]};
}

static inline double cost_of(const Search *s, int op) {
    switch (op) {
    case ADD:
    case SHIFT:
        return s->w_add;
    case MUL:
    case SCALE:
    case DIV:
    case RECIP:
        return s->w_mul;
    default:
        return 0.0;
    }
}

static inline uint64_t next_random(Search *s) { /* splitmix64 */
    uint64_t z = (s->rng += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

static inline double uniform(Search *s) { return (double)(next_random(s) >> 11) * 0x1p-53; }

static inline int below(Search *s, int n) {
    return (int)(((next_random(s) >> 32) * (uint64_t)n) >> 32);
}

static inline dd apply_def(const Def *d, dd a, dd b) {
    switch (d->op) {
    case ADD:
        return dd_add(dd_signed(d->sa, a), dd_signed(d->sb, b));
    case MUL:
        return dd_signed(d->sa, dd_mul(a, b));
    case SCALE:
        return dd_mul(d->k, a);
    case SHIFT:
        return dd_add(dd_signed(d->sa, a), d->k);
    case DIV:
        return dd_signed(d->sa, dd_div(a, b));
    case RECIP:
        return dd_div(d->k, a);
    default:
        return a;
    }
}

static inline void link_edge(Search *s, int operand, int edge) {
    int first = s->head[operand];
    s->next[edge] = first;
    s->prev[edge] = -1;
    if (first >= 0) s->prev[first] = edge;
    s->head[operand] = edge;
}

static inline void unlink_edge(Search *s, int operand, int edge) {
    int p = s->prev[edge], n = s->next[edge];
    if (p >= 0) s->next[p] = n;
    else s->head[operand] = n;
    if (n >= 0) s->prev[n] = p;
}

static inline void link_users(Search *s, int slot) {
    const Def *d = &s->def[slot];
    if (d->a >= 0) link_edge(s, d->a, 2 * slot);
    if (d->b >= 0) link_edge(s, d->b, 2 * slot + 1);
}

static inline void unlink_users(Search *s, int slot, const Def *d) {
    if (d->a >= 0) unlink_edge(s, d->a, 2 * slot);
    if (d->b >= 0) unlink_edge(s, d->b, 2 * slot + 1);
}

/* mark `slot` and everything that is computed from it */
static void mark_descendants(Search *s, int slot) {
    int top = 0;
    s->epoch++;
    s->mark[slot] = s->epoch;
    s->stack[top++] = slot;
    while (top) {
        int x = s->stack[--top];
        for (int e = s->head[x]; e >= 0; e = s->next[e]) {
            int user = e >> 1;
            if (s->mark[user] != s->epoch) {
                s->mark[user] = s->epoch;
                s->stack[top++] = user;
            }
        }
    }
}

static inline int marked(const Search *s, int slot) { return s->mark[slot] == s->epoch; }

/* cost of what only `slot` uses, itself included */
static double private_cone(Search *s, int slot) {
    int top = 0, n = 0;
    double cost = 0.0;
    int *touched = s->stack + s->cap; /* second half of the scratch space */
    s->stack[top++] = slot;
    while (top) {
        const Def *d = &s->def[s->stack[--top]];
        cost += cost_of(s, d->op);
        int operand[2] = {d->a, d->b};
        for (int j = 0; j < 2; j++) {
            if (operand[j] < 0) continue;
            touched[n++] = operand[j];
            if (--s->ref[operand[j]] == 0 && s->def[operand[j]].op != LEAF) s->stack[top++] = operand[j];
        }
    }
    while (n) s->ref[touched[--n]]++;
    return cost;
}

#endif
