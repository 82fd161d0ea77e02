/* The answer of stowage autopsy for people: the message, its tensor, its batch, its bytes, what
 * else was there, what would fit, what to change. */
#include "commands/autopsy.h"

#include <stdarg.h>
#include <string.h>

#include "base/text.h"
#include "fit/idle.h"
#include "plan/summary.h"

#define MOST_MESSAGES	8
#define MOST_TENSORS	5
#define MOST_CLASSES	24
#define MOST_ALIVE	8
#define COLUMNS		98
#define WORTH_SAYING	((int64_t)64 << 20)	/* of bytes that are cached in vain */

static void
heading(const struct autopsy *y, const char *title)
{
	fprintf(y->out, "\n%s%s%s\n", y->colour ? "\033[1m" : "", title,
	    y->colour ? "\033[0m" : "");
}

/* A paragraph, indented by two and broken at blanks. */
static void __attribute__((format(printf, 2, 3)))
say(const struct autopsy *y, const char *fmt, ...)
{
	const char *s, *word;
	int column = 0, n;
	va_list ap;

	va_start(ap, fmt);
	s = arena_vprintf(y->module->arena, fmt, ap);
	va_end(ap);
	while (*s) {
		word = s;
		n = (int)strcspn(word, " ");
		if (column && column + 1 + n > COLUMNS) {
			putc('\n', y->out);
			column = 0;
		}
		fprintf(y->out, "%s%.*s", column ? " " : "  ", n, word);
		column += n + (column ? 1 : 2);
		s = word + n + strspn(word + n, " ");
	}
	putc('\n', y->out);
}

static void
row(const struct autopsy *y, const char *name, int64_t bytes, const char *note)
{
	char human[SIZE_TEXT], exact[SIZE_TEXT];

	if (bytes >= 0)
		fprintf(y->out, "  %-34s %12s %20s B%s%s\n", name, size_human(human, bytes),
		    size_commas(exact, bytes), *note ? "  " : "", note);
}

/* ---- the messages ---- */

static void
print_messages(const struct autopsy *y)
{
	const struct oom_log *log = &y->log;
	int i, shown = 0;

	for (i = 0; i < log->messages.n && shown < MOST_MESSAGES; i++) {
		const struct oom_message *o = &log->messages.v[i];

		fprintf(y->out, "\n%s%s:%d: %s%s", y->colour ? "\033[1m" : "", y->log_path, o->line,
		    o->who, y->colour ? "\033[0m" : "");
		if (o->count > 1)
			fprintf(y->out, ", %d times", o->count);
		fprintf(y->out, "%s\n", o == y->main && log->messages.n > 1 ?
		    " (explained below)" : "");
		say(y, "%s", autopsy_meaning(y, o));
		shown++;
	}
	if (log->messages.n + log->more > shown)
		fprintf(y->out, "\n%d more different messages.\n",
		    log->messages.n + log->more - shown);
}

/* ---- the tensor ---- */

static void
print_axes(const struct autopsy *y, const struct shape_match *s)
{
	struct arena *a = y->module->arena;
	int i;

	for (i = 0; i < y->main->shape.rank; i++)
		fprintf(y->out, "  %12lld  %s\n", (long long)y->main->shape.dim[i],
		    autopsy_axis_text(a, &y->main->shape, s, i));
}

static void
print_readers(const struct autopsy *y, const struct tensor *t)
{
	const struct graph *g = y->module->forward;
	int i, k;

	for (i = 0; i < g->nodes.n; i++)
		for (k = 0; k < g->nodes.v[i]->nin; k++)
			if (g->nodes.v[i]->in[k] == t && t->def) {
				say(y, "It is what %s (line %d) reads, and its gradient is as "
				    "large.", g->nodes.v[i]->path, loc_line(g->nodes.v[i]->loc));
				return;
			}
	if (t->kind == T_PARAM)
		say(y, "Its gradient, and each of the optimizer's numbers for it, are as large.");
}

/* Not what a layer hands on, but what it keeps for backward: the places of maxima. */
static bool
is_beside(const struct tensor *t)
{
	return t->def && t != t->def->out[0];
}

/* The message speaks of 16 bits, and the spec does not. */
static void
print_precision(const struct autopsy *y)
{
	const struct dtype *element = y->module->set.precision->element;

	if (y->main->shape.known && y->main->element == 2 && y->matches.all.n &&
	    element->bytes > 2)
		say(y, "The run made that in 16 bits, where the spec says %s: activations below "
		    "count %s. precision f16 or bf16 in the spec counts them as they were.",
		    element->name, element->bytes > 4 ? "four times" : "twice");
}

