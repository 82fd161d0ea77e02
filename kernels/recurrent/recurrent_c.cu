/*
 * recurrent/recurrent_c.cu - recurrent layers in C.
 *
 * Samples do not meet, so a thread takes some through all steps by itself, and nobody waits for
 * anybody from one step to the next. The weights are packed once for all steps, into panels of
 * TILE_COLS units side by side, which serve every sample; states lie in rows in scratch memory,
 * since those in the arena begin t h apart, often at the same place of the cache. A state is
 * rounded as it is stored before the next step reads it; what an lstm carries beside it is a sum
 * over steps, and is not.
 */
#ifndef STOWAGE_RECURRENT_RECURRENT_C_CU
#define STOWAGE_RECURRENT_RECURRENT_C_CU

#include "product/gemm_c.cu"

struct recurrent_job {
	struct recurrent r;
	struct recurrent_states from;
	int64_t gates, row;		/* row: reals from one sample's state to the next */
	const real *panels, *bias;	/* packed; of the biases a row for each gate */
	const elem *zeros;		/* a state */
	struct place at[BLOCK_DEPTH];	/* of the terms of a sum */
	/* forward: what is read and made. [b, t, gates, h]: */
	const elem *x;
	elem *gate;
	elem *y, *kept;			/* [b, t, h] */
	elem *last, *carried;		/* [b, h] */
	/* backward */
	const elem *dy, *dlast, *dcarried;
	elem *dx, *dkept, *dh0, *dc0, *before;
};

/* TILE [n][TILE_COLS] = rows of A, STEP apart, times a panel of DEPTH terms. */
static void
recurrent_product(const struct recurrent_job *j, real *tile, const real *a, int64_t step, int n,
    const real *panel, int64_t depth)
{
	real part[TILE_ROWS * TILE_COLS] __attribute__((aligned(64)));

	for (int64_t k = 0; k < depth; k += BLOCK_DEPTH) {
		tile_product(n, TILE_VECS, k ? part : tile, a + k, step, panel + k * TILE_COLS, LANES, j->at,
		    least(BLOCK_DEPTH, depth - k));
		for (int i = 0; k && i < n * TILE_COLS; i++)
			tile[i] += part[i];
	}
}

/* OF [rows][TILE_COLS] = rows of A times a panel. */
static void
recurrent_products(const struct recurrent_job *j, real *of, const real *a, int64_t step, int rows,
    const real *panel, int64_t depth)
{
	int tiles = (int)parts(rows, TILE_ROWS);

	for (int i = 0; i < tiles; i++) {
		int from = rows * i / tiles, to = rows * (i + 1) / tiles;

		recurrent_product(j, of + from * TILE_COLS, a + from * step, step, to - from, panel, depth);
	}
}

/* Where the threads find what is packed: panels for each tile of units, then biases, then zeros. */
static struct recurrent_job
recurrent_job(struct recurrent r, struct recurrent_states from, const real *packed)
{
	struct recurrent_job j;

	memset(&j, 0, sizeof(j));
	j.r = r;
	j.from = from;
	j.gates = recurrent_gates(r.cell);
	j.row = recurrent_row(r.h);
	j.panels = packed;
	j.bias = packed + j.gates * parts(r.h, WIDEST_TILE) * WIDEST_TILE * r.h;
	j.zeros = (const elem *)(j.bias + j.gates * j.row);
	for (int i = 0; i < BLOCK_DEPTH; i++) {
		j.at[i].a = i;
		j.at[i].b = (int64_t)i * TILE_COLS;
	}
	return j;
}

/* W [gates, h, h] for forward: panel[unit / TILE_COLS][gate][k][TILE_COLS]; for backward, where the
 * sum runs over all gates' units: panel[k / TILE_COLS][gate][unit][TILE_COLS]. */
