/*
 * Whose framework a run is in, by its message, by files of it and by people's words: PyTorch,
 * TensorFlow or Keras, JAX, Theano, EXLA.
 */
#include "autopsy/autopsy_parts.h"

#include <string.h>

static bool
names_framework(const struct oom_told *t, const char *name)
{
	int i;

	for (i = 0; oom_told_framework(i); i++)
		if (t->framework[i].line && strcmp(oom_told_framework(i), name) == 0)
			return true;
	return false;
}

/* Is a framework named that is not PyTorch? */
bool
autopsy_is_of_another(const struct autopsy *y)
{
	return oom_told_names_another(&y->log.paste.told) || y->log.paste.lua;
}

/* CUDA's, or HIP's, bare words: any program's. */
bool
autopsy_is_of_anyone(const struct oom_message *o)
{
	return o->kind == OOM_CUDA && (strcmp(o->who, "CUDA") == 0 || strcmp(o->who, "HIP") == 0 || strcmp(o->who, "a GPU") == 0);
}

/* Is the message that of a framework, or of a language, in which no PyTorch runs? */
static bool
is_of_others(const struct oom_message *o)
{
	static const char *const who[] = { "R", ".NET", "Java", "JavaCPP", "Android", "Node.js", "MATLAB", "MXNet", "Caffe", "Caffe2", "Darknet", "Theano", "CNTK", "MindSpore", NULL };
	int i;

	for (i = 0; who[i]; i++)
		if (strcmp(o->who, who[i]) == 0)
			return true;
	return o->kind == OOM_TENSORFLOW || o->kind == OOM_TF_ALLOCATOR || o->kind == OOM_PADDLE;
}

/* CUDA's bare words as Python's error, which is PyTorch's as a rule where nothing of another
 * library is there. */
static bool
is_raised_by_torch(const struct autopsy *y)
{
	return autopsy_is_torch(y->main) && y->main->python && !y->log.paste.gpu_files;
}

bool
autopsy_in_torch(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	if (is_of_others(y->main) || p->lua)
		return false;
	if (p->torch_files || (p->torch && !p->llama) || (autopsy_is_torch(y->main) && !autopsy_is_of_anyone(y->main)))
		return true;
	return !autopsy_is_of_another(y) && ((p->torch_told && !p->llama) || is_raised_by_torch(y));
}

/* Not where CUDA's bare words stand beside another framework's name. */
bool
autopsy_may_be_torch(const struct autopsy *y)
{
	const struct oom_message *o = y->main;

	if (o->kind == OOM_TOLD || o->kind == OOM_OTHER || o->kind == OOM_KERNEL || o->kind == OOM_MACHINE)
		return autopsy_in_torch(y);
	return autopsy_is_torch(o) && (autopsy_in_torch(y) || !autopsy_is_of_another(y));
}

/* By the message, files of it, or a name: is it TensorFlow, or Keras, which mostly stands on it? */
bool
autopsy_in_keras(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	if (autopsy_is_torch(y->main) && !autopsy_is_of_anyone(y->main))
		return false;		/* whatever is named beside PyTorch's own words */
	return y->main->kind == OOM_TENSORFLOW || y->main->kind == OOM_TF_ALLOCATOR || p->tf_files || names_framework(&p->told, "TensorFlow") || names_framework(&p->told, "Keras");
}

/* Others compile by XLA, too. */
bool
autopsy_in_jax(const struct autopsy *y)
{
	return y->log.paste.jax_files || names_framework(&y->log.paste.told, "JAX");
}

/* Keras may stand on it; what of TensorFlow itself was seen tells that it does not. */
bool
autopsy_in_theano(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	return strcmp(y->main->who, "Theano") == 0 || (names_framework(&p->told, "Theano") && !p->tf_files && !names_framework(&p->told, "TensorFlow") && !autopsy_in_torch(y));
}

/* Elixir's, which runs what XLA compiled, as JAX does. */
bool
autopsy_in_exla(const struct autopsy *y)
{
	return y->log.paste.decided.exla && !autopsy_in_theano(y) && !y->log.paste.jax_files && !autopsy_in_keras(y) && !autopsy_in_torch(y);
}

bool
autopsy_may_be_keras(const struct autopsy *y)
{
	return (autopsy_in_keras(y) || !autopsy_in_jax(y)) && !autopsy_in_theano(y) && !autopsy_in_exla(y);
}

bool
autopsy_may_be_jax(const struct autopsy *y)
{
	return (autopsy_in_jax(y) || !(autopsy_in_keras(y) || autopsy_in_torch(y))) && !autopsy_in_theano(y) && !autopsy_in_exla(y);
}
