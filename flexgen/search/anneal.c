/* Resubstitution annealing of a straight-line program on numeric fingerprints.
 *
 * A pick takes a random node, looks up other ways to compute its value, and puts one of them
 * in its place if the count does not rise, or rises by a little and chance allows it
 * (Metropolis). What nobody uses any more is removed. The same input gives the same result
 * everywhere: the amount of work is a number of picks and the generator is our own. */
#include "moves.h"

typedef struct {
    int n_dead, n_lowered;
    int *dead, *lowered;
} Trail;

static void raise_operands(Search *s, const Def *d, int by) {
    if (d->a >= 0) s->ref[d->a] += by;
    if (d->b >= 0) s->ref[d->b] += by;
}

static void lower(Search *s, Trail *t, int slot) {
    t->lowered[t->n_lowered++] = slot;
    if (--s->ref[slot] == 0 && s->def[slot].op != LEAF) t->dead[t->n_dead++] = slot;
}

/* put the definitions of a plan in force and return what that does to the cost */
static double enact(Search *s, Plan *p, Trail *t) {
    double delta = 0.0;
    t->n_dead = t->n_lowered = 0;
    for (int i = 0; i < p->n; i++) {
        Change *c = &p->change[i];
        if (c->fresh) s->ref[c->slot] = 0;
        else c->old = s->def[c->slot];
        s->def[c->slot] = c->def;
    }
    for (int i = 0; i < p->n; i++) {
        Change *c = &p->change[i];
        raise_operands(s, &c->def, 1);
        delta += cost_of(s, c->def.op) - (c->fresh ? 0.0 : cost_of(s, c->old.op));
    }
    int done = 0;
    for (int i = 0; i < p->n; i++) {
        Change *c = &p->change[i];
        if (c->fresh) continue;
        if (c->old.a >= 0) lower(s, t, c->old.a);
        if (c->old.b >= 0) lower(s, t, c->old.b);
        for (; done < t->n_dead; done++) {
            const Def *d = &s->def[t->dead[done]];
            delta -= cost_of(s, d->op);
            if (d->a >= 0) lower(s, t, d->a);
            if (d->b >= 0) lower(s, t, d->b);
        }
    }
    return delta;
}

static void revoke(Search *s, Plan *p, Trail *t) {
    while (t->n_lowered) s->ref[t->lowered[--t->n_lowered]]++;
    for (int i = 0; i < p->n; i++) {
        Change *c = &p->change[i];
        raise_operands(s, &c->def, -1);
        if (!c->fresh) s->def[c->slot] = c->old;
    }
}

static int among(const int *list, int n, int x) {
    for (int i = 0; i < n; i++)
        if (list[i] == x) return 1;
    return 0;
}

/* bring users, lists and tables in line with definitions already in force */
static void settle(Search *s, Plan *p, Trail *t) {
    s->n_free -= p->n_fresh;
    for (int i = 0; i < p->n; i++) {
        Change *c = &p->change[i];
        if (c->fresh) s->head[c->slot] = -1;
        else unlink_users(s, c->slot, &c->old);
    }
    for (int i = 0; i < p->n; i++) link_users(s, p->change[i].slot);
    for (int i = 0; i < t->n_dead; i++) unlink_users(s, t->dead[i], &s->def[t->dead[i]]);
    for (int i = 0; i < t->n_dead; i++) {
        int slot = t->dead[i], fresh = 0;
        for (int j = 0; j < p->n; j++) fresh |= p->change[j].fresh && p->change[j].slot == slot;
        if (!fresh) withdraw(s, slot);
    }
    for (int i = 0; i < p->n; i++)
        if (p->change[i].fresh && !among(t->dead, t->n_dead, p->change[i].slot)) publish(s, p->change[i].slot);
    for (int i = 0; i < t->n_dead; i++) {
        s->def[t->dead[i]].op = NONE;
        s->free[s->n_free++] = t->dead[i];
    }
}

static void save(const Search *s, Snapshot *to) {
    memcpy(to->def, s->def, sizeof(Def) * (size_t)s->cap);
    memcpy(to->ref, s->ref, sizeof(int) * (size_t)s->cap);
    memcpy(to->live, s->live, sizeof(int) * (size_t)s->n_live);
    memcpy(to->hi, s->hi, sizeof(double) * (size_t)s->cap * STATES);
    memcpy(to->lo, s->lo, sizeof(double) * (size_t)s->cap * STATES);
    to->n_live = s->n_live;
    to->cost = s->cost;
}

