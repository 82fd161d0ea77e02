/*
 * What a model of Keras was compiled with: its loss and its optimizer, where they are the same
 * here. What is not read is said: the spec then has what it has without.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "import/keras.h"

#ifdef HAVE_JANSSON

#include "import/keras_json.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static void
note(struct reading *r, const char *text)
{
	vec_push(r->arena, &r->m->compiled.notes, text);
}

/* Is it of Keras, by the module that it says it is of? Of a function it says none. */
static bool
is_own(json_t *j)
{
	const char *module = json_string_value(json_object_get(j, "module"));
	const char *registered = json_string_value(json_object_get(j, "registered_name"));

	return (!module || strncmp(module, "keras", 5) == 0 || strcmp(module, "builtins") == 0) &&
	    (!registered || !strchr(registered, '>'));
}

/* "MeanSquaredError", or { "class_name": "MeanSquaredError", "config": { ... } }, of which *CONFIG
 * may be NULL, or { "class_name": "function", "config": "mean_squared_error" }. What is called like
 * one of Keras and is another's has its module before it. */
static const char *
class_of(struct reading *r, json_t *j, json_t **config)
{
	const char *s = json_string_value(json_is_object(j) ? json_object_get(j, "class_name") : j);

	*config = json_is_object(j) ? json_object_get(j, "config") : NULL;
	if (s && strcmp(s, "function") == 0 && json_is_string(*config))
		s = json_string_value(*config);
	if (s && !is_own(j))
		return arena_printf(r->arena, "%s of another module", s);
	return s ? arena_strdup(r->arena, s) : NULL;
}

static bool
is_nothing(json_t *j)
{
	return !j || json_is_null(j) || json_is_false(j) || (json_is_number(j) && !(json_number_value(j) < 0) &&
	    !(json_number_value(j) > 0));
}

/* ---- the loss ---- */

static bool
is_mean(json_t *reduction)
{
	const char *s = json_string_value(reduction);

	return !s || strcmp(s, "sum_over_batch_size") == 0 || strcmp(s, "auto") == 0;
}

/* What of it the loss here has not: a key; NULL: nothing. */
static const char *
unlike(json_t *config)
{
	json_t *axis = json_object_get(config, "axis");

	if (!is_nothing(json_object_get(config, "label_smoothing")))
		return "label_smoothing";
	if (json_is_integer(json_object_get(config, "ignore_class")))	/* 0 is a class, too */
		return "ignore_class";
	if (!is_mean(json_object_get(config, "reduction")))
		return "reduction";
	return json_is_integer(axis) && json_integer_value(axis) != -1 ? "axis" : NULL;
}

/* ["mse"] and { "head": "mse" } are one loss. */
static json_t *
only_one(json_t *loss)
{
	if (json_is_array(loss) && json_array_size(loss) == 1)
		return json_array_get(loss, 0);
	if (json_is_object(loss) && json_object_size(loss) == 1 && !json_object_get(loss, "class_name"))
		return json_object_iter_value(json_object_iter(loss));
	return loss;
}

static void
loss_read(struct reading *r, json_t *loss)
{
	static const struct {
		const char *theirs, *ours;
	} losses[] = {
		{ "sparse_categorical_crossentropy", "cross_entropy" }, { "categorical_crossentropy", "cross_entropy" },
		{ "mean_squared_error", "mse" }, { "mse", "mse" }, { "mean_absolute_error", "l1" }, { "mae", "l1" },
	};
	json_t *config;
	const char *class = class_of(r, loss, &config), *snake = class ? keras_snake(r->arena, class) : NULL, *key = unlike(config);
	size_t i;

	if (is_nothing(loss))
		return;
	for (i = 0; snake && !key && i < sizeof(losses) / sizeof(*losses); i++)
		if (strcmp(snake, losses[i].theirs) == 0) {
			r->m->compiled.loss = losses[i].ours;
			r->m->compiled.of_logits = json_is_true(json_object_get(config, "from_logits"));
		}
	if (key)
		note(r, arena_printf(r->arena, "the model was compiled with %s, whose %s is not read, and so the loss is not",
		    class ? class : "a loss", key));
	else if (!r->m->compiled.loss)
		note(r, class ? arena_printf(r->arena, "the model was compiled with the loss %s, which is not read", class) :
		    "the model was compiled with losses by output, which are not read");
}

/* ---- the optimizer ---- */

/* The shortest decimal: of a number that was kept in single precision, of that. */
static const char *
number_shown(struct arena *a, double x)
{
	const char *s = "";
	int digits;

	for (digits = 1; digits <= 17; digits++) {
		s = arena_printf(a, "%.*g", digits, x);
		if (strtod(s, NULL) == x || ((double)(float)x == x && (float)strtod(s, NULL) == (float)x))
			break;
	}
	return s;
}

/* "name=0.9", where the model says so and it is not what is taken without. */
static void
add_number(struct text *t, struct arena *a, json_t *config, const char *theirs, const char *ours, double preset)
{
	json_t *j = json_object_get(config, theirs);
	double x = json_is_number(j) ? json_number_value(j) : preset;

	if (x < preset || x > preset)
		text_printf(t, "%s%s=%s", t->s[t->n - 1] == '(' ? "" : ", ", ours, number_shown(a, x));
}

