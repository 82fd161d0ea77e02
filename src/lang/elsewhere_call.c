/*
 * Layers as PyTorch and Keras call them: which argument of theirs is which of ours. Theirs are told
 * what goes in, Conv2d(3, 16, 3), where ours see it, conv(16, 3): the name alone, put in place of
 * theirs, would make another layer that compiles as well. So a call is translated as a whole, and
 * where some argument has nothing that means the same, what ours takes is all that is said.
 */
#include "lang/expander.h"

#include <string.h>

#include "ops/usage.h"

/*
 * `takes` is theirs in their order. "kernel_size=kernel" is our kernel, "bias" our bias; what goes
 * in as "-in_channels" is seen, and left out if it is a number; "~inplace" is a switch that says
 * nothing here. "!padding_mode" has no equal; "+eps=1e-3", which is none of theirs, is said where
 * theirs says nothing of it, as what they take without is not what ours does. "?" says that what it
 * is without arguments has no equal, either. Without LEAST of them it is not that framework's call.
 * Of a name twice all are meant that fit, and where these are not the same here, no one knows which
 * it is; where frameworks differ in the case of letters alone, that is told by an exact name.
 */
static const struct theirs {
	const char *name, *ours;
	int least;
	const char *takes;
} calls[] = {
#define TORCH_CONV(name)									\
	{ name, "conv", 3, "-in_channels out_channels=filters kernel_size=kernel stride padding=pad dilation groups bias "	\
	    "!padding_mode -device -dtype" }
	TORCH_CONV("Conv1d"), TORCH_CONV("Conv2d"), TORCH_CONV("Conv3d"),
#define TORCH_CONV_TRANSPOSE(name)								\
	{ name, "conv_transpose", 3, "-in_channels out_channels=filters kernel_size=kernel stride padding=pad "	\
	    "output_padding=output_pad groups bias dilation !padding_mode -device -dtype" }
	TORCH_CONV_TRANSPOSE("ConvTranspose1d"), TORCH_CONV_TRANSPOSE("ConvTranspose2d"),
	TORCH_CONV_TRANSPOSE("ConvTranspose3d"),
#define KERAS_CONV(name)									\
	{ name, "conv", 2, "filters kernel_size=kernel strides=stride padding=pad !data_format dilation_rate=dilation groups "	\
	    "!activation use_bias=bias" }
	KERAS_CONV("Conv1D"), KERAS_CONV("Conv2D"), KERAS_CONV("Conv3D"),
	{ "Conv2DTranspose", "conv_transpose", 2, "filters kernel_size=kernel !strides !padding" },
	{ "Linear", "dense", 2, "-in_features out_features=units bias -device -dtype" },
	{ "Dense", "dense", 1, "units !activation use_bias=bias" },
#define TORCH_BATCHNORM(name)									\
	{ name, "batchnorm", 1, "-num_features eps momentum !affine !track_running_stats -device -dtype" }
	TORCH_BATCHNORM("BatchNorm1d"), TORCH_BATCHNORM("BatchNorm2d"), TORCH_BATCHNORM("BatchNorm3d"),
	{ "BatchNormalization", "batchnorm", 0, "!axis !momentum epsilon=eps +eps=1e-3 +momentum=0.01" },
#define TORCH_INSTANCENORM(name)								\
	{ name, "instancenorm", 1, "-num_features eps !momentum affine !track_running_stats -device -dtype" }
	TORCH_INSTANCENORM("InstanceNorm1d"), TORCH_INSTANCENORM("InstanceNorm2d"), TORCH_INSTANCENORM("InstanceNorm3d"),
	{ "GroupNorm", "groupnorm", 2, "num_groups=groups -num_channels eps affine -device -dtype" },
	{ "GroupNormalization", "groupnorm", 0, "groups !axis epsilon=eps +groups=32 +eps=1e-3" },
	{ "LayerNorm", "layernorm", 1, "-normalized_shape eps elementwise_affine=affine bias -device -dtype" },
	{ "LayerNormalization", "layernorm", 0, "!axis epsilon=eps +eps=1e-3" },
	{ "Embedding", "embedding", 2, "num_embeddings=vocab embedding_dim=width padding_idx=padding" },
	{ "Embedding", "embedding", 2, "input_dim=vocab output_dim=width" },
#define TORCH_RECURRENT(name, ours)								\
	{ name, ours, 2, "-input_size hidden_size=hidden num_layers=layers bias ~batch_first dropout bidirectional !proj_size "	\
	    "-device -dtype" },									\
	{ name, ours, 1, "!units" }
	TORCH_RECURRENT("LSTM", "lstm"), TORCH_RECURRENT("GRU", "gru"),
	{ "RNN", "rnn", 2, "-input_size hidden_size=hidden num_layers=layers nonlinearity bias ~batch_first dropout "
	    "bidirectional -device -dtype" },
	{ "MultiHeadAttention", "attention", 2, "!num_heads !key_dim" },
	{ "MultiheadAttention", "attention", 2, "-embed_dim num_heads=heads dropout bias !add_bias_kv !add_zero_attn !kdim "
	    "!vdim ~batch_first -device -dtype" },
#define TORCH_MAXPOOL(name)									\
	{ name, "maxpool", 1, "kernel_size=kernel stride padding=pad !dilation !return_indices ceil_mode=ceil" }
	TORCH_MAXPOOL("MaxPool1d"), TORCH_MAXPOOL("MaxPool2d"), TORCH_MAXPOOL("MaxPool3d"),
#define TORCH_AVGPOOL(name)									\
	{ name, "avgpool", 1, "kernel_size=kernel stride padding=pad ceil_mode=ceil count_include_pad=count_pad "	\
	    "!divisor_override" }
	TORCH_AVGPOOL("AvgPool1d"), TORCH_AVGPOOL("AvgPool2d"), TORCH_AVGPOOL("AvgPool3d"),
#define KERAS_MAXPOOL(name)	{ name, "maxpool", 1, "pool_size=kernel strides=stride padding=pad !data_format" }
	KERAS_MAXPOOL("MaxPooling1D"), KERAS_MAXPOOL("MaxPooling2D"), KERAS_MAXPOOL("MaxPooling3D"),
	KERAS_MAXPOOL("MaxPool1D"), KERAS_MAXPOOL("MaxPool2D"), KERAS_MAXPOOL("MaxPool3D"),
#define KERAS_AVGPOOL(name)	{ name, "avgpool", 1, "pool_size=kernel strides=stride !padding !data_format" }
	KERAS_AVGPOOL("AveragePooling1D"), KERAS_AVGPOOL("AveragePooling2D"), KERAS_AVGPOOL("AveragePooling3D"),
#define TORCH_ADAPTIVE(name, ours)	{ name, ours, 1, "output_size=size" }
	TORCH_ADAPTIVE("AdaptiveAvgPool1d", "adaptive_avgpool"), TORCH_ADAPTIVE("AdaptiveAvgPool2d", "adaptive_avgpool"),
	TORCH_ADAPTIVE("AdaptiveAvgPool3d", "adaptive_avgpool"), TORCH_ADAPTIVE("AdaptiveMaxPool1d", "adaptive_maxpool"),
	TORCH_ADAPTIVE("AdaptiveMaxPool2d", "adaptive_maxpool"), TORCH_ADAPTIVE("AdaptiveMaxPool3d", "adaptive_maxpool"),
	{ "Flatten", "flatten", 1, "!start_dim !end_dim" }, { "Upsample", "upsample", 0, "size scale_factor=factor mode align_corners=corners" },
	{ "PixelShuffle", "pixel_shuffle", 1, "upscale_factor=factor" },
	{ "PixelUnshuffle", "pixel_unshuffle", 1, "downscale_factor=factor" },
	{ "UpSampling2D", "upsample", 1, "size=factor !data_format !interpolation" },
	{ "RMSNorm", "rmsnorm", 2, "-normalized_shape eps elementwise_affine=affine -device -dtype" },
	{ "CELU", "celu", 1, "alpha ~inplace" }, { "Softplus", "softplus", 1, "beta !threshold" },
	{ "Hardtanh", "hardtanh", 1, "min_val=least max_val=most ~inplace" },
	{ "Threshold", "threshold", 2, "threshold=bound value ~inplace" },
	{ "Dropout", "dropout", 1, "p=rate ~inplace" }, { "Dropout", "dropout", 1, "rate" },
	{ "ReLU", "relu", 1, "~inplace" }, { "ReLU6", "relu6", 1, "~inplace" }, { "SiLU", "silu", 1, "~inplace" },
	{ "SELU", "selu", 1, "~inplace" }, { "Hardswish", "hardswish", 1, "~inplace" },
	{ "Hardsigmoid", "hardsigmoid", 1, "~inplace" }, { "Mish", "mish", 1, "~inplace" },
	{ "ELU", "elu", 1, "alpha ~inplace" }, { "LeakyReLU", "leaky_relu", 0, "negative_slope=slope ~inplace" },
	{ "LeakyReLU", "leaky_relu", 0, "negative_slope=slope +slope=0.3" }, { "PReLU", "prelu", 0, "? !num_parameters !init" },
	{ "GELU", "gelu", 1, "!approximate" }, { "Softmax", "softmax", 1, "!dim" }, { "Softmax", "softmax", 0, "!axis +axis=-1" },
	{ "GLU", "glu", 1, "!dim" },
};