KERNEL(recurrent_pack_kernel, (real *packed, const elem *w, const elem *bias, struct recurrent r, bool turn))
{
	int64_t h = r.h, gates = recurrent_gates(r.cell), row = recurrent_row(h);
	real *after = packed + gates * parts(h, WIDEST_TILE) * WIDEST_TILE * h;

	ROWS (p, parts(h, TILE_COLS) * gates) {
		int64_t first = p / gates * TILE_COLS, g = p % gates;
		real *to = packed + p * h * TILE_COLS;

		for (int64_t k = 0; k < h; k++)
			for (int64_t q = 0; q < TILE_COLS; q++) {
				int64_t u = least(first + q, h - 1);

				to[k * TILE_COLS + q] = VALUE(w[(g * h + (turn ? u : k)) * h + (turn ? k : u)]);
			}
	}
	ROWS (g, gates + 1)
		for (int64_t i = 0; i < row; i++)
			after[g * row + i] = bias && g < gates && i < h ? VALUE(bias[g * h + i]) : 0;
}

/* Pieces of samples, each a thread's. */
#define RECURRENT_SHARE(first, last, samples)								\
	SHARE (first, last, samples, 1, most(team_size(), least(TEAM_PIECES * team_size(),	\
	    (samples) / (2 * RECURRENT_ROWS))))

/* A thread's own memory, behind what is packed. */
static real *
recurrent_own(const struct recurrent *r, real *work)
{
	int64_t gates = recurrent_gates(r->cell);

	return work + recurrent_packed(r->h, gates) + team_me() * recurrent_scratch(r->h, gates);
}

/* ---- forward ---- */

struct recurrent_walk {		/* some samples on their way through the steps */
	int64_t first;
	int rows;
	real *h, *next;		/* states, and those after the step */
	real *c;
};

/* Asks for the sums of the inputs of gate G and a tile of units: neighbours of a sample's only, so
 * that no processor sees them coming. */
static void
recurrent_fetch(const struct recurrent_job *j, const elem *x, int rows)
{
	for (int i = 0; i < rows; i++, x += j->r.t * j->gates * j->r.h)
		for (int k = 0; k < TILE_COLS; k += 64 / (int)sizeof(elem))
			__builtin_prefetch(x + k, 0, 2);
}

/* Adds the bias and the sums X of the inputs to those of the state, SUM [rows][TILE_COLS]; where
 * the cell does not add the two, X goes behind. All samples' are read before any gate is stored:
 * they often begin at the same place of a page, and then a processor lets no read pass a write. */
static void
recurrent_add(const struct recurrent_job *j, real *sum, const elem *x, const real *bias, bool apart, int rows,
    int64_t wide)
{
	for (int i = 0; i < rows; i++, sum += TILE_COLS, x += j->r.t * j->gates * j->r.h) {
		if (apart)
			for (int64_t q = 0; q < wide; q++) {
				sum[q] += bias[q];
				sum[RECURRENT_ROWS * TILE_COLS + q] = VALUE(x[q]);
			}
		else
			PRAGMA(omp simd)
			for (int64_t q = 0; q < wide; q++)
				sum[q] = VALUE(x[q]) + (sum[q] + bias[q]);
	}
}

/* Sample I's part of a tile of units: SUM is what recurrent_add() has made of each gate. CELL is a
 * constant. */
