/*
 * The whole way of an import: the file is read, each node becomes a step or a reason why not, steps
 * become a spec, and the spec is compiled to see that it says what the source says.
 */
#include "import/keras.h"

#include <stdlib.h>
#include <string.h>

#include "fmt/format.h"
#include "import/keras_file.h"
#include "import/writer.h"
#include "lang/expand.h"

/* The extent that -D gives a name of the model. */
static int64_t
defined(const struct importer *im, const char *symbol)
{
	size_t n = strlen(symbol);
	int i;

	for (i = 0; i < im->options->ndefines; i++) {
		const char *d = im->options->define[i];
		char *end;
		long long v;

		if (n == 0 || strncmp(d, symbol, n) != 0 || d[n] != '=')
			continue;
		v = strtoll(d + n + 1, &end, 10);
		if (v > 0 && *end == '\0' && v <= LARGEST_EXTENT)
			return v;
	}
	return -1;
}

/* A number for an axis that no input has would be of no effect. */
static bool
defines_known(struct importer *im, const char **why)
{
	const struct model *m = im->model;
	int i, k, d;
	bool known;

	for (i = 0; i < im->options->ndefines; i++) {
		const char *define = im->options->define[i];
		size_t n = strcspn(define, "=");

		known = false;
		for (k = 0; k < m->inputs.n; k++)
			for (d = 1; d < m->inputs.v[k].rank; d++)
				known |= m->inputs.v[k].dim[d] <= 0 && strlen(m->inputs.v[k].symbol[d]) == n &&
				    strncmp(m->inputs.v[k].symbol[d], define, n) == 0;
		if (!known) {
			*why = arena_printf(im->arena, "-D %s: no axis of its inputs, but for the batch, is without a number and has that "
			    "name", define);
			return false;
		}
	}
	return true;
}

static bool
is_initializer(const struct importer *im, const char *name)
{
	const struct val *v = map_get(&im->vals, name);

	return v && v->data;
}

bool
input_add(struct importer *im, const struct model_value *in, const char **why)
{
	bool real = numbers_are_real(&(struct numbers){ .type = in->type }), tokens = !real && im->asks_lookups ?
	    input_looks_up(im, in->name) : !real && in->type != ELEMENT_U8;
	int64_t dim[MODEL_RANK];
	struct val *v;
	struct tensor *t;
	int i, at;

	if (!in->known || in->rank == 0) {
		*why = arena_printf(im->arena, "the shape of input '%s' is not said, or has no batch in front", in->name);
		return false;
	}
	for (i = 1; i < in->rank; i++) {
		at = !in->is_map ? i - 1 : i == in->rank - 1 ? 0 : i;
		dim[at] = in->dim[i] > 0 ? in->dim[i] : defined(im, in->symbol[i]);
		if (dim[at] > 0)
			continue;
		*why = *in->symbol[i] ? arena_printf(im->arena, "axis %d of input '%s' has no number but a name: say one, "
		    "-D %s=128 or such", i, in->name, in->symbol[i]) : arena_printf(im->arena,
		    "axis %d of input '%s' has neither a number nor a name", i, in->name);
		return false;
	}
	if (in->dim[0] > 0)
		im->batch = in->dim[0];
	v = val_new(im, in->name);
	t = ir_tensor(im->module, T_INPUT, tokens ? DT_I32 : DT_F32, true, in->rank - 1, dim, in->name, (struct loc){ 0 });
	t->tokens = tokens;
	v->bytes = in->type == ELEMENT_U8 && input_is_bytes(im, in->name);
	v->whole = !real && !tokens && !v->bytes;
	v->t = t;
	if (v->whole && in->type != ELEMENT_U8)
		vec_push(im->arena, &im->result->notes, arena_printf(im->arena, "the input '%s' is of whole numbers in the model, and "
		    "of real ones here: it looks nothing up", in->name));
	v->channels_first = in->is_map;
	val_alias(im, in->name, v);
	vec_push(im->arena, &im->inputs, v);
	vec_push(im->arena, &im->build.graph->inputs, t);
	return true;
}

static const struct onnx_op *
op_of(const struct model_node *n)
{
	int i;

	for (i = 0; onnx_op_table[i]; i++)
		if (strcmp(onnx_op_table[i]->name, n->op) == 0)
			return onnx_op_table[i];
	return NULL;
}