static void
print_matches(const struct autopsy *y)
{
	struct arena *a = y->module->arena;
	const struct shape_match *s = y->matches.all.v;
	bool plain = s->order == SHAPE_AS_IS && s->tensor->rank < 3;
	int n = y->matches.all.n, i;

	if (y->main->shape.known) {
		say(y, "%s is %s%s%s%s%s%s", autopsy_shape_text(a, &y->main->shape),
		    autopsy_in_backward(y->main) ? "the gradient of " : "",
		    autopsy_tensor_text(a, s), plain ? "" : " (",
		    plain ? "" : shape_order_name(s->order), plain ? "" : ")",
		    s->tensor->batched && !s->batch ? "; one sample's, without a batch" : "");
		print_axes(y, s);
		print_readers(y, s->tensor);
		if (n > 1)
			say(y, "The same shape:");
		s++;
		n--;
	} else {
		say(y, "The message tells no shape. Of that size%s:", y->lo < y->hi ?
		    ", as far as it is rounded" : "");
	}
	for (i = 0; i < n && i < MOST_TENSORS; i++, s++) {
		fprintf(y->out, "    %s%s", autopsy_tensor_text(a, s), is_beside(s->tensor) ?
		    ", what it keeps beside it" : "");
		if (s->batch && s->batch != y->spec_batch)
			fprintf(y->out, ", at batch %lld", (long long)s->batch);
		putc('\n', y->out);
	}
	if (n > i)
		fprintf(y->out, "    and %d more\n", n - i);
}

/* Where else an extent of the message is found: an axis of the spec's first tensor that has it. */
static const char *
extent_text(const struct autopsy *y, int64_t extent)
{
	const struct module *m = y->module;
	struct arena *a = m->arena;
	int i, k;

	if (extent == y->spec_batch)
		return "as many as the spec's batch";
	for (i = 0; i < m->forward->inputs.n + m->forward->nodes.n; i++) {
		const struct node *n = i < m->forward->inputs.n ? NULL :
		    m->forward->nodes.v[i - m->forward->inputs.n];
		const struct tensor *t = n ? n->nout ? n->out[0] : NULL : m->forward->inputs.v[i];

		for (k = 0; t && k < t->rank; k++)
			if (t->dim[k] == extent && extent > 1)
				return arena_printf(a, "as the %s of %s", shape_axis_name(t, k),
				    n ? n->path : t->name);
	}
	return extent == 1 ? "" : "nothing of the spec";
}

static void
print_extents(const struct autopsy *y)
{
	int i;

	for (i = 0; i < y->main->shape.rank; i++)
		fprintf(y->out, "  %12lld  %s%s\n", (long long)y->main->shape.dim[i],
		    extent_text(y, y->main->shape.dim[i]), i == 0 && y->main->shape.rank > 1 ?
		    "; the first axis is mostly the batch" : "");
}

static void
print_nearest(const struct autopsy *y)
{
	struct arena *a = y->module->arena;
	char exact[SIZE_TEXT], human[SIZE_TEXT];
	int i;

	if (!y->main->shape.known) {
		if (y->hi > 0)
			say(y, "No tensor of %s has that size at any batch: a workspace, a block "
			    "of several tensors, or another network.", y->module->name);
		return;
	}
	say(y, "No tensor of %s has the shape %s (%s B, %s). It is another network's, or one that "
	    "the framework makes for itself.", y->module->name,
	    autopsy_shape_text(a, &y->main->shape), size_commas(exact, y->hi),
	    size_human(human, y->hi));
	print_extents(y);
	say(y, "The nearest:");
	for (i = 0; i < y->nearest.all.n; i++) {
		const struct tensor *t = y->nearest.all.v[i].tensor;

		fprintf(y->out, "    %s: %s B%s\n", autopsy_tensor_text(a, &y->nearest.all.v[i]),
		    size_commas(exact, affine_at(tensor_bytes(t), y->spec_batch)),
		    t->batched ? arena_printf(a, " at batch %lld", (long long)y->spec_batch) : "");
	}
}