static void copy_snapshot(const Search *s, Snapshot *to, const Snapshot *from) {
    memcpy(to->def, from->def, sizeof(Def) * (size_t)s->cap);
    memcpy(to->ref, from->ref, sizeof(int) * (size_t)s->cap);
    memcpy(to->live, from->live, sizeof(int) * (size_t)from->n_live);
    memcpy(to->hi, from->hi, sizeof(double) * (size_t)s->cap * STATES);
    memcpy(to->lo, from->lo, sizeof(double) * (size_t)s->cap * STATES);
    to->n_live = from->n_live;
    to->cost = from->cost;
}

/* users, free list and tables from definitions and the list of live slots */
static void reindex(Search *s) {
    int n = s->n_live;
    s->n_live = s->n_free = 0;
    for (int i = 0; i < s->cap; i++) s->head[i] = s->at[i] = -1;
    for (int k = 0; k < N_TABLES; k++)
        memset(s->table[k].cell, 0, sizeof(uint64_t) * (size_t)(s->table[k].mask + 1));
    for (int i = 0; i < n; i++) {
        int slot = s->live[i];
        publish(s, slot);
        link_users(s, slot);
    }
    for (int i = s->cap - 1; i >= 0; i--)
        if (s->at[i] < 0) s->free[s->n_free++] = i;
}

static void load(Search *s, const Snapshot *from) {
    memcpy(s->def, from->def, sizeof(Def) * (size_t)s->cap);
    memcpy(s->ref, from->ref, sizeof(int) * (size_t)s->cap);
    memcpy(s->live, from->live, sizeof(int) * (size_t)from->n_live);
    memcpy(s->hi, from->hi, sizeof(double) * (size_t)s->cap * STATES);
    memcpy(s->lo, from->lo, sizeof(double) * (size_t)s->cap * STATES);
    s->n_live = from->n_live;
    s->cost = from->cost;
    reindex(s);
}

/* evaluate from the leaves and hold the outputs against the program that was loaded */
static int outputs_hold(Search *s) {
    dd *x = malloc(sizeof(dd) * (size_t)s->cap * STATES);
    char *ready = calloc((size_t)s->cap, 1);
    int ok = x && ready;
    for (int i = 0; ok && i < s->n_live; i++) {
        int slot = s->live[i];
        if (s->def[slot].op != LEAF && s->def[slot].op != FUNC) continue;
        for (int j = 0; j < STATES; j++) x[slot * STATES + j] = value(s, slot, j);
        ready[slot] = 1;
    }
    for (int i = 0; ok && i < s->n_out; i++) {
        int top = 0;
        s->stack[top++] = s->out[i];
        while (top) {
            int slot = s->stack[top - 1];
            const Def *d = &s->def[slot];
            if (ready[slot]) top--;
            else if (!ready[d->a]) s->stack[top++] = d->a;
            else if (d->b >= 0 && !ready[d->b]) s->stack[top++] = d->b;
            else {
                for (int j = 0; j < STATES; j++)
                    x[slot * STATES + j] = apply_def(d, x[d->a * STATES + j], d->b >= 0 ? x[d->b * STATES + j] : d->k);
                ready[slot] = 1;
                top--;
            }
        }
        for (int j = 0; j < STATES; j++)
            ok &= dd_near(x[s->out[i] * STATES + j], s->expected[i * STATES + j], 10 * SAME);
    }
    free(x);
    free(ready);
    return ok;
}