static inline __attribute__((always_inline)) void
recurrent_row_as(enum recurrent_cell cell, const struct recurrent_job *j, const struct recurrent_walk *at, int i,
    int64_t t, int64_t unit, const real *sum)
{
	const int gates = recurrent_gates(cell), wide = (int)least(TILE_COLS, j->r.h - unit);
	const int64_t h = j->r.h, place = (at->first + i) * j->r.t + t, all = RECURRENT_ROWS * TILE_COLS;
	elem *gate = gates > 1 ? j->gate + place * gates * h + unit : NULL, nobody[TILE_COLS];
	elem *y = j->y ? j->y + place * h + unit : nobody, *kept = j->kept ? j->kept + place * h + unit : nobody;
	const real *before = at->h + i * j->row + unit;
	real *next = at->next + i * j->row + unit, *c = at->c + i * j->row + unit;

	PRAGMA(omp simd)
	for (int q = 0; q < wide; q++) {
		struct recurrent_gates in = { sum[q], 0, 0, 0 }, state = { 0, 0, 0, 0 };
		struct recurrent_unit u;
		elem stored;

		if (gates > 1) {
			in.b = sum[all + q];
			state.c = sum[2 * all + q];
		}
		if (cell == GRU)
			in.c = sum[3 * all + q];
		if (gates > 3)
			in.d = sum[3 * all + q];
		u = recurrent_unit_forward(cell, in, state, before[q], cell == LSTM ? c[q] : 0);
		stored = ELEM(u.h);
		y[q] = stored;
		next[q] = VALUE(stored);
		if (cell == LSTM)
			c[q] = u.c;
		if (gates > 1) {
			kept[q] = ELEM(u.kept);
			recurrent_gates_store(cell, gate, h, q, u.gate);
		}
	}
}

/* The state of a sample that has ended stays. */
static void
recurrent_stay(const struct recurrent_job *j, const struct recurrent_walk *at, int i, int64_t t, int64_t unit)
{
	int64_t h = j->r.h, place = (at->first + i) * j->r.t + t, wide = least(TILE_COLS, h - unit);

	memcpy(at->next + i * j->row + unit, at->h + i * j->row + unit, (size_t)wide * sizeof(real));
	if (j->y)
		memset(j->y + place * h + unit, 0, (size_t)wide * sizeof(elem));
}

/* What each gate's function is done to, of a tile of units: SUM [gates][RECURRENT_ROWS][TILE_COLS],
 * and one more gate's where one has two sums. */
static void
recurrent_sums(const struct recurrent_job *j, const struct recurrent_walk *at, int64_t t, int64_t unit, real *sum)
{
	const int64_t h = j->r.h, wide = least(TILE_COLS, h - unit);
	const real *panel = j->panels + j->gates * h * unit;

	for (int64_t g = 0; g < j->gates; g++, panel += h * TILE_COLS, sum += RECURRENT_ROWS * TILE_COLS) {
		const elem *x = j->x + ((at->first * j->r.t + t) * j->gates + g) * h + unit;

		recurrent_fetch(j, x, at->rows);
		recurrent_products(j, sum, at->h, j->row, at->rows, panel, h);
		recurrent_add(j, sum, x, j->bias + g * j->row + unit, j->r.cell == GRU && g == 2, at->rows, wide);
	}
}

static void
recurrent_step(const struct recurrent_job *j, struct recurrent_walk *at, int64_t t)
{
	real sum[4 * RECURRENT_ROWS * TILE_COLS] __attribute__((aligned(64))), *h;

	for (int64_t unit = 0; unit < j->r.h; unit += TILE_COLS) {
		recurrent_sums(j, at, t, unit, sum);
		for (int i = 0; i < at->rows; i++) {
			if (t >= recurrent_length(&j->r, &j->from, at->first + i)) {
				recurrent_stay(j, at, i, t, unit);
				continue;
			}
#define ROW_AS(cell)	recurrent_row_as(cell, j, at, i, t, unit, sum + i * TILE_COLS)
			RECURRENT_CASES(j->r.cell, ROW_AS)
#undef ROW_AS
		}
	}
	h = at->h;
	at->h = at->next;
	at->next = h;
}

/* ROWS states of reals from those in the arena, or from zeros, and back where they are wanted. */
static void
recurrent_load(const struct recurrent_job *j, real *to, const elem *from, int64_t first, int rows)
{
	for (int i = 0; i < rows; i++)
		for (int64_t k = 0; k < j->r.h; k++)
			to[i * j->row + k] = from ? VALUE(from[(first + i) * j->r.h + k]) : 0;
}

