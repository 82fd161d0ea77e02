/* The answer of stowage autopsy for people, continued: the tensor that the message is about. */
#include "autopsy/autopsy_text.h"

#include "base/text.h"
#include "ir/diff.h"

#define MOST_TENSORS	5
#define MOST_TIMES	16	/* the spec's batch */
#define MIB	((int64_t)1 << 20)

static void
print_axes(const struct autopsy *y, const struct shape_match *s)
{
	int i;

	for (i = 0; i < y->main->shape.rank; i++)
		fprintf(y->out, "  %12lld  %s\n", (long long)y->main->shape.dim[i],
		    autopsy_axis_text(y, s, i));
}

/* Is it made of weights that are trained? Else backward makes no gradient of it. */
static bool
is_of_trained(const struct module *m, const struct tensor *t)
{
	const struct node *n = t->def;
	struct diff d;
	int i;

	if (!m->train || !n || !dtype_is_float(t->dtype))
		return false;
	diff_begin(&d, m->arena, m->forward);
	for (i = 0; i < m->persistent.n; i++)
		d.wants[m->persistent.v[i]->id] = m->persistent.v[i]->kind == T_PARAM && !m->persistent.v[i]->frozen;
	diff_mark(&d);
	return diff_wants(&d, t);
}

static void
print_weight(const struct autopsy *y, const struct tensor *t)
{
	if (!y->module->train || t->frozen)
		return;
	switch (dump_state_of(y->module, t)) {
	case DUMP_NO_STATE:
		autopsy_say(y, "Its gradient is as large.");
		break;
	case DUMP_OTHER_STATE:
		autopsy_say(y, "Its gradient is as large; what the spec's optimizer keeps for it is not.");
		break;
	case DUMP_STATE:
		autopsy_say(y, "Its gradient, and each of the optimizer's numbers for it, are as large.");
	}
}

static void
print_readers(const struct autopsy *y, const struct tensor *t)
{
	const struct graph *g = y->module->forward;
	int i, k;

	for (i = 0; i < g->nodes.n && !y->validation && !autopsy_is_array(y); i++)
		for (k = 0; k < g->nodes.v[i]->nin; k++)
			if (g->nodes.v[i]->in[k] == t && t->def) {
				autopsy_say(y, "It is what %s (%s) reads%s.", g->nodes.v[i]->path,
				    loc_shown(y->arena, g->nodes.v[i]->loc, g->nodes.v[i]->loc.src),
				    is_of_trained(y->module, t) ? ", and its gradient is as large" : "");
				return;
			}
	if (t->kind == T_PARAM && !autopsy_is_array(y))
		print_weight(y, t);
}

/* Not what a layer hands on, but what it keeps for backward: the places of maxima. */
static bool
is_beside(const struct tensor *t)
{
	return t->def && t != t->def->out[0];
}

bool
autopsy_is_narrower(const struct autopsy *y)
{
	return y->module && y->main->shape.known && y->main->element == 2 && y->matches.all.n &&
	    y->module->set.precision->element->bytes > 2;
}

static void
print_precision(const struct autopsy *y)
{
	const struct dtype *element = y->module->set.precision->element;

	if (autopsy_is_narrower(y))
		autopsy_say(y, "The run made that in 16 bits, where the spec says %s: activations "
		    "below count %s. precision f16 or bf16 in the spec counts them as they were.",
		    element->name, element->bytes > 4 ? "four times" : "twice");
}

/* How many tensors of that size the network has at the batch that is said. */
static int
count_of_size(const struct autopsy *y)
{
	int i, n = 0;

	for (i = 0; i < y->matches.all.n; i++)
		n += y->matches.all.v[i].batch == 0 || y->matches.all.v[i].batch == y->said_batch;
	return n;
}

/* They are no tensor of the spec, whose attention stores none. */
static void
print_scores(const struct autopsy *y)
{
	char elements[SIZE_TEXT];

	if (y->scores_asked)
		autopsy_say(y, "As large are attention's scores, %s numbers of a sample, of %s (%s): the run stored them, where it is attention that is written out.",
		    size_commas(elements, y->scored->op->torch.scores(y->scored)), y->scored->path,
		    loc_shown(y->arena, y->scored->loc, y->scored->loc.src));
}

/* Where the spec has several parts of an update, or shares of it: at all of it. */
static void
print_whole_update(const struct autopsy *y)
{
	int64_t batch = y->spec->modules.v[0]->set.batch;
	int i;

	for (i = 0; i < y->matches.all.n && !y->batch_of_line; i++)
		if (y->matches.all.v[i].batch == batch) {
			autopsy_say(y, "As large is %s, at batch %lld, the spec's whole update at once.",
			    autopsy_tensor_text(y->arena, &y->matches.all.v[i]), (long long)batch);
			return;
		}
}