struct taken {			/* one of what THEIRS takes */
	char mark;		/* one of "-~!+?" or 0 */
	const char *name, *ours;
	size_t nname, nours;	/* of their letters */
};

/* The next one of them; *S moves behind it. False: there is none. */
static bool
next_taken(const char **s, struct taken *t)
{
	size_t all = strcspn(*s, " ");

	*t = (struct taken){ .mark = **s && strchr("-~!+?", **s) ? **s : '\0' };
	t->name = *s + (t->mark != '\0');
	t->nname = strcspn(t->name, "= ");
	t->ours = t->name[t->nname] == '=' ? t->name + t->nname + 1 : t->name;
	t->nours = strcspn(t->ours, " ");
	*s += all + strspn(*s + all, " ");
	return all > 0;
}

/* What the K-th argument of a call is. */
static bool
taken_by(const struct theirs *c, const struct expr *e, int k, struct taken *t)
{
	const char *s = c->takes, *name = e->arg[k].name;
	int i;

	for (i = 0; next_taken(&s, t); i += t->mark != '?')
		if (t->mark == '+')
			return false;
		else if (t->mark != '?' && (name ? strlen(name) == t->nname && memcmp(name, t->name, t->nname) == 0 : i == k))
			return true;
	return false;
}

/* Are the first LEAST there, each by its place or by its name? */
static bool
is_call_of(const struct theirs *c, const struct expr *e)
{
	const char *s = c->takes;
	struct taken t, of;
	int i, k;

	for (i = 0; i < c->least && next_taken(&s, &t); i++) {
		for (k = 0; k < e->nargs && !(taken_by(c, e, k, &of) && of.name == t.name); k++)
			;
		if (k == e->nargs)
			return false;
	}
	return true;
}

