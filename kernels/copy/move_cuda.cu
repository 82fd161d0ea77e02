/*
 * copy/move_cuda.cu - elements put elsewhere, on CUDA: a thread for each element, or for the 16
 * bytes that lie together in both tensors.
 */
#ifndef STOWAGE_COPY_MOVE_CUDA_CU
#define STOWAGE_COPY_MOVE_CUDA_CU

/* Where element I lies in y, and in x. */
DEVICE bool
move_element(const struct move *m, int64_t i, int64_t *to, int64_t *from)
{
	const struct move_axis *last = &m->axis[m->axes - 1];
	int64_t row = quotient(i, last->n), j = i - row * last->n;
	bool there = move_outer(m, -1, row, to, from);

	*to += j * last->to;
	return there & move_place(last, j, from);
}

/* T: an element, or a pack of them. */
KERNELS(move_kernel, class T, elem, struct map_pack, (T *y, const T *x, T value, int64_t n, IN_PLACE(struct move) m))
{
	EACH (i, n) {
		int64_t to = 0, from = 0;
		bool there = move_element(&m, i, &to, &from);

		y[to] = there ? x[from] : value;
	}
}

KERNEL(move_add_kernel, (elem *y, const elem *x, struct onto onto, int64_t n, IN_PLACE(struct move) m))
{
	real keep = onto_keep(onto);

	EACH (i, n) {
		int64_t to = 0, from = 0;

		if (move_element(&m, i, &to, &from))
			onto_store(&y[to], VALUE(x[from]), keep);
		else if (keep != 1)
			onto_store(&y[to], 0, keep);
	}
}

#define MOVE_STEP	(BLOCK / MOVE_TILE)

/* A tile in shared memory, whose rows are read, and whose columns are written, by neighbouring
 * threads. */
KERNEL(move_turn_kernel, (elem *y, const elem *x, elem value, int turned, int64_t tiles, IN_PLACE(struct move) m))
{
	__shared__ elem tile[MOVE_TILE][MOVE_TILE + 2];
	const struct move_axis *a = &m.axis[turned], *b = &m.axis[m.axes - 1];
	int64_t across = (b->n + MOVE_TILE - 1) / MOVE_TILE, down = (a->n + MOVE_TILE - 1) / MOVE_TILE;
	int lane = threadIdx.x % MOVE_TILE, first = threadIdx.x / MOVE_TILE;

	ROWS (r, tiles) {
		int64_t col = r % across * MOVE_TILE, row = r / across % down * MOVE_TILE;
		int64_t to = 0, from = 0;
		bool there = move_outer(&m, turned, r / across / down, &to, &from);

		for (int i = first; i < MOVE_TILE; i += MOVE_STEP)
			if (col + i < b->n && row + lane < a->n)
				tile[i][lane] = there ? x[from + row + lane + (col + i) * b->from] : value;
		__syncthreads();
		for (int i = first; i < MOVE_TILE; i += MOVE_STEP)
			if (row + i < a->n && col + lane < b->n)
				y[to + (row + i) * a->to + col + lane] = tile[lane][i];
		__syncthreads();
	}
}

/* Makes the packs what is moved, if they lie together in both tensors; false if they do not. */
static bool
move_in_packs(struct move *m, const elem *y, const elem *x)
{
	struct move_axis *last = &m->axis[m->axes - 1];

	if (((uintptr_t)y | (uintptr_t)x) % sizeof(struct map_pack) != 0 || last->to != 1 || last->from != 1 ||
	    last->n % MAP_PACK != 0)
		return false;
	for (int r = 0; r < MOVE_RUNS; r++)
		if (last->run[r].end % MAP_PACK != 0 || (last->run[r].start >= 0 && last->run[r].end &&
		    (last->run[r].start % MAP_PACK != 0 || last->run[r].by != 1)))
			return false;
	for (int k = 0; k < m->axes - 1; k++)
		if (m->axis[k].to % MAP_PACK != 0 || m->axis[k].from % MAP_PACK != 0)
			return false;
	for (int k = 0; k < m->axes - 1; k++)
		m->axis[k].to /= MAP_PACK, m->axis[k].from /= MAP_PACK;
	last->n /= MAP_PACK;
	for (int r = 0; r < MOVE_RUNS; r++) {
		last->run[r].end /= MAP_PACK;
		if (last->run[r].start > 0)
			last->run[r].start /= MAP_PACK;
	}
	return true;
}

/* What has no place in x becomes VALUE. */
static void
move_forward(elem *y, const elem *x, real value, struct move m)
{
	int64_t n = move_elements(&m), last = m.axis[m.axes - 1].n;
	int turned = move_turned(&m);
	struct map_pack all;

	for (int i = 0; i < MAP_PACK; i++)
		all.at[i] = ELEM(value);
	if (turned >= 0) {
		int64_t other = m.axis[turned].n, tiles = n / last / other *
		    ((last + MOVE_TILE - 1) / MOVE_TILE) * ((other + MOVE_TILE - 1) / MOVE_TILE);

		LAUNCH_ROWS(move_turn_kernel, tiles, (y, x, all.at[0], turned, tiles, m));
	} else if (move_in_packs(&m, y, x)) {
		LAUNCH(move_kernel<struct map_pack>, n / MAP_PACK, ((struct map_pack *)y,
		    (const struct map_pack *)x, all, n / MAP_PACK, m));
	} else {
		LAUNCH(move_kernel<elem>, n, (y, x, all.at[0], n, m));
	}
}

static void
move_onto(elem *y, const elem *x, struct onto onto, struct move m)
{
	int64_t n = move_elements(&m);

	LAUNCH(move_add_kernel, n, (y, x, onto, n, m));
}

#endif
