/*
 * persistent.c - the bytes of what lives as long as the program, wherever they lie: in the arena, and where ranks share a
 * tensor out (shard optimizer), of each the elements of its piece, so that files hold whole tensors.
 */
#ifndef STOWAGE_HOST_PERSISTENT_C
#define STOWAGE_HOST_PERSISTENT_C

static bool
is_shared(const struct persistent *p)
{
#ifdef SHARDS
	return p->shared;
#else
	(void)p;
	return false;
#endif
}

#ifdef SHARDS

static void	ranks_give(void *from, int64_t bytes);
static void	ranks_take(void *to, int64_t bytes, int rank);

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

/* All ranks come here, and give the first what they have of it. */
static void
shared_get(const struct persistent *p, int64_t at, unsigned char *to, int64_t n)
{
	struct byte_range own = shared_range(p, ranks.rank, at, at + n);

	if (own.from < own.end)
		device_read(to + (own.from - at), p->offset + own.from -
		    rank_piece_of(p->elements, ranks.rank, RANKS).first * type_table[p->type].bytes, own.end - own.from);
	for (int k = 1; k < ranks.size; k++) {
		struct byte_range r = shared_range(p, k, at, at + n);

		if (r.from >= r.end || (ranks.rank != 0 && ranks.rank != k))
			continue;
		if (ranks.rank == 0)
			ranks_take(to + (r.from - at), r.end - r.from, k);
		else
			ranks_give(to + (r.from - at), r.end - r.from);
	}
}

#endif

/* N bytes of the whole tensor from AT on, as they lie, become these. */
static void
persistent_put(const struct persistent *p, int64_t at, const unsigned char *from, int64_t n)
{
#ifdef SHARDS
	if (p->shared) {
		shared_put(p, at, from, n);
		return;
	}
#endif
	device_write(p->offset + at, from, n);
}

/* N bytes of the whole tensor from AT on; of what is shared the first rank alone gets them, from all, who come here too. */
static void
persistent_get(const struct persistent *p, int64_t at, unsigned char *to, int64_t n)
{
#ifdef SHARDS
	if (p->shared) {
		shared_get(p, at, to, n);
		return;
	}
#endif
	device_read(to, p->offset + at, n);
}

#endif