static bool
is_called_so(const struct theirs *c, const char *name, bool exact)
{
	return exact ? strcmp(name, c->name) == 0 : name_same(name, c->name);
}

static bool
any_called_so(const char *name, bool exact)
{
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (is_called_so(&calls[i], name, exact))
			return true;
	return false;
}

/* What True and False of Python are here; NULL: it is neither. */
static const char *
word_of_python(const struct expr *v)
{
	if (v->kind != E_NAME)
		return NULL;
	return strcmp(v->name, "True") == 0 ? "true" : strcmp(v->name, "False") == 0 ? "false" : NULL;
}

static bool
is_none(const struct expr *v)
{
	return v->kind == E_NAME && strcmp(v->name, "None") == 0;
}

/* Does ATTR take what such a number is? None takes one below 0, which counts from the end in
 * Python, but where numbers are real. */
static bool
number_fits(const struct attr_spec *a, struct number n)
{
	int64_t whole;

	if (a->type == ATTR_REAL || a->type == ATTR_REALS)
		return true;
	return a->type != ATTR_BOOL && a->type != ATTR_ENUM && number_is_int(n, &whole) && whole >= 0 &&
	    ((a->min >= 0 && a->max <= 0) || ((double)whole >= a->min && (double)whole <= a->max));
}