static void
recurrent_save(const struct recurrent_job *j, elem *to, const real *from, int64_t first, int rows)
{
	for (int i = 0; to && i < rows; i++)
		for (int64_t k = 0; k < j->r.h; k++)
			to[(first + i) * j->r.h + k] = ELEM(from[i * j->row + k]);
}

static void
recurrent_walk(const struct recurrent_job *j, real *own, int64_t first, int rows)
{
	struct recurrent_walk at = { first, rows, own, own + RECURRENT_ROWS * j->row,
		own + 2 * RECURRENT_ROWS * j->row };

	recurrent_load(j, at.h, j->from.h0, first, rows);
	recurrent_load(j, at.c, j->from.c0, first, rows);
	for (int64_t s = 0; s < j->r.t; s++)
		recurrent_step(j, &at, j->r.reverse ? j->r.t - 1 - s : s);
	recurrent_save(j, j->last, at.h, first, rows);
	recurrent_save(j, j->carried, at.c, first, rows);
}

KERNEL(recurrent_forward_kernel, (const struct recurrent_job *j, real *work))
{
	RECURRENT_SHARE (first, end, j->r.b)
		for (int64_t i = first; i < end; i += RECURRENT_ROWS)
			recurrent_walk(j, recurrent_own(&j->r, work), i, (int)least(RECURRENT_ROWS, end - i));
}

/* Y, and what backward reads: GATE, which may lie where X does, and KEPT. LAST and CARRIED are the
 * states after the last step. */
static void
recurrent_forward(elem *y, elem *gate, elem *kept, elem *last, elem *carried, const elem *x,
    struct recurrent_states from, const elem *w, const elem *bias, void *work, int64_t size, struct recurrent r)
{
	struct recurrent_job j = recurrent_job(r, from, (const real *)work);

	(void)size;
	j.y = y, j.gate = gate, j.kept = kept, j.last = last, j.carried = carried;
	j.x = x;
	recurrent_pack_kernel((real *)work, w, bias, r, true);
	LAUNCH(recurrent_forward_kernel, r.b * r.t * r.h * r.h, (&j, (real *)work));
}

/* ---- backward ---- */

struct recurrent_return {	/* some samples on their way back */
	int64_t first;
	int rows;
	real *dh, *dc;		/* the gradients of the states after the step, then before it */
	real *dg;		/* of the sums of the state of all gates */
	int64_t wide;		/* reals from one sample's to the next */
};

/* Sample I in step T: gradients of the sums of all gates, and what passes them by. CELL is a
 * constant. */
static inline __attribute__((always_inline)) void
recurrent_return_as(enum recurrent_cell cell, const struct recurrent_job *j, const struct recurrent_return *at,
    int i, int64_t t, int64_t length)
{
	const int gates = recurrent_gates(cell);
	const int64_t h = j->r.h, place = (at->first + i) * j->r.t + t;
	const int64_t before = recurrent_before(&j->r, at->first + i, t, length);
	const elem *h0 = j->from.h0 ? j->from.h0 + (at->first + i) * h : j->zeros;
	const elem *c0 = j->from.c0 ? j->from.c0 + (at->first + i) * h : j->zeros;
	const elem *hs = before < 0 || cell != GRU ? h0 : j->y + before, *cs = before < 0 || cell != LSTM ? c0 : j->kept + before;
	const elem *gate = j->gate + place * gates * h, *kept = gates > 1 ? j->kept + place * h : gate;
	const elem *dy = j->dy ? j->dy + place * h : j->zeros;
	elem *dx = j->dx + place * gates * h, *dkept = cell == GRU ? j->dkept + place * h : NULL;
	real *dh = at->dh + i * j->row, *dc = at->dc + i * j->row, *dg = at->dg + i * at->wide;
	const int64_t after = recurrent_after(&j->r, at->first + i, t, length);
	elem *left = j->before && after >= 0 ? j->before + after : NULL;

	PRAGMA(omp simd)
	for (int64_t k = 0; k < h; k++) {
		struct recurrent_back back = recurrent_unit_backward(cell, recurrent_gates_at(cell, gate, h, k),
		    VALUE(kept[k]), VALUE(hs[k]), VALUE(cs[k]), dh[k] + VALUE(dy[k]), cell == LSTM ? dc[k] : 0);
		struct recurrent_unit d = back.d;

		if (left)
			left[k] = ELEM(back.h);
		recurrent_gates_store(cell, dx, h, k, d.gate);
		dg[k] = d.gate.a;
		if (gates > 1) {
			dg[h + k] = d.gate.b;
			dg[2 * h + k] = cell == GRU ? d.kept : d.gate.c;
		}
		if (gates > 3)
			dg[3 * h + k] = d.gate.d;
		if (cell == GRU)
			dkept[k] = ELEM(d.kept);
		if (cell == LSTM)
			dc[k] = d.c;
		dh[k] = d.h;
	}
	if (j->before && before < 0)
		memcpy(j->before + place * h, h0, (size_t)h * sizeof(elem));
}

