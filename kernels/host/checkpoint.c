/*
 * checkpoint.c - all that training is, in one safetensors file: parameters, running statistics,
 * optimizer state, and where it stands. There is always one complete checkpoint, whatever happens
 * (whole.c), and one whose numbers are finite. checkpoint_read.c reads it back. Of several ranks
 * each may have such a file of what it writes, and there is an index of them (checkpoint_ranks.c).
 *
 *     8 bytes   length of the header, little-endian
 *     header    JSON: {"__metadata__": {...}, NAME: {"dtype", "shape", "data_offsets"}, ...}
 *     data      the tensors, one after the other, without gaps
 */
#include "checkpoint_index.c"

struct watch {			/* what is remembered of the loss after each epoch: watch.c */
	double lowest, waited;	/* of all epochs; epochs since that one */
	double level, bad, held;	/* plateau: what a loss must fall below, epochs in which it did not, those that do
				 * not count yet */
	double rate;		/* plateau: what the rate is multiplied by */
};

struct state {			/* where training stands */
	int64_t epoch;		/* whole epochs done */
	int64_t position;	/* samples done of the epoch under way */
	int64_t update;		/* weight updates done */
	uint64_t draw;		/* micro-steps done: the counter of random numbers */
	uint64_t seed;
	double sum[MAX_RESULTS];	/* over the epoch's samples, of each result */
	struct watch watch;
};

#define COUNT_LIMIT	(1ll << 53)	/* of epochs, samples, updates: a double holds them all */

#define HEADER_FIXED	(1280 + 32 * MAX_RESULTS)
#define HEADER_EACH	288	/* a tensor's entry, or the index', beside its name */

static char *checkpoint_header;	/* room for what a save writes, taken before training */
static size_t checkpoint_room;

#ifdef RANKS
struct spread {			/* files of all ranks */
	char stem[PATH_MAX];	/* what their names begin with; "": there is one file */
	char path[PATH_MAX];	/* of this rank's */
	struct whole file;
	uint64_t generation;	/* of what is being written */
	uint64_t old;		/* of what is there, */
	int old_files;		/* in so many files; 0: nothing is */
};
#endif

static struct checkpoint {	/* --save, --save-best */
	struct whole file;	/* that, or the index */
	struct writer writer;
#ifdef RANKS
	struct spread spread;
#endif
} checkpoint, best_checkpoint;

struct writing {			/* what of a checkpoint is in one file */
	const int *owner;	/* by tensor, the rank that writes it; NULL: the first writes all */
	int rank;		/* this one */
	const char *generation;	/* of which the file is; NULL: it is all there is */
};

static void
checkpoint_end(void)
{
	writer_end(&checkpoint.writer);
	writer_end(&best_checkpoint.writer);
}

static void
header_prepare(void)
{
	free(checkpoint_header);
	checkpoint_room = HEADER_FIXED;
	for (int k = 0; k < PERSISTENT; k++)
		checkpoint_room += strlen(persistent[k].name) + HEADER_EACH;
#ifdef TUNES
	checkpoint_room += (size_t)CHOICES * CHOICE_LINE;
#endif
	checkpoint_header = (char *)malloc(checkpoint_room);
	if (!checkpoint_header)
		fail("no memory for a checkpoint's header");
}

/* Finds out before the training whether a save can be written: by making its file, and dropping it.
 * What would take the place of a folder or a device is refused too. */
static void
checkpoint_prepare(struct checkpoint *c, const char *path)
{
	header_prepare();
#ifndef RANKS
	if (is_index(path))
		fail("%s: an index is what several ranks write: expected a file, *.safetensors", path);
#endif
	if (!whole_find(&c->file, path) || !whole_open(&c->file))
		fail("%s: cannot be written: %s", path, strerror(errno));
	whole_drop(&c->file);
	if (c->file.direct)
		fail("%s: cannot be written: expected a file, found a device", path);
	writer_begin(&c->writer, &c->file);
	atexit(checkpoint_end);
}

/* ---- writing ---- */

__attribute__((format(printf, 2, 3))) static void
header_add(size_t *n, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	*n += (size_t)vsnprintf(checkpoint_header + *n, checkpoint_room - *n, format, args);
	va_end(args);
}

#ifdef TUNES
#define CHOICES_FIELD	3072	/* characters: those who read have room for 4096 */

/* By which engines it runs: what their bits depend on, and they, in as many fields as it takes. */
static void
checkpoint_describe_choices(size_t *n)
{
	char line[CHOICE_LINE];
	int field = 0, in = 0;

	header_add(n, ",\"engines\":\"%s", choices_file.for_card);
	for (int k = 0; k < choices.n; k++) {
		int length = choice_write(line, &choices.at[k], ';');

		if (field == 0 || in + length > CHOICES_FIELD) {
			header_add(n, "\",\"engines.%d\":\"", field++);
			in = 0;
		}
		header_add(n, "%s", line);
		in += length;
	}
	header_add(n, "\"");
}
#endif

/* Does this process write the K-th tensor? */
static bool
writing_has(const struct writing *w, int k)
{
	return (w->owner ? w->owner[k] : 0) == w->rank;
}

