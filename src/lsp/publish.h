/* Diagnostics as the client gets them. */
#ifndef STOWAGE_LSP_PUBLISH_H
#define STOWAGE_LSP_PUBLISH_H

#include "lsp/server.h"

/* A finding; actions.c has what cures it. */
json_t	*finding_json(const struct server *, const struct diag *);

/* The findings of a document have come: FINDINGS, by URI, are texts. */
void	publish_findings(struct server *, struct document *, json_t *findings, int64_t version);
/* It is closed: it has none any more. */
void	publish_drop(struct server *, struct document *);

#endif
