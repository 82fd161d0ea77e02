/* An allocator's dump and list of who holds memory, for people. */
#include "autopsy/autopsy_text.h"

#include "base/print.h"
#include "base/text.h"

#define MOST_CLASSES	24
#define MOST_HOLDERS	12

static void
print_classes(const struct autopsy *y)
{
	const struct dump_story *s = &y->dump;
	char size[SIZE_TEXT], sum[SIZE_TEXT];
	int i;

	fprintf(y->out, "  %8s %14s %16s  %s\n", "chunks", "bytes each", "bytes",
	    s->local ? "replayed  what they are" : "what has that size");
	for (i = 0; i < s->classes.n; i++) {
		const struct dump_class *c = &s->classes.v[i];

		if (i >= MOST_CLASSES && s->classes.n - i > 1 && c->size * c->count <
		    y->log.dump.in_use / 100)
			continue;
		fprintf(y->out, "  %8lld %14s %16s  ", (long long)c->count,
		    size_commas(size, c->size), size_commas(sum, c->size * c->count));
		if (s->local)
			fprintf(y->out, "%8lld  ", (long long)c->replayed);
		fprintf(y->out, "%s\n", c->what ? c->what : "-");
	}
}

/* The size that most of it has, where one has more than half. */
static void
print_bulk(const struct autopsy *y)
{
	const struct dump_story *s = &y->dump;
	int64_t sum = y->log.dump.in_use;
	char size[SIZE_TEXT];
	int i;

	for (i = 0; y->log.dump.said_in_use && i < s->classes.n; i++) {
		const struct dump_class *c = &s->classes.v[i];

		if (c->count > 1 && c->size * c->count > sum / 2 && !c->what)
			autopsy_say(y, "%d %% of it are %lld chunks of %s B%s.",
			    autopsy_percent(c->size * c->count, sum),
			    (long long)c->count, size_commas(size, c->size), y->main && y->hi > 0 &&
			    c->size >= y->lo && c->size < y->hi + 256 ?
			    ", as large as the tensor that failed" : "");
	}
}

void
autopsy_text_dump(const struct autopsy *y)
{
	const struct oom_dump *d = &y->log.dump;
	const struct dump_story *s = &y->dump;
	char in_use[SIZE_TEXT], pool[SIZE_TEXT], named[SIZE_TEXT];

	if (!d->any && !y->other_dump)
		return;
	autopsy_heading(y, arena_printf(y->arena, "The allocator's dump, line %d",
	    d->line));
	if (y->other_dump) {
		autopsy_say(y, "It is of %s, not of the memory that failed, and is left out.", d->of.host ? "the machine's memory" : d->of.gpu >= 0 ?
		    arena_printf(y->arena, "GPU %d", d->of.gpu) : "a device");
		return;
	}
	if (d->classes.n == 0) {
		autopsy_say(y, "By its statistics %s B were in use of %s B.", size_commas(in_use,
		    d->said_in_use), size_commas(pool, d->limit));
		return;
	}
	print_classes(y);
	autopsy_say(y, "%d size%s, %s B %s%s%s; of that, %s B have a name above.", s->classes.n, s->classes.n == 1 ? "" : "s",
	    size_commas(in_use, d->in_use), d->said_in_use ? "in use" : "as far as the list was read", s->pool ? " of " : "", s->pool ? arena_printf(
	    y->arena, "%s B", size_commas(pool, s->pool)) : "",
	    size_commas(named, s->explained));
	if (d->listed < d->in_use)
		autopsy_say(y, "The log lists %s B of them.", size_commas(named, d->listed));
	print_bulk(y);
	if (s->local && s->same)
		autopsy_say(y, "Replayed from the network alone by TensorFlow's rules: all %d "
		    "sizes, their counts and the sum are the same.", s->classes.n);
	else if (s->local && s->pool)
		autopsy_say(y, "Replayed from the network alone by TensorFlow's rules, it would be "
		    "%s B in use: not this run to the byte, but of its kind.",
		    size_commas(in_use, s->replayed_in_use));
	if (d->free)
		autopsy_say(y, "Free: %s B, the largest piece %s B.", size_commas(in_use, d->free),
		    size_commas(pool, d->largest_free));
}

void
autopsy_text_holders(const struct autopsy *y)
{
	const struct oom_log *log = &y->log;
	int64_t rest = log->held_by_others;
	char human[SIZE_TEXT];
	int i;

	if (log->holders.n == 0)
		return;
	autopsy_heading(y, y->main && log->holders_gpu != y->main->gpu && log->holders_gpu >= 0 ?
	    arena_printf(y->arena, "What held memory of GPU %d, by TensorFlow's list", log->holders_gpu) : "What held memory, by TensorFlow's list");
	for (i = 0; i < log->holders.n; i++)
		if (i < MOST_HOLDERS)
			fprintf(y->out, "  %12s  %s\n", size_human(human, log->holders.v[i].bytes),
			    log->holders.v[i].node);
		else
			rest += log->holders.v[i].bytes;
	if (rest > 0)
		fprintf(y->out, "  %12s  others\n", size_human(human, rest));
}
