/*
 * Models of other tools that are open in an editor. One in JSON has places in that text; of any
 * other kind the editor has no text that would mean something, so what is found stands at its
 * beginning and names its node.
 */
#ifndef STOWAGE_LSP_MODELS_H
#define STOWAGE_LSP_MODELS_H

#include "lsp/server.h"

struct model_told;

/* Is that a model, by its name? */
bool	document_is_model(const struct document *);

/* The spec that it is taken as; NULL: it is none, as is told, but of JSON that is anything else
 * nothing is. */
struct source	*document_model(struct document *, struct arena *, struct model_told *);

/* Where the model has the node: the string that is its name, or the beginning. */
json_t	*node_range(const struct server *, const struct document *, const char *node);

/* What is told, as diagnostics, at the end of a list. */
void	add_told(const struct server *, const struct document *, const struct model_told *, json_t *list);

#endif
