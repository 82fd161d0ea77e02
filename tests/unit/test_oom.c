/*
 * The reader of logs: however a message is cut by the reads, broken by a terminal or surrounded, it
 * says the same; the figures are those of the texts, worked out by hand. And the comparison of
 * shapes, on tensors whose axes are known.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "lang/expand.h"
#include "oom/oom_log.h"
#include "oom/oom_shape.h"
#include "extended.h"

static struct arena *arena;

static void
setup(void)
{
	arena = arena_new();
	cr_assert(arena);
}

static void
teardown(void)
{
	arena_free(arena);
}

TestSuite(oom, .init = setup, .fini = teardown);

struct feed {
	const char *text;
	size_t n, at, most;	/* bytes a read */
	long repeat;		/* so many times */
};

static size_t
feed(void *context, char *to, size_t room)
{
	struct feed *f = context;
	size_t n;

	if (f->at == f->n && --f->repeat > 0)
		f->at = 0;
	n = f->n - f->at;
	n = n < room ? n : room;
	n = n < f->most ? n : f->most;
	memcpy(to, f->text + f->at, n);
	f->at += n;
	return n;
}

static void
read_text(struct oom_log *log, const char *text, size_t n, size_t most)
{
	struct feed f = { text, n, 0, most, 1 };

	oom_log_read(log, arena, feed, &f);
}

static const char torch[] = "RuntimeError: CUDA out of memory. Tried to allocate 44.00 MiB (GPU 0; "
    "10.76 GiB total capacity; 9.46 GiB already allocated; 30.94 MiB free; 9.87 GiB reserved in "
    "total by PyTorch)\n";

static void
expect_torch(const struct oom_log *log, const char *how, size_t at)
{
	/* in hundredths of a MiB or GiB */
	static const struct {
		enum oom_field field;
		int64_t hundredths, unit;
	} want[] = {
		{ OOM_ASKED, 4400, 1 << 20 }, { OOM_TOTAL, 1076, 1 << 30 },
		{ OOM_ALLOCATED, 946, 1 << 30 }, { OOM_FREE, 3094, 1 << 20 },
		{ OOM_RESERVED, 987, 1 << 30 },
	};
	size_t i;

	cr_assert_eq(log->messages.n, 1, "%s %zu: %d messages", how, at, log->messages.n);
	cr_assert_eq(log->messages.v[0].kind, OOM_PYTORCH);
	for (i = 0; i < sizeof(want) / sizeof(*want); i++) {
		const struct oom_size *s = &log->messages.v[0].size[want[i].field];

		cr_assert(s->known, "%s %zu: field %d", how, at, want[i].field);
		cr_assert_eq(s->bytes, want[i].hundredths * want[i].unit / 100, "%s %zu: %lld", how,
		    at, (long long)s->bytes);
	}
}

Test(oom, a_message_says_the_same_however_it_is_read)
{
	struct oom_log log;
	size_t most;

	for (most = 1; most < 300; most += 7) {
		read_text(&log, torch, strlen(torch), most);
		expect_torch(&log, "reads of", most);
	}
}

Test(oom, a_message_says_the_same_wherever_it_is_broken)
{
	static const char *const mark[] = { "\n", "\n    ", "\n> ", "\r\n", "\033[31m",
	    "\033[0m\n" };
	size_t at, i, n = strlen(torch);
	char text[sizeof(torch) + 16];
	struct oom_log log;

	for (i = 0; i < sizeof(mark) / sizeof(*mark); i++)
		for (at = extended() ? 0 : i % 3; at < n; at += extended() ? 1 : 3) {
			size_t k = strlen(mark[i]);

			memcpy(text, torch, at);
			memcpy(text + at, mark[i], k);
			memcpy(text + at + k, torch + at, n - at);
			read_text(&log, text, n + k, 4096);
			expect_torch(&log, mark[i], at);
		}
}

Test(oom, repeats_are_counted_and_memory_is_bounded)
{
	struct feed f = { torch, strlen(torch), 0, SIZE_MAX, 5000 };
	struct oom_log log;

	oom_log_read(&log, arena, feed, &f);
	expect_torch(&log, "repeated", 0);
	cr_expect_eq(log.messages.v[0].count, 5000);
	cr_expect_eq(log.lines, 5000);
	cr_expect_eq(log.bytes, (int64_t)(5000 * strlen(torch)));
}

