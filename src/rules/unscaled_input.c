/*
 * unscaled-input: bytes of 0 to 255 straight into a layer with weights. Batch normalisation behind
 * that layer divides the scale out again, so then it is right. Walks on from each input through
 * layers that leave its range as it is.
 */
#include "rulekit/graph_query.h"
#include "rulekit/place_set.h"

#include <string.h>

#include "readers/reader.h"

static bool
file_of_bytes(const struct module *m)
{
	return m->set.data.reader && m->set.data.reader->bytes;
}

static bool
holds_bytes(const struct module *m, const struct tensor *input)
{
	if (input->kind != T_INPUT || input->classes)
		return false;
	return input->dtype == DT_U8 || (file_of_bytes(m) && m->set.data.scale == 1);
}

static bool
keeps_range(const struct node *n)
{
	static const char *const name[] = { "cast", "flatten", "reshape", "pad", "crop", "maxpool",
		"avgpool", "upsample", "dropout", "relu", NULL };
	int i;

	for (i = 0; name[i] && !node_is(n, name[i]); i++)
		;
	return name[i] != NULL;
}

static void
report(const struct rule *rule, struct lint *l, const struct node *n, const struct tensor *from)
{
	struct module *m = l->module;
	bool file = file_of_bytes(m);
	struct diag *g = lint_report(l, rule, n->loc, "'%s' reads '%s' as bytes of 0 to 255: "
	    "nothing scales them", n->path, from->name);

	diag_place(l->diags, g, file ? m->set.data.loc : from->loc, file ?
	    "the data come without scale=" : "the input is here");
	diag_fact(l->diags, g, "its weights start for numbers of about 1: its outputs, and its "
	    "gradient, are up to 255 times as large");
	diag_help(l->diags, g, from->dtype == DT_U8 ? "%s -> scale(1/255) -> ..." :
	    "scale=1/255 in data, of train and validate; or %s -> scale(1/255) -> ...", from->name);
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	const struct graph *f = m->forward;
	const struct tensor **from = arena_array(m->arena, (size_t)m->next_tensor + 1,
	    sizeof(*from));
	struct tensor_readers r = readers_of(l);
	struct place_set reported = { NULL };
	int i;

	for (i = 0; i < f->inputs.n; i++)
		if (holds_bytes(m, f->inputs.v[i]))
			from[f->inputs.v[i]->id] = f->inputs.v[i];
	for (i = 0; m->set.train && i < f->nodes.n; i++) {
		const struct node *n = f->nodes.v[i];
		const struct tensor *in = n->nin && n->in[0] ? from[n->in[0]->id] : NULL;

		if (!in)
			continue;
		if (keeps_range(n) && n->out[0])
			from[n->out[0]->id] = in;
		else if (node_has_weights(n) && !node_is(only_reader(&r, n), "batchnorm") &&
		    place_is_new(&reported, l, rule, n->loc))
			report(rule, l, n, in);
	}
}

const struct rule rule_unscaled_input = {
	.id = "SW314",
	.name = "unscaled-input",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "bytes of 0 to 255 go into a layer with weights as they are",
	.doc = "Weights start so that numbers of about 1 stay about 1. Pixels of 0 to 255 come out "
	    "up to 255 times as large, and gradients of the first layer with them: training "
	    "diverges at a usual learning rate, or crawls at one that does not. That inputs be "
	    "centred and of like variance is section 4.3 of Efficient backprop (LeCun and others, "
	    "1998).\n\n"
	    "Reported for u8 inputs, and for IDX files without scale=, whose usual contents are "
	    "bytes, where a layer with weights is the first to read them. Batch normalisation "
	    "right behind that layer, or a scale, batchnorm or arithmetic before it, makes it "
	    "good.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