/* Half as many bytes an element, as autocast makes most results. */
static void
print_in_16_bits(const struct autopsy *y)
{
	struct shape_matches half;
	int i;

	if (y->module->set.precision->element->bytes != 4)
		return;
	shape_by_bytes(y->module, 2 * y->lo, 2 * y->hi, y->said_batch, &half);
	for (i = 0; i < half.all.n; i++)
		if (half.all.v[i].batch == y->said_batch) {
			autopsy_say(y, "As large is, where the run computes in 16 bits, %s, at batch %lld.", autopsy_tensor_text(y->arena, &half.all.v[i]),
			    (long long)y->said_batch);
			return;
		}
}

static void
print_matches(const struct autopsy *y)
{
	struct arena *a = y->arena;
	const struct shape_match *s = y->matches.all.v;
	bool plain = s->order == SHAPE_AS_IS && s->tensor->rank < 3;
	int n = y->matches.all.n, of_size = count_of_size(y), i;
	bool back = autopsy_in_backward(y->main);
	char human[SIZE_TEXT];

	if (y->main->shape.known) {
		autopsy_say(y, "%s has the shape of %s%s%s%s%s%s", autopsy_shape_text(a, &y->main->shape),
		    back ? "the gradient of " : "",
		    autopsy_tensor_text(a, s), plain ? "" : " (",
		    plain ? "" : shape_order_name(s->order), plain ? "" : ")",
		    s->tensor->batched && !s->batch ? "; one sample's, without a batch" : "");
		print_axes(y, s);
		print_readers(y, s->tensor);
		s++;
		n--;
	} else if (y->lo == 1 && y->hi >= MIB && of_size > MOST_TENSORS) {
		autopsy_say(y, "The message tells no shape. A piece as small is asked for where any tensor of up to %s finds no room: "
		    "%d of %s are no larger, and which it was does not matter.", size_human(human, y->hi), of_size, y->module->name);
		return;
	} else if (y->lo == MIB + 1 && of_size > MOST_TENSORS) {
		autopsy_say(y, "The message tells no shape. A piece of %s is asked for where any tensor from 1 to 10 MiB finds no room: "
		    "%d of %s are such, and which it was does not matter.", size_human(human, y->hi), of_size, y->module->name);
		return;
	} else {
		autopsy_say(y, "The message tells no shape. Of that size%s:", y->lo < y->hi ?
		    ", as far as it is rounded" : "");
	}
	if (!y->matches.all.v->batch)
		while (n > 0 && s[n - 1].batch / MOST_TIMES > y->said_batch)
			n--;		/* where a weight is, no batch is as many times the spec's */
	if (n > 0 && y->main->shape.known)
		autopsy_say(y, "The same shape:");
	for (i = 0; i < n && i < MOST_TENSORS; i++, s++) {
		fprintf(y->out, "    %s%s", autopsy_tensor_text(a, s), is_beside(s->tensor) ?
		    ", what it keeps beside it" : "");
		if (s->batch && s->batch != y->said_batch)
			fprintf(y->out, ", at batch %lld", (long long)s->batch);
		putc('\n', y->out);
	}
	if (n > i)
		fprintf(y->out, "    and %d more\n", n - i);
	print_scores(y);
	if (!autopsy_is_of_another_batch(y))
		return;
	autopsy_say(y, "None has it at batch %lld: the run had another batch, or it is a workspace, a block of several "
	    "tensors, of another precision, or of another network.", (long long)y->said_batch);
	print_whole_update(y);
	print_in_16_bits(y);
}