static void
print_batch(const struct autopsy *y)
{
	if (!y->implied)
		return;
	if (y->batch == y->spec_batch)
		say(y, "So the batch was %lld, as the spec says.", (long long)y->batch);
	else if (y->module->plan->validate_batch == y->batch && y->module->set.validate_fixed)
		say(y, "So the batch was %lld, not %lld: it is that of validation.",
		    (long long)y->batch, (long long)y->spec_batch);
	else
		say(y, "So the batch was %lld, not %lld as the spec says: the run had another, the "
		    "last of an epoch perhaps, a default, or one of several devices' share. What "
		    "follows is for %lld.", (long long)y->batch, (long long)y->spec_batch,
		    (long long)y->batch);
}

static void
print_tensor(const struct autopsy *y)
{
	if (!y->main || (!y->main->shape.known && y->hi <= 0))
		return;
	if (!y->main->shape.known && (y->main->kind == OOM_XLA || y->main->kind == OOM_CUDA ||
	    y->main->kind == OOM_OURS))
		return;		/* a block of many */
	if (!y->main->shape.known && y->main->host && y->main->kind != OOM_PYTORCH_CPU)
		return;		/* data, or anything */
	heading(y, "The tensor");
	if (y->matches.all.n)
		print_matches(y);
	else
		print_nearest(y);
	print_batch(y);
	print_precision(y);
}

/* ---- the bytes ---- */

static void
print_budget(const struct autopsy *y)
{
	const struct budget *b = &y->budget;

	if (!y->main || (b->allocated < 0 && b->total < 0 && b->free < 0 && !y->log.card.known))
		return;
	heading(y, "The arithmetic (bytes as far as the message's rounding goes)");
	row(y, "device", b->total, "");
	row(y, "tensors", b->allocated, "");
	row(y, "cached, of no use to this request", b->unallocated, "reserved less allocated");
	row(y, "reserved by the framework", b->reserved, "");
	row(y, "free", b->free, "");
	row(y, "outside the framework", b->outside, "context, libraries, other processes");
	row(y, "  context and libraries", b->context, "this process less reserved");
	row(y, "  other processes", b->others, "");
	if (y->log.card.known) {
		row(y, "the fullest card", y->log.card.bytes, "by nvidia-smi");
		row(y, "  in use on it", y->log.card_used.bytes, "by all processes");
	}
	if (b->unallocated > WORTH_SAYING && b->unallocated > b->reserved / 10)
		say(y, "A tenth or more of what is reserved is of no use: "
		    "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True (or max_split_size_mb) can "
		    "give it back.");
}

static void
print_xla(const struct autopsy *y)
{
	static const struct {
		enum oom_field field;
		const char *name;
	} part[] = {
		{ OOM_PARAMETERS, "arguments" }, { OOM_CONSTANTS, "constants" },
		{ OOM_RESULTS, "results" }, { OOM_TEMPORARY, "temporaries" },
	};
	struct arena *a = y->module->arena;
	size_t i;
	int k;

	if (!y->main || y->main->kind != OOM_XLA)
		return;
	for (i = 0; i < sizeof(part) / sizeof(*part); i++)
		if (y->main->size[part[i].field].known)
			row(y, part[i].name, y->main->size[part[i].field].bytes, "");
	if (y->log.alive.n)
		heading(y, "Buffers that XLA names");
	for (k = 0; k < y->log.alive.n && k < MOST_ALIVE; k++) {
		const struct oom_alive *l = &y->log.alive.v[k];
		struct shape_matches found;

		shape_find(y->module, &l->shape, y->spec_batch, "", &found);
		row(y, autopsy_shape_text(a, &l->shape), l->size.known ? l->size.bytes : 0,
		    found.all.n ? autopsy_tensor_text(a, found.all.v) : "of no tensor of the spec");
	}
}

/* ---- the dump ---- */