/* A sample that has ended: its gradients go on as they are. */
static void
recurrent_return_stay(const struct recurrent_job *j, const struct recurrent_return *at, int i, int64_t t)
{
	int64_t h = j->r.h, place = (at->first + i) * j->r.t + t;

	memset(j->dx + place * j->gates * h, 0, (size_t)(j->gates * h) * sizeof(elem));
	if (j->dkept)
		memset(j->dkept + place * h, 0, (size_t)h * sizeof(elem));
	if (j->before)
		memset(j->before + place * h, 0, (size_t)h * sizeof(elem));
	memset(at->dg + i * at->wide, 0, (size_t)(j->gates * h) * sizeof(real));
}

static void
recurrent_return_step(const struct recurrent_job *j, const struct recurrent_return *at, int64_t t)
{
	real sum[RECURRENT_ROWS * TILE_COLS] __attribute__((aligned(64)));
	const real *panel = j->panels;

	for (int i = 0; i < at->rows; i++) {
		int64_t length = recurrent_length(&j->r, &j->from, at->first + i);

		if (t >= length) {
			recurrent_return_stay(j, at, i, t);
			continue;
		}
#define RETURN_AS(cell)	recurrent_return_as(cell, j, at, i, t, length)
		RECURRENT_CASES(j->r.cell, RETURN_AS)
#undef RETURN_AS
	}
	for (int64_t unit = 0; unit < j->r.h; unit += TILE_COLS, panel += j->gates * j->r.h * TILE_COLS) {
		int64_t wide = least(TILE_COLS, j->r.h - unit);

		recurrent_products(j, sum, at->dg, at->wide, at->rows, panel, j->gates * j->r.h);
		for (int i = 0; i < at->rows; i++)
			for (int64_t q = 0; q < wide; q++)
				at->dh[i * j->row + unit + q] += sum[i * TILE_COLS + q];
	}
}

KERNEL(recurrent_backward_kernel, (const struct recurrent_job *j, real *work))
{
	RECURRENT_SHARE (first, end, j->r.b) {
		real *own = recurrent_own(&j->r, work);

		for (int64_t i = first; i < end; i += RECURRENT_ROWS) {
			struct recurrent_return at = { i, (int)least(RECURRENT_ROWS, end - i), own,
				own + RECURRENT_ROWS * j->row, own + 2 * RECURRENT_ROWS * j->row,
				recurrent_row(j->gates * j->r.h) };

			recurrent_load(j, at.dh, j->dlast, i, at.rows);
			recurrent_load(j, at.dc, j->dcarried, i, at.rows);
			for (int64_t s = 0; s < j->r.t; s++)
				recurrent_return_step(j, &at, j->r.reverse ? s : j->r.t - 1 - s);
			recurrent_save(j, j->dh0, at.dh, i, at.rows);
			recurrent_save(j, j->dc0, at.dc, i, at.rows);
		}
	}
}