Test(oom, different_messages_beyond_the_limit_are_counted)
{
	char *text = arena_alloc(arena, 200 * 64);
	struct oom_log log;
	int i, n = 0;

	for (i = 0; i < 200; i++)
		n += sprintf(text + n, "OOM when allocating tensor with shape[%d,7]\n", i + 1);
	read_text(&log, text, (size_t)n, 4096);
	cr_expect_eq(log.messages.n, OOM_MESSAGES);
	cr_expect_eq(log.more, 200 - OOM_MESSAGES);
}

Test(oom, chunks_are_counted_once)
{
	static const char text[] =
	    "Bin (256): \tTotal Chunks: 2\n"
	    "Chunk at 0x10 of size 256\nChunk at 0x20 of size 512\nFree at 0x30 of size 4096\n"
	    "Free  at 0x40 of size 1024 next 7\n"
	    "2018-01-15 13:21:47.1: I bfc.cc:680] 3 Chunks of size 256 totalling 768B\n"
	    "2018-01-15 13:21:47.1: I bfc.cc:680] 12 Chunks of size 512 totalling 6.0KiB\n"
	    "Stats: \nLimit:  10373441024\nInUse:  6912\nMaxInUse:  7000\nMaxAllocSize: 512\n";
	struct oom_log log;

	read_text(&log, text, strlen(text), 4096);
	cr_assert(log.dump.any);
	cr_assert_eq(log.dump.classes.n, 2);
	cr_expect_eq(log.dump.in_use, 3 * 256 + 12 * 512);
	cr_expect_eq(log.dump.free, 5120);
	cr_expect_eq(log.dump.largest_free, 4096);
	cr_expect_eq(log.dump.limit, INT64_C(10373441024));
	cr_expect_eq(log.dump.said_in_use, 6912);
	/* without a summary, the chunks themselves are counted */
	read_text(&log, "InUse at 7f00 of size 256 next 1\nInUse at 7f01 of size 256 next 2\n", 66,
	    4096);
	cr_assert_eq(log.dump.classes.n, 1);
	cr_expect_eq(log.dump.classes.v[0].count, 2);
}

Test(oom, sizes_that_no_machine_has_are_survived)
{
	static const char text[] =
	    "Tried to allocate\nCUDA out of memory. Tried to allocate 99999999999999999999 GiB\n"
	    "OOM when allocating tensor with shape[99999999999,99999999999,99999999999]\n"
	    "OOM when allocating tensor with shape[1,2,3,4,5,6,7,8,9]\n"
	    "999999999999999999 Chunks of size 999999999999999999 totalling 1B\n"
	    "Failed to allocate memory for requested buffer of size 18446744073709551615\n";
	struct oom_log log;

	read_text(&log, text, strlen(text), 4096);
	cr_expect_eq(log.dump.in_use, 0);
	if (log.messages.n)
		cr_expect_neq(log.messages.v[log.messages.n - 1].kind, OOM_ONNX);
}

Test(oom, ordinary_logs_have_none)
{
	static const char text[] = "epoch 1: 3 Chunks of cheese, limit: none, out of memory lane\n"
	    "shape[1,2] Size: big Shape: round; Killed the process; failed to allocate a seat\n";
	struct oom_log log;

	read_text(&log, text, strlen(text), 4096);
	cr_expect_eq(log.messages.n, 0);
	cr_expect_not(log.dump.any);
	cr_expect_null(oom_log_main(&log));
}

/* ---- shapes ---- */

static struct module *
network(void)
{
	static const char text[] =
	    "network n { input x : f32[3, 20, 30] target t : class[10]\n"
	    "y = x -> c: conv(8, 5, pad=2) -> flatten -> d: dense(10) loss cross_entropy(y, t) }\n"
	    "network s { input x : f32[100, 40] target t : f32[100, 8]\n"
	    "y = x -> d: dense(160) -> e: dense(8) loss mse(y, t) }\n";
	struct diags *d = ARENA_NEW(arena, struct diags);
	struct spec *spec;

	diags_init(d, arena);
	spec = spec_load(arena, d, source_from_text(arena, "n.nn", text, strlen(text)), NULL);
	cr_assert_eq(d->errors, 0);
	cr_assert_eq(spec->modules.n, 2);
	return spec->modules.v[0]->name[0] == 'n' ? spec->modules.v[0] : spec->modules.v[1];
}