static bool
unary(struct importer *im, const struct model_node *n, const char *ours)
{
	struct val *x = val_laid(im, node_in(im, n, 0), -1);
	struct call c;

	if (!x)
		return false;
	call_begin(&c, im, ours);
	call_like(&c, x);
	return call_end(&c, n->out[0]);
}

/* Is one of its inputs what could not be made? Of what follows from that, nothing is said. */
static bool
is_poisoned(struct importer *im, const struct model_node *n)
{
	int k;

	for (k = 0; k < n->nin; k++) {
		const struct val *v = map_get(&im->vals, n->in[k]);

		if (v && v->t && v->t->kind == T_POISON)
			return true;
	}
	return false;
}

static void
poison(struct importer *im, const struct model_node *n)
{
	int k;

	for (k = 0; k < n->nout; k++) {
		struct val *v = val_new(im, n->out[k]);

		v->t = ir_tensor(im->module, T_POISON, DT_F32, true, 0, NULL, "", (struct loc){ 0 });
		val_alias(im, n->out[k], v);
	}
}

bool
onnx_step(struct importer *im, const struct model_node *n)
{
	const struct onnx_op *op = op_of(n);
	const char *closest;

	if (op)
		return op->ours ? unary(im, n, op->ours) : op->translate(im, n);
	if (strncmp(n->op, OUR_DOMAIN ".", strlen(OUR_DOMAIN ".")) == 0)
		return our_step(im, n);
	closest = onnx_closest(n->op);
	return closest ? cannot(im, "there is no operator here that does the same; the closest is %s", closest) :
	    cannot(im, "there is no operator here that does the same");
}

static bool
onnx_translate(struct importer *im, const struct model_node *n)
{
	return fold_node(im, n) || onnx_step(im, n);
}

static void
translate(struct importer *im, const struct model_node *n)
{
	int problems = im->result->problems.n;

	im->node = n;
	if (n->nout == 0 || map_get(&im->done, n->out[0]))
		return;
	if (is_poisoned(im, n)) {
		poison(im, n);
		return;
	}
	if (im->translate(im, n))
		whole_follow(im, n);
	else if (!cut_node(im, n, problems))
		poison(im, n);
}

/* Steps that no result needs are left out; the others are numbered anew. */
static void
drop_unread(struct importer *im)
{
	bool *needed = arena_array(im->arena, (size_t)im->steps.n + 1, sizeof(*needed));
	int i, k, n = 0;

	for (i = 0; i < im->outputs.n; i++)
		if (im->outputs.v[i]->def)
			needed[im->outputs.v[i]->def->number] = true;
	for (i = im->steps.n - 1; i >= 0; i--)
		for (k = 0; needed[i] && k < im->steps.v[i]->nin; k++)
			if (im->steps.v[i]->in[k]->def)
				needed[im->steps.v[i]->in[k]->def->number] = true;
	for (i = 0; i < im->steps.n; i++) {
		struct step *s = im->steps.v[i];

		s->out->uses = 0;
		if (needed[i]) {
			im->steps.v[n] = s;
			s->number = n++;
		}
	}
	im->steps.n = n;
	for (i = 0; i < im->inputs.n; i++)
		im->inputs.v[i]->uses = 0;
	for (i = 0; i < n; i++)
		for (k = 0; k < im->steps.v[i]->nin; k++)
			im->steps.v[i]->in[k]->uses++;
	for (i = 0; i < im->outputs.n; i++)
		im->outputs.v[i]->uses++;
}

static bool
find_output(struct importer *im, const struct model_value *out, const char *which, const char **why)
{
	struct val *v = map_get(&im->vals, out->name);

	if (v && v->t && v->t->batched && !v->def) {
		*why = arena_printf(im->arena, "its %s output is one of its inputs: there is nothing to compute", which);
		return false;
	}
	if (!v || !v->t || !v->def || !v->t->batched) {
		*why = arena_printf(im->arena, "its %s output is not computed from its inputs%s", which,
		    im->result->cut ? ", where it was cut" : "");
		return false;
	}
	if (v->source.merged)
		vec_push(im->arena, &im->result->notes, arena_printf(im->arena, "of the output '%s' axis %d has the batch and another axis "
		    "as one in the model; here they are two, with the batch in front of all", out->name, v->source.at));
	else if (v->source.at > 0)
		vec_push(im->arena, &im->result->notes, arena_printf(im->arena, "of the output '%s' the batch is axis %d in the model, "
		    "and in front of the others here", out->name, v->source.at));
	v = val_first(v);
	if (!v->output)
		vec_push(im->arena, &im->outputs, v);
	v->output = out->name;
	return true;
}

