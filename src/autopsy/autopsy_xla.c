/*
 * What XLA's own counts say of the cause: of a compiled program against its device, and of the
 * buffers that it names.
 */
#include "autopsy/autopsy_parts.h"

#include "base/text.h"

#define LONG		256	/* positions from which scores are worth a word */
#define TILE_ROWS	8	/* of a TPU's tile, along the axis next to the most minor, */
#define TILE_COLUMNS	128	/* and along that */

/* A request without a list of what was there. */
static void
xla_request(struct autopsy *y)
{
	if (y->lo >= NO_DEVICE && y->lo < IMPOSSIBLE)
		autopsy_cause(y, SAYS_XLA_REQUEST, "No accelerator has as much. Mostly that is one array or formula, as large as the product of extents "
		    "that need not be multiplied, as by an outer product, by broadcasting or by vmap, which must be made "
		    "in parts.");
	else if (y->lo >= LARGE_SAMPLE && !autopsy_is_pool_small(y))
		autopsy_cause(y, SAYS_XLA_REQUEST, "One block as large as that is an array, or all temporaries of a compiled "
		    "program. Where it is no weight" IN_TRAINING(", nor what an optimizer keeps") ", it grows with the samples at once" MAYBE_JAX(", be they a batch or what vmap maps over") ", and with "
		    "their size or length, where all pairs of positions are compared with its square.");
	if (y->lo > TINY && y->lo < NO_DEVICE && autopsy_in_jax(y) && (y->log.paste.nvidia || y->log.paste.cuda))
		autopsy_cause(y, SAYS_XLA_REQUEST, arena_printf(y->arena, "Where it ran on a GPU, in JAX: JAX takes three quarters of it when it begins, or bit by bit with XLA_PYTHON_CLIENT_PREALLOCATE=false (before 0.4.1 nine tenths of what was free), and "
		    "but for the newest versions, never more than that, unless XLA_PYTHON_CLIENT_MEM_FRACTION says otherwise: the "
		    "rest is for others.%s", y->log.paste.tf_data > 0 ? arena_printf(y->arena, " TensorFlow, which line %d names, takes nearly all of a device that it sees, too, also where it only reads data: "
		    "tf.config.set_visible_devices([], 'GPU') hides it.", y->log.paste.tf_data) : ""));
}

/* What most of a compiled program's bytes are for, where that is told and one of them has most. */
static const struct {
	enum oom_field of;
	const char *says;
} parts[] = {
	{ OOM_RESULTS, "what it gives back: where that has a part for each sample (a gradient, a Jacobian, an output), a call for each of several parts, whose results are moved to the machine's memory, or their sum alone, takes less" },
	{ OOM_TEMPORARY, "temporaries, which it makes as it runs: they grow with the samples at once and with their size or length" },
	{ OOM_PARAMETERS, "what it is given: weights, " IN_TRAINING("what an optimizer keeps, ") "a batch, whatever it does with them" },
};

/* Are temporaries padding for the most part, by XLA's own count? */
static bool
is_padded(const struct oom_message *o)
{
	const struct oom_size *bare = &o->size[OOM_UNPADDED], *padded = &o->size[OOM_PADDED];

	return bare->known && padded->known && padded->bytes - bare->bytes >= LITTLE && padded->bytes / 2 >= bare->bytes;
}

static void
xla_parts(struct autopsy *y, int64_t all)
{
	const struct oom_size *size = y->main->size;
	char human[SIZE_TEXT];
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (!(parts[i].of == OOM_TEMPORARY && is_padded(y->main)) && size[parts[i].of].known && size[parts[i].of].bytes > all / 2 && size[parts[i].of].bytes <= all)
			autopsy_cause(y, SAYS_XLA_PROGRAM, arena_printf(y->arena, "Of that %s is %s.", size_human(human, size[parts[i].of].bytes), parts[i].says));
}

static void
xla_program(struct autopsy *y)
{
	const struct oom_size *all = &y->main->size[OOM_ALLOCATED];
	char human[SIZE_TEXT];

	if (y->budget.total > 0)
		return;
	if (!all->known && y->budget.pool <= 0 && y->hi > 0 && !y->main->size[OOM_FREE].known)
		xla_request(y);
	if (!all->known)
		return;
	if (all->bytes <= LITTLE)
		autopsy_cause(y, SAYS_XLA_PROGRAM, arena_printf(y->arena, "The whole program needs %s: what fills the device is "
		    "something else, arrays of this process or another process." MAYBE_JAX(" Where it ran in JAX: that takes most of a device when it begins "
		    "(XLA_PYTHON_CLIENT_PREALLOCATE=false: as it needs them), so that a second process finds little.") IN_EXLA(" EXLA takes most of a device when its client begins, so that "
		    "a second process (another notebook's runtime) finds little: preallocate: false has it take what it needs."),
		    size_human(human, all->bytes)));
	else
		autopsy_cause(y, SAYS_XLA_PROGRAM, arena_printf(y->arena, "The program as compiled needs %s, with its arguments "
		    "and results: a device that has not as much free, and is lent none of the machine's (unified memory), cannot run it.",
		    size_human(human, all->bytes)));
	if (all->bytes > LITTLE)
		xla_parts(y, all->bytes);
}