static void one_pick(Search *s, Ways *ways, Plan *plans, Trail *trail) {
    double progress = s->picks > 1 ? (double)s->pick / (double)(s->picks - 1) : 1.0;
    double temperature = s->hot * pow(s->cold / s->hot, progress > 1.0 ? 1.0 : progress);
    int v = s->live[below(s, s->n_live)];
    s->pick++;
    if (s->def[v].op == LEAF || s->def[v].op == FUNC) return;

    /* the rise that this pick would accept is drawn first: dearer ways need no search */
    double u = uniform(s), rise = u > 0.0 ? -temperature * log(u) : 1e9;
    double most = private_cone(s, v) + (rise < 1.0 ? rise : 1.0);
    mark_descendants(s, v);
    const double *x = s->hi + v * STATES;
    Way none = {0};
    ways->n = 0;
    ways->seen = 0;
    find_one(s, ways, x, none);
    find_turned(s, ways, v);
    double cheap = s->w_mul < s->w_add ? s->w_mul : s->w_add;
    if (most >= 2 * cheap) find_two(s, ways, x, none);
    if (most >= 3 * cheap && uniform(s) < s->triple) find_three(s, ways, x, 8);
    if (ways->n == 0) return;

    int tries = below(s, 4);
    tries = tries < 2 ? 1 : tries == 2 ? 3 : 10;
    double lowest = 1e9;
    int chosen = -1;
    for (int i = 0; i < tries; i++) {
        Plan *p = &plans[chosen == 0];
        if (!write_plan(s, p, v, &ways->way[below(s, ways->n)])) continue;
            double delta = enact(s, p, trail);
        revoke(s, p, trail);
        if (delta < lowest) {
            lowest = delta;
            chosen = p == &plans[1];
        }
    }
    if (chosen < 0 || lowest > rise) return;
    Plan *p = &plans[chosen];
    /* a later try may have used the same free slots: write the values again */
    for (int i = 0; i < p->n; i++) {
        Change *c = &p->change[i];
        if (!c->fresh) continue;
        for (int j = 0; j < STATES; j++) {
            dd a = value(s, c->def.a, j), b = c->def.b >= 0 ? value(s, c->def.b, j) : c->def.k;
            dd y = apply_def(&c->def, a, b);
            s->hi[c->slot * STATES + j] = y.hi;
            s->lo[c->slot * STATES + j] = y.lo;
        }
    }
    s->cost += enact(s, p, trail);
    settle(s, p, trail);
}

static int new_table(Table *t, int kind, double cells) {
    uint64_t size = 64;
    while ((double)size < 1.7 * cells) size *= 2;
    *t = (Table){calloc(size, sizeof(uint64_t)), size - 1, kind};
    return t->cell != NULL;
}

static void new_snapshot(Snapshot *t, int cap) {
    t->def = calloc((size_t)cap, sizeof(Def));
    t->ref = calloc((size_t)cap, sizeof(int));
    t->live = calloc((size_t)cap, sizeof(int));
    t->hi = calloc((size_t)cap * STATES, sizeof(double));
    t->lo = calloc((size_t)cap * STATES, sizeof(double));
}

static void free_snapshot(Snapshot *t) {
    free(t->def);
    free(t->ref);
    free(t->live);
    free(t->hi);
    free(t->lo);
}

void search_free(Search *s) {
    if (!s) return;
    for (int k = 0; k < N_TABLES; k++) free(s->table[k].cell);
    free_snapshot(&s->best);
    free_snapshot(&s->proven);
    void *parts[] = {s->def, s->ref, s->hi, s->lo, s->live, s->at, s->free, s->head, s->next, s->prev, s->mark, s->stack, s->out, s->expected, s};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
}

/* `code` holds op, a, b, sa, sb of each node in topological order, `number` its constant,
 * `known` the values of leaves and functions as (hi, lo) at every state */