static bool
find_outputs(struct importer *im, const char **why)
{
	const struct model_value *out = im->model->outputs.v;
	int i;

	if (!find_output(im, im->model->outputs.n > 0 ? out : &(struct model_value){ .name = "" }, "first", why))
		return false;
	im->predicted = out->predicted;
	for (i = 1; i < im->model->outputs.n; i++)
		if (!out[i].predicted)
			vec_push(im->arena, &im->result->notes, arena_printf(im->arena, "the output '%s' is left out, with what "
			    "only it needs: a spec is written for the first output", out[i].name));
		else if (!find_output(im, &out[i], "other", why))
			return false;
	return true;
}

/* That of which it is a softmax, or the log of one, and along which axis; NULL: it is neither. */
static struct val *
logits_of(const struct val *out, int *along)
{
	const struct attr *axis;

	*along = out->along;
	if (out->logits)
		return val_first(out->logits);
	if (strcmp(out->def->op->name, "softmax") != 0)
		return NULL;
	axis = step_attr(out->def, "axis");
	*along = (int)axis->i + (axis->i < 0 ? out->t->rank : 0);
	return out->def->in[0];
}

/* A softmax at the end, or its log, is what cross_entropy has in itself, and tells where classes
 * are. */
static void
drop_softmax(struct importer *im)
{
	int along;
	struct val *out = im->outputs.v[0], *logits = logits_of(out, &along);

	im->classes_first = logits ? along == 0 : out->channels_first;
	compiled_loss_find(im, logits, along);
	if (im->options->loss || im->predicted || im->outputs.n > 1 || !logits || !logits->def || along != spec_classes(im) ||
	    strcmp(spec_loss(im), "cross_entropy") != 0)
		return;
	im->outputs.v[0] = logits;
	vec_push(im->arena, &im->result->notes, arena_printf(im->arena, "the %s at the end is left out: cross_entropy takes what "
	    "comes before it, and so does --predict", out->logits ? "log of a softmax" : "softmax"));
}

static int64_t
weight_count(const struct weight *w)
{
	int64_t n = 1;
	int i;

	for (i = 0; w->view && i < w->view->rank; i++)
		n *= w->view->dim[i];
	return w->view ? n : w->numbers->count;
}

static void
count_weights(struct importer *im)
{
	char text[SIZE_TEXT];
	int64_t added = 0, computed = 0;
	int i, k;

	for (i = 0; i < im->steps.n; i++)
		for (k = step_shared(im->steps.v[i]); k < im->steps.v[i]->nweights; k++) {
			const struct weight *w = &im->steps.v[i]->weight[k];
			bool statistic = strcmp(im->steps.v[i]->op->name, "batchnorm") == 0 &&
			    (k > 1 || im->steps.v[i]->said_by->frozen);
			int64_t *sum = statistic ? &im->result->statistics : !w->frozen ? &im->result->parameters :
			    w->numbers->place ? &im->result->frozen : w->numbers->computed ? &computed : &added;

			*sum += weight_count(w);
		}
	if (computed)
		vec_push(im->arena, &im->result->notes, arena_printf(im->arena, "%s numbers are frozen: constants that the model "
		    "computes, such as masks, and no parameters", size_commas(text, computed)));
	if (added)
		vec_push(im->arena, &im->result->notes, arena_printf(im->arena, "%s numbers are added that the model does not "
		    "have, and frozen: a weight of ones or a bias of zeros, where a layer of ours has one and the model's has "
		    "none", size_commas(text, added)));
}

static void
say_merged(struct importer *im)
{
	if (im->merged)
		vec_push(im->arena, &im->result->notes, arena_printf(im->arena, "%d %s of one number repeated, for several "
		    "layers: each gets its own, since exporters write equal ones once", im->merged,
		    im->merged == 1 ? "weight is a vector" : "weights are vectors"));
	if (im->copied)
		vec_push(im->arena, &im->result->notes, arena_printf(im->arena, "%d %s once in the file, for layers that have names of "
		    "their own: each gets its own, since exporters write equal ones once", im->copied,
		    im->copied == 1 ? "weight stands" : "weights stand"));
}