/* Where else an extent of the message is found: an axis of the spec's first tensor that has it. */
static const char *
extent_text(const struct autopsy *y, int64_t extent)
{
	const struct module *m = y->module;
	struct arena *a = m->arena;
	int i, k;

	if (extent == y->said_batch)
		return "as many as the spec's batch";
	if (extent > 1 && extent == m->set.data.samples)
		return "as many as all samples of the training data";
	if (extent > 1 && extent == m->set.validate_data.samples)
		return "as many as all samples of the validation data";
	for (i = 0; i < m->forward->inputs.n + m->forward->nodes.n; i++) {
		const struct node *n = i < m->forward->inputs.n ? NULL :
		    m->forward->nodes.v[i - m->forward->inputs.n];
		const struct tensor *t = n ? n->nout ? n->out[0] : NULL : m->forward->inputs.v[i];

		for (k = 0; t && k < t->rank; k++)
			if (t->dim[k] == extent && extent > 1)
				return arena_printf(a, "as the %s of %s", shape_axis_name(t, k),
				    n ? n->path : t->name);
		if (t && t->rank > 1 && extent > 1 && tensor_elements_per_sample(t) == extent)
			return arena_printf(a, "as all of %s in one, %s", n ? n->path : t->name,
			    tensor_shape_text(a, t));
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
	struct arena *a = y->arena;
	char exact[SIZE_TEXT], human[SIZE_TEXT];
	int i;

	if (!y->main->shape.known) {
		if (y->scores_asked)
			print_scores(y);
		else if (y->hi > 0 && autopsy_is_made(y->main))
			autopsy_say(y, "No weight of %s has that size: it is another network's, or of another precision.", y->module->name);
		else if (y->hi > 0)
			autopsy_say(y, "No tensor of %s has that size at a batch near the spec's: it is a "
			    "workspace, a block of several tensors, or of another precision, network or batch.", y->module->name);
		return;
	}
	if (y->scores_asked) {
		autopsy_say(y, "No tensor of %s has the shape %s (%s B, %s).", y->module->name, autopsy_shape_text(a, &y->main->shape),
		    size_commas(exact, y->hi), size_human(human, y->hi));
		print_scores(y);
		return;
	}
	autopsy_say(y, "No tensor of %s has the shape %s (%s B, %s). It is another network's, or "
	    "one that the framework or the code around the network makes.", y->module->name,
	    autopsy_shape_text(a, &y->main->shape), size_commas(exact, y->hi),
	    size_human(human, y->hi));
	print_extents(y);
	autopsy_say(y, "The nearest:");
	for (i = 0; i < y->nearest.all.n; i++) {
		const struct tensor *t = y->nearest.all.v[i].tensor;

		fprintf(y->out, "    %s: %s B%s\n", autopsy_tensor_text(a, &y->nearest.all.v[i]),
		    size_commas(exact, affine_at(tensor_bytes(t), y->said_batch)),
		    t->batched ? arena_printf(a, " at batch %lld", (long long)y->said_batch) : "");
	}
}

static void
print_batch(const struct autopsy *y)
{
	const struct settings *set = &y->spec->modules.v[0]->set;
	bool parts = y->module->train && !y->batch_of_line && set->batch != y->said_batch;	/* micro-batches, or devices' shares */

	if (!y->implied)
		return;
	if (y->batch == y->said_batch && y->batch_of_line)
		autopsy_say(y, "So the batch was %lld, as %s says, where the spec says %lld. What follows is for %lld.",
		    (long long)y->batch, y->batch_said_by, (long long)autopsy_batch_of(y->spec->modules.v[0]), (long long)y->batch);
	else if (y->batch == y->said_batch)
		autopsy_say(y, "So the batch was %lld, as %s says.", (long long)y->batch, y->batch_said_by);
	else if (y->main->run == RUN_PREDICTS)
		autopsy_say(y, "So the batch was %lld, not %lld: it is that of predict().",
		    (long long)y->batch, (long long)y->said_batch);
	else if (y->validation)
		autopsy_say(y, "So the batch was %lld, not %lld: it is that of validation.",
		    (long long)y->batch, (long long)y->said_batch);
	else if (parts && y->batch == set->batch)
		autopsy_say(y, "So the batch was %lld, as the spec says, but at once and not in its parts of %lld: without "
		    "accumulation, or on one device. What follows is for %lld.", (long long)y->batch,
		    (long long)y->said_batch, (long long)y->batch);
	else
		autopsy_say(y, "So the batch was %lld, not %lld as %s: the run had "
		    "another, the last of an epoch perhaps, a default, or one of several devices' "
		    "share%s. What follows is for %lld.", (long long)y->batch,
		    (long long)y->said_batch, parts ? arena_printf(y->arena, "a part of the spec's %lld is", (long long)set->batch) :
		    arena_printf(y->arena, "%s says", y->batch_said_by),
		    y->matches.all.n == 0 || y->matches.all.v->tensor->def ? "" : "; or the samples are data that were put there at once", (long long)y->batch);
}

/* Where no shape tells the batch, but a line of the log. */
static void
print_said_batch(const struct autopsy *y)
{
	if (!y->batch_of_line || y->implied || y->validation || (!y->matches.all.n && !y->forecast.known))
		return;
	autopsy_heading(y, "The batch");
	autopsy_say(y, "Line %d of the log has a batch of %lld, where the spec says %lld. What is said of the network is for %lld, as "
	    "one device takes it at once; where several share it, or that is not the run's, --batch says another.",
	    y->log.batch_line, (long long)y->batch,
	    (long long)autopsy_batch_of(y->spec->modules.v[0]), (long long)y->batch);
}

void
autopsy_tensor(const struct autopsy *y)
{
	print_said_batch(y);
	if (!y->main || !y->module || (!y->main->shape.known && y->hi <= 0) ||
	    (!y->main->shape.known && !autopsy_bytes_name_a_tensor(y->main)))
		return;
	autopsy_heading(y, "The tensor");
	if (y->matches.all.n)
		print_matches(y);
	else
		print_nearest(y);
	print_batch(y);
	print_precision(y);
}