/* DX may lie where GATE does; BEFORE, of an lstm the states before the steps, where KEPT does. */
static void
recurrent_backward(elem *dx, elem *dkept, elem *dh0, elem *dc0, elem *before, const elem *dy, const elem *dlast,
    const elem *dcarried, const elem *gate, const elem *y, const elem *kept, struct recurrent_states from,
    const elem *w, void *work, int64_t size, struct recurrent r)
{
	struct recurrent_job j = recurrent_job(r, from, (const real *)work);

	(void)size;
	j.dx = dx, j.dkept = dkept, j.dh0 = dh0, j.dc0 = dc0, j.before = before;
	j.dy = dy, j.dlast = dlast, j.dcarried = dcarried;
	j.gate = (elem *)gate, j.y = (elem *)y, j.kept = (elem *)kept;
	recurrent_pack_kernel((real *)work, w, NULL, r, false);
	LAUNCH(recurrent_backward_kernel, r.b * r.t * r.h * r.h, (&j, (real *)work));
}

/* ---- the gradient of the weights ---- */

struct recurrent_terms {	/* terms are steps of all samples */
	struct recurrent r;
	struct recurrent_states from;
	int64_t step;		/* from one's gradients to the next's */
};

static void
places_recurrent(const struct product *p, struct place *at, int64_t k, int n)
{
	int64_t step = ((const struct recurrent_terms *)p->shape)->step;

	for (int i = 0; i < n; i++)
		at[i].a = (k + i) * step;
}

static void
columns_recurrent(const struct product *p, int64_t *at, int64_t j, int n)
{
	(void)p;
	for (int i = 0; i < n; i++)
		at[i] = j + i;
}

/* The states before steps [k, k + n). */
static void
pack_recurrent(const struct product *p, real *panel, int64_t j, int cols, int64_t k, int n)
{
	const struct recurrent_terms *s = (const struct recurrent_terms *)p->shape;

	for (int i = 0; i < n; i++, panel += TILE_COLS) {
		int64_t b = (k + i) / s->r.t, t = (k + i) % s->r.t;
		int64_t before = recurrent_before(&s->r, b, t, recurrent_length(&s->r, &s->from, b));
		const elem *from = before >= 0 ? p->b + before : s->from.h0 ? s->from.h0 + b * s->r.h : NULL;

		for (int q = 0; q < TILE_COLS; q++)
			panel[q] = from && q < cols ? VALUE(from[j + q]) : 0;
	}
}

/* dw [rows, h] = the sum over all steps of dx, STEP apart, and the state before. */
static void
recurrent_weight(elem *dw, const elem *dx, const elem *y, struct recurrent_states from, void *work,
    struct recurrent r, int64_t rows, int64_t step)
{
	struct recurrent_terms s = { r, from, step };
	struct product p = { 0 };

	p.rows = rows, p.cols = r.h, p.depth = r.b * r.t;
	p.a = dx, p.a_row = 1;
	p.b = y;
	p.c = dw, p.c_row = r.h;
	p.shape = &s;
	p.places = places_recurrent, p.pack = pack_recurrent, p.columns = columns_recurrent;
	if (p.rows * p.cols * p.depth < WORTH_PRODUCT)
		ALONE
			product_share(&p, (real *)work);
	else
		product_share(&p, (real *)work);
}

/* dw [gates, h, h]: of the last gate from DKEPT, where there is one. */
static void
recurrent_backward_weight(elem *dw, const elem *dx, const elem *dkept, const elem *y,
    struct recurrent_states from, void *work, int64_t size, struct recurrent r)
{
	int64_t gates = recurrent_gates(r.cell), rows = (gates - (dkept != NULL)) * r.h;

	(void)size;
	recurrent_weight(dw, dx, y, from, work, r, rows, gates * r.h);
	if (dkept)
		recurrent_weight(dw + rows * r.h, dkept, y, from, work, r, r.h, r.h);
}

#endif