static void
print_classes(const struct autopsy *y)
{
	const struct dump_story *s = &y->dump;
	char size[SIZE_TEXT], sum[SIZE_TEXT];
	int i;

	fprintf(y->out, "  %8s %14s %16s  %s%s\n", "chunks", "bytes each", "bytes",
	    s->local ? "replayed  " : "", "what they are");
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

static void
print_dump(const struct autopsy *y)
{
	const struct oom_dump *d = &y->log.dump;
	const struct dump_story *s = &y->dump;
	char in_use[SIZE_TEXT], pool[SIZE_TEXT], named[SIZE_TEXT];

	if (!d->any)
		return;
	heading(y, arena_printf(y->module->arena, "The allocator's dump, line %d", d->line));
	if (d->classes.n)
		print_classes(y);
	say(y, "%d sizes, %s B in use%s%s; of that, %s B have a name above.", s->classes.n,
	    size_commas(in_use, d->in_use), s->pool ? " of " : "", s->pool ? arena_printf(
	    y->module->arena, "%s B", size_commas(pool, s->pool)) : "",
	    size_commas(named, s->explained));
	if (s->local && s->same)
		say(y, "Replayed from the network alone by TensorFlow's rules: all %d sizes, their "
		    "counts and the sum are the same.", s->classes.n);
	else if (s->local && s->pool)
		say(y, "Replayed from the network alone by TensorFlow's rules, it would be %s B in "
		    "use: not this run to the byte, but of its kind.",
		    size_commas(in_use, s->replayed_in_use));
	if (d->free)
		say(y, "Free: %s B, the largest piece %s B.", size_commas(in_use, d->free),
		    size_commas(pool, d->largest_free));
}

/* The locally-connected layer behind it. */
static void
print_layer(const struct autopsy *y)
{
	const struct dump_story *s = &y->dump;
	const struct keras_local *k = &s->layer;
	char one[SIZE_TEXT], all[SIZE_TEXT];
	int64_t bytes;

	if (!s->local)
		return;
	bytes = affine_at(k->slices_backward, y->batch);
	heading(y, "What happened");
	say(y, "Keras runs the locally-connected layer %s (line %d) as N = %s slices, one for each "
	    "position. The gradient of a slice is a zero-filled tensor of the whole input, %s B at "
	    "batch %lld, and all N are alive until they are added up.", k->forward->path,
	    loc_line(k->forward->loc), size_commas(all, k->positions),
	    size_commas(one, affine_at(k->input, y->batch)), (long long)y->batch);
	say(y, "%lld x %s B = %s B; %lld of them were there when memory ended.",
	    (long long)k->positions, size_commas(one, affine_at(k->input, y->batch)),
	    size_commas(all, bytes), (long long)s->held);
}

/* ---- what else was alive, what would fit ---- */

/* The message speaks of more than the network can have at that batch. */
static void
print_surplus(const struct autopsy *y)
{
	int64_t said = y->budget.allocated;

	if (said <= 0 || said / 4 * 3 <= y->forecast.tensors)
		return;
	if (y->batch_for_said > y->batch)
		say(y, "The message counts far more: what batch %lld of this network would take. "
		    "Either the run had a larger batch, or tensors of earlier steps, of another "
		    "network or of validation were still held.", (long long)y->batch_for_said);
}

static void
print_alive(const struct autopsy *y)
{
	const struct module *m = y->module;
	const struct plan_summary *s;
	const struct eager *e = &y->forecast.eager;
	int i;

	if (y->forecast.known) {
		heading(y, arena_printf(m->arena, "What else was alive: %s at batch %lld (an "
		    "estimate)", y->framework->heading, (long long)y->batch));
		for (i = 0; i < TENSOR_KINDS; i++)
			if (e->at_peak[i])
				row(y, plan_kind_heading((enum tensor_kind)i), e->at_peak[i], "");
		row(y, "tensors at the peak", y->forecast.tensors, e->at ? e->at->path : "");
		if (y->forecast.unrolled)
			row(y, "a locally-connected layer's slices", y->forecast.unrolled, "");
		if (!y->framework->exact)
			row(y, "in its allocator's blocks", y->forecast.allocated, "");
		print_surplus(y);
		return;
	}
	if (!y->main || y->dump.local || y->main->host)
		return;
	s = plan_summarise(m);
	heading(y, arena_printf(m->arena, "What a step holds at batch %lld, as planned here",
	    (long long)y->batch));
	for (i = 0; i < TENSOR_KINDS; i++)
		if (s->persistent[i] + s->at_peak[i])
			row(y, plan_kind_heading((enum tensor_kind)i), s->persistent[i] +
			    s->at_peak[i], "");
	row(y, "at the peak", m->plan->at[m->plan->peak].live,
	    m->plan->at[m->plan->peak].node->path);
}

static void
print_fit(const struct autopsy *y)
{
	const struct module *m = y->module;
	char pool[SIZE_TEXT], bytes[SIZE_TEXT];

	if (!y->fitted && y->main && !y->main->host) {
		heading(y, "What would fit");
		say(y, "Neither the log nor the spec says how much memory there was: --memory SIZE "
		    "does.");
	}
	if (!y->fitted)
		return;
	heading(y, "What would fit");
	say(y, "The framework could have %s B (%s).", size_commas(pool, y->budget.pool),
	    y->budget.pool_is);
	if (y->dump.local)
		say(y, "Batch %lld fits that, and %lld does not, by TensorFlow's allocator rules.",
		    (long long)y->dump.largest, (long long)y->dump.largest + 1);
	if (y->dump.local && y->card)
		say(y, "With %s B the same rules say %lld.", size_commas(bytes, y->card),
		    (long long)y->card_largest);
	if (y->forecast.known && y->forecast_largest)
		say(y, "In %s, batch %lld by the simulated tensors, in blocks of its allocator; "
		    "workspaces and fragmentation take some of it, so the truth is smaller (an "
		    "estimate).", y->framework->runtime, (long long)y->forecast_largest);
	else if (y->forecast.known)
		say(y, "In %s not even one sample, by the model of its allocator.",
		    y->framework->runtime);
	say(y, "Here, batch %lld needs %s B and %s%s", (long long)y->batch,
	    size_commas(bytes, m->plan->arena_bytes), y->fit.fits ? "fits" : "does not fit",
	    y->fit.largest.batch > 0 && !y->fit.largest.endless ? arena_printf(m->arena,
	    "; the largest that does is %lld.", (long long)y->fit.largest.batch) :
	    y->fit.largest.batch ? "." : "; not even one sample does.");
}

static void
print_local_cure(const struct autopsy *y)
{
	const struct keras_local *k = &y->dump.layer;
	char bytes[SIZE_TEXT], masked[SIZE_TEXT];

	if (!y->dump.local)
		return;
	if (y->dump.largest > 0 && y->dump.largest < y->batch)
		say(y, "In that run, batch %lld in place of %lld.", (long long)y->dump.largest,
		    (long long)y->batch);
	say(y, "In Keras, implementation=3 needs at most %s for that layer, implementation=2 %s%s.",
	    size_human(bytes, affine_at(k->sparse, y->batch)),
	    size_human(masked, affine_at(k->masked, y->batch)),
	    k->filters == 1 && k->field == k->forward->in[0]->dim[0] ? "; a (1, 1) kernel with one "
	    "filter is a product with a weight per position, summed over the channels" : "");
}

/* Where the machine's memory ran out, it is the other way round. */
static void
print_idle(const struct autopsy *y)
{
	const struct idle_advice *v;
	struct text t;

	text_init(&t, y->module->arena);
	for (v = idle_advice; v->what; v++)
		text_printf(&t, "%s%s (%s)", t.n ? "; " : "", v->what, v->why);
	if (y->main && y->main->host) {
		heading(y, "What to change");
		say(y, "This was not the device. Fewer loader workers, less read ahead, pinned or "
		    "kept in memory at once, and pictures decoded when they are needed help here; a "
		    "smaller batch hardly does.");
	} else {
		say(y, "No effect on the device: %s.", t.s);
	}
}

static void
print_advice(const struct autopsy *y)
{
	char bytes[SIZE_TEXT];
	int i;

	if (y->main && y->main->host)
		print_idle(y);
	if (!y->fitted)
		return;
	heading(y, "What to change");
	print_local_cure(y);
	if (y->forecast.known && y->forecast_largest && y->forecast_largest < y->batch)
		say(y, "In %s, micro-batches of at most %lld, accumulated to the same update.",
		    y->framework->runtime, (long long)y->forecast_largest);
	for (i = 0; i < y->nadvice; i++)
		say(y, "%s: %s%s", y->advice[i].title, size_human(bytes, y->advice[i].arena),
		    y->advice[i].fits ? ", fits" : ", not enough by itself");
	say(y, "stowage fit --memory %lldB tells all edits of the spec, and their patches.",
	    (long long)y->budget.pool);
	if (!y->main || !y->main->host)
		print_idle(y);
}

void
autopsy_text(const struct autopsy *y)
{
	const struct module *m = y->module;
	int n = y->log.messages.n + y->log.more;

	fprintf(y->out, "%s in %s; %s: %d line%s", m->name, m->src->path, y->log_path, y->log.lines,
	    y->log.lines == 1 ? "" : "s");
	if (n == 0 && !y->log.dump.any) {
		fprintf(y->out, ", no out-of-memory message that is known here\n");
		say(y, "What was read has none of the wordings of stowage-autopsy(1). Frameworks "
		    "write theirs to the standard error, often before the traceback: paste all of "
		    "it.");
		return;
	}
	fprintf(y->out, ", %d out-of-memory message%s\n", n, n == 1 ? "" : "s");
	print_messages(y);
	print_tensor(y);
	print_budget(y);
	print_xla(y);
	print_dump(y);
	print_layer(y);
	print_alive(y);
	print_fit(y);
	print_advice(y);
}