/* The rate itself, or that with which a schedule begins. */
static double
rate_of(struct reading *r, json_t *config)
{
	json_t *rate = json_object_get(config, "learning_rate"), *inside;
	const char *class = class_of(r, rate, &inside);
	double first;

	rate = rate ? rate : json_object_get(config, "lr");
	if (json_is_number(rate))
		return json_number_value(rate);
	first = json_number_value(json_object_get(inside, "initial_learning_rate"));
	if (class)
		note(r, arena_printf(r->arena, "the learning rate followed %s, which is not read%s", class,
		    first > 0 ? ": it stays what it begins with" : ""));
	return first;
}

static void
say_unread(struct reading *r, json_t *config, const char *const *keys)
{
	struct text t;
	int n = 0;

	text_init(&t, r->arena);
	for (; *keys; keys++)
		if (!is_nothing(json_object_get(config, *keys)))
			text_printf(&t, "%s%s", n++ ? ", " : "", *keys);
	if (n)
		note(r, arena_printf(r->arena, "of the optimizer it is not read: %s", t.s));
}

static void
optimizer_read(struct reading *r, json_t *optimizer)
{
	static const char *const unread[] = { "clipnorm", "global_clipnorm", "clipvalue", "use_ema", "loss_scale_factor",
		"gradient_accumulation_steps", "amsgrad", "decay", NULL }, *const decay[] = { "weight_decay", NULL };
	json_t *config, *weight_decay;
	const char *class = class_of(r, optimizer, &config), *name;
	bool sgd, adam;
	struct text t;
	double rate;

	if (!class)
		return;
	name = keras_snake(r->arena, class);
	sgd = strcmp(name, "sgd") == 0;
	adam = strcmp(name, "adam") == 0 || strcmp(name, "adam_w") == 0;
	if ((!sgd && !adam) || !((rate = rate_of(r, config)) > 0)) {
		note(r, arena_printf(r->arena, "the model was compiled with the optimizer %s, which is not read", class));
		return;
	}
	weight_decay = json_object_get(config, "weight_decay");
	text_init(&t, r->arena);
	text_printf(&t, "%s(lr=%s", sgd ? "sgd" : is_nothing(weight_decay) ? "adam" : "adamw", number_shown(r->arena, rate));
	if (sgd) {
		add_number(&t, r->arena, config, "momentum", "momentum", 0);
		text_puts(&t, json_is_true(json_object_get(config, "nesterov")) &&
		    !is_nothing(json_object_get(config, "momentum")) ? ", nesterov=true" : "");
		say_unread(r, config, decay);
	} else {
		add_number(&t, r->arena, config, "beta_1", "beta1", 0.9);
		add_number(&t, r->arena, config, "beta_2", "beta2", 0.999);
		add_number(&t, r->arena, config, "epsilon", "eps", 1e-8);
		add_number(&t, r->arena, config, "weight_decay", "weight_decay", is_nothing(weight_decay) ? 0 : 0.01);
		note(r, "eps is added behind the correction of bias here, and before it in Keras");
	}
	text_puts(&t, ")");
	say_unread(r, config, unread);
	r->m->compiled.optimizer = t.s;
}

/* ---- what else it is trained with ---- */

static bool
is_empty(json_t *j)
{
	return is_nothing(j) || (json_is_array(j) && json_array_size(j) == 0) || (json_is_object(j) && json_object_size(j) == 0);
}

static void
say_others(struct reading *r, json_t *compiled)
{
	static const struct {
		const char *key, *what;
	} others[] = {
		{ "loss_weights", "weights of its loss" }, { "metrics", "metrics" }, { "weighted_metrics", "weighted metrics" },
	};
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!is_empty(json_object_get(compiled, others[i].key)))
			note(r, arena_printf(r->arena, "the model was compiled with %s, which are not read", others[i].what));
}

/* Does a layer have what ends so, "kernel_regularizer"? */
static bool
has_one(json_t *j, const char *end)
{
	const char *key;
	json_t *value;
	size_t i, n = strlen(end);

	json_array_foreach(j, i, value)
		if (has_one(value, end))
			return true;
	json_object_foreach(j, key, value)
		if ((strlen(key) > n && strcmp(key + strlen(key) - n, end) == 0 && !is_empty(value)) || has_one(value, end))
			return true;
	return false;
}

void
keras_compiled_read(struct reading *r, json_t *compiled, json_t *layers)
{
	json_t *older = json_object_get(compiled, "optimizer_config");

	loss_read(r, only_one(json_object_get(compiled, "loss")));
	optimizer_read(r, older ? older : json_object_get(compiled, "optimizer"));
	say_others(r, compiled);
	if (has_one(layers, "_regularizer"))
		note(r, "layers have regularizers, which add to the loss and are not read");
	if (has_one(layers, "_constraint"))
		note(r, "layers have constraints of their weights, which are not read");
}

#endif
