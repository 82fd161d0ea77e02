/* One door for models of other tools: where a command takes a spec, it takes a file of ONNX or
 * Keras. */
#ifndef STOWAGE_CLI_MODEL_H
#define STOWAGE_CLI_MODEL_H

#include "base/source.h"
#include "import/import.h"

/* Is that a model's file, by its name? */
bool	model_is_named(const char *path);
/* Why a file with such a name, which is neither a spec nor a model, is none, and what to do; NULL:
 * it may be one. */
const char	*model_refused(const char *path);
/* May that text in JSON, which is so for much else, be a model? It has what all of Keras' have. */
bool	model_is_json(const char *text);
/* Is NAME a loss, or "none"? */
bool	model_loss_known(const char *name);

/* The spec that `stowage import` would write of the model, which knows its places by the model's
 * nodes; NULL after a message. Nothing of the model stays in memory. Only the first thread may call
 * it: libraries that read models know of no others. */
struct source	*model_read(struct arena *, const char *path, const struct import_options *);

struct model_told {		/* what there is to say of a model */
	const char *why;	/* the file is none; NULL: it is one */
	int nodes;
	VEC(struct import_problem) problems;
	VEC(const char *) notes;
};

/* The same of its TEXT, or of the file where that is NULL; but what there is to say is told. */
struct source	*model_take(struct arena *, const char *path, const char *text, size_t n, struct model_told *);

/* On standard error: what cannot be expressed, or what was decided. */
void	model_say_problems(struct arena *, const char *path, const struct imported *);
void	model_say_notes(struct arena *, const char *path, const struct imported *);

#endif
