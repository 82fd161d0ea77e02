/*
 * copy/move_c.cu - elements put elsewhere, in C: row by row, along the last axis.
 */
#ifndef STOWAGE_COPY_MOVE_C_CU
#define STOWAGE_COPY_MOVE_C_CU

/* A run of a row: N elements of x, or where it is NULL as many of VALUE. */
static inline void
move_run_copy(elem *y, int64_t to, const elem *x, int64_t from, int64_t n, elem value)
{
	if (!x)
		for (int64_t j = 0; j < n; j++)
			y[j * to] = value;
	else if (to == 1 && from == 1)
		ALONG_EACH (j, n)
			y[j] = x[j];
	else
		for (int64_t j = 0; j < n; j++)
			y[j * to] = x[j * from];
}

/* The same added to what is to be kept of y; nothing, where x is NULL. */
static inline void
move_run_add(elem *y, int64_t to, const elem *x, int64_t from, int64_t n, real keep)
{
	if (x)
		for (int64_t j = 0; j < n; j++)
			onto_store(&y[j * to], VALUE(x[j * from]), keep);
	else if (keep != 1)
		for (int64_t j = 0; j < n; j++)
			onto_store(&y[j * to], 0, keep);
}

/* BODY for each run of the rows [FIRST, LAST), which are counted along all axes but the last: LEFT
 * elements at Y + T, from X + F or, unless IS_THERE, from nowhere. */
#define MOVE_RUNS_OF(m, first, last, t, f, step, left, is_there, body)			\
	for (int64_t row_ = (first); row_ < (last); row_++) {				\
		const struct move_axis *a_ = &(m)->axis[(m)->axes - 1];			\
		int64_t to_ = 0, from_ = 0;						\
		bool there_ = move_outer(m, -1, row_, &to_, &from_);			\
		for (int64_t j_ = 0, r_ = 0; j_ < a_->n; r_++) {			\
			const struct move_run *u_ = &a_->run[r_];			\
			bool cut_ = a_->run[0].end != 0;				\
			int64_t left = (cut_ ? u_->end : a_->n) - j_, t = to_ + j_ * a_->to;	\
			int64_t f = from_ + (cut_ ? u_->start * a_->from : 0);		\
			int64_t step = cut_ ? u_->by * a_->from : a_->from;		\
			bool is_there = there_ && (!cut_ || u_->start >= 0);		\
			body;								\
			j_ += left;							\
		}									\
	}

KERNEL(move_kernel, (elem *y, const elem *x, elem value, int64_t rows, struct move m))
{
	int64_t to = m.axis[m.axes - 1].to;

	SHARE (first, last, rows, 1, TEAM_PIECES * team_size())
		MOVE_RUNS_OF(&m, first, last, t, f, step, n, there,
		    move_run_copy(y + t, to, there ? x + f : NULL, step, n, value));
}

KERNEL(move_add_kernel, (elem *y, const elem *x, struct onto onto, int64_t rows, struct move m))
{
	int64_t to = m.axis[m.axes - 1].to;
	real keep = onto_keep(onto);

	SHARE (first, last, rows, 1, TEAM_PIECES * team_size())
		MOVE_RUNS_OF(&m, first, last, t, f, step, n, there,
		    move_run_add(y + t, to, there ? x + f : NULL, step, n, keep));
}

/* A tile at a time, so that what is read and what is written stay in the first cache. */
KERNEL(move_turn_kernel, (elem *y, const elem *x, elem value, int turned, int64_t tiles, struct move m))
{
	const struct move_axis *a = &m.axis[turned], *b = &m.axis[m.axes - 1];
	int64_t across = (b->n + MOVE_TILE - 1) / MOVE_TILE, down = (a->n + MOVE_TILE - 1) / MOVE_TILE;

	ROWS (r, tiles) {
		int64_t col = r % across * MOVE_TILE, row = r / across % down * MOVE_TILE;
		int64_t right = b->n - col < MOVE_TILE ? b->n : col + MOVE_TILE;
		int64_t bottom = a->n - row < MOVE_TILE ? a->n : row + MOVE_TILE;
		int64_t to = 0, from = 0;
		bool there = move_outer(&m, turned, r / across / down, &to, &from);

		for (int64_t i = row; i < bottom; i++)
			for (int64_t j = col; j < right; j++)
				y[to + i * a->to + j] = there ? x[from + i + j * b->from] : value;
	}
}

/* What has no place in x becomes VALUE. */
static void
move_forward(elem *y, const elem *x, real value, struct move m)
{
	int64_t n = move_elements(&m), last = m.axis[m.axes - 1].n;
	int turned = move_turned(&m);

	if (turned >= 0) {
		int64_t other = m.axis[turned].n, tiles = n / last / other *
		    ((last + MOVE_TILE - 1) / MOVE_TILE) * ((other + MOVE_TILE - 1) / MOVE_TILE);

		LAUNCH_ROWS(move_turn_kernel, tiles, (y, x, ELEM(value), turned, tiles, m));
	} else {
		LAUNCH(move_kernel, n, (y, x, ELEM(value), n / last, m));
	}
}

static void
move_onto(elem *y, const elem *x, struct onto onto, struct move m)
{
	int64_t n = move_elements(&m);

	LAUNCH(move_add_kernel, n, (y, x, onto, n / m.axis[m.axes - 1].n, m));
}

#endif