Search *search_new(int n, const int *code, const double *number, const double *known, int n_out,
                   const int *out, const double *weights, const double *schedule, int64_t picks,
                   uint64_t seed) {
    int cap = n + 24;
    if (cap > MAX_SLOTS) return NULL;
    Search *s = calloc(1, sizeof(Search));
    if (!s) return NULL;
    size_t slots = (size_t)cap;
    s->cap = cap;
    s->n_out = n_out;
    s->def = calloc(slots, sizeof(Def));
    s->ref = calloc(slots, sizeof(int));
    s->hi = calloc(slots * STATES, sizeof(double));
    s->lo = calloc(slots * STATES, sizeof(double));
    s->live = calloc(slots, sizeof(int));
    s->at = calloc(slots, sizeof(int));
    s->free = calloc(slots, sizeof(int));
    s->head = calloc(slots, sizeof(int));
    s->next = calloc(2 * slots, sizeof(int));
    s->prev = calloc(2 * slots, sizeof(int));
    s->mark = calloc(slots, sizeof(uint32_t));
    s->stack = calloc(4 * slots, sizeof(int));
    s->out = calloc((size_t)n_out + 1, sizeof(int));
    s->expected = calloc((size_t)(n_out + 1) * STATES, sizeof(dd));
    new_snapshot(&s->best, cap);
    new_snapshot(&s->proven, cap);
    s->wide = cap <= 1000;
    double pairs = 1.5 * cap * (cap + 1.0);
    int ok = 1;
    for (int k = 0; k < N_TABLES; k++)
        ok &= new_table(&s->table[k], k < P_VALUE ? k : k - P_VALUE,
                        k < P_VALUE ? cap : k == P_VALUE || s->wide ? pairs : 1);
    if (!ok) {
        search_free(s);
        return NULL;
    }
    s->w_mul = weights[0];
    s->w_add = weights[1];
    s->hot = schedule[0];
    s->cold = schedule[1];
    s->triple = schedule[2];
    s->picks = picks;
    s->rng = seed;
    for (int i = 0; i < n; i++) {
        const int *c = code + 5 * i;
        s->def[i] = (Def){c[0], c[1], c[2], c[3], c[4], {number[i], 0.0}};
        raise_operands(s, &s->def[i], 1);
        for (int j = 0; j < STATES; j++) {
            dd x = {known[2 * (i * STATES + j)], known[2 * (i * STATES + j) + 1]};
            if (c[0] != LEAF && c[0] != FUNC)
                x = apply_def(&s->def[i], value(s, c[1], j), c[2] >= 0 ? value(s, c[2], j) : s->def[i].k);
            s->hi[i * STATES + j] = x.hi;
            s->lo[i * STATES + j] = x.lo;
        }
        s->cost += cost_of(s, c[0]);
        s->live[i] = i;
    }
    s->n_live = n;
    for (int i = 0; i < n_out; i++) {
        s->out[i] = out[i];
        s->ref[out[i]]++;
        for (int j = 0; j < STATES; j++) s->expected[i * STATES + j] = value(s, out[i], j);
    }
    reindex(s);
    save(s, &s->best);
    save(s, &s->proven);
    return s;
}

/* do `picks` more picks; returns the lowest cost so far */
double search_run(Search *s, int64_t picks) {
    Ways *ways = malloc(sizeof(Ways));
    Trail trail = {0, 0, malloc(sizeof(int) * 2 * (size_t)s->cap), malloc(sizeof(int) * 4 * (size_t)s->cap)};
    Plan plans[2];
    if (ways && trail.dead && trail.lowered) {
        for (int64_t i = 0; i < picks; i++) {
            one_pick(s, ways, plans, &trail);
            if (s->cost >= s->best.cost - 1e-9) continue;
            if (outputs_hold(s)) save(s, &s->best);
            else load(s, &s->best);
        }
    }
    free(ways);
    free(trail.dead);
    free(trail.lowered);
    return s->best.cost;
}

/* the best program so far passed the checks outside */
void search_confirm(Search *s) { copy_snapshot(s, &s->proven, &s->best); }

/* it did not: go back to the last one that did */
void search_refuse(Search *s) {
    copy_snapshot(s, &s->best, &s->proven);
    load(s, &s->best);
}

/* the best program: slot numbers as operands, `constant` as (hi, lo); returns the slots */
int search_best(const Search *s, int *code, double *constant) {
    for (int i = 0; i < s->cap; i++) {
        code[5 * i] = NONE;
        constant[2 * i] = constant[2 * i + 1] = 0.0;
    }
    for (int i = 0; i < s->best.n_live; i++) {
        int slot = s->best.live[i];
        const Def *d = &s->best.def[slot];
        int c[5] = {d->op, d->a, d->b, d->sa, d->sb};
        memcpy(code + 5 * slot, c, sizeof c);
        constant[2 * slot] = d->k.hi;
        constant[2 * slot + 1] = d->k.lo;
    }
    return s->cap;
}

/* the cost of the program in hand, which may be above the best */
double search_cost(const Search *s) { return s->cost; }
