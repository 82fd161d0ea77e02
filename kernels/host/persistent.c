/*
 * persistent.c - the bytes of what lives as long as the program, wherever they lie: in the arena,
 * and where ranks share a tensor out (shard optimizer), of each the elements of its piece, or where
 * they split layers, of its part, or where they are stages, on one of them, so that files hold
 * whole tensors, and all of them.
 */
#ifndef STOWAGE_HOST_PERSISTENT_C
#define STOWAGE_HOST_PERSISTENT_C

static bool
is_shared(const struct persistent *p)
{
#ifdef SHARDS
	return p->shared;
#elif defined(STAGES)
	(void)p;
	return true;
#elif defined(SPLIT)
	return p->run > 0;
#else
	(void)p;
	return false;
#endif
}

#if defined(SHARDS) || defined(SPLIT) || defined(STAGES)
/* BYTES at X of one rank become those of another; the first comes here, too, whoever these are. */
static void	ranks_move(void *x, int64_t bytes, int from, int to);
#endif

#ifdef SHARDS

struct byte_range {
	int64_t from, end;
};

/* Those of the tensor's bytes from AT to END that rank R has. */
static struct byte_range
shared_range(const struct persistent *p, int rank, int64_t at, int64_t end)
{
	struct rank_piece own = rank_piece_of(p->elements, rank, RANKS);
	int64_t size = type_table[p->type].bytes, from = own.first * size, to = from + own.n * size;

	return (struct byte_range){ from > at ? from : at, to < end ? to : end };
}

static void
shared_put(const struct persistent *p, int64_t at, const unsigned char *from, int64_t n)
{
	struct byte_range r = shared_range(p, ranks.rank, at, at + n);

	if (r.from < r.end)
		device_write(p->offset + r.from - rank_piece_of(p->elements, ranks.rank, RANKS).first * type_table[p->type].bytes,
		    from + (r.from - at), r.end - r.from);
}

/* All ranks come here, and give the owner what they have of it. */
static void
shared_get(const struct persistent *p, int owner, int64_t at, unsigned char *to, int64_t n)
{
	struct byte_range own = shared_range(p, ranks.rank, at, at + n);

	if (own.from < own.end)
		device_read(to + (own.from - at), p->offset + own.from -
		    rank_piece_of(p->elements, ranks.rank, RANKS).first * type_table[p->type].bytes, own.end - own.from);
	for (int k = 0; k < ranks.size; k++) {
		struct byte_range r = shared_range(p, k, at, at + n);

		if (k != owner && r.from < r.end)
			ranks_move(to + (r.from - at), r.end - r.from, k, owner);
	}
}

#endif

#ifdef STAGES

static void
shared_put(const struct persistent *p, int64_t at, const unsigned char *from, int64_t n)
{
	if (p->stage == ranks.rank)
		device_write(p->offset + at, from, n);
}

/* All ranks come here, and one gives the owner what it has. */
static void
shared_get(const struct persistent *p, int owner, int64_t at, unsigned char *to, int64_t n)
{
	if (p->stage == ranks.rank)
		device_read(to, p->offset + at, n);
	if (p->stage != owner)
		ranks_move(to, n, p->stage, owner);
}

#endif

#ifdef SPLIT

/* Where ranks split layers, what one has of a tensor are runs of elements, each rank's before the
 * next one's, around and around: bytes from AT to END, which lie there at PLACE, are one rank's. */
struct split_run {
	int rank;
	int64_t at, end, place;
};

static struct split_run
split_run(const struct persistent *p, int64_t at, int64_t end)
{
	int64_t run = p->run * type_table[p->type].bytes, number = at / run, next = (number + 1) * run;
	struct split_run r = { (int)(number % RANKS), at, next < end ? next : end, p->offset + number / RANKS * run + at % run };

	return r;
}

static void
shared_put(const struct persistent *p, int64_t at, const unsigned char *from, int64_t n)
{
	for (int64_t i = at; i < at + n; ) {
		struct split_run r = split_run(p, i, at + n);

		if (r.rank == ranks.rank)
			device_write(r.place, from + (i - at), r.end - i);
		i = r.end;
	}
}

/* What one rank has of those bytes, side by side: read there, or copied from there; NULL for both:
 * counted. Returns how many bytes that are. */
static int64_t
split_pack(const struct persistent *p, int rank, int64_t at, int64_t n, unsigned char *read, unsigned char *whole,
    const unsigned char *side)
{
	int64_t bytes = 0;

	for (int64_t i = at; i < at + n; ) {
		struct split_run r = split_run(p, i, at + n);
		int64_t run = r.end - i;

		if (r.rank == rank && read)
			device_read(read + bytes, r.place, run);
		if (r.rank == rank && whole)
			memcpy(whole + (i - at), side + bytes, (size_t)run);
		bytes += r.rank == rank ? run : 0;
		i = r.end;
	}
	return bytes;
}

/* All ranks come here, and give the owner what they have of it. */
static void
shared_get(const struct persistent *p, int owner, int64_t at, unsigned char *to, int64_t n)
{
	static unsigned char side[sizeof(chunk)];

	for (int k = 0; k < ranks.size; k++) {
		int64_t bytes = split_pack(p, k, at, n, k == ranks.rank ? side : NULL, NULL, NULL);

		if (k != owner && bytes)
			ranks_move(side, bytes, k, owner);
		if (owner == ranks.rank)
			split_pack(p, k, at, n, NULL, to, side);
	}
}

#endif

/* N bytes of the whole tensor from AT on, as they lie, become these. */
static void
persistent_put(const struct persistent *p, int64_t at, const unsigned char *from, int64_t n)
{
#if defined(SHARDS) || defined(SPLIT) || defined(STAGES)
	if (is_shared(p)) {
		shared_put(p, at, from, n);
		return;
	}
#endif
	device_write(p->offset + at, from, n);
}

/* N bytes of the whole tensor from AT on; of what is shared the owner alone gets them, from all,
 * who come here too. */
static void
persistent_get(const struct persistent *p, int owner, int64_t at, unsigned char *to, int64_t n)
{
	(void)owner;
#if defined(SHARDS) || defined(SPLIT) || defined(STAGES)
	if (is_shared(p)) {
		shared_get(p, owner, at, to, n);
		return;
	}
#endif
	device_read(to, p->offset + at, n);
}

#endif