/* Of e^-100 nothing is left beside 1 in f32. */
static void
say_lowered(struct importer *im)
{
	if (im->lowered)
		vec_push(im->arena, &im->result->notes, arena_printf(im->arena, "%d %s 100 or more from scores between parts of a window "
		    "that were far from each other in the image; here they are not seen, which gives the same weights in f32", im->lowered,
		    im->lowered == 1 ? "attention takes" : "attentions take"));
}

/* Statistics, scale and what is normalised are missing from training then. */
static void
say_norms(struct importer *im)
{
	int i, n = 0;

	for (i = 0; i < im->model->nodes.n; i++)
		n += im->model->nodes.v[i]->has_norm;
	if (n)
		vec_push(im->arena, &im->result->notes, arena_printf(im->arena, "batch normalisation is part of the weights of %d %s, as "
		    "exporters write it for inference: training the module itself takes more memory than this says; "
		    "torch.onnx.export(..., optimize=False) keeps it, or do_constant_folding=False with dynamo=False", n,
		    n == 1 ? "layer" : "layers"));
}

static void
say_loss(struct importer *im)
{
	if (im->untrained)
		vec_push(im->arena, &im->result->notes, "all numbers of the model are constants, so nothing is trained, and the spec has no "
		    "loss");
	else if (im->predicted && !im->options->loss)
		vec_push(im->arena, &im->result->notes, "no loss reads what the model predicts, so the spec has none, and is for inference");
	else if (im->compiled_loss && !im->options->loss)
		vec_push(im->arena, &im->result->notes, arena_printf(im->arena, "the loss is %s, as the model was compiled; --loss says "
		    "another", im->compiled_loss));
	else if (!im->options->loss)
		vec_push(im->arena, &im->result->notes, arena_printf(im->arena, "the loss is %s, as the shape of '%s' suggests; "
		    "--loss says another", spec_loss(im), im->model->outputs.v[0].name));
}

static const char *
network_name(struct importer *im)
{
	const char *slash = strrchr(im->model->path, '/'), *base = slash ? slash + 1 : im->model->path;
	struct map none = { 0 };

	return word_fresh(im->arena, &none, arena_strndup(im->arena, base, strcspn(base, ".")));
}

/* The spec's parameters, in the order in which it makes them, are those of the steps. */
static bool
match_weights(struct importer *im, const struct module *m, const char **why)
{
	struct imported *r = im->result;
	int i, k, at = 0, d;

	for (i = 0; i < r->order.n; i++) {
		const struct step *s = r->order.v[i];

		for (k = step_shared(s); k < s->nweights; k++) {
			const struct tensor *p = at < m->persistent.n ? m->persistent.v[at++] : NULL;
			struct import_weight w = { .numbers = s->weight[k].numbers, .view = s->weight[k].view };

			if (!p || (!w.view && tensor_elements_per_sample(p) != w.numbers->count)) {
				*why = arena_printf(im->arena, "the spec that was written has other weights than the model at "
				    "'%s': this is a mistake of stowage", w.numbers->name);
				return false;
			}
			w.path = p->name;
			if (s->weight[k].frozen)
				vec_push(im->arena, &im->frozen, p->name);
			w.rank = p->rank;
			for (d = 0; d < p->rank; d++)
				w.dim[d] = p->dim[d];
			vec_push(im->arena, &r->weights, w);
		}
	}
	if (at == m->persistent.n)
		return true;
	*why = "the spec that was written has more weights than the model: this is a mistake of stowage";
	return false;
}

/* Lays the spec out, and compiles it. What no training may change is said by paths, which only then
 * are known. */