/* And this value, as far as it is written there? */
static bool
fits(const struct attr_spec *a, const struct expr *v)
{
	int k;

	if (v->kind == E_NUM)
		return number_fits(a, v->num);
	if (v->kind == E_UNARY && v->a && v->a->kind == E_NUM)
		return a->type == ATTR_REAL || a->type == ATTR_REALS;
	for (k = 0; v->kind == E_TUPLE && k < v->nargs; k++)
		if (!v->arg[k].value || !fits(a, v->arg[k].value))
			return false;
	return v->kind != E_BAD && !is_none(v) && !word_of_python(v);
}

static bool
is_number(const struct expr *v)
{
	return v->kind == E_NUM || (v->kind == E_BINARY && is_number(v->a) && is_number(v->b));
}

/* A value that means the same here; NULL: that is not known. */
static const char *
value_here(struct expander *ex, const struct attr_spec *a, const struct expr *v)
{
	const char *s;
	size_t n;

	if (v->kind == E_STR) {
		for (s = a->choices; s && *s; s += n + (s[n] == ' '))
			if ((n = strcspn(s, " ")) == strlen(v->name) && memcmp(s, v->name, n) == 0)
				return v->name;
		return a->type == ATTR_FRAME && strcmp(v->name, "valid") == 0 ? "0" : NULL;
	}
	if (word_of_python(v))
		return a->type == ATTR_BOOL ? word_of_python(v) : NULL;
	return !fits(a, v) ? NULL : arena_strndup(ex->a, v->loc.src->text + v->loc.beg, (size_t)(v->loc.end - v->loc.beg));
}

/* What "-" marks is left out where it says nothing by itself: a number, a switch, a word. What else
 * it is, as another layer, may matter; and "~" is a switch alone, as ReLU(6) is another thing. */
static bool
may_be_left_out(char mark, const struct expr *v)
{
	return word_of_python(v) || (mark == '-' && (is_number(v) || v->kind == E_STR));
}

/* What they take without saying so, and is not what ours does. */
static void
add_presets(struct expander *ex, const struct theirs *c, const struct op *op, const char **value)
{
	const char *s = c->takes;
	struct taken t;
	int i;

	while (next_taken(&s, &t)) {
		i = t.mark == '+' ? op_attr_at(op, arena_strndup(ex->a, t.name, t.nname)) : -1;
		if (i >= 0 && !value[i])
			value[i] = arena_strndup(ex->a, t.ours, t.nours);
	}
}

/* "conv(16, 3)"; NULL where one of the arguments cannot be said. */
static const char *
translated(struct expander *ex, const struct theirs *c, const struct op *op, const struct expr *e)
{
	const char **value = arena_array(ex->a, (size_t)op_nattrs(op) + 1, sizeof(*value));
	bool *placed = arena_array(ex->a, (size_t)op_nattrs(op) + 1, sizeof(*placed)), in_order = true;
	struct taken t;
	struct text out;
	int i, k, n = 0;

	if (*c->takes == '?')
		return NULL;
	for (k = 0; k < e->nargs; k++) {
		const struct expr *v = e->arg[k].value;

		if (!v || !taken_by(c, e, k, &t) || t.mark == '!' || (t.mark && !may_be_left_out(t.mark, v)))
			return NULL;
		if (t.mark)
			continue;
		i = op_attr_at(op, arena_strndup(ex->a, t.ours, t.nours));
		if (i >= 0 && is_none(v) && !op->attrs[i].required && !op->attrs[i].preset)
			continue;	/* stride=None */
		if (i < 0 || value[i] || !(value[i] = value_here(ex, &op->attrs[i], v)))
			return NULL;
		placed[i] = !e->arg[k].name;
	}
	add_presets(ex, c, op, value);
	text_init(&out, ex->a);
	text_puts(&out, op->name);
	for (i = 0; i < op_nattrs(op); i++) {
		in_order &= value[i] && (placed[i] || op->attrs[i].required);
		if (value[i])
			text_printf(&out, "%s%s%s%s", n++ ? ", " : "(", in_order ? "" : op->attrs[i].name,
			    in_order ? "" : "=", value[i]);
	}
	if (n)
		text_puts(&out, ")");
	return out.s;
}