/* Writes the header behind its length; returns the bytes of both. */
static size_t
checkpoint_describe(const struct state *s, const struct writing *w)
{
	const struct watch *loss = &s->watch;
	size_t n = 8;
	int64_t at = 0;

	header_add(&n, "{\"__metadata__\":{\"format\":\"stowage\",\"version\":\"1\",\"network\":\"%s\","
	    "\"epoch\":\"%lld\",\"position\":\"%lld\",\"update\":\"%lld\",\"draw\":\"%llu\","
	    "\"seed\":\"%llu\",\"sums\":\"", NETWORK, (long long)s->epoch, (long long)s->position,
	    (long long)s->update, (unsigned long long)s->draw, (unsigned long long)s->seed);
	for (int k = 0; k < MAX_RESULTS; k++)
		header_add(&n, "%s%a", k ? " " : "", s->sum[k]);
	header_add(&n, "\",\"watch\":\"%a %a %a %a %a %a\"", loss->lowest, loss->waited, loss->level, loss->bad,
	    loss->held, loss->rate);
	if (w->generation)
		header_add(&n, ",\"generation\":\"%s\"", w->generation);
#ifdef TUNES
	checkpoint_describe_choices(&n);
#endif
	header_add(&n, "}");
	for (int k = 0; k < PERSISTENT; k++) {
		const struct persistent *p = &persistent[k];
		int64_t bytes = p->elements * type_table[p->type].bytes;

		if (!writing_has(w, k))
			continue;
		header_add(&n, ",\"%s\":{\"dtype\":\"%s\",\"shape\":[", p->name,
		    type_table[p->type].safetensors);
		for (int i = 0; i < p->rank; i++)
			header_add(&n, "%s%lld", i ? "," : "", (long long)p->dim[i]);
		header_add(&n, "],\"data_offsets\":[%lld,%lld]}", (long long)at,
		    (long long)(at + bytes));
		at += bytes;
	}
	header_add(&n, "}");
	while (n % 8)
		checkpoint_header[n++] = ' ';
	for (int i = 0; i < 8; i++)
		checkpoint_header[i] = (char)((n - 8) >> (8 * i) & 0xff);
	return n;
}

/* Is none of N values an infinity or NaN? */
static bool
values_finite(int type, const unsigned char *from, int64_t n)
{
	bool finite = true;

	if (type == TYPE_F32)
		for (int64_t i = 0; i < n; i++)
			finite &= (bool)isfinite(((const float *)from)[i]);
	else if (type == TYPE_F64)
		for (int64_t i = 0; i < n; i++)
			finite &= (bool)isfinite(((const double *)from)[i]);
	else if (type == TYPE_ELEM)
		for (int64_t i = 0; i < n; i++)
			finite &= (bool)isfinite((double)VALUE(((const elem *)from)[i]));
	return finite;
}

/* Writes values, if they are worth keeping. TO may be NULL: another rank writes. */
static bool
values_write(struct whole *to, const struct persistent *p, const unsigned char *from, int64_t bytes,
    int64_t update)
{
	if (!to)
		return true;
	if (!values_finite(p->type, from, bytes / type_table[p->type].bytes)) {
		whole_drop(to);
		fail("%s is not finite after update %lld: the training has diverged; try a smaller "
		    "learning rate, warm-up or clipping; %s is as it was", p->name,
		    (long long)update, to->given);
	}
	return write_all(to->fd, from, bytes);
}

#if LARGEST_FILTER

/* A filter whose channels lie last, and the same in the order of its dims, which is that of
 * files. */
static unsigned char filter_stored[LARGEST_FILTER], filter_ordered[LARGEST_FILTER];

/* COLS rows of what were ROWS columns. */
static void
filter_turn(unsigned char *to, const unsigned char *from, int64_t rows, int64_t cols, int64_t size)
{
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < cols; c++)
			memcpy(to + (c * rows + r) * size, from + (r * cols + c) * size, (size_t)size);
}

static bool
filters_write(struct whole *to, const struct persistent *p, int owner, int64_t update)
{
	int64_t size = type_table[p->type].bytes, filter = p->channels * p->taps * size;

	for (int64_t at = 0; at < p->elements * size; at += filter) {
		persistent_get(p, owner, at, filter_stored, filter);
		filter_turn(filter_ordered, filter_stored, p->taps, p->channels, size);
		if (!values_write(to, p, filter_ordered, filter, update))
			return false;
	}
	return true;
}

#endif

/* The rank that owns it writes it. */
static bool
tensor_write(struct whole *to, const struct persistent *p, int owner, int64_t update)
{
	int64_t bytes = p->elements * type_table[p->type].bytes;

#if LARGEST_FILTER
	if (p->channels)
		return filters_write(to, p, owner, update);
#endif
	for (int64_t at = 0; at < bytes; at += (int64_t)sizeof(chunk)) {
		int64_t n = bytes - at < (int64_t)sizeof(chunk) ? bytes - at : (int64_t)sizeof(chunk);

		persistent_get(p, owner, at, chunk, n);
		if (!values_write(to, p, chunk, n, update))
			return false;
	}
	return true;
}

/* What is this process's share, and what of the others' it has a piece of. */
static bool
writing_all(struct whole *to, const struct state *s, const struct writing *w)
{
	bool good = !to || write_all(to->fd, checkpoint_header, (int64_t)checkpoint_describe(s, w));

	for (int k = 0; k < PERSISTENT && good; k++)
		if (writing_has(w, k) || is_shared(&persistent[k]))
			good = tensor_write(writing_has(w, k) ? to : NULL, &persistent[k], w->owner ? w->owner[k] : 0,
			    s->update);
	return good;
}

static void
writing_save(struct whole *to, const struct state *s, const struct writing *w)
{
	if (!whole_open(to))
		fail("%s: cannot be written: %s", to->given, strerror(errno));
	if (writing_all(to, s, w) && whole_close(to))
		return;
	whole_drop(to);
	fail("%s: cannot be written: %s; what was there before is untouched", to->given,
	    strerror(errno));
}

/* In one file, which the first rank writes. */
static void
checkpoint_save(struct checkpoint *c, const struct state *s)
{
	struct writing w = { NULL, 0, NULL };

#ifdef RANKS
	w.rank = ranks.rank;
	if (w.rank) {
		writing_all(NULL, s, &w);
		return;
	}
#endif
	writing_save(&c->file, s, &w);
}