static const struct {
	int rank;
	int64_t dim[4];
	const char *name;	/* of the likeliest tensor */
	enum shape_order order;
	int64_t batch;
} shapes[] = {
	{ 4, { 64, 8, 20, 30 }, "c", SHAPE_AS_IS, 64 },
	{ 4, { 64, 20, 30, 8 }, "c", SHAPE_CHANNELS_LAST, 64 },
	{ 4, { 64, 30, 20, 8 }, "c", SHAPE_OTHER, 64 },
	{ 4, { 16, 20, 30, 3 }, "x", SHAPE_CHANNELS_LAST, 16 },
	{ 4, { 5, 5, 3, 8 }, "c.weight", SHAPE_TRANSPOSED, 0 },
	{ 4, { 8, 3, 5, 5 }, "c.weight", SHAPE_AS_IS, 0 },
	{ 2, { 4800, 10 }, "d.weight", SHAPE_TRANSPOSED, 0 },
	{ 2, { 10, 4800 }, "d.weight", SHAPE_AS_IS, 0 },
	{ 3, { 8, 20, 30 }, "c", SHAPE_AS_IS, 0 },
	{ 1, { 8 }, "c.bias", SHAPE_AS_IS, 0 },
	{ 4, { 64, 3, 24, 34 }, "x", SHAPE_PADDED, 64 },
	{ 4, { 64, 21, 31, 3 }, "x", SHAPE_PADDED, 64 },
	{ 2, { 64 * 20 * 30, 8 }, "c", SHAPE_ROWS, 64 },
};

/* A map larger than what a kernel of 5 needs around it, and one that no kernel reads. */
Test(oom, no_layer_pads_these)
{
	static const struct oom_shape shape[] = {
		{ .known = true, .rank = 4, .dim = { 64, 3, 25, 34 } }, { .known = true, .rank = 4, .dim = { 64, 8, 24, 34 } },
	};
	const struct module *m = network();
	size_t i;

	for (i = 0; i < sizeof(shape) / sizeof(*shape); i++) {
		struct shape_matches found;

		shape_find(m, &shape[i], 64, "", &found);
		cr_expect_eq(found.all.n, 0, "shape %zu", i);
	}
}

Test(oom, shapes_in_the_orders_of_the_frameworks)
{
	const struct module *m = network();
	size_t i;

	for (i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		struct oom_shape s = { .known = true, .rank = shapes[i].rank };
		struct shape_matches found;

		memcpy(s.dim, shapes[i].dim, sizeof(shapes[i].dim));
		shape_find(m, &s, 64, "", &found);
		cr_assert_gt(found.all.n, 0, "shape %zu", i);
		cr_expect_str_eq(found.all.v[0].tensor->name, shapes[i].name, "shape %zu: %s", i,
		    found.all.v[0].tensor->name);
		cr_expect_eq(found.all.v[0].order, shapes[i].order, "shape %zu", i);
		cr_expect_eq(found.all.v[0].batch, shapes[i].batch, "shape %zu", i);
	}
}

Test(oom, there_are_no_parts_of_a_byte)
{
	static const char text[] = "lDA out of memry, Tried to allocate 1.27 B1B (CPU 0; 2370 GiB total capacity)\n";
	struct oom_log log;
	int i;

	read_text(&log, text, strlen(text), 4096);
	for (i = 0; i < log.messages.n; i++)
		cr_expect_not(log.messages.v[i].size[OOM_ASKED].known, "as a picture of it was read");
}

Test(oom, a_shape_of_nothing_has_neighbours)
{
	struct oom_shape s = { .known = true, .rank = 4, .dim = { 64, 8, 18, 30 } };
	struct shape_matches found;

	shape_find(network(), &s, 64, "", &found);
	cr_expect_eq(found.all.n, 0);
	shape_nearest(network(), &s, 64, 3, &found);
	cr_assert_eq(found.all.n, 3);
	cr_expect_str_eq(found.all.v[0].tensor->name, "c");
}