/* What the program needs is counted against what the device has. */
static void
xla_device(struct autopsy *y)
{
	const struct budget *b = &y->budget;
	const struct oom_size *results = &y->main->size[OOM_RESULTS], *temporary = &y->main->size[OOM_TEMPORARY], *excess = &y->main->size[OOM_EXCESS];
	char need[SIZE_TEXT], have[SIZE_TEXT], more[SIZE_TEXT];

	if (b->total <= 0 || b->allocated <= 0)
		return;
	if (b->allocated > b->total)
		autopsy_cause(y, SAYS_XLA_DEVICE, arena_printf(y->arena, "By the compiler's own count the program needs %s of a device that has %s, "
		    "%s too much, so that nothing that another process or an earlier step holds plays a part. %s, which grow with the samples on one "
		    "device and their size or length.",
		    size_human(need, b->allocated), size_human(have, b->total), size_human(more, excess->known ? excess->bytes : b->allocated - b->total),
		    temporary->known && temporary->bytes / 9 >= b->allocated / 10 ? "Nearly all of it are temporaries, made as it runs" :
		    "What it adds up are arguments (weights, " IN_TRAINING("what the optimizer keeps, ") "a batch) and temporaries"));
	else if (y->hi > 0)
		autopsy_cause(y, SAYS_XLA_DEVICE, arena_printf(y->arena, "By XLA's own count %s of the device's %s was allocated before, and the "
		    "program asks for %s beside that%s.%s Arrays stay for as long as a name of the program holds them: what is "
		    "not used any more can be let go of or overwritten (donated)" UNTRIED(BY_BATCH, ", and a smaller batch makes what is of samples smaller") ".",
		    size_human(need, b->allocated), size_human(have, b->total), size_human(more, y->hi),
		    y->hi < b->total - b->allocated ? ", together less than the device has, so that it is no matter of the sum: the "
		    "rest may lie in pieces, or be kept back" : "", results->known && results->bytes <= y->hi ?
		    arena_printf(y->arena, " Results by themselves take %s.", size_human(need, results->bytes)) : ""));
}

/* A program of a TPU needs one block at an end of its memory. */
static void
xla_block(struct autopsy *y)
{
	const struct oom_size *free = &y->main->size[OOM_FREE], *block = &y->main->size[OOM_RESERVABLE];
	char all[SIZE_TEXT], one[SIZE_TEXT], asked[SIZE_TEXT];

	if (!free->known || !block->known || block->bytes >= y->lo || free->bytes < y->hi)
		return;
	autopsy_cause(y, SAYS_XLA_BLOCK, arena_printf(y->arena, "By the message %s were free, and of that %s in one block where the program needs its %s: "
	    "arrays that lie in between split the rest. " TRY BY_ANYTHING "Fewer of them that are held (arrays of earlier programs, several compiled ones)" TRY BY_BATCH "a "
	    "smaller batch" TRY_END ", leave a larger block.", size_human(all, free->bytes), size_human(one, block->bytes), size_human(asked, y->hi)));
}

/* How many times as large an extent is in tiles of so many. */
static double
filled_up(int64_t extent, int64_t tile)
{
	return extent > 0 ? (double)((extent + tile - 1) / tile * tile) / (double)extent : 1;
}

/* Which of the two axes that a TPU keeps in tiles is filled up most; -1: neither, or the layout is
 * not said. */
static int
padded_axis(const struct oom_shape *s)
{
	double columns, rows;

	if (!s->laid)
		return -1;
	columns = filled_up(s->dim[s->minor[0]], TILE_COLUMNS);
	rows = s->minor[1] >= 0 ? filled_up(s->dim[s->minor[1]], TILE_ROWS) : 1;
	return columns <= 1 && rows <= 1 ? -1 : s->minor[columns < rows];
}

