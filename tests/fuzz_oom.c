/*
 * A fuzzer for the reader of logs: edits real messages at random, and reads them twice, in reads of
 * different lengths, which must find the same; then looks for what was found in a network.
 *
 *     fuzz_oom SEED COUNT FILE...
 *
 * Files lend their bytes. What fails is left in fuzz_oom.failed.log.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emit/emit.h"
#include "lang/expand.h"
#include "model/oom_dump.h"
#include "model/oom_shape.h"
#include "passes/pass.h"

#define LONGEST		20000
#define STUCK		20	/* seconds */

static char now[LONGEST + 64];
static size_t length;
static uint64_t state;

static uint64_t
below(uint64_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (state >> 33) % n;
}

static void
keep(void)
{
	FILE *f = fopen("fuzz_oom.failed.log", "w");

	if (f) {
		fwrite(now, 1, length, f);
		fclose(f);
	}
}

static void
fatal(int signal)
{
	keep();
	_exit(128 + signal);
}

static void
failed(const char *what)
{
	keep();
	fprintf(stderr, "fuzz_oom: %s\n", what);
	exit(1);
}

static void
insert(const char *w, size_t n)
{
	size_t at = below(length + 1);

	if (length + n > LONGEST)
		return;
	memmove(now + at + n, now + at, length - at);
	memcpy(now + at, w, n);
	length += n;
}

static void
edit(void)
{
	static const char *const word[] = {
		"OOM when allocating tensor with shape[32,1,5000,4]",
		"CUDA out of memory. Tried to allocate 44.00 MiB",
		"9 Chunks of size 2560000 totalling", "Chunk at 0x1 of size 80128",
		"Shape: f32[4,5]", "Size: 6.00MiB", "[[Node: a/b = C[]]]",
		"Out of memory while trying to allocate 9 bytes", "9223372036854775807", "\n",
		"\033[1m", "% total capacity; ", "1.5 GiB already allocated; ", "(", "]", ",", "9",
		".", "\033", "G", "InUse: 9", "Limit: 10373441024", "Bin (256):",
		"total capacity of 3 GiB", "\xff", "> "
	};
	const char *w = word[below(sizeof(word) / sizeof(*word))];
	size_t at = below(length + 1), n;

	switch (below(4)) {
	case 0:
	case 1:
		insert(w, strlen(w));
		break;
	case 2:
		n = below(9);
		n = n < length - at ? n : length - at;
		memmove(now + at, now + at + n, length - at - n);
		length -= n;
		break;
	default:
		if (at < length)
			now[at] = (char)below(256);
	}
}

struct feed {
	size_t at, most;
};

static size_t
feed(void *context, char *to, size_t room)
{
	struct feed *f = context;
	size_t n = length - f->at;

	n = n < room ? n : room;
	n = n < f->most ? n : f->most;
	memcpy(to, now + f->at, n);
	f->at += n;
	return n;
}

static struct module *
network(struct arena *a)
{
	static const char text[] =
	    "network n { input x : f32[1, 2, 500] target t : f32[1]\n"
	    "y = x -> conv(4, (2, 1)) -> local(1, (1, 1)) -> flatten -> dense(1)\n"
	    "loss mse(y, t) }\ntrain { batch 32 optimizer adam() data synthetic(64) }\n";
	struct pass_options o = { .target = target_table[0], .threads = 1 };
	struct diags *d = ARENA_NEW(a, struct diags);
	struct spec *spec;

	diags_init(d, a);
	spec = spec_load(a, d, source_from_text(a, "n.nn", text, strlen(text)), NULL);
	if (d->errors || !passes_run(spec->modules.v[0], &o))
		failed("the network is refused");
	return spec->modules.v[0];
}

static void
look_up(struct arena *a, const struct oom_log *log)
{
	struct module *m = network(a);
	struct shape_matches found;
	struct dump_story story;
	int i;

	for (i = 0; i < log->messages.n; i++)
		if (log->messages.v[i].shape.known) {
			shape_find(m, &log->messages.v[i].shape, 32, "node", &found);
			shape_nearest(m, &log->messages.v[i].shape, 32, 3, &found);
		}
	if (log->dump.any)
		dump_explain(m, &log->dump, 32, 1 << 20, &story);
}

static bool
try(void)
{
	struct feed whole = { 0, SIZE_MAX }, bits = { 0, 1 + below(50) };
	struct arena *a = arena_new();
	struct oom_log log, again;
	bool any;

	alarm(STUCK);
	oom_log_read(&log, a, feed, &whole);
	oom_log_read(&again, a, feed, &bits);
	if (log.messages.n != again.messages.n || log.more != again.more ||
	    log.lines != again.lines || log.dump.in_use != again.dump.in_use ||
	    log.alive.n != again.alive.n)
		failed("the same text says something else in smaller reads");
	if (log.messages.n > OOM_MESSAGES || log.dump.classes.n > OOM_CLASSES)
		failed("more is kept than may be");
	any = log.messages.n > 0 || log.dump.any;
	if (any && below(50) == 0)
		look_up(a, &log);
	alarm(0);
	arena_free(a);
	return any;
}

int
main(int argc, char **argv)
{
	long count, i, found = 0;
	FILE *f;

	if (argc < 4) {
		fprintf(stderr, "usage: fuzz_oom SEED COUNT FILE...\n");
		return 2;
	}
	state = strtoull(argv[1], NULL, 10) * 2 + 1;
	count = strtol(argv[2], NULL, 10);
	signal(SIGALRM, fatal);
	signal(SIGABRT, fatal);
	for (i = 0; i < count; i++) {
		int edits = (int)below(below(3) ? 4 : 60);

		f = fopen(argv[3 + below((uint64_t)argc - 3)], "rb");
		length = f ? fread(now, 1, LONGEST, f) : 0;
		if (f)
			fclose(f);
		while (edits-- > 0)
			edit();
		found += try();
	}
	printf("%ld logs tried, %ld of them had something to say\n", count, found);
	return 0;
}