static bool
check_spec(struct importer *im, const char **why)
{
	struct diags d;
	struct source *laid;
	struct spec *spec;
	int frozen = im->frozen.n;

	diags_init(&d, im->arena);
	laid = fmt_source(im->arena, &d, im->result->spec);
	if (laid) {
		im->result->spec = laid;
		spec = spec_load(im->arena, &d, laid, NULL);
		if (d.errors == 0 && spec->modules.n == 1) {
			im->result->weights.n = im->frozen.n = 0;
			if (!match_weights(im, spec->modules.v[0], why) || im->frozen.n == frozen) {
				origins_find(im, spec->modules.v[0], laid);
				return *why == NULL;
			}
			im->untrained = im->frozen.n == spec->modules.v[0]->persistent.n;
			frozen_say(im, spec->modules.v[0]);
			write_spec(im);
			return check_spec(im, why);
		}
	}
	*why = arena_printf(im->arena, "the spec that was written does not compile (%s): an operator of the model has what it "
	    "does not take, or this is a mistake of stowage",
	    d.all.n > 0 ? d.all.v[0]->message : "?");
	return false;
}

static bool
import_model(struct importer *im, const char **why)
{
	int i;

	for (i = 0; i < im->model->numbers.n; i++) {
		struct val *v = val_new(im, im->model->numbers.v[i]->name);

		v->data = im->model->numbers.v[i];
		val_alias(im, v->name, v);
	}
	for (i = 0; i < im->model->inputs.n; i++)
		if (!is_initializer(im, im->model->inputs.v[i].name) && !input_add(im, &im->model->inputs.v[i], why))
			return false;
	if (im->inputs.n == 0) {
		*why = "it has no inputs";
		return false;
	}
	if (!defines_known(im, why))
		return false;
	count_users(im);
	for (i = 0; i < im->model->nodes.n; i++)
		translate(im, im->model->nodes.v[i]);
	im->result->nodes = im->model->nodes.n;
	if (im->result->problems.n > 0)
		return false;
	if (!find_outputs(im, why))
		return false;
	drop_softmax(im);
	drop_unread(im);
	if (recognise_turned(im))
		drop_unread(im);
	cut_inputs(im);
	steps_as_written(im);
	if (!table_rows_fill(im) || !share_weights(im))
		return false;
	say_norms(im);
	count_weights(im);
	say_merged(im);
	say_lowered(im);
	write_spec(im);
	if (!check_spec(im, why))
		return false;
	say_loss(im);
	compiled_say(im);
	keras_mask_say(im);
	return true;
}

static struct imported *
import(struct importer *im, const char **why)
{
	struct diags *quiet = ARENA_NEW(im->arena, struct diags);

	diags_init(quiet, im->arena);
	im->result->model = im->model;
	im->model->mapped = im->options->mapped;
	model_let_go(im->model, im->model->file, im->model->size);	/* but for weights, all is in the arena */
	im->module = ir_module(im->arena, quiet, "import");
	im->module->set.precision = &precision_f32;
	im->build.module = im->module;
	im->build.graph = ir_graph(im->module, "forward", false);
	im->module->forward = im->build.graph;
	im->result->name = network_name(im);
	if (!import_model(im, why))
		im->result->spec = NULL;
	return im->result;
}

struct imported *
import_onnx(struct arena *a, const char *path, const unsigned char *file, size_t size,
    const struct import_options *options, const char **why)
{
	struct importer im = { .arena = a, .options = options, .result = ARENA_NEW(a, struct imported), .batch = -1,
		.translate = onnx_translate, .asks_lookups = true };

	*why = NULL;
	im.model = onnx_read(a, path, file, size, why);
	return im.model ? import(&im, why) : im.result;
}

struct imported *
import_keras(struct arena *a, const char *path, const unsigned char *file, size_t size,
    const struct import_options *options, const char **why)
{
	struct importer im = { .arena = a, .options = options, .result = ARENA_NEW(a, struct imported), .batch = -1,
		.translate = keras_translate };
	struct keras_source from;

	*why = NULL;
	im.model = keras_open(a, path, file, size, &from, why) ? keras_read(a, path, &from, why) : NULL;
	im.result->store = from.store;
	return im.model ? import(&im, why) : im.result;
}

struct imported *
import_any(struct arena *a, const char *path, const unsigned char *file, size_t size,
    const struct import_options *options, const char **why)
{
	return (is_keras(file, size) ? import_keras : import_onnx)(a, path, file, size, options, why);
}

void
import_end(struct imported *m)
{
	if (m->model)
		external_close(&m->model->external);
	keras_close(m->store);
	m->store = NULL;
}