/* A TPU lays two axes out in tiles, and fills them up. */
static void
xla_padding(struct autopsy *y)
{
	const struct oom_alive *most = NULL;
	char all[SIZE_TEXT], fill[SIZE_TEXT];
	int i, axis;

	for (i = 0; i < y->log.alive.n; i++) {
		const struct oom_alive *l = &y->log.alive.v[i];

		if (l->padding.known && l->padding.bytes > l->size.bytes / 2 && (!most || l->padding.bytes > most->padding.bytes))
			most = l;
	}
	if (!most || most->padding.bytes < LITTLE || most->shape.rank == 0)
		return;
	axis = padded_axis(&most->shape);
	autopsy_cause(y, SAYS_XLA_PADDING, arena_printf(y->arena, "Of the %s of the buffer %s %s is padding: a TPU keeps two axes, by the layout, in "
	    "tiles (8 x 128 numbers of 32 bits), and %s there takes as much as one that fills them. Small axes that are joined with "
	    "others, or that stand ahead of large ones in the layout, take a part of that.", size_human(all, most->size.bytes),
	    autopsy_shape_text(y->arena, &most->shape), size_human(fill, most->padding.bytes), axis < 0 ? "a small axis" :
	    arena_printf(y->arena, "axis %d (from 0), of %lld,", axis, (long long)most->shape.dim[axis])));
}

/* The same of all temporaries, where it tells that and names no buffer. */
static void
xla_padded_program(struct autopsy *y)
{
	const struct oom_size *bare = &y->main->size[OOM_UNPADDED], *padded = &y->main->size[OOM_PADDED];
	char all[SIZE_TEXT], numbers[SIZE_TEXT];

	if (!is_padded(y->main))
		return;
	autopsy_cause(y, SAYS_XLA_PADDED_PROGRAM, arena_printf(y->arena, "By XLA's count temporaries take %s as they lie on the device, and have %s of numbers: the rest "
	    "is padding, since a TPU keeps two axes in tiles (8 x 128 numbers of 32 bits) and fills them up. A small axis, such as few "
	    "channels, that comes last there takes as much as one of 128: joined with others, or put elsewhere in the layout, it takes "
	    "a part of that.", size_human(all, padded->bytes), size_human(numbers, bare->bytes)));
}

/* XLA rounds what it prints, but the shape tells the bytes, where elements of some width have as
 * many: exactly. */
int64_t
autopsy_buffer_bytes(const struct oom_alive *l)
{
	static const int element[] = { 4, 2, 1, 8 };
	size_t i;

	for (i = 0; l->shape.known && i < sizeof(element) / sizeof(*element); i++) {
		int64_t bytes = shape_bytes(&l->shape, element[i]);

		if (bytes < INT64_MAX && bytes >= l->size.bytes - l->size.slack && bytes <= l->size.bytes + l->size.slack)
			return bytes;
	}
	return l->size.bytes;
}

/* Buffers that XLA made for attention: squares. */
static void
xla_scores(struct autopsy *y)
{
	int i;

	for (i = 0; i < y->log.alive.n; i++) {
		const struct oom_alive *l = &y->log.alive.v[i];
		const struct oom_shape *s = &l->shape;

		if (!l->attention || s->rank < 3 || s->dim[s->rank - 1] < LONG ||
		    s->dim[s->rank - 1] != s->dim[s->rank - 2])
			continue;
		autopsy_cause(y, SAYS_XLA_SCORES, arena_printf(y->arena, "The buffer %s is of attention, by its "
		    "operation. Where it is scores, of %lld x %lld positions, they grow with the square of the length, and attention "
		    "that does not store them needs none of that; weights of layers that are kept as one array do not.", autopsy_shape_text(y->arena, s),
		    (long long)s->dim[s->rank - 2], (long long)s->dim[s->rank - 1]));
		return;
	}
}

/* Does the largest buffer with a shape have elements of 8 bytes, by its size? In JAX that is a
 * choice. */
static void
xla_wide(struct autopsy *y)
{
	const struct oom_alive *most = NULL;
	char human[SIZE_TEXT];
	int i;

	for (i = 0; i < y->log.alive.n; i++)
		if (y->log.alive.v[i].shape.known && y->log.alive.v[i].size.known && (!most || y->log.alive.v[i].size.bytes > most->size.bytes))
			most = &y->log.alive.v[i];
	if (!most || most->size.bytes < LARGE_SAMPLE || most->padding.known || shape_bytes(&most->shape, 8) == INT64_MAX || autopsy_buffer_bytes(most) != shape_bytes(&most->shape, 8))
		return;
	autopsy_cause(y, SAYS_XLA_WIDE, arena_printf(y->arena, "The buffer %s has 8 bytes for each number, %s in all. Where that is float64, float32 takes half%s.", autopsy_shape_text(y->arena, &most->shape),
	    size_human(human, most->size.bytes), autopsy_worded(y, MAYBE_JAX(" (in JAX jax_enable_x64 decides)"))));
}

void
autopsy_xla_causes(struct autopsy *y)
{
	if (y->main->kind != OOM_XLA || autopsy_asks_nothing(y->main))
		return;
	xla_program(y);
	xla_device(y);
	xla_block(y);
	xla_padding(y);
	xla_padded_program(y);
	xla_scores(y);
	xla_wide(y);
}