/* What the operator takes, in one line, and what some of their names are here. */
static void
say_usage(struct expander *ex, struct diag *g, const struct expr *e, const struct op *op)
{
	struct names none = { NULL, 0, 0 };
	const char *here;
	struct text t;
	char *s;
	int k;

	text_init(&t, ex->a);
	op_usage(&t, op);
	while ((s = strstr(t.s, "\n    "))) {
		*s = ' ';
		memmove(s + 1, s + 5, strlen(s + 5) + 1);
	}
	diag_help(ex->d, g, "here it is: %s", t.s);
	for (k = 0; k < e->nargs; k++)
		if (e->arg[k].name && !argument_elsewhere(e->arg[k].name, &none, &here) && here &&
		    op_attr_at(op, e->arg[k].name) < 0)
			diag_help(ex->d, g, "%s: %s", e->arg[k].name, here);
}

/* Where the call ends: its brackets may stand in others. -1: a comment is in the way. */
static int
call_end(const struct expr *e)
{
	const char *text = e->loc.src->text;
	int at = e->nargs > 0 ? e->arg[e->nargs - 1].value->loc.end : e->head.end + 1;

	at += (int)strspn(text + at, " \t\r\n,");
	return text[at] == ')' ? at + 1 : -1;
}

/* "did you mean 'conv(16, 3)'?", or the name alone where its arguments stay as they are. SEES: what
 * goes in was among them. */
static void
suggest_call(struct expander *ex, struct diag *g, const struct expr *e, const struct op *op, const char *ours, bool sees)
{
	const char *args = ours + strlen(op->name), *text = e->loc.src->text;
	int end = call_end(e);
	bool same = end - e->head.end == (int)strlen(args) && memcmp(text + e->head.end, args, strlen(args)) == 0;
	struct edits *edits = edits_new(ex->a, e->loc.src);

	if (same) {
		ours = op->name;
		end = e->head.end;
	}
	diag_help(ex->d, g, sees && !same ? "did you mean '%s'? It sees what goes in" : "did you mean '%s'?", ours);
	if (end < 0 || !edits_add(edits, e->head.beg, end, ours))
		return;
	diag_fix(ex->d, g, false, edits, "write '%s'", ours);
	if (g->fix)
		g->fix->told = true;
}

/* Does it take what goes in, which is seen here? */
static bool
takes_inputs(const struct theirs *c)
{
	return *c->takes == '-';
}

bool
call_is_elsewhere(const struct expr *e)
{
	return e->kind == E_CALL && any_called_so(e->name, false);
}

/* Does it take all of them? Then the call may be one of it. */
static bool
takes_all(const struct theirs *c, const struct expr *e)
{
	struct taken t;
	int k;

	for (k = 0; k < e->nargs && taken_by(c, e, k, &t); k++)
		;
	return k == e->nargs;
}

bool
call_elsewhere(struct expander *ex, struct diag *g, const struct expr *e)
{
	const struct theirs *c, *first = NULL;
	const char *ours = NULL, *other;
	bool exact, same = true;
	size_t i;

	if (!call_is_elsewhere(e))
		return false;
	exact = any_called_so(e->name, true);
	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		c = &calls[i];
		if (!is_called_so(c, e->name, exact) || !is_call_of(c, e))
			continue;
		first = first ? first : c;
		if (!takes_all(c, e))
			continue;
		other = translated(ex, c, op_find(c->ours), e);
		same &= other && (!ours || strcmp(ours, other) == 0);
		ours = other;
		first = c;
	}
	if (!first)
		return false;
	if (ours && same)
		suggest_call(ex, g, e, op_find(first->ours), ours, takes_inputs(first));
	else
		say_usage(ex, g, e, op_find(first->ours));
	return true;
}
