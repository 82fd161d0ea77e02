/* Operators, settings, symbols and figures in words, as Markdown, for hovering, completion and
 * hints. */
#ifndef STOWAGE_LSP_MARKDOWN_H
#define STOWAGE_LSP_MARKDOWN_H

#include "base/text.h"
#include "ir/op.h"
#include "lsp/server.h"
#include "lsp/document_tree.h"
#include "syntax/setting.h"

void	words_operator(struct text *, const struct op *);
void	words_attr(struct text *, const struct attr_spec *);
void	words_setting(struct text *, const struct setting_kind *);
/* "block down(filters, stride=1)" */
void	words_symbol(struct text *, const struct symbol *);
/* What the plan says of a layer of document->facts; nothing where that is NULL. */
void	words_layer(struct text *, const json_t *layer, int64_t batch);
void	words_use(struct text *, const json_t *use, int64_t batch);	/* the same of a use of a block */
void	words_network(struct text *, const json_t *network);	/* the same of a network */
/* The lines of comment right above what is defined there; nothing where there are none. */
void	words_comment(struct text *, struct loc definition);
/* Where a block of a file that comes with Stowage is from; and what is in such a file. */
void	words_shipped(struct text *, const char *path);
void	words_library(struct text *, const struct file *);
/* One line: "3.07 GiB at batch 64 · fits RTX 3090 · largest batch 512" */
void	words_lens(struct text *, const json_t *network);

/* The operator a spec can name so, or NULL. */
const struct op	*words_op(const char *name);
/* The figures of a layer: that of the operator or label at that place; NULL: none. */
const json_t	*facts_layer(const struct document *, struct loc head);
/* The figures of the block that is used where its name stands there; NULL: none. */
const json_t	*facts_use(const struct document *, struct loc name);
/* The figures of the only network, or of that of a name; NULL: none. */
const json_t	*facts_network(const struct document *, const char *name);
/* "[16, 28, 28]", with ", ..." where the layers of that place have several; NULL: nothing to
 * show. */
const char	*facts_shape(struct arena *, const json_t *layer);
/* The micro-batch the layers' bytes are at; 0: unknown. */
int64_t		 facts_batch(const struct document *);

/* { kind: markdown, value } */
json_t	*markdown(const struct text *);

#endif
