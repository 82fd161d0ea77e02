/*
 * The JSON of a Keras model, of whatever version: what kind of model it is, who wrote it, its
 * layers (keras_layers.c), and what it was compiled with.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "import/keras.h"

#ifdef HAVE_JANSSON

#include "import/keras_file.h"
#include "import/keras_json.h"

#include <stdarg.h>
#include <string.h>

bool
keras_refuse(struct reading *r, const char *fmt, ...)
{
	va_list args;

	if (r->why)
		return false;
	va_start(args, fmt);
	r->why = arena_vprintf(r->arena, fmt, args);
	va_end(args);
	return false;
}

const char *
keras_text(struct reading *r, json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? arena_strdup(r->arena, s) : NULL;
}

bool
keras_is_model(const char *class)
{
	return strcmp(class, "Functional") == 0 || strcmp(class, "Model") == 0 || strcmp(class, "Sequential") == 0;
}

static bool
model_read(struct reading *r, json_t *root, const char *given)
{
	const char *class = keras_text(r, root, "class_name"), *version = keras_text(r, root, "keras_version");

	if (!class || !keras_is_model(class))
		return keras_refuse(r, class ? "it is a '%s': models that are Sequential or Functional are read, whose layers "
		    "a file lists" : "it is no model of Keras: class_name is missing", class);
	version = version ? version : given;
	r->m->producer = version ? arena_join(r->arena, "keras", " ", version) : "keras";
	if (!keras_layers_read(r, json_object_get(root, "config"), strcmp(class, "Sequential") == 0))
		return false;
	keras_inputs_know(r->m);
	return true;
}

const char *
keras_version(struct arena *a, const char *text, size_t size)
{
	json_error_t error;
	json_t *root = json_loadb(text, size, 0, &error);
	const char *s = json_string_value(json_object_get(root, "keras_version"));

	s = s ? arena_strdup(a, s) : NULL;
	json_decref(root);
	return s;
}

static void
training_read(struct reading *r, const char *training, json_t *root)
{
	json_t *apart = training ? json_loads(training, JSON_REJECT_DUPLICATES, NULL) : NULL;

	keras_compiled_read(r, apart ? apart : json_object_get(root, "compile_config"), json_object_get(root, "config"));
	json_decref(apart);
}

struct model *
keras_read(struct arena *a, const char *path, const struct keras_source *from, const char **why)
{
	struct reading r = { .arena = a, .m = ARENA_NEW(a, struct model) };
	json_error_t error;
	json_t *root;

	r.m->arena = a;
	r.m->path = path;
	if (from->n > KERAS_LARGEST_TEXT) {
		*why = "its configuration is larger than 64 MiB";
		return NULL;
	}
	root = json_loadb(from->text, from->n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
	if (!root) {
		*why = arena_printf(a, "line %d, column %d: %s", error.line, error.column, error.text);
		return NULL;
	}
	if (model_read(&r, root, from->version))
		training_read(&r, from->training, root);
	json_decref(root);
	*why = r.why;
	return *why ? NULL : r.m;
}

#else

const char *
keras_version(struct arena *a, const char *text, size_t size)
{
	(void)a, (void)text, (void)size;
	return NULL;
}

struct model *
keras_read(struct arena *a, const char *path, const struct keras_source *from, const char **why)
{
	(void)a, (void)path, (void)from;
	*why = "this stowage was built without jansson (libjansson-dev), which reads models of Keras";
	return NULL;
}

#endif
